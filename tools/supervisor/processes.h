// The processes that the supervisor answers for.
#pragma once

#include "common/philox.h"
#include "supervisor/listener.h"
#include "supervisor/process_log.h"
#include "supervisor/process_name.h"
#include "support/descriptor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include <sys/stat.h>
#include <sys/types.h>

namespace detshim {

/// Which of a program's system calls are answered.
enum class Answered {
  none,     ///< the library is in it; what still reaches the kernel (keys) must stay the kernel's
  all,      ///< statically linked
  own_code, ///< Go with a libc beside it: the program's own calls, not those of its libraries
};

struct Executable {
  Answered answered = Answered::none;
  bool has_fixed_address = false; ///< its addresses are those in the file
};

/// Tells one version of a file from another.
using FileIdentity = std::tuple<dev_t, ino_t, time_t, long, off_t>;
FileIdentity identity_of(const struct stat& state);

class Executables {
public:
  /// What the executable file at `path` is; read once for each version of it.
  Executable look_up(const std::string& path, const struct stat& state);

private:
  std::map<FileIdentity, Executable> known_;
};

/// A process, from its first call that came here until its end or its next program.
struct Served {
  int pid = 0;            ///< as the supervisor sees it
  OwnedDescriptor folder; ///< /proc/<pid>: of this process alone, also when another has got its number
  OwnedDescriptor life;   ///< a pidfd: readable when it has ended; none on an old kernel
  FileIdentity executable;
  std::string program;
  Answered answered = Answered::none;
  std::uint64_t code_begin = 0, code_end = 0; ///< of the executable, for Answered::own_code
  std::uint64_t base = 0;                     ///< what the executable's addresses in the file are moved by
  NamedProcess name;
  Stream getrandom;
  std::uint64_t devices = 0; ///< opened so far
  std::unique_ptr<ProcessLog> log;

  /// True if a function is neither switched off nor to be left random for this program.
  bool pins(const char* function) const;
  /// The program's purpose is a secret: its entropy stays the kernel's, and that is recorded.
  bool makes_secrets() const;
  /// Where in the program a call came from.
  std::string place(std::uint64_t instruction) const;
  const char* thread(const seccomp_notif& call) const {
    return static_cast<int>(call.pid) == pid ? "0" : "?";
  }
};

class Processes {
public:
  /// `watch` is an epoll descriptor: it gets each process's pidfd, with the process's number. What is said
  /// goes to a process's stderr, if that is the file that the run began with.
  Processes(const RunVariable& first, const struct stat& run_stderr, int watch);

  /// The process that makes the call; nullptr if the kernel is to answer it, as for the most: the library is
  /// in them.
  Served* find(const Listener& listener, const seccomp_notif& call);

  /// A process's pidfd was readable: closes its log and forgets it.
  void end_if_dead(int pid);
  /// Closes all logs.
  void end_all();

private:
  void end(int pid);
  Served* known(const seccomp_notif& call, const FileIdentity& executable);
  std::unique_ptr<Served> look_at(int pid, const seccomp_notif& call, const Executable& executable,
                                  const FileIdentity& identity);
  void say(const Served& served, const std::string& line) const;

  Namer namer_;
  dev_t stderr_device_;
  ino_t stderr_inode_;
  int watch_;
  Executables executables_;
  std::map<int, std::unique_ptr<Served>> by_pid_;
  std::map<int, Served*> by_thread_;
};

} // namespace detshim
