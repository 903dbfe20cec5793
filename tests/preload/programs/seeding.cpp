// seeding FAMILY SCENARIO [NUMBER]: seeds a generator and draws from it, in the ways of real
// programs.
//
// FAMILY: a function that seeds: srand, srandom, initstate, initstate_r, srandom_r, rand_r,
// srand48, seed48, lcong48,
//         srand48_r, erand48, nrand48.
// SCENARIO: a name from the table in main(). Prints a line of draws for each time that it seeds.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

extern "C" void library_reads_clocks(); // clock_library.cpp
extern "C" void library_reads_at_call_sites(int count);

namespace {

std::string family;

std::string text_of(unsigned long a, unsigned long b, unsigned long c) {
  char text[96];
  snprintf(text, sizeof text, "%lx %lx %lx", a, b, c);
  return text;
}

void split(uint64_t value, unsigned short x[3]) {
  for (int i = 0; i < 3; ++i)
    x[i] = static_cast<unsigned short>(value >> (16 * i));
}

template <typename Next>
std::string three(Next next) {
  const auto a = static_cast<unsigned long>(next());
  const auto b = static_cast<unsigned long>(next());
  return text_of(a, b, static_cast<unsigned long>(next()));
}

/// Seeds with the value and draws.
std::string drawn(uint64_t value) {
  const auto seed = static_cast<unsigned>(value);
  static thread_local char array[64];
  unsigned short x[7] = {0, 0, 0, 0xE66D, 0xDEEC, 5, 11};
  random_data data = {};
  drand48_data data48 = {};
  if (family == "srand") {
    srand(seed);
    return three(rand);
  }
  if (family == "srandom") {
    srandom(seed);
    return three(random);
  }
  if (family == "initstate") {
    initstate(seed, array, sizeof array);
    return three(random);
  }
  if (family == "initstate_r" || family == "srandom_r") {
    if (family == "initstate_r") {
      initstate_r(seed, array, sizeof array, &data);
    } else {
      initstate_r(7, array, sizeof array, &data);
      srandom_r(seed, &data);
    }
    return three([&] {
      int32_t number;
      random_r(&data, &number);
      return number;
    });
  }
  if (family == "rand_r") {
    unsigned state = seed;
    return three([&] {
      return rand_r(&state);
    });
  }
  if (family == "srand48" || family == "seed48" || family == "lcong48") {
    split(value, x);
    if (family == "srand48")
      srand48(static_cast<long>(seed));
    if (family == "seed48")
      seed48(x);
    if (family == "lcong48")
      lcong48(x);
    return three(lrand48);
  }
  if (family == "srand48_r") {
    srand48_r(static_cast<long>(seed), &data48);
    return three([&] {
      long number;
      lrand48_r(&data48, &number);
      return number;
    });
  }
  split(value, x);
  if (family == "erand48")
    return three([&] {
      return erand48(x) * 0x1p48;
    });
  return three([&] {
    return nrand48(x);
  });
}

void print(const std::string& text) {
  const std::string line = text + "\n";
  if (write(1, line.data(), line.size()) < 0)
    _exit(3);
}
void draw(uint64_t value) { print(drawn(value)); }

uint64_t in_microseconds() {
  timeval now;
  gettimeofday(&now, nullptr);
  return static_cast<uint64_t>(now.tv_sec) * 1000000 + static_cast<uint64_t>(now.tv_usec);
}
template <typename Clock>
uint64_t count() {
  return static_cast<uint64_t>(Clock::now().time_since_epoch().count());
}
uint64_t seconds() { return static_cast<uint64_t>(time(nullptr)); }
uint64_t pid() { return static_cast<uint64_t>(getpid()); }

uint64_t in_data;

const std::map<std::string, std::function<uint64_t()>> sources = {
    {"seconds", seconds},
    {"milliseconds",
     [] {
       return in_microseconds() / 1000;
     }},
    {"microseconds", in_microseconds},
    {"nanoseconds", count<std::chrono::system_clock>},
    {"steady", count<std::chrono::steady_clock>},
    {"usec_alone",
     [] {
       return in_microseconds() % 1000000;
     }},
    {"nsec_alone",
     [] {
       return count<std::chrono::system_clock>() % 1000000000;
     }},
    {"timespec_get",
     [] {
       timespec now;
       timespec_get(&now, TIME_UTC);
       return static_cast<uint64_t>(now.tv_nsec);
     }},
    {"usec_xor_sec",
     [] {
       return in_microseconds() % 1000000 ^ in_microseconds() / 1000000;
     }},
    {"clock",
     [] {
       return static_cast<uint64_t>(clock());
     }},
    {"times",
     [] {
       tms used;
       return static_cast<uint64_t>(times(&used));
     }},
    {"seconds_xor_clock",
     [] {
       return seconds() ^ static_cast<uint64_t>(clock());
     }},
    {"pid", pid},
    {"ppid",
     [] {
       return static_cast<uint64_t>(getppid());
     }},
    {"tid",
     [] {
       return static_cast<uint64_t>(gettid());
     }},
    {"seconds_xor_pid",
     [] {
       return seconds() ^ pid();
     }},
    {"seconds_plus_pid",
     [] {
       return seconds() + pid();
     }},
    {"seconds_times_pid",
     [] {
       return seconds() * pid();
     }},
    {"seconds_minus_pid",
     [] {
       return seconds() - pid();
     }},
    {"microseconds_times_pid",
     [] {
       return in_microseconds() * pid();
     }},
    {"stack",
     [] {
       volatile int here = 0;
       return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&here));
     }},
    {"heap",
     [] {
       return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(malloc(64)));
     }},
    {"data",
     [] {
       return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&in_data));
     }},
    {"thread",
     [] {
       return static_cast<uint64_t>(pthread_self());
     }},
};

