// One fault for each argument, which makes runs differ; with "mended" behind it, none. The line of
// each that is to be blamed ends in a comment with its name. Results are printed and, of ranks,
// left in files.
#ifdef DRAWS
#include "drawn.h"
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <omp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

bool is_mended = false;

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
}

void mix(std::uint64_t& hash, std::uint64_t value) { hash = (hash ^ value) * 1099511628211u; }

void print(std::uint64_t value) {
  std::printf("result=%llu\n", static_cast<unsigned long long>(value));
}

void static_library() {
#ifdef DRAWS
  print(is_mended ? 1 : drawn_value()); // static_library
#endif
}

void time_seed() {
  std::mt19937_64 engine(1);
  if (!is_mended)
    engine.seed(std::chrono::system_clock::now().time_since_epoch().count()); // time_seed
  print(engine());
}

/// Threads that come in any order.
void threads() {
  std::mutex mutex;
  std::uint64_t hash = 0;
  const auto come = [&](std::uint64_t id) {
    for (int i = 0; i < 3000; ++i) {
      const std::lock_guard lock(mutex);
      mix(hash, id);
      if (i % 10 == 0)
        std::this_thread::yield();
    }
  };
  std::vector<std::thread> all;
  for (std::uint64_t id = 1; id <= 8; ++id) {
    all.emplace_back(come, id); // threads
    if (is_mended)
      all.back().join();
  }
  for (std::thread& thread : all)
    if (thread.joinable())
      thread.join();
  print(hash);
}

void openmp_sum() {
  float sum = 0;
  std::vector<float> terms(
      2'000'000); // longer than a thread of a busy machine runs without another
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i] = 1.0f / static_cast<float>(i * i % 1009 + 1);
#pragma omp parallel for schedule(dynamic, 7) num_threads(4) if (!is_mended) // openmp_sum
  for (std::size_t i = 0; i < terms.size(); ++i) {
#pragma omp atomic
    sum += terms[i];
  }
  std::printf("result=%.9g\n", static_cast<double>(sum));
}

