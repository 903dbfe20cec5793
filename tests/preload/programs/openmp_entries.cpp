// Calls one of libgomp's entries by name, as gcc of some version compiles a loop to it
// (libgomp_g.h).
#include <cstdio>
#include <cstring>

namespace {
using Region = void (*)(void*);
using Ull = unsigned long long;
} // namespace

extern "C" {
void GOMP_parallel(Region, void*, unsigned, unsigned);
void GOMP_loop_end();
void GOMP_loop_end_nowait();

#define ENTRIES(SCHEDULE)                                                                          \
  void GOMP_parallel_loop_##SCHEDULE(Region, void*, unsigned, long, long, long, long, unsigned);   \
  bool GOMP_loop_##SCHEDULE##_start(long, long, long, long, long*, long*);                         \
  bool GOMP_loop_##SCHEDULE##_next(long*, long*);                                                  \
  bool GOMP_loop_ull_##SCHEDULE##_start(bool, Ull, Ull, Ull, Ull, Ull*, Ull*);                     \
  bool GOMP_loop_ull_##SCHEDULE##_next(Ull*, Ull*);
ENTRIES(dynamic)
ENTRIES(guided)
ENTRIES(nonmonotonic_dynamic)
ENTRIES(nonmonotonic_guided)

#define RUNTIME_ENTRIES(SCHEDULE)                                                                  \
  void GOMP_parallel_loop_##SCHEDULE(Region, void*, unsigned, long, long, long, unsigned);         \
  bool GOMP_loop_##SCHEDULE##_start(long, long, long, long*, long*);                               \
  bool GOMP_loop_##SCHEDULE##_next(long*, long*);                                                  \
  bool GOMP_loop_ull_##SCHEDULE##_start(bool, Ull, Ull, Ull, Ull*, Ull*);                          \
  bool GOMP_loop_ull_##SCHEDULE##_next(Ull*, Ull*);
RUNTIME_ENTRIES(runtime)
RUNTIME_ENTRIES(nonmonotonic_runtime)
RUNTIME_ENTRIES(maybe_nonmonotonic_runtime)
}

namespace {

int done[100]; // an iteration's thread alone writes it

template <typename Number, typename Next>
void iterate(bool has_some, Number first, Number end, Next next) {
  for (; has_some; has_some = next(&first, &end))
    for (Number i = first; i < end; ++i)
      ++done[i];
}

struct Entry {
  const char* name;
  void (*call)();
};

// In the order of their declaration: the region that is one loop, the loop in a region, and over
// unsigned numbers.
#define CALLS(SCHEDULE, CHUNK, ...)                                                                \
  {"GOMP_parallel_loop_" #SCHEDULE,                                                                \
   [] {                                                                                            \
     const Region region = [](void*) {                                                             \
       long first, end;                                                                            \
       const bool has_some = GOMP_loop_##SCHEDULE##_next(&first, &end);                            \
       iterate(has_some, first, end, GOMP_loop_##SCHEDULE##_next);                                 \
       GOMP_loop_end_nowait();                                                                     \
     };                                                                                            \
     GOMP_parallel_loop_##SCHEDULE(region, nullptr, 0, 0, 100, 1 CHUNK, 0);                        \
   }},                                                                                             \
      {"GOMP_loop_" #SCHEDULE "_start",                                                            \
       [] {                                                                                        \
         const Region region = [](void*) {                                                         \
           long first, end;                                                                        \
           const bool has_some = GOMP_loop_##SCHEDULE##_start(0, 100, 1 CHUNK, &first, &end);      \
           iterate(has_some, first, end, GOMP_loop_##SCHEDULE##_next);                             \
           GOMP_loop_end();                                                                        \
         };                                                                                        \
         GOMP_parallel(region, nullptr, 0, 0);                                                     \
       }},                                                                                         \
  {                                                                                                \
    "GOMP_loop_ull_" #SCHEDULE "_start", [] {                                                      \
      const Region region = [](void*) {                                                            \
        Ull first, end;                                                                            \
        const bool has_some =                                                                      \
            GOMP_loop_ull_##SCHEDULE##_start(true, 0, 100, 1 CHUNK, &first, &end);                 \
        iterate(has_some, first, end, GOMP_loop_ull_##SCHEDULE##_next);                            \
        GOMP_loop_end();                                                                           \
      };                                                                                           \
      GOMP_parallel(region, nullptr, 0, 0);                                                        \
    }                                                                                              \
  }
#define COMMA_ONE , 1
#define NOTHING
constexpr Entry entries[] = {
    CALLS(dynamic, COMMA_ONE),
    CALLS(guided, COMMA_ONE),
    CALLS(nonmonotonic_dynamic, COMMA_ONE),
    CALLS(nonmonotonic_guided, COMMA_ONE),
    CALLS(runtime, NOTHING),
    CALLS(nonmonotonic_runtime, NOTHING),
    CALLS(maybe_nonmonotonic_runtime, NOTHING),
};

} // namespace

int main(int argc, char** argv) {
  for (const Entry& entry : entries) {
    if (argc < 2)
      std::printf("%s\n", entry.name);
    if (argc < 2 || std::strcmp(entry.name, argv[1]) != 0)
      continue;
    entry.call();
    int total = 0;
    for (const int times : done)
      total += times;
    std::printf("%d\n", total);
  }
}
