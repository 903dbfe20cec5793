// What a hook costs, as a ratio to the function behind it in the same process and the same run.
//
// The program starts itself again under the preload. There, the plain name is the hook, and the
// function behind it is looked up in its library's own symbol table.

#include "core/base/modules.h"

#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <pthread.h>
#include <random>
#include <sched.h>
#include <spawn.h>
#include <string>
#include <sys/random.h>
#include <sys/wait.h>
#include <thread>
#include <type_traits>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

/// The function of that name in the object whose file name starts so; ends the program if it is
/// not there.
template <typename Function>
Function* native(const char* file_start, const char* name) {
  const void* found = nullptr;
  detshim::each_module([&](const detshim::Module& module) {
    const char* file = std::strrchr(module.path, '/');
    if (file == nullptr || std::strncmp(file + 1, file_start, std::strlen(file_start)) != 0)
      return false;
    return (found = module.symbol(name)) != nullptr;
  });
  if (found == nullptr) {
    std::fprintf(stderr, "bench: no %s in %s\n", name, file_start);
    std::exit(1);
  }
  return reinterpret_cast<Function*>(const_cast<void*>(found));
}

/// Registers `call(hooked function)` and `call(native function)` as one pair.
template <typename Function, typename Call>
void add_pair(const std::string& name, std::type_identity_t<Function>* hooked, Function* unhooked,
              Call call) {
  for (const bool is_hooked : {true, false}) {
    Function* function = is_hooked ? hooked : unhooked;
    benchmark::RegisterBenchmark((name + (is_hooked ? "/hooked" : "/native")).c_str(),
                                 [=](benchmark::State& state) {
                                   for (auto _ : state)
                                     call(function);
                                 });
  }
}

using GetRandom = ssize_t(void*, size_t, unsigned);

void add_getrandom(size_t size) {
  add_pair("getrandom(" + std::to_string(size) + ")", &getrandom,
           native<GetRandom>("libc.so", "getrandom"), [size](GetRandom* function) {
             char buffer[4096];
             benchmark::DoNotOptimize(function(buffer, size, 0));
             benchmark::DoNotOptimize(buffer);
           });
}

/// Into memory of which a thread does not remember where it drew before.
void add_getrandom_to_new_pages() {
  static char pages[64][4096];
  add_pair("getrandom(16) to another page each time", &getrandom,
           native<GetRandom>("libc.so", "getrandom"), [](GetRandom* function) {
             static size_t turn = 0;
             benchmark::DoNotOptimize(function(pages[turn++ % 64], 16, 0));
           });
}

/// States that lie in the caller's hands, the same one and a new one each time; seeds that are new
/// each time.
void add_caller_states() {
  static unsigned state = 1;
  using Step = int(unsigned*);
  add_pair("rand_r", &rand_r, native<Step>("libc.so", "rand_r"), [](Step* function) {
    benchmark::DoNotOptimize(function(&state));
  });
  add_pair("rand_r, a new state", &rand_r, native<Step>("libc.so", "rand_r"), [](Step* function) {
    unsigned own = state += 2654435761U;
    benchmark::DoNotOptimize(function(&own));
  });
  using Seed = void(unsigned);
  add_pair("srand, a new seed", &srand, native<Seed>("libc.so", "srand"), [](Seed* function) {
    function(state += 2654435761U);
  });
}

/// One that would start a thread: libc's own affair, if nothing stands in front of it.
void add_timers() {
  using Create = int(clockid_t, sigevent*, timer_t*);
  add_pair("timer_create, timer_delete", &timer_create, native<Create>("libc.so", "timer_create"),
           [](Create* function) {
             sigevent event = {};
             event.sigev_notify = SIGEV_THREAD;
             event.sigev_notify_function = [](sigval) {};
             timer_t timer;
             if (function(CLOCK_MONOTONIC, &event, &timer) == 0)
               timer_delete(timer);
           });
}

/// A variable that is nobody's business, and one whose readers are noted.
void add_variables() {
  using GetEnv = char*(const char*);
  for (const char* name : {"HOME", "MKL_DEBUG_CPU_TYPE", "MKL_CBWR"})
    add_pair(std::string("getenv(") + name + ")", &getenv, native<GetEnv>("libc.so", "getenv"),
             [name](GetEnv* function) {
               benchmark::DoNotOptimize(function(name));
             });
}

