// Compares two versions of a file, by what it holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace detshim {

/// The first difference, and how much differs in all. Texts are as they stand in the files: not safe to
/// print.
struct ContentDifference {
  std::string where; ///< "tensor 'w' [3, 1]", "row 3, column 2 'loss'", "byte 17"
  std::string value, other_value;
  std::uint64_t count = 0, of = 0; ///< elements that differ, of all of the tensor (or in the file)
  std::string unit = "element";
  bool has_numbers = false;
  double max_absolute = 0, max_relative = 0;
  std::uint64_t not_comparable = 0; ///< NaN or infinite in one of the two
  std::uint64_t parts = 0;          ///< tensors that differ, of a file with several
};

struct FileComparison {
  std::string format;  ///< "npy", "bytes"
  std::string ignored; ///< what the bytes differ in though the contents are equal; else empty
  std::optional<ContentDifference> difference;
};

/// `name`: the file's, which says its format where its bytes do not.
FileComparison compare_contents(const std::string& name, std::string_view one, std::string_view other);

/// Throws std::system_error if one of the files cannot be read.
FileComparison compare_files(const std::string& name, const std::string& one, const std::string& other);

} // namespace detshim