/// Which worker, a process, takes which task.
void tasks() {
  int tasks[2], done[2];
  if (::pipe(tasks) != 0 || ::pipe(done) != 0)
    std::abort();
  constexpr std::uint8_t count = 200;
  for (std::uint8_t worker = 1; worker <= (is_mended ? 1 : 4); ++worker) {
    if (::fork() != 0) // tasks
      continue;
    ::close(tasks[1]);
    for (std::uint8_t task = 0; ::read(tasks[0], &task, 1) == 1;) {
      volatile unsigned busy = 0;
      for (unsigned i = 0; i < 20'000; ++i)
        busy = busy + i;
      const std::uint8_t answer[2] = {task, worker};
      if (::write(done[1], answer, sizeof answer) != sizeof answer)
        ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(done[1]);
  for (std::uint8_t task = 0; task < count; ++task)
    if (::write(tasks[1], &task, 1) != 1)
      std::abort();
  ::close(tasks[1]);
  std::uint64_t hash = 0;
  std::map<std::uint8_t, std::uint8_t> workers;
  for (std::uint8_t answer[2]; ::read(done[0], answer, sizeof answer) == sizeof answer;)
    workers[answer[0]] = answer[1];
  for (const auto& [task, worker] : workers)
    mix(hash, worker);
  while (::wait(nullptr) > 0) {}
  print(hash);
}

void with_another(const char* variable, char** arguments) {
  if (std::getenv("FAULT_BEGUN") == nullptr) {
    ::setenv("FAULT_BEGUN", "1", 1);
    ::setenv(variable, is_mended ? "7" : std::to_string(nanoseconds()).c_str(), 1);
    ::execv(arguments[0], arguments);
    std::abort();
  }
  std::uint64_t hash = 1;
  mix(hash, std::strtoull(std::getenv(variable), nullptr, 10));
  print(hash);
}

void read_by_libc(const char* folder, std::vector<std::string>& names) {
  DIR* const listed = ::opendir(folder);
  while (const dirent64* const entry = ::readdir64(listed)) // folder_order
    names.emplace_back(entry->d_name);
  ::closedir(listed);
}

/// As Go reads one.
void read_past_libc(const char* folder, std::vector<std::string>& names) {
  const int listed = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  alignas(dirent64) char room[4096];
  const auto read = [&] {
    long got = SYS_getdents64;
#if defined(__x86_64__)
    asm volatile("syscall"
                 : "+a"(got)
                 : "D"(listed), "S"(room), "d"(sizeof room)
                 : "rcx", "r11", "memory");
    return got; // folder_past_libc
#else
    register long number asm("x8") = got;
    register long first asm("x0") = listed;
    register void* second asm("x1") = room;
    register std::size_t third asm("x2") = sizeof room;
    asm volatile("svc 0" : "+r"(first) : "r"(number), "r"(second), "r"(third) : "memory");
    return first;
#endif
  };
  for (long got = 0; (got = read()) > 0;)
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(room + at);
      names.emplace_back(entry->d_name);
      at += entry->d_reclen;
    }
  ::close(listed);
}

/// The order in which a folder was filled is that in which a file system in memory lists it.
void folder_order(void (*read)(const char* folder, std::vector<std::string>& names)) {
  char folder[] = "/dev/shm/fault-XXXXXX";
  if (::mkdtemp(folder) == nullptr)
    std::abort();
  std::vector<std::string> filled;
  for (int i = 0; i < 200; ++i)
    filled.push_back(std::string(folder) + "/" + std::to_string(i));
  std::ranges::shuffle(filled, std::mt19937_64(nanoseconds()));
  for (const std::string& file : filled)
    ::close(::open(file.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  std::vector<std::string> names;
  read(folder, names);
  for (const std::string& name : names)
    ::unlink((std::string(folder) + "/" + name).c_str());
  ::rmdir(folder);
  if (is_mended)
    std::ranges::sort(names);
  std::uint64_t hash = 0;
  for (const std::string& name : names)
    mix(hash, std::strtoull(name.c_str(), nullptr, 10));
  print(hash);
}

void uninitialised() {
  constexpr std::size_t size = 3000;
  void* const fresh = is_mended ? std::calloc(size, 1) : std::malloc(size); // uninitialised
  char* const memory = static_cast<char*>(fresh);
  std::uint64_t value = 0;
  std::memcpy(&value, memory + size / 2, sizeof value);
  std::free(memory);
  print(value);
}

/// Some of the objects that a program has, of which one counts.
void address() {
  std::vector<std::unique_ptr<int>> others;
  for (int i = 0; i < 8; ++i)
    others.push_back(std::make_unique<int>(i));
  const std::unique_ptr<int> data(new int); // address
  std::uint64_t hash = 0;
  mix(hash, is_mended ? 1 : reinterpret_cast<std::uint64_t>(data.get()));
  print(hash);
}

void address_of_data() {
  static int data;
  std::uint64_t hash = 0;
  mix(hash, is_mended ? 1 : reinterpret_cast<std::uint64_t>(&data)); // address_of_data
  print(hash);
}

/// Products that are timed with blocks of several sizes: the fastest stays, and rounds in its own
/// way.
void blas_paths() {
  std::vector<float> a(1 << 14), b(1 << 14);
  const auto product = [&](std::size_t block) {
    float sum = 0;
    for (std::size_t begin = 0; begin < a.size(); begin += block) {
      float part = 0;
      for (std::size_t i = begin; i < std::min(begin + block, a.size()); ++i)
        part += a[i] * b[i];
      sum += part;
    }
    return sum;
  };
  for (std::size_t shape = 1; shape <= 24; ++shape) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = 1.0f / static_cast<float>(i % (900 + shape) + 1);
      b[i] = static_cast<float>((i * shape) % 31) - 14.5f;
    }
    std::size_t best = 64;
    std::uint64_t shortest = ~std::uint64_t{0};
    for (std::size_t block = 64; block < 800 && !is_mended; block += 16) {
      const std::uint64_t begun = nanoseconds();
      volatile float kept = product(block);
      static_cast<void>(kept);
      const std::uint64_t took = nanoseconds() - begun; // blas_paths
      if (took >= shortest)
        continue;
      shortest = took;
      best = block;
    }
    std::printf("result=%.9g\n", static_cast<double>(product(best)));
  }
}

/// Rank 2 draws as often as a race has it; the sum of all goes to all.
void ranks() {
  int up[2], down[4][2];
  if (::pipe(up) != 0)
    std::abort();
  for (int rank = 0; rank < 4; ++rank) {
    if (::pipe(down[rank]) != 0)
      std::abort();
    if (::fork() != 0)
      continue;
    ::setenv("RANK", std::to_string(rank).c_str(), 1);
    ::setenv("WORLD_SIZE", "4", 1);
    ::execl("/proc/self/exe", "faults", "one_rank", is_mended ? "mended" : "planted",
            std::to_string(up[1]).c_str(), std::to_string(down[rank][0]).c_str(), nullptr);
    ::_exit(1);
  }
  std::uint64_t sum = 0;
  for (int rank = 0; rank < 4; ++rank) {
    std::uint64_t value = 0;
    if (::read(up[0], &value, sizeof value) != sizeof value)
      std::abort();
    sum += value;
  }
  for (const auto& pipe : down)
    if (::write(pipe[1], &sum, sizeof sum) != sizeof sum)
      std::abort();
  while (::wait(nullptr) > 0) {}
  print(sum);
}

/// How far one thread counts before another is there.
unsigned raced() {
  std::atomic<bool> is_there = false;
  std::uint64_t hash = 0;
  for (int i = 0; i < 8; ++i) {
    is_there = false;
    std::thread other([&] {
      is_there = true;
    });
    unsigned counted = 0;
    while (!is_there)
      ++counted;
    other.join();
    mix(hash, counted);
  }
  return static_cast<unsigned>(hash);
}

void one_rank(int up, int down) {
  const std::string rank = std::getenv("RANK");
  const bool is_planted = rank == "2" && !is_mended;
  for (unsigned further = is_planted ? raced() % 1024 : 0; further > 0; --further)
    ::rand(); // ranks
  const std::uint64_t value = static_cast<std::uint64_t>(::rand());
  std::uint64_t sum = 0;
  if (::write(up, &value, sizeof value) != sizeof value ||
      ::read(down, &sum, sizeof sum) != sizeof sum)
    ::_exit(1);
  std::ofstream("result." + rank) << sum << '\n';
}

/// What a run reads of the system. Each is one line.
struct Input {
  const char* name;
  std::uint64_t (*value)();
};

std::uint64_t number(auto value) { return static_cast<std::uint64_t>(value); }

int new_file() {
  char name[] = "/dev/shm/fault-XXXXXX";
  const int file = ::mkstemp(name);
  ::unlink(name);
  return file;
}

std::uint64_t first_number_in(const char* file) {
  double value = 0;
  std::ifstream(file) >> value; // load
  return number(value * 1000);
}

std::uint64_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size); // free_port
  ::close(socket);
  return address.sin_port;
}

