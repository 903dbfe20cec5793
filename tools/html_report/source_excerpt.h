// The lines of source around a place, as they stand on disk.
#pragma once

#include "log_reader/record.h"
#include "log_reader/source_lines.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

struct SourceExcerpt {
  std::string file;
  std::size_t line = 0;  ///< the one that is meant, from 1
  std::size_t first = 0; ///< the number of lines.front()
  std::vector<std::string> lines;
};

/// Around the user's line of a call. Nothing where the file is not there, was written after the log, or is no
/// file of source by its name: a log may name any file, and a report is handed on.
std::optional<SourceExcerpt> source_excerpt(const Call& call, SourceLines& source_lines,
                                            std::int64_t log_written);

} // namespace detshim
