// seed_ways ways|fixed [WAY ROUTE]: seeds a generator from clocks, ids, addresses and the system's
// state in 196 ways, each by six routes; or with numbers of the program's own.
// Every way and route is a call site of its own. Prints what is drawn for each, and on stderr the
// seed itself.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#ifdef WITH_CURAND
#include <curand.h>
#endif

#ifdef WITH_CUDNN // which needs a GPU: a double, that tells which seed it was given
extern "C" int cudnnSetDropoutDescriptor(void*, void*, float, void*, size_t, unsigned long long);
extern "C" int cudnnGetDropoutDescriptor(void*, void*, float*, void**, unsigned long long*);
#endif

extern "C" uint64_t
pass_through(uint64_t seed); // clock_library.cpp's neighbour: another library hands it on

namespace {

uint64_t now(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1000000000 + static_cast<uint64_t>(time.tv_nsec);
}
uint64_t of_day(bool is_part) {
  timeval time;
  gettimeofday(&time, nullptr);
  return is_part
             ? static_cast<uint64_t>(time.tv_usec)
             : static_cast<uint64_t>(time.tv_sec) * 1000000 + static_cast<uint64_t>(time.tv_usec);
}

/// Read once: else whether two rows fall into one second is a race.
uint64_t seconds() {
  static const auto first = static_cast<uint64_t>(time(nullptr));
  return first;
}

/// The next tick of a clock that has 100 in a second, or a million: else whether two seeds are
/// equal is a race.
template <typename Read>
uint64_t next_tick(Read read) {
  static uint64_t last = 0;
  uint64_t tick = read();
  while (tick == last)
    tick = read();
  return last = tick;
}

constexpr std::size_t source_count = 14, form_count = 14, route_count = 6;
using Number = uint64_t (*)();
constexpr std::array<Number, source_count> sources = {
    [] {
      return seconds();
    },
    [] {
      return now(CLOCK_REALTIME);
    },
    [] {
      return now(CLOCK_MONOTONIC);
    },
    [] {
      return next_tick([] {
        return of_day(false);
      });
    },
    [] {
      return next_tick([] {
        return of_day(true) + 1'000'000;
      });
    },
    [] {
      return now(CLOCK_BOOTTIME);
    },
    [] {
      return next_tick([] {
        tms used;
        return static_cast<uint64_t>(times(&used));
      });
    },
    [] {
      return static_cast<uint64_t>(getpid());
    },
    [] {
      return static_cast<uint64_t>(syscall(SYS_gettid));
    },
    [] {
      const auto time = static_cast<time_t>(seconds());
      const tm* parts = localtime(&time);
      return static_cast<uint64_t>(parts->tm_sec + 60 * (parts->tm_min + 60 * parts->tm_hour));
    },
    [] {
      rusage used;
      getrusage(RUSAGE_SELF, &used);
      // Alone it is the same in most runs, and then two of them do not show that it changes.
      return static_cast<uint64_t>(used.ru_utime.tv_usec + used.ru_stime.tv_usec + used.ru_minflt) ^
             now(CLOCK_REALTIME);
    },
    [] {
      struct stat file = {};
      stat("/proc/self", &file);
      return static_cast<uint64_t>(file.st_ino);
    },
    [] {
      return next_tick([] {
        std::ifstream file("/proc/uptime");
        double uptime = 0;
        file >> uptime;
        // Apart by more than a form adds: else it is a race whether two rows meet in one number.
        constexpr uint64_t between_ticks = 1009;
        return static_cast<uint64_t>(uptime * 100) * between_ticks;
      });
    },
    [] {
      static int place;
      void* const block = std::malloc(100);
      const auto sum = reinterpret_cast<uintptr_t>(block) ^ reinterpret_cast<uintptr_t>(&place);
      std::free(block);
      return sum ^ now(CLOCK_REALTIME);
    },
};

uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
  x = (x ^ x >> 27) * 0x94D049BB133111EB;
  return x ^ x >> 31;
}
using Form = uint64_t (*)(uint64_t);
constexpr std::array<Form, form_count> forms = {
    [](uint64_t x) {
      return x;
    },
    [](uint64_t x) {
      return x + 3;
    },
    [](uint64_t x) {
      return x + 100000;
    },
    [](uint64_t x) {
      return x % 1000;
    },
    [](uint64_t x) {
      return x % 1000003;
    },
    [](uint64_t x) {
      return x ^ static_cast<uint64_t>(getpid());
    },
    [](uint64_t x) {
      return x * static_cast<uint64_t>(getpid());
    },
    [](uint64_t x) {
      return x * 2654435761;
    },
    [](uint64_t x) {
      return mixed(x);
    },
    [](uint64_t x) {
      return (x << 3) - x;
    },
    [](uint64_t x) {
      return x << 7;
    },
    [](uint64_t x) {
      return ~x;
    },
    [](uint64_t x) {
      return mixed(x) & 0xffff;
    },
    [](uint64_t x) {
      return x * x + now(CLOCK_REALTIME);
    },
};
constexpr std::size_t way_count = source_count * form_count;