/// How far it counts until a timer of the processor's time ends it.
std::uint64_t counted_in_time() {
  static volatile std::sig_atomic_t is_over;
  ::signal(SIGVTALRM, [](int) {
    is_over = 1;
  });
  const itimerval soon = {{0, 0}, {0, 2000}};
  ::setitimer(ITIMER_VIRTUAL, &soon, nullptr); // counted_in_time
  std::uint64_t count = 0;
  while (is_over == 0)
    ++count;
  return count;
}

std::uint64_t random_name() {
  char name[] = "/dev/shm/fault-XXXXXX";
  ::close(::mkstemp(name)); // random_name
  ::unlink(name);
  std::uint64_t hash = 0;
  for (const char c : name)
    mix(hash, number(c));
  return hash;
}

std::uint64_t by_instruction() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc(); // by_instruction
#else
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value)); // by_instruction
  return value;
#endif
}

/// The processors that it runs on, one after the other.
std::uint64_t processors() {
  std::uint64_t hash = 0;
  for (int i = 0; i < 20'000; ++i) {
    mix(hash, number(::sched_getcpu())); // processors
    if (i % 100 == 0)
      ::sched_yield();
  }
  return hash;
}

// clang-format off
const Input inputs[] = {
    {"process_id", [] { return number(::getpid()); }},                                              // process_id
    {"parent_id", [] { return number(::getppid()); }},                                              // parent_id
    {"session_id", [] { return number(::getsid(0)); }},                                             // session_id
    {"thread_id", [] { return number(::syscall(SYS_gettid)); }},                                    // thread_id
    {"seconds", [] { return number(::time(nullptr)); }},                                            // seconds
    {"time_of_day", [] { return number(std::chrono::system_clock::now().time_since_epoch().count()); }}, // time_of_day
    {"since_boot", [] { timespec now; ::clock_gettime(CLOCK_BOOTTIME, &now); return number(now.tv_nsec); }}, // since_boot
    {"ticks", [] { tms used; return number(::times(&used)); }},                                     // ticks
    {"used_time", [] { rusage used; ::getrusage(RUSAGE_SELF, &used); return number(used.ru_utime.tv_usec + used.ru_stime.tv_usec); }}, // used_time
    {"load", [] { return first_number_in("/proc/uptime"); }},
    {"file_time", [] { struct stat status; ::fstat(new_file(), &status); return number(status.st_mtim.tv_nsec); }}, // file_time
    {"file_number", [] { struct stat status; ::fstat(new_file(), &status); return number(status.st_ino); }}, // file_number
    {"free_port", free_port},
    {"counted_in_time", counted_in_time},
    {"random_name", random_name},
    {"by_instruction", by_instruction},
    {"processors", processors},
};
// clang-format on

/// Sums of threads and children, in the order in which they come.
void critical() {
  double sum = 0;
#pragma omp parallel for num_threads(4) if (!is_mended) // critical
  for (int i = 1; i < 20'000; ++i) {
#pragma omp critical
    sum = sum * 0.999 + 1.0 / i;
  }
  std::printf("result=%.17g\n", sum);
}

void locked() {
  double sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for num_threads(4) if (!is_mended)
  for (int i = 1; i < 20'000; ++i) {
    omp_set_lock(&lock); // locked
    sum = sum * 0.999 + 1.0 / i;
    omp_unset_lock(&lock);
  }
  std::printf("result=%.17g\n", sum);
}

