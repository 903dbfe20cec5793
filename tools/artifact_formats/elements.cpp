#include "artifact_formats/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace detshim {
namespace {

/// The number in `size` bytes, the least significant first or last.
std::uint64_t read_bits(const char* at, std::size_t size, bool is_big_endian) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<unsigned char>(at[is_big_endian ? i : size - 1 - i]);
    bits = bits << 8 | byte;
  }
  return bits;
}

/// IEEE 754 binary16.
double half(std::uint64_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 0x1F);
  const auto fraction = static_cast<double>(bits & 0x3FF);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0x1F)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  return sign *
         (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::size_t most = 16;
  std::string text = "0x";
  for (const char c : bytes.substr(0, most))
    for (const int shift : {4, 0})
      text += "0123456789abcdef"[static_cast<unsigned char>(c) >> shift & 0xF];
  return bytes.size() > most ? text + "..." : text;
}

template <typename Number>
std::string shortest(Number number) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

struct Number {
  std::string text;
  long double number = 0;
  bool is_number = true;
};

Number float_value(std::uint64_t bits, const ElementType& type, std::size_t size) {
  const auto in_words = [](auto number) {
    return Number{shortest(number), number, std::isfinite(number)};
  };
  if (type.encoding == Encoding::bfloat16)
    return in_words(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16)));
  if (size == 2)
    return in_words(static_cast<float>(half(bits)));
  if (size == 4)
    return in_words(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return in_words(std::bit_cast<double>(bits));
}

/// One number of an element.
Number value_at(const char* at, const ElementType& type) {
  const std::size_t size = type.size / type.numbers;
  if (type.encoding == Encoding::raw)
    return {hexadecimal({at, type.size}), 0, false};
  const std::uint64_t bits = read_bits(at, size, type.is_big_endian);
  switch (type.encoding) {
  case Encoding::boolean:
    return {bits == 0   ? "false"
            : bits == 1 ? "true"
                        : shortest(bits),
            static_cast<long double>(bits)};
  case Encoding::signed_integer: {
    const std::size_t unused = 64 - size * 8;
    const auto number = static_cast<std::int64_t>(bits << unused) >> unused;
    return {shortest(number), static_cast<long double>(number)};
  }
  case Encoding::unsigned_integer:
    return {shortest(bits), static_cast<long double>(bits)};
  default: {
    Number value = float_value(bits, type, size);
    if (std::isnan(value.number))
      value.text = "nan (" + hexadecimal({at, size}) + ")";
    return value;
  }
  }
}

Number element_text(const char* at, const ElementType& type) {
  Number value = value_at(at, type);
  if (type.numbers == 2) {
    const Number imaginary = value_at(at + type.size / 2, type);
    value.text = "(" + value.text + ", " + imaginary.text + ")";
  }
  return value;
}

std::string index_of(std::uint64_t number, const Part& part) {
  if (part.shape.empty())
    return {};
  std::vector<std::uint64_t> index(part.shape.size());
  for (std::size_t i = 0; i < index.size(); ++i) {
    const std::size_t axis = part.is_column_major ? i : index.size() - 1 - i;
    index[axis] = number % part.shape[axis];
    number /= part.shape[axis];
  }
  std::string text = "[";
  for (std::size_t i = 0; i < index.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(index[i]);
  return text + "]";
}

void count_element(const char* one, const char* other, const ElementType& type,
                   ContentDifference& result) {
  const std::size_t size = type.size / type.numbers;
  bool is_comparable = true;
  for (std::size_t i = 0; i < type.numbers; ++i) {
    const Number a = value_at(one + i * size, type), b = value_at(other + i * size, type);
    is_comparable &= a.is_number && b.is_number;
    if (!a.is_number || !b.is_number)
      continue;
    result.add_numbers(a.number, b.number);
  }
  if (!is_comparable)
    ++result.not_comparable;
}

} // namespace

