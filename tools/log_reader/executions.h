// Whether a process has turned into another program, by what its log says last.
#pragma once

#include "log_reader/record.h"

#include <map>
#include <string>
#include <string_view>

namespace detshim {

/// What the threads of one process say of programs that they execute. At most one succeeds, and
/// ends the others.
class Executions {
public:
  void take(const Exec& exec) {
    if (exec.has_failed)
      standing_.erase(exec.thread);
    else
      standing_[exec.thread] = exec;
  }
  /// A record of that thread: it is still there, as after a signal handler that left the call by
  /// longjmp.
  void take_record_of(std::string_view thread) {
    if (const auto known = standing_.find(thread); known != standing_.end())
      standing_.erase(known);
  }
  /// The one that is not taken back; nullptr without one.
  const Exec* last() const { return standing_.empty() ? nullptr : &standing_.begin()->second; }

private:
  std::map<std::string, Exec, std::less<>> standing_; ///< by thread
};

} // namespace detshim