/// Readings of clocks and ids, which are noted.
void add_readings() {
  using GetTime = int(clockid_t, timespec*);
  add_pair("clock_gettime", &clock_gettime, native<GetTime>("libc.so", "clock_gettime"),
           [](GetTime* function) {
             timespec now;
             benchmark::DoNotOptimize(function(CLOCK_MONOTONIC, &now));
             benchmark::DoNotOptimize(now);
           });
  using Time = time_t(time_t*);
  add_pair("time", &time, native<Time>("libc.so", "time"), [](Time* function) {
    benchmark::DoNotOptimize(function(nullptr));
  });
  using GetPid = pid_t();
  add_pair("getpid", &getpid, native<GetPid>("libc.so", "getpid"), [](GetPid* function) {
    benchmark::DoNotOptimize(function());
  });
}

/// open, read and close of the device; and a byte of an unrelated file, in a process that has had a
/// device open.
void add_devices() {
  using Open = int(const char*, int, ...);
  using Read = ssize_t(int, void*, size_t);
  static auto* const native_read = native<Read>("libc.so", "read");
  static auto* const native_open = native<Open>("libc.so", "open");
  add_pair("open, read, close device", &open, native_open, [](Open* function) {
    char bytes[16];
    const int fd = function("/dev/urandom", O_RDONLY | O_CLOEXEC);
    benchmark::DoNotOptimize(function == native_open ? native_read(fd, bytes, sizeof bytes)
                                                     : read(fd, bytes, sizeof bytes));
    close(fd);
  });
  static const int device = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  static const int native_device = native_open("/dev/urandom", O_RDONLY | O_CLOEXEC);
  add_pair("read(16) of the device", &read, native_read, [](Read* function) {
    char bytes[16];
    benchmark::DoNotOptimize(
        function(function == native_read ? native_device : device, bytes, sizeof bytes));
  });
  using FileRead = size_t(void*, size_t, size_t, FILE*);
  static FILE* const other = std::fopen("/dev/zero", "rb");
  add_pair("fread(1) of another file", &std::fread, native<FileRead>("libc.so", "fread"),
           [](FileRead* function) {
             char byte;
             benchmark::DoNotOptimize(function(&byte, 1, 1, other));
           });
  static const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  add_pair("read, another file's end", &read, native_read, [](Read* function) {
    char byte;
    benchmark::DoNotOptimize(function(null, &byte, 1));
  });
}

/// A folder's entries, from opening it to closing it.
void add_folders() {
  using OpenFolder = DIR*(const char*);
  static auto* const native_open = native<OpenFolder>("libc.so", "opendir");
  static auto* const native_read = native<dirent*(DIR*)>("libc.so", "readdir");
  static const auto root =
      std::filesystem::temp_directory_path() / ("bench-folders-" + std::to_string(getpid()));
  std::atexit([] {
    std::filesystem::remove_all(root);
  });
  for (const int count : {10, 1000, 100000}) {
    const std::filesystem::path folder = root / std::to_string(count);
    std::filesystem::create_directories(folder);
    for (int i = 0; i < count; ++i)
      close(open((folder / std::to_string(i * 2654435761U)).c_str(), O_CREAT | O_WRONLY | O_CLOEXEC,
                 0600));
    add_pair("folder of " + std::to_string(count), &opendir, native_open,
             [name = folder.string()](OpenFolder* function) {
               DIR* const stream = function(name.c_str());
               auto* const read = function == native_open ? native_read : &readdir;
               while (const dirent* const entry = read(stream))
                 benchmark::DoNotOptimize(entry->d_name[0]);
               closedir(stream);
             });
  }
}

/// Starts a program that does nothing, with that library preloaded unless it is nullptr, and waits
/// for it: the time in nanoseconds.
double start_true(const char* library) {
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "LD_PRELOAD=", 11) != 0 && std::strncmp(*entry, "DETSHIM_", 8) != 0)
      environment.push_back(*entry);
  std::string preload = std::string("LD_PRELOAD=") + (library != nullptr ? library : "");
  if (library != nullptr)
    environment.push_back(preload.data());
  environment.push_back(nullptr);
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  pid_t child;
  int status;
  const auto before = std::chrono::steady_clock::now();
  // Past our own hook: it would tell the child its place, which a plain start does not pay for.
  static auto* const spawn = native<decltype(posix_spawn)>("libc.so", "posix_spawn");
  if (spawn(&child, name, nullptr, nullptr, arguments, environment.data()) == 0)
    waitpid(child, &status, 0);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
      .count();
}

