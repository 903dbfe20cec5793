// Which programs the supervisor answers for, told by their files.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include <sys/stat.h>

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

} // namespace detshim