uint64_t seed_of(std::size_t way) { return forms[way % form_count](sources[way / form_count]()); }

/// What a program fixes: constants, tasks, ranks, replays.
uint64_t fixed_seed(std::size_t way) {
  const uint64_t base[] = {1, 42, 1234, 65537, 20260101, 0xdeadbeef};
  const uint64_t x = base[way % 6], task = way / 6;
  return task % 3 == 0 ? x + task : task % 3 == 1 ? x * 1000 + task : mixed(x + task);
}
constexpr std::size_t fixed_count = 60;

bool draws_fixed = false, is_only = false;
std::size_t only_way = 0, only_route = 0;
std::array<uint64_t, way_count> filled;

/// A call site for each way and route.
template <std::size_t Way, std::size_t Route>
[[gnu::noinline]] void draw(uint64_t seed) {
#ifdef WITH_CURAND
  curandGenerator_t generator = nullptr;
  float numbers[2] = {};
  curandCreateGeneratorHost(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10);
  curandSetPseudoRandomGeneratorSeed(generator, seed);
  curandGenerateUniform(generator, numbers, 2);
  curandDestroyGenerator(generator);
  std::printf("%zu %zu %a%a\n", Way, Route, static_cast<double>(numbers[0]),
              static_cast<double>(numbers[1]));
  std::fprintf(stderr, "%zu %zu %lu\n", Way, Route, static_cast<unsigned long>(seed));
#elif defined WITH_CUDNN
  unsigned long long given = 0;
  static char states[16];
  cudnnSetDropoutDescriptor(nullptr, nullptr, 0.5F, states, sizeof states, seed);
  cudnnGetDropoutDescriptor(nullptr, nullptr, nullptr, nullptr, &given);
  std::printf("%zu %zu %llx\n", Way, Route, given);
  std::fprintf(stderr, "%zu %zu %lu\n", Way, Route, static_cast<unsigned long>(seed));
#else
  srand(static_cast<unsigned>(seed));
  std::printf("%zu %zu %x%08x\n", Way, Route, static_cast<unsigned>(rand()),
              static_cast<unsigned>(rand()));
  std::fprintf(stderr, "%zu %zu %u\n", Way, Route, static_cast<unsigned>(seed));
#endif
}

template <std::size_t Way, std::size_t Route>
void pass() {
#ifdef WITH_CURAND // to make a generator takes some milliseconds
  if ((Way + Route) % route_count != 0 && !is_only)
    return;
#endif
  if (is_only && (Way != only_way || Route != only_route))
    return;
  if (draws_fixed) {
    now(CLOCK_MONOTONIC); // it times itself
    if (Way < fixed_count && Route == (route_count - Way % route_count) % route_count)
      draw<Way, Route>(fixed_seed(Way));
    return;
  }
  if constexpr (Route == 0)
    draw<Way, Route>(seed_of(Way));
  if constexpr (Route == 1)
    draw<Way, Route>(filled[Way]); // out of an array
  if constexpr (Route == 2) {      // after a file was opened
    const uint64_t seed = seed_of(Way);
    std::ifstream("/proc/self/status").get();
    draw<Way, Route>(seed);
  }
  if constexpr (Route == 3)
    draw<Way, Route>(pass_through(seed_of(Way)));
  if constexpr (Route == 4) { // in another thread
    const uint64_t seed = seed_of(Way);
    std::thread([seed] {
      draw<Way, Route>(seed);
    }).join();
  }
  if constexpr (Route == 5)
    std::thread([] {
      draw<Way, Route>(seed_of(Way));
    }).join(); // made there
}

template <std::size_t... I>
void pass_all(std::index_sequence<I...>) {
  (pass<I / route_count, I % route_count>(), ...);
}

} // namespace

int main(int count, char* arguments[]) {
  draws_fixed = std::strcmp(arguments[1], "fixed") == 0;
  is_only = count > 3;
  if (is_only)
    only_way = std::stoul(arguments[2]), only_route = std::stoul(arguments[3]);
  for (std::size_t way = 0; way < way_count && !draws_fixed; ++way)
    if (!is_only || way == only_way) {
      filled[way] = seed_of(way);
      // Some microseconds apart: else which reading a sum lies beside is a race.
      for (volatile int i = 0; i < 100'000;)
        i = i + 1;
    }
  pass_all(std::make_index_sequence<way_count * route_count>());
}
