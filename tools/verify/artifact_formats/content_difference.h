// How two versions of something differ: of a file, an array, a series of numbers, the lines of an output.
#pragma once

#include <cstdint>
#include <string>

namespace detshim {

/// The first difference, and how much differs in all. Texts are as they stand in the files: not safe to
/// print.
struct ContentDifference {
  std::string where = {}; ///< "tensor 'w' [3, 1]", "row 3, column 2 'loss'", "byte 17"
  std::string value = {}, other_value = {};
  std::uint64_t count = 0, of = 0; ///< elements that differ, of all of the tensor (or in the file)
  std::string unit = "element";
  bool has_numbers = false;
  double max_absolute = 0, max_relative = 0;
  std::uint64_t not_comparable = 0; ///< NaN or infinite in one of the two
  std::uint64_t parts = 0;          ///< tensors that differ, of a file with several
};

} // namespace detshim
