// A program that draws and forks under a limit of memory, or tells how much of its memory the
// kernel counts as committed.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool set_limit(__rlimit_resource which, const char* bytes) {
  const rlimit limit = {std::strtoul(bytes, nullptr, 10), std::strtoul(bytes, nullptr, 10)};
  return setrlimit(which, &limit) == 0;
}

/// The superuser's memory may be locked past the limit.
bool obey_limit_of_locks() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0)
    return false;
  data[0].effective &= ~(1U << CAP_IPC_LOCK);
  return syscall(SYS_capset, &header, data) == 0;
}

int work() {
  constexpr size_t size = 1 << 20;
  void* const memory = std::malloc(size);
  if (memory == nullptr)
    return 2;
  std::memset(memory, 1, size);
  for (int i = 0; i < 1000; ++i)
    std::rand();
  const pid_t child = fork();
  if (child < 0)
    return 3;
  if (child == 0)
    _exit(std::rand() < 0);
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    return 4;
  char bytes[16];
  const int device = open("/dev/urandom", O_RDONLY);
  if (device < 0 || read(device, bytes, sizeof bytes) != static_cast<ssize_t>(sizeof bytes))
    return 5;
  std::free(memory);
  std::puts("worked");
  return 0;
}

int tell_committed() {
  std::FILE* const maps = std::fopen("/proc/self/smaps", "r");
  char line[4096];
  long size = 0, committed = 0;
  while (maps != nullptr && std::fgets(line, sizeof line, maps) != nullptr) {
    if (std::strncmp(line, "Size:", 5) == 0)
      size = std::atol(line + 5);
    if (std::strncmp(line, "VmFlags:", 8) == 0 && std::strstr(line, " ac") != nullptr)
      committed += size;
  }
  std::printf("%ld\n", committed);
  return 0;
}

} // namespace

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  if (count == 2 && std::strcmp(what, "committed") == 0)
    return tell_committed();
  if (count == 2 && std::strcmp(what, "work") == 0)
    return work();
  if (count != 3)
    return 1;
  if (std::strcmp(what, "locked") == 0) {
    if (!set_limit(RLIMIT_MEMLOCK, arguments[2]) || !obey_limit_of_locks())
      return 6;
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
      return 7;
    return work();
  }
  if (!set_limit(std::strcmp(what, "space") == 0 ? RLIMIT_AS : RLIMIT_DATA, arguments[2]))
    return 6;
  execl("/proc/self/exe", arguments[0], "work", nullptr);
  return 8;
}
