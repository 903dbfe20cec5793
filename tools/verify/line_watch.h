// Looks for a line in what a program is printing.
#pragma once

#include "verify/pattern.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace detshim {

class LineWatch {
public:
  /// `files` are there, or will be.
  LineWatch(const Pattern& pattern, std::vector<std::filesystem::path> files);

  /// True if a line that was ended since the last look matches.
  bool has_seen_it();

private:
  struct Watched {
    std::filesystem::path file;
    std::size_t at = 0;
    std::string begun; ///< a line without its end so far
  };
  bool look(Watched& watched);

  const Pattern& pattern_;
  std::vector<Watched> watched_;
};

} // namespace detshim