std::optional<ElementType> type_named(std::string_view name) {
  struct Known {
    std::string_view of_safetensors, of_torch;
    Encoding encoding;
    std::size_t size, numbers = 1;
  };
  using enum Encoding;
  static constexpr Known known[] = {
      {"BOOL", "BoolStorage", boolean, 1},
      {"U8", "ByteStorage", unsigned_integer, 1},
      {"U16", "", unsigned_integer, 2},
      {"U32", "", unsigned_integer, 4},
      {"U64", "", unsigned_integer, 8},
      {"I8", "CharStorage", signed_integer, 1},
      {"I16", "ShortStorage", signed_integer, 2},
      {"I32", "IntStorage", signed_integer, 4},
      {"I64", "LongStorage", signed_integer, 8},
      {"F16", "HalfStorage", binary_float, 2},
      {"BF16", "BFloat16Storage", bfloat16, 2},
      {"F32", "FloatStorage", binary_float, 4},
      {"F64", "DoubleStorage", binary_float, 8},
      {"", "ComplexFloatStorage", binary_float, 8, 2},
      {"", "ComplexDoubleStorage", binary_float, 16, 2},
  };
  for (const Known& row : known)
    if (!name.empty() && (name == row.of_safetensors || name == row.of_torch))
      return ElementType{std::string(name), row.encoding, row.size, false, row.numbers};
  return {};
}

Part raw_part(std::string name, std::string_view bytes, const char* type) {
  return {std::move(name), {type, Encoding::raw, 1}, {bytes.size()}, bytes};
}

double relative_difference(long double a, long double b) {
  const long double larger = std::max(std::fabs(a), std::fabs(b));
  return larger == 0 ? 0 : static_cast<double>(std::fabs(a - b) / larger);
}

void ContentDifference::add_numbers(long double number, long double other_number) {
  const auto absolute = static_cast<double>(std::fabs(number - other_number));
  max_absolute = std::max(max_absolute, absolute);
  max_relative = std::max(max_relative, relative_difference(number, other_number));
}

std::uint64_t byte_size(const ElementType& type, const std::vector<std::uint64_t>& shape) {
  std::uint64_t size = type.size;
  for (const std::uint64_t extent : shape)
    if (__builtin_mul_overflow(size, extent, &size))
      return std::numeric_limits<std::uint64_t>::max();
  return size;
}

ContentDifference compare_arrays(const Part& one, const Part& other) {
  ContentDifference result;
  const ElementType& type = one.type;
  result.has_numbers = type.encoding != Encoding::raw;
  result.of = one.bytes.size() / type.size;
  if (type.encoding == Encoding::raw && type.size == 1)
    result.unit = "byte";
  // Most of two large arrays is equal: whole blocks are passed over.
  constexpr std::uint64_t block = 1024;
  for (std::uint64_t begin = 0; begin < result.of; begin += block) {
    const std::uint64_t end = std::min(begin + block, result.of);
    if (std::memcmp(one.bytes.data() + begin * type.size, other.bytes.data() + begin * type.size,
                    (end - begin) * type.size) == 0)
      continue;
    for (std::uint64_t i = begin; i < end; ++i) {
      const char* const a = one.bytes.data() + i * type.size;
      const char* const b = other.bytes.data() + i * type.size;
      if (std::memcmp(a, b, type.size) == 0)
        continue;
      if (result.count++ == 0) {
        result.where = index_of(i, one);
        result.value = element_text(a, type).text;
        result.other_value = element_text(b, type).text;
      }
      if (result.has_numbers)
        count_element(a, b, type, result);
    }
  }
  return result;
}

std::optional<long double> number_of(std::string_view text) {
  if (text.ends_with('\r'))
    text.remove_suffix(1);
  if (text.starts_with('+'))
    text.remove_prefix(1);
  const std::string ended(text); // of a long double libstdc++ reads up to a zero, wherever that is
  const char* const end = ended.c_str() + ended.size();
  long double number = 0;
  const auto [stop, error] = std::from_chars(ended.c_str(), end, number);
  if (text.empty() || error != std::errc() || stop != end)
    return {};
  return number;
}

} // namespace detshim