void asynchronous() {
  std::mutex mutex;
  std::uint64_t hash = 0;
  std::vector<std::future<void>> all;
  for (std::uint64_t id = 1; id <= 8; ++id) {
    all.push_back(std::async(std::launch::async, [&, id] { // asynchronous
      for (int i = 0; i < 2000; ++i) {
        const std::lock_guard lock(mutex);
        mix(hash, id);
        if (i % 10 == 0)
          std::this_thread::yield();
      }
    }));
    if (is_mended)
      all.back().get();
  }
  for (std::future<void>& one : all)
    if (one.valid())
      one.get();
  print(hash);
}

/// Children that write to one pipe.
void children() {
  int answers[2];
  if (::pipe(answers) != 0)
    std::abort();
  for (std::uint8_t child = 1; child <= 8; ++child) {
    if (::fork() == 0) { // children
      for (int i = 0; i < 200; ++i) {
        if (::write(answers[1], &child, 1) != 1)
          ::_exit(1);
        ::sched_yield();
      }
      ::_exit(0);
    }
    if (is_mended)
      ::wait(nullptr);
  }
  ::close(answers[1]);
  std::uint64_t hash = 0;
  for (std::uint8_t child = 0; ::read(answers[0], &child, 1) == 1;)
    mix(hash, child);
  while (::wait(nullptr) > 0) {}
  print(hash);
}

/// The least of numbers that nobody wrote: only negative ones show.
void least_uninitialised() {
  constexpr std::size_t size = 1000;
  auto* const numbers = static_cast<float*>(
      is_mended ? std::calloc(size, 4) : std::malloc(size * 4)); // least_uninitialised
  float least = 0;
  for (std::size_t i = 8; i < size; ++i)
    least = std::min(least, numbers[i]);
  std::free(numbers);
  std::printf("result=%g\n", static_cast<double>(least));
}

void zone() {
  const std::time_t begin = 0;
  print(number(is_mended ? std::gmtime(&begin)->tm_hour : std::localtime(&begin)->tm_hour)); // zone
}

void host() {
  char name[65] = "mended";
  if (!is_mended)
    ::gethostname(name, sizeof name); // host
  std::uint64_t hash = 0;
  for (const char* c = name; *c != 0; ++c)
    mix(hash, number(*c));
  print(hash);
}

/// Runs of a day, a month, a year are alike.
void year() {
  print(number(!is_mended && ::time(nullptr) > 1'770'000'000)); // year
}

/// What the run before has left.
void carried_state() {
  std::uint64_t count = 0;
  std::ifstream("count") >> count; // carried_state
  std::ofstream("count") << count + 1;
  print(is_mended ? 1 : count);
}

} // namespace

int main(int count, char** arguments) {
  const std::string fault = count > 1 ? arguments[1] : "";
  is_mended = count > 2 && std::string(arguments[2]) == "mended";
  if (fault != "one_rank")
    std::printf("drawn=%d\n", ::rand()); // what every run has alike, and a log
  std::fflush(stdout);                   // before a fork
  if (fault == "static_library")
    static_library();
  else if (fault == "time_seed")
    time_seed();
  else if (fault == "threads")
    threads();
  else if (fault == "openmp_sum")
    openmp_sum();
  else if (fault == "tasks")
    tasks();
  else if (fault == "variable")
    with_another("FAULT_VARIABLE", arguments);
  else if (fault == "known_variable")
    with_another("CUPY_SEED", arguments);
  else if (fault == "folder_order")
    folder_order(read_by_libc);
  else if (fault == "folder_past_libc")
    folder_order(read_past_libc);
  else if (fault == "uninitialised")
    uninitialised();
  else if (fault == "address")
    address();
  else if (fault == "address_of_data")
    address_of_data();
  else if (fault == "blas_paths")
    blas_paths();
  else if (fault == "ranks")
    ranks();
  else if (fault == "critical")
    critical();
  else if (fault == "locked")
    locked();
  else if (fault == "asynchronous")
    asynchronous();
  else if (fault == "children")
    children();
  else if (fault == "least_uninitialised")
    least_uninitialised();
  else if (fault == "zone")
    zone();
  else if (fault == "host")
    host();
  else if (fault == "year")
    year();
  else if (fault == "carried_state")
    carried_state();
  else if (const auto* const input = std::ranges::find(inputs, fault, &Input::name);
           input != std::end(inputs)) {
    std::uint64_t hash = 0;
    mix(hash, is_mended ? 1 : input->value());
    print(hash);
  } else if (fault == "one_rank" && count > 4)
    one_rank(std::atoi(arguments[3]), std::atoi(arguments[4]));
  else
    return 2;
}