/// Tasks by number for four threads that take the next one, whoever comes first; printed in order.
void pool(const std::function<uint64_t(int)>& value_of) {
  constexpr int tasks = 64;
  std::string results[tasks];
  std::atomic<int> next = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int task; (task = next++) < tasks;) {
        results[task] = drawn(value_of(task));
        std::this_thread::yield();
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& result : results)
    print(result);
}

/// Indices divided in halves, quarters, … among so many threads.
void divided(int thread_count) {
  constexpr int indices = 16;
  std::string results[indices];
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t)
    threads.emplace_back([&, t] {
      for (int i = t * indices / thread_count; i < (t + 1) * indices / thread_count; ++i)
        results[i] = drawn(static_cast<uint64_t>(1 + i));
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& result : results)
    print(result);
}

void in_child(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 2;
  family = argv[1];
  const std::string scenario = argv[2];
  const uint64_t number = argc > 3 ? strtoull(argv[3], nullptr, 0) : 0;
  const std::map<std::string, std::function<void()>> scenarios = {
      {"value",
       [&] {
         draw(number);
       }},
      {"values",
       [&] {
         draw(number), draw(number + 1), draw(number);
       }},
      {"value_after_clock",
       [&] {
         seconds(), pid();
         draw(number);
       }},
      {"shifted",
       [&] {
         draw(seconds() + number);
       }},
      {"replay",
       [&] {
         const uint64_t seed = seconds();
         draw(seed), draw(seed);
         seconds();
         draw(seed);
       }},
      {"replay_fine",
       [&] {
         const uint64_t seed = in_microseconds();
         draw(seed);
         for (int i = 0; i < 3; ++i)
           in_microseconds();
         draw(seed);
       }},
      {"again",
       [&] {
         for (int i = 0; i < 3; ++i)
           draw(seconds());
       }},
      {"pool",
       [&] {
         pool([](int task) {
           return 1000 + static_cast<uint64_t>(task);
         });
       }},
      {"pool_with_clocks",
       [&] {
         pool([](int task) {
           seconds(), in_microseconds(), clock(), pid();
           return 1000 + static_cast<uint64_t>(task);
         });
       }},
      {"pool_from_a_clock",
       [&] {
         const uint64_t seed = seconds();
         pool([seed](int task) {
           library_reads_clocks();
           return seed + static_cast<uint64_t>(task);
         });
       }},
      {"short_threads_from_a_clock",
       [&] {
         const uint64_t seed = seconds();
         constexpr unsigned rounds = 100, width = 8;
         std::string results[rounds * width];
         for (unsigned round = 0; round < rounds;
              ++round) { // what ended threads leave goes to new ones all the time
           std::vector<std::thread> threads;
           for (unsigned i = 0; i < width; ++i)
             threads.emplace_back([&, task = round * width + i] {
               library_reads_clocks();
               results[task] = drawn(seed + task);
             });
           for (std::thread& thread : threads)
             thread.join();
         }
         for (const std::string& result : results)
           print(result);
       }},
      {"threads_with_clocks",
       [&] {
         std::string results[4];
         std::vector<std::thread> threads;
         for (std::string& result : results)
           threads.emplace_back([&result] {
             result = drawn(in_microseconds());
           });
         for (std::thread& thread : threads)
           thread.join();
         for (const std::string& result : results)
           print(result);
       }},
      {"divided",
       [&] {
         divided(static_cast<int>(number));
       }},
      {"child",
       [&] {
         draw(number);
         in_child([&] {
           draw(number);
         });
       }},
      {"child_first",
       [&] {
         in_child([&] {
           draw(number);
         });
         draw(number);
       }},
      {"child_by_exec",
       [&] {
         draw(number);
         in_child([&] {
           execl("/proc/self/exe", argv[0], argv[1], "value", argv[3], nullptr);
         });
       }},
      {"child_with_the_parents_clock",
       [&] {
         const uint64_t seed = seconds();
         in_child([&] {
           draw(seed);
         });
         draw(seed);
       }},
      {"children_with_clocks",
       [&] {
         for (int i = 0; i < 3; ++i)
           in_child([] {
             draw(in_microseconds());
           });
       }},
      {"epochs",
       [&] { // from `number` on, as after a restart; the configuration is read in between
         in_microseconds();
         const int configuration = open("/dev/null", O_RDONLY);
         close(configuration);
         for (uint64_t epoch = number; epoch < 6; ++epoch)
           draw(20260000 + epoch);
       }},
      {"hashed",
       [&] {
         draw((in_microseconds() ^ pid() << 40) * 0xBF58476D1CE4E5B9 >> 7);
       }},
      {"mixtures_again", // a thread and a forked child pass the first one again
       [&] {
         const uint64_t seed = (in_microseconds() ^ pid() << 40) * 0xBF58476D1CE4E5B9 >> 7;
         draw(seed), draw(seed * 0x94D049BB133111EB >> 3), draw(seed);
         std::string result;
         std::thread([&] {
           result = drawn(seed);
         }).join();
         print(result);
         in_child([&] {
           draw(seed);
         });
       }},
      {"fixed_in_caller",
       [&] {
         in_microseconds();
         draw(987654321);
       }},
      {"fixed_in_table",
       [&] {
         static const unsigned seeds[] = {887654321, 787654321, 687654321, 587654321};
         in_microseconds();
         draw(seeds[number % 4]);
       }},
      {"fixed_behind_computed", // `number` of them, which stand in no file
       [&] {
         in_microseconds();
         for (uint64_t i = 0; i < number; ++i)
           drawn((i + 1000) * 2654435761);
         draw(387654321);
       }},
      {"fixed_in_variable",
       [&] {
         static volatile unsigned seed = 487654321;
         in_microseconds();
         draw(seed);
       }},
      {"hashed_in_threads",
       [&] {
         std::string results[4];
         std::vector<std::thread> threads;
         for (std::string& result : results)
           threads.emplace_back([&result] {
             result = drawn(in_microseconds() * 0xBF58476D1CE4E5B9 >> 7);
           });
         for (std::thread& thread : threads)
           thread.join();
         for (const std::string& result : results)
           print(result);
       }},
      {"hashed_in_a_thread_and_a_child", // one value, which three pass
       [&] {
         const uint64_t seed = in_microseconds() * 0xBF58476D1CE4E5B9 >> 7;
         std::thread([&] {
           draw(seed);
         }).join();
         in_child([&] {
           draw(seed);
         });
         draw(seed);
       }},
      {"before_seed48", // the state that seed48 returns; `number`: after srand48
       [&] {
         unsigned short x[3] = {1, 2, 3};
         if (number != 0)
           srand48(static_cast<long>(number));
         const unsigned short* const before = seed48(x);
         print(text_of(before[0], before[1], before[2]));
       }},
      {"read_by_others", // from `number` call sites, after the program has read
       [&] {
         const uint64_t seed = in_microseconds();
         library_reads_at_call_sites(static_cast<int>(number));
         draw(seed);
       }},
      {"crowd", // 16 threads in each of 8 workers
       [&] {
         const auto seed = [&] {
           return number == 0 ? in_microseconds() : in_microseconds() * 0xBF58476D1CE4E5B9 >> 7;
         };
         for (int worker = 0; worker < 8; ++worker)
           in_child([&] {
             std::string results[16];
             std::vector<std::thread> threads;
             for (std::string& result : results)
               threads.emplace_back([&] {
                 result = drawn(seed());
               });
             for (std::thread& thread : threads)
               thread.join();
             for (const std::string& result : results)
               print(result);
           });
       }},
      // Ranks. What one sends to the others goes through a file: its name comes last.
      {"rank_clock",
       [&] {
         draw(in_microseconds());
       }},
      {"rank_seconds",
       [&] {
         draw(seconds());
       }},
      {"rank_sent",
       [&] {
         uint64_t seed = 0;
         if (strcmp(getenv("RANK"), "0") == 0) {
           seed = seconds();
           const int to = open((argv[4] + std::string(".new")).c_str(), O_WRONLY | O_CREAT, 0600);
           if (write(to, &seed, sizeof seed) != sizeof seed)
             _exit(3);
           close(to);
           rename((argv[4] + std::string(".new")).c_str(), argv[4]);
         }
         int from = -1;
         while ((from = open(argv[4], O_RDONLY)) < 0)
           sched_yield();
         if (read(from, &seed, sizeof seed) != sizeof seed)
           _exit(3);
         library_reads_clocks();
         draw(seed + number * strtoull(getenv("RANK"), nullptr, 10));
       }},
  };
  if (const auto source = sources.find(scenario); source != sources.end())
    draw(source->second());
  else
    scenarios.at(scenario)();
}