double median_of(std::vector<double>& all) {
  if (all.empty())
    return 0;
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

/// Starts by turns, so that a machine whose speed drifts is fair to all three.
void print_starts() {
  std::vector<double> plain, empty, shim;
  for (int i = 0; i < 500; ++i) {
    plain.push_back(start_true(nullptr));
    empty.push_back(start_true(EMPTY_PRELOAD));
    shim.push_back(start_true(DETSHIM_LIBRARY));
  }
  const double base = median_of(plain);
  for (const auto& [name, times] :
       {std::pair{"start, empty preload", &empty}, {"start, detshim", &shim}})
    std::printf("%-24s %12.1f %12.1f %8.3f\n", name, median_of(*times), base,
                median_of(*times) / base);
}

/// Remembers the median of each benchmark's repetitions.
class Medians : public benchmark::ConsoleReporter {
public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.run_type == Run::RT_Iteration)
        times[run.run_name.function_name].push_back(run.GetAdjustedRealTime());
  }
  double median(const std::string& name) { return median_of(times[name]); }
  std::map<std::string, std::vector<double>> times;
};

/// Calls function(argument) from that many frames, of a function each.
template <int Depth, typename Result, typename Argument>
[[gnu::noinline]] Result call_deep(Result (*function)(Argument), Argument argument) {
  Result result;
  if constexpr (Depth == 0)
    result = function(argument);
  else
    result = call_deep<Depth - 1>(function, argument);
  benchmark::DoNotOptimize(result); // so that it is no jump
  return result;
}

void add_all() {
  add_pair("rand", &rand, native<int()>("libc.so", "rand"), [](auto* function) {
    benchmark::DoNotOptimize(function());
  });
  add_pair("random", &random, native<long()>("libc.so", "random"), [](auto* function) {
    benchmark::DoNotOptimize(function());
  });
  add_pair("lrand48", &lrand48, native<long()>("libc.so", "lrand48"), [](auto* function) {
    benchmark::DoNotOptimize(function());
  });
  add_caller_states();
  add_timers();
  for (const size_t size : {size_t{4}, size_t{16}, size_t{256}, size_t{4096}})
    add_getrandom(size);
  add_getrandom_to_new_pages();

  add_readings();
  add_variables();
  add_devices();
  add_folders();

  static std::random_device device;
  using GetVal = unsigned(std::random_device*);
  const char* const getval = "_ZNSt13random_device9_M_getvalEv";
  add_pair("std::random_device", reinterpret_cast<GetVal*>(dlsym(RTLD_DEFAULT, getval)),
           native<GetVal>("libstdc++.so", getval), [](GetVal* function) {
             benchmark::DoNotOptimize(function(&device));
           });

  add_pair("random_device, 20 frames", reinterpret_cast<GetVal*>(dlsym(RTLD_DEFAULT, getval)),
           native<GetVal>("libstdc++.so", getval), [](GetVal* function) {
             benchmark::DoNotOptimize(call_deep<20>(function, &device));
           });

#ifdef CUBLAS_DOUBLE
  using Create = int(void**);
  if (void* handle = dlopen(CUBLAS_DOUBLE, RTLD_NOW | RTLD_LOCAL)) {
    setenv("DOUBLE_LOG", "/dev/null", 1);
    add_pair("cublasCreate (double)", reinterpret_cast<Create*>(dlsym(handle, "cublasCreate_v2")),
             native<Create>("libcublas.so", "cublasCreate_v2"), [](Create* function) {
               void* context = nullptr;
               benchmark::DoNotOptimize(function(&context));
             });
  }
#endif
}

/// Nanoseconds a draw, with that many threads drawing at once.
template <typename Function>
double draw_in_threads(Function* draw, int count) {
  constexpr int draws = 2000000;
  const auto before = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([draw] {
      for (int k = 0; k < draws; ++k)
        benchmark::DoNotOptimize(draw());
    });
  for (std::thread& thread : threads)
    thread.join();
  const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - before;
  return time.count() / draws / count;
}

