#include "artifact_formats/artifact_formats.h"
#include "support/byte_reader.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace detshim {
namespace {

/// The value of a key in the header, a dictionary as Python prints it; empty if it is not there.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos)
    return {};
  std::string_view rest = header.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of(": ");
  return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

std::optional<std::vector<std::uint64_t>> read_shape(std::string_view text) {
  if (!text.starts_with('('))
    return {};
  text = text.substr(1, text.find(')') - 1);
  std::vector<std::uint64_t> shape;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::uint64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc())
      return {};
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return shape;
}

/// The kinds of elements that are numbers, each with a size in bytes that it can have. All others
/// are compared by their bytes.
struct KnownKind {
  char letter;
  std::size_t size;
  Encoding encoding;
  std::size_t numbers = 1;
};

constexpr KnownKind known_kinds[] = {
    {'b', 1, Encoding::boolean},          {'i', 1, Encoding::signed_integer},
    {'i', 2, Encoding::signed_integer},   {'i', 4, Encoding::signed_integer},
    {'i', 8, Encoding::signed_integer},   {'u', 1, Encoding::unsigned_integer},
    {'u', 2, Encoding::unsigned_integer}, {'u', 4, Encoding::unsigned_integer},
    {'u', 8, Encoding::unsigned_integer}, {'f', 2, Encoding::binary_float},
    {'f', 4, Encoding::binary_float},     {'f', 8, Encoding::binary_float},
    {'c', 8, Encoding::binary_float, 2},  {'c', 16, Encoding::binary_float, 2},
};

/// "<f4": the order of bytes, the kind, and the size that is written behind it.
struct TypeCode {
  char byte_order;
  char letter;
  std::size_t size;
};

std::optional<TypeCode> read_type_code(std::string_view code) {
  constexpr std::string_view byte_orders = "<>|=";
  constexpr std::size_t largest = 1 << 20;
  if (code.size() < 3 || byte_orders.find(code[0]) == byte_orders.npos)
    return {};
  const std::string_view digits = code.substr(2);
  TypeCode type{code[0], code[1], 0};
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), type.size);
  const bool is_number = error == std::errc() && stop != digits.data();
  if (!is_number || type.size == 0 || type.size > largest)
    return {};
  return type;
}

/// '<f4'. Nothing for a record or a Python object: its bytes are compared as such.
std::optional<ElementType> read_type(std::string_view text) {
  constexpr char object = 'O', characters = 'U';
  constexpr std::size_t bytes_of_character = 4;
  if (text.size() < 4 || text[0] != '\'')
    return {};
  const std::string_view name = text.substr(1, text.find('\'', 1) - 1);
  const std::optional<TypeCode> code = read_type_code(name);
  if (!code || code->letter == object)
    return {};
  ElementType type;
  type.name = name;
  type.is_big_endian = code->byte_order == '>';
  type.size = code->letter == characters ? code->size * bytes_of_character : code->size;
  type.encoding = Encoding::raw;
  const auto* const known = std::ranges::find_if(known_kinds, [&](const KnownKind& kind) {
    return kind.letter == code->letter && kind.size == code->size;
  });
  if (known != std::end(known_kinds)) {
    type.encoding = known->encoding;
    type.numbers = known->numbers;
  }
  return type;
}

} // namespace

std::optional<Contents> read_npy(std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.take(6) != "\x93NUMPY")
    return {};
  const std::uint64_t version = reader.number(1);
  reader.take(1);
  if (version < 1 || version > 3)
    return {};
  const std::string_view header = reader.take(reader.number(version == 1 ? 2 : 4));
  const std::optional<std::vector<std::uint64_t>> shape = read_shape(value_of(header, "'shape'"));
  const std::string_view order = value_of(header, "'fortran_order'");
  if (!reader.is_good() || !shape || header.find("'descr'") == std::string_view::npos)
    return {};

  Contents contents;
  contents.parts.push_back(raw_part("header", header, "text"));
  Part data = raw_part("", reader.rest());
  if (const std::optional<ElementType> type = read_type(value_of(header, "'descr'"))) {
    if (byte_size(*type, *shape) != reader.left())
      return {};
    data = {"", *type, *shape, reader.rest(), order.starts_with("True")};
  }
  // The array first: its difference says more than that of its header.
  contents.parts.insert(contents.parts.begin(), data);
  return contents;
}

} // namespace detshim
