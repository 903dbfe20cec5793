// Compares two versions of a file, by what it holds.
#pragma once

#include "artifact_formats/elements.h"

#include <optional>
#include <string>
#include <string_view>

namespace detshim {

struct FileComparison {
  std::string format;  ///< "npy", "bytes"
  std::string ignored; ///< what the bytes differ in though the contents are equal; else empty
  std::optional<ContentDifference> difference;
};

/// `name`: the file's, which says its format where its bytes do not.
FileComparison compare_contents(const std::string& name, std::string_view one,
                                std::string_view other);

/// Throws std::system_error if one of the files cannot be read.
FileComparison compare_files(const std::string& name, const std::string& one,
                             const std::string& other);

} // namespace detshim
