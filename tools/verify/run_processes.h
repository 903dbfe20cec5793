// The processes of a run, where `verify` itself has gone: they write what it had set aside for the
// user.
#pragma once

#include "support/descriptor.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace detshim {

/// Where each run's log is while it runs, in the folder of a verification.
std::filesystem::path log_of_run(const std::filesystem::path& folder);

/// What still runs of the verification that keeps its runs in `folder`: all whose environment names
/// the log of a run there, or that hold the pipe of a run's output. Not what has neither, or is
/// another user's.
std::vector<pid_t> running_processes(const std::filesystem::path& folder);

/// Waits a little for them, since who was killed is not gone at once. The first of those that go
/// on, as "4711 (sleep)"; nothing where all have ended.
std::optional<std::string> running_on(const std::filesystem::path& folder);

/// A process that waits for this one's end, and then ends what still runs of its verification.
/// SIGKILL, and the kernel where memory is short, leave nobody else who could.
class EndsWithUs {
public:
  explicit EndsWithUs(const std::filesystem::path& folder);
  ~EndsWithUs();                                ///< all is in order: it ends nothing
  EndsWithUs& operator=(EndsWithUs&&) = delete; // neither copied nor moved

  /// True for that process: no run has started it.
  static bool is_it(pid_t process);

private:
  OwnedDescriptor alive_; ///< the kernel closes it with us
};

/// In a child, before it becomes the program: it ends as soon as the thread that has forked it
/// does. `parent`: that thread's process.
void end_with(pid_t parent);

} // namespace detshim