void print_line(const std::string& name, std::vector<double>& hooked, std::vector<double>& plain) {
  const double a = median_of(hooked), b = median_of(plain);
  std::printf("%-24s %12.1f %12.1f %8.3f\n", name.c_str(), a, b, a / b);
}

void print_threads() {
  auto* const native_rand = native<int()>("libc.so", "rand");
  for (const int count : {1, 2, 8}) {
    std::vector<double> hooked, plain;
    for (int i = 0; i < 5; ++i) {
      hooked.push_back(draw_in_threads(&rand, count));
      plain.push_back(draw_in_threads(native_rand, count));
    }
    print_line("rand, " + std::to_string(count) + " threads", hooked, plain);
  }
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  Create* const ways[] = {&pthread_create, native<Create>("libc.so", "pthread_create")};
  std::vector<double> times[2];
  for (int i = 0; i < 4000; ++i) {
    const auto before = std::chrono::steady_clock::now();
    pthread_t thread;
    if (ways[i % 2](
            &thread, nullptr,
            [](void* p) {
              return p;
            },
            nullptr) == 0)
      pthread_join(thread, nullptr);
    times[i % 2].push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
            .count());
  }
  print_line("pthread_create and join", times[0], times[1]);
}

/// Nanoseconds of a seeding by a real-time thread, beside an ordinary one on the same processor
/// that seeds all the time; below zero where there may be no such thread.
double seed_beside(void (*seed)(unsigned)) {
  constexpr unsigned count = 300;
  std::atomic<bool> stop = false;
  const auto on_one_processor = [] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
  };
  double time = -1;
  std::thread ordinary([&] {
    if (!on_one_processor())
      return;
    for (unsigned i = 0; !stop; ++i)
      seed(i * 2654435761U);
  });
  std::thread real_time([&] {
    sched_param priority = {};
    priority.sched_priority = 10;
    if (!on_one_processor() || pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0)
      return;
    const auto before = std::chrono::steady_clock::now();
    for (unsigned i = 0; i < count; ++i) {
      seed(i * 2246822519U);
      std::this_thread::sleep_for(
          std::chrono::microseconds(20)); // amid whatever the other one does
    }
    const std::chrono::duration<double, std::nano> taken =
        std::chrono::steady_clock::now() - before;
    time = taken.count() / count;
  });
  real_time.join();
  stop = true;
  ordinary.join();
  return time;
}

void print_priorities() {
  auto* const native_seed = native<void(unsigned)>("libc.so", "srand");
  std::vector<double> hooked, plain;
  for (int i = 0; i < 5; ++i) {
    plain.push_back(seed_beside(native_seed));
    hooked.push_back(seed_beside(&srand));
  }
  if (plain[0] < 0)
    std::puts("srand, SCHED_FIFO: not measured, it takes a right that this process does not have");
  else
    print_line("srand, SCHED_FIFO", hooked, plain);
}

double nanoseconds_since(std::chrono::steady_clock::time_point before) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
      .count();
}

template <int Place>
[[gnu::noinline]] int draw_at(int (*function)()) {
  const int drawn = function();
  benchmark::DoNotOptimize(drawn);
  return drawn + Place;
}

template <int... Places>
int draw_at_each(int (*function)(), std::integer_sequence<int, Places...>) {
  return (draw_at<Places>(function) + ...);
}

/// What the first draws of a place cost, whose frames are looked at: in a thread of its own, where
/// each place is new.
void print_first_draws() {
  auto* const native_rand = native<int()>("libc.so", "rand");
  std::vector<double> hooked, plain, first, writes;
  constexpr int looks = 1000, places = 300;
  const auto in_thread = [](auto body) {
    std::thread(body).join();
  };
  for (int i = 0; i < 20; ++i)
    for (int (*const function)() : {static_cast<int (*)()>(&rand), native_rand})
      in_thread([&] {
        double time = 0;
        for (const int draws : {1, looks}) { // with the first the record is written
          const auto before = std::chrono::steady_clock::now();
          for (int k = 0; k < draws; ++k)
            benchmark::DoNotOptimize(function());
          time = nanoseconds_since(before) / draws;
        }
        (function == &rand ? hooked : plain).push_back(time);
      });
  print_line("rand, its first 1,000", hooked, plain);
  char path[] = "/tmp/detshim-bench-XXXXXX";
  const int file = mkostemp(path, O_APPEND);
  unlink(path);
  char line[400] = {};
  for (int i = 0; i < 20; ++i) {
    in_thread([&] {
      const auto before = std::chrono::steady_clock::now();
      benchmark::DoNotOptimize(draw_at_each(&rand, std::make_integer_sequence<int, places>()));
      first.push_back(nanoseconds_since(before) / places);
    });
    const auto before = std::chrono::steady_clock::now();
    for (int k = 0; k < places; ++k)
      benchmark::DoNotOptimize(write(file, line, sizeof line));
    writes.push_back(nanoseconds_since(before) / places);
  }
  close(file);
  print_line("new place, to a write(2)", first, writes);
}

