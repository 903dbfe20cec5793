#include "support/byte_reader.h"
#include "verify/artifact_formats/artifact_formats.h"

#include <charconv>

namespace detshim {
namespace {

/// The value of a key in the header, a dictionary as Python prints it; empty if it is not there.
std::string_view value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = header.substr(at + key.size());
  const std::size_t begin = rest.find_first_not_of(": ");
  return begin == std::string_view::npos ? std::string_view() : rest.substr(begin);
}

std::optional<std::vector<std::uint64_t>> read_shape(std::string_view text) {
  if (!text.starts_with('(')) return {};
  text = text.substr(1, text.find(')') - 1);
  std::vector<std::uint64_t> shape;
  while (!text.empty()) {
    if (text.front() == ' ' || text.front() == ',') {
      text.remove_prefix(1);
      continue;
    }
    std::uint64_t extent = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (error != std::errc()) return {};
    shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  }
  return shape;
}

/// '<f4'. What is a record, or a Python object, has none: its bytes are compared as such.
std::optional<ElementType> read_type(std::string_view text) {
  if (text.size() < 4 || text[0] != '\'') return {};
  text = text.substr(1, text.find('\'', 1) - 1);
  ElementType type;
  type.name = text;
  if (text.size() < 3 || std::string_view("<>|=").find(text[0]) == std::string_view::npos) return {};
  std::size_t size = 0;
  const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + text.size(), size);
  if (error != std::errc() || stop == text.data() + 2 || size == 0 || size > 1 << 20) return {};
  type.is_big_endian = text[0] == '>';
  const char kind = text[1];
  const bool is_word = size == 1 || size == 2 || size == 4 || size == 8;
  type.size = kind == 'U' ? size * 4 : size;
  if (kind == 'O') return {};
  type.encoding = kind == 'b' && size == 1                   ? Encoding::boolean
                  : kind == 'i' && is_word                   ? Encoding::signed_integer
                  : kind == 'u' && is_word                   ? Encoding::unsigned_integer
                  : kind == 'f' && is_word && size >= 2      ? Encoding::binary_float
                  : kind == 'c' && (size == 8 || size == 16) ? Encoding::binary_float
                                                             : Encoding::raw;
  if (kind == 'c' && type.encoding == Encoding::binary_float) type.numbers = 2;
  return type;
}

} // namespace

std::optional<Contents> read_npy(std::string_view bytes) {
  ByteReader reader(bytes);
  if (reader.take(6) != "\x93NUMPY") return {};
  const std::uint64_t version = reader.number(1);
  reader.take(1);
  if (version < 1 || version > 3) return {};
  const std::string_view header = reader.take(reader.number(version == 1 ? 2 : 4));
  const std::optional<std::vector<std::uint64_t>> shape = read_shape(value_of(header, "'shape'"));
  const std::string_view order = value_of(header, "'fortran_order'");
  if (!reader.is_good() || !shape || header.find("'descr'") == std::string_view::npos) return {};

  Contents contents;
  contents.parts.push_back(raw_part("header", header, "text"));
  Part data = raw_part("", reader.rest());
  if (const std::optional<ElementType> type = read_type(value_of(header, "'descr'"))) {
    if (byte_size(*type, *shape) != reader.left()) return {};
    data = {"", *type, *shape, reader.rest(), order.starts_with("True")};
  }
  // The array first: its difference says more than that of its header.
  contents.parts.insert(contents.parts.begin(), data);
  return contents;
}

} // namespace detshim
