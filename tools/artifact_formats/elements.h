// How two versions of something differ (a file, an array, a series of numbers, the lines of an
// output), and elements of tensors: what a file's name of a type means, and how two arrays of one
// type differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// The first difference, and how much differs in all. Texts are as they stand in the files: not
/// safe to print.
struct ContentDifference {
  std::string where = {}; ///< "tensor 'w' [3, 1]", "row 3, column 2 'loss'", "byte 17"
  std::string value = {}, other_value = {};
  std::uint64_t count = 0, of = 0; ///< elements that differ, of all of the tensor (or in the file)
  std::string unit = "element";
  bool are_lines = false;           ///< the values are lines that both texts have
  std::size_t at = 0, other_at = 0; ///< where these begin to differ
  bool has_numbers = false;
  double max_absolute = 0, max_relative = 0;
  std::uint64_t not_comparable = 0; ///< NaN or infinite in one of the two
  std::uint64_t parts = 0;          ///< tensors that differ, of a file with several

  /// Two finite numbers that stand at the same place: widens the largest differences.
  void add_numbers(long double number, long double other_number);
};

/// How the bytes of an element are to be read.
enum class Encoding { raw, boolean, signed_integer, unsigned_integer, binary_float, bfloat16 };

struct ElementType {
  std::string name = "byte"; ///< as the file has it: two names are two types
  Encoding encoding = Encoding::unsigned_integer;
  std::size_t size = 1;
  bool is_big_endian = false;
  std::size_t numbers = 1; ///< in one element: 2 for complex ones
};

/// By the name that safetensors ("F32") or PyTorch ("FloatStorage") has for it, which it keeps.
std::optional<ElementType> type_named(std::string_view name);

/// Where a part has its name from: two parts of one name and one origin are the same part of two
/// files.
enum class PartName {
  file,   ///< the file has it
  array,  ///< the file has it, with an ending that is left out
  tensor, ///< the file has it, and what stands in brackets behind it
  reader, ///< what reads the file made it up
};

/// Bytes of a file as an array. `bytes` belongs to whoever read the file.
struct Part {
  std::string name; ///< empty for a file that is one array
  ElementType type;
  std::vector<std::uint64_t> shape; ///< empty for a scalar
  std::string_view bytes;
  bool is_column_major = false;
  bool is_hash = false; ///< of the other parts: when it differs too, that says nothing more
  PartName named_by = PartName::file;
};

/// Bytes that say how other parts are read, or of which no more is known.
Part raw_part(std::string name, std::string_view bytes, const char* type = "byte");

/// The size in bytes of an array of that shape, or nothing reasonable: the largest number.
std::uint64_t byte_size(const ElementType& type, const std::vector<std::uint64_t>& shape);

/// Compares bit by bit two arrays of one type, shape and size: NaN equals NaN of the same bits, -0
/// is not 0. `count` is 0 if they are equal; `where` is the index of the first that differs, "[3,
/// 1]", empty for a scalar.
ContentDifference compare_arrays(const Part& one, const Part& other);

/// |a - b| over the larger of |a| and |b|.
double relative_difference(long double a, long double b);

/// The number that is all of the text. A long double tells all whole numbers of 64 bits apart.
std::optional<long double> number_of(std::string_view text);

} // namespace detshim
