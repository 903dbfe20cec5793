// What `detshim run --trap-syscalls` costs: the same static program with and without it, by turns, in one
// run.
//
//     bench_trapped                 a table: medians of both, and their ratio
//     bench_trapped --measure       one line of times, for the above
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::array names = {"getrandom(16)",        "open+close /dev/urandom", "read(16) of it",
                              "open+close /dev/null", "openat for writing",      "getppid",
                              "read(1) of a file",    "start of /bin/true",      "start of python3",
                              "make -j2, 16 files"};
constexpr std::size_t count = names.size();

/// Nanoseconds a call.
template <typename Call>
double time_of(int calls, Call call) {
  const auto before = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) call();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - before;
  return time.count() / calls;
}

void start(const char* program, const char* option, const char* argument) {
  const pid_t child = vfork();
  if (child == 0) {
    execl(program, program, option, argument, nullptr);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
}

/// A folder with sources for make.
std::string sources() {
  std::string folder = std::filesystem::temp_directory_path() / "detshim-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) _exit(1);
  for (char name = 'a'; name < 'q'; ++name)
    std::ofstream(folder + '/' + name + ".c") << "#include <pthread.h>\n#include <stdio.h>\n#include "
                                                 "<stdlib.h>\nint say(void) { return puts(\"\"); }\n";
  return folder;
}

void measure() {
  char bytes[16];
  const std::string folder = sources();
  const std::string make = "cd " + folder + " && rm -f *.o && make -sj2 $(ls *.c | sed s/c$/o/)";
  const int device = open("/dev/urandom", O_RDONLY);
  const int file = open("/proc/self/exe", O_RDONLY);
  const auto open_and_close = [](const char* path, int flags) { close(open(path, flags)); };
  const std::array<double, count> times = {time_of(2000,
                                                   [&] {
                                                     if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
                                                       _exit(1);
                                                   }),
                                           time_of(500, [&] { open_and_close("/dev/urandom", O_RDONLY); }),
                                           time_of(2000,
                                                   [&] {
                                                     if (read(device, bytes, sizeof bytes) != sizeof bytes)
                                                       _exit(1);
                                                   }),
                                           time_of(2000, [&] { open_and_close("/dev/null", O_RDONLY); }),
                                           time_of(20000, [&] { open_and_close("/dev/null", O_WRONLY); }),
                                           time_of(500000, [] { syscall(SYS_getppid); }),
                                           time_of(200000,
                                                   [&] {
                                                     if (pread(file, bytes, 1, 0) != 1) _exit(1);
                                                   }),
                                           time_of(50, [] { start("/bin/true", nullptr, nullptr); }),
                                           time_of(5, [] { start("/usr/bin/python3", "-c", "pass"); }),
                                           time_of(2, [&] { start("/bin/sh", "-c", make.c_str()); })};
  std::filesystem::remove_all(folder);
  for (const double time : times) std::printf("%.1f ", time);
}

/// What a run of this program under `command` measures; false if it could not be run.
bool measured(const std::string& command, std::array<std::vector<double>, count>& times) {
  FILE* const output = popen(command.c_str(), "r");
  bool is_whole = output != nullptr;
  for (std::size_t i = 0; is_whole && i < count; ++i) {
    double time = 0;
    is_whole = std::fscanf(output, "%lf", &time) == 1;
    times[i].push_back(time);
  }
  return output != nullptr && pclose(output) == 0 && is_whole;
}

double median(std::vector<double>& all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--measure") == 0) return measure(), 0;
  const std::string self = "/proc/" + std::to_string(getpid()) + "/exe --measure";
  const auto log = std::filesystem::temp_directory_path() / ("detshim-bench-" + std::to_string(getpid()));
  const std::string run = DETSHIM_COMMAND " run --quiet --seed 42 --log " + log.string();
  std::array<std::vector<double>, count> trapped, plain;
  for (int i = 0; i < 9; ++i)
    if (!measured(run + " -- " + self, plain) || !measured(run + " --trap-syscalls -- " + self, trapped))
      return 1;
  std::filesystem::remove_all(log);
  std::printf("%-26s %12s %12s %8s\n", "call", "trapped ns", "plain ns", "ratio");
  for (std::size_t i = 0; i < count; ++i) {
    const double a = median(trapped[i]), b = median(plain[i]);
    std::printf("%-26s %12.1f %12.1f %8.2f\n", names[i], a, b, a / b);
  }
}
