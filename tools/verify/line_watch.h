// Looks for a line in what a program is printing, and ends there what it has printed.
#pragma once

#include "verify/pattern.h"
#include "verify/run_once.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace detshim {

class LineWatch {
public:
  explicit LineWatch(const Pattern& pattern) : pattern_(pattern) {}

  /// True if a line matches that was ended since the last look. It may be asked before anything is
  /// printed.
  bool has_seen_it(const Run& run);

private:
  struct Watched {
    std::size_t at = 0;
    std::string begun; ///< a line without its end so far
  };
  bool look(const Run& run, PrintedStream stream);

  const Pattern& pattern_;
  std::map<PrintedStream, Watched> watched_;
};

/// Takes away what stands behind the first line that matches: how much of it came before the
/// program was killed is chance. Returns the stream that has such a line, stdout first; nothing
/// where none does.
std::optional<PrintedStream> end_printed_at(const Pattern& pattern, const Run& run);

} // namespace detshim