void execute_true() {
  const pid_t child = vfork();
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(1);
  }
  waitpid(child, nullptr, 0);
}

/// Nanoseconds from the fork of a child that calls `what` and ends, until it was waited for.
template <typename What>
double fork_and_wait(What what) {
  const auto before = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) {
    what();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
      .count();
}

/// Forks, or executes /bin/true from a vfork child, many times: the median in nanoseconds. What the
/// library adds to a fork is in its handlers, so the plain one is measured in a process of its own:
/// `bench_ratios --children`.
void print_own_children() {
  std::vector<double> forks, executions, draws;
  for (int i = 0; i < 300; ++i) {
    forks.push_back(fork_and_wait([] {}));
    const auto before = std::chrono::steady_clock::now();
    execute_true();
    executions.push_back(
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - before)
            .count());
  }
  const auto draw = [] {
    char bytes[16];
    benchmark::DoNotOptimize(getrandom(bytes, sizeof bytes, 0));
  };
  draw(); // so that the parent has a log
  for (int i = 0; i < 300; ++i)
    draws.push_back(fork_and_wait(draw));
  std::printf("%.1f %.1f %.1f\n", median_of(forks), median_of(executions), median_of(draws));
}

void print_children() {
  std::vector<double> forks[2], executions[2], draws[2];
  for (int i = 0; i < 10; ++i)
    for (const int hooked : {0, 1}) {
      const std::string command = std::string(hooked != 0 ? "" : "LD_PRELOAD= ") + "exec /proc/" +
                                  std::to_string(getpid()) + "/exe --children";
      FILE* output = popen(command.c_str(), "r");
      double fork_time = 0, execution_time = 0, draw_time = 0;
      if (output != nullptr &&
          std::fscanf(output, "%lf %lf %lf", &fork_time, &execution_time, &draw_time) == 3) {
        forks[hooked].push_back(fork_time);
        executions[hooked].push_back(execution_time);
        draws[hooked].push_back(draw_time);
      }
      if (output != nullptr)
        pclose(output);
    }
  print_line("fork and wait", forks[1], forks[0]);
  print_line("vfork and exec true", executions[1], executions[0]);
  print_line("fork, one draw and wait", draws[1], draws[0]);
}

void print_ratios(Medians& medians) {
  std::printf("%-24s %12s %12s %8s\n", "call", "hooked ns", "native ns", "ratio");
  for (const auto& [name, unused] : medians.times) {
    const size_t end = name.find("/hooked");
    if (end == std::string::npos)
      continue;
    const std::string call = name.substr(0, end);
    std::string other = name;
    other.replace(end, 7, "/native");
    const double hooked = medians.median(name);
    const double plain = medians.median(other);
    std::printf("%-24s %12.1f %12.1f %8.3f\n", call.c_str(), hooked, plain,
                plain > 0 ? hooked / plain : 0);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--children") == 0)
    return print_own_children(), 0;
  if (std::getenv("LD_PRELOAD") == nullptr ||
      std::strstr(std::getenv("LD_PRELOAD"), "detshim") == nullptr) {
    setenv("LD_PRELOAD", DETSHIM_LIBRARY, 1);
    setenv("DETSHIM_SEED", "42", 0);
    setenv("DETSHIM_QUIET", "1", 0);
    execv("/proc/self/exe", argv);
    std::perror("bench: cannot start again under the preload");
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 2;
  add_all();
  Medians medians;
  benchmark::RunSpecifiedBenchmarks(&medians);
  print_ratios(medians);
  print_threads();
  print_priorities();
  print_first_draws();
  print_children();
  print_starts();
}
