// Looks in what a program is printing for the line at which it is to end, and ends there what it
// has printed.
#pragma once

#include "verify/run_end.h"
#include "verify/run_once.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace detshim {

class LineWatch {
public:
  explicit LineWatch(const RunEnd& end) : end_(end) {}

  /// True if that line was ended since the last look. It may be asked before anything is printed.
  bool has_seen_it(const Run& run);

private:
  struct Watched {
    explicit Watched(const RunEnd& end) : search(end) {}
    RunEndSearch search;
    std::size_t at = 0;
    std::string begun; ///< a line without its end so far
  };
  bool look(const Run& run, PrintedStream stream);

  const RunEnd& end_;
  std::map<PrintedStream, Watched> watched_;
};

/// Takes away what stands behind that line: how much of it came before the program was killed is
/// chance. Returns the stream that has such a line, stdout first; nothing where none does.
std::optional<PrintedStream> end_printed_at(const RunEnd& end, const Run& run);

} // namespace detshim
