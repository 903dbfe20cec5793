// OpenMP: nothing that races is made repeatable here, but it is said, with its place in the source.
//
// Two things race in a program that is otherwise right. Which thread does which iterations, under the
// schedules dynamic and guided; and in which order threads add to a number that they share, in reductions and
// atomics. A loop with a fixed schedule that only writes its own elements is repeatable, and leaves no
// record. gcc compiles a reduction of one floating-point number to a compare-and-swap in the region's
// function, without a call that could be seen, so that function is looked at; sums of whole numbers take
// another instruction, and are the same in every order.
//
// Symbols: gcc's libgomp/libgomp_g.h; LLVM's openmp/runtime/src/kmp.h (whose library has gcc's symbols too).
#include "hooks/runtimes/openmp.h"

#include "common/run_variable.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "loader/real_of_caller.h"

namespace detshim {
namespace {

/// A number that the runtime tells, by one of its omp_get functions.
template <typename Call>
int ask(const Call& call, const char* name) {
  auto* get = call.template beside<int()>(name);
  return get != nullptr ? get() : 1;
}

/// Threads of a region that is about to be made: as asked, or what the runtime takes by itself.
template <typename Call>
unsigned threads_of_region(const Call& call, unsigned asked) {
  return asked != 0 ? asked : static_cast<unsigned>(ask(call, "omp_get_max_threads"));
}

/// Records a race in a region with that many threads. One thread cannot race.
template <typename Call>
void record_race(const Call& call, unsigned threads, Reason why) {
  if (threads > 1) call.record(Action::unfixed, why, {threads});
}

/// The same from inside a region, where every thread comes: its first thread says it.
template <typename Call>
void record_race_in_team(const Call& call, Reason why) {
  if (ask(call, "omp_get_thread_num") == 0)
    record_race(call, static_cast<unsigned>(ask(call, "omp_get_num_threads")), why);
}

/// True if schedule(runtime) means a fixed one: OMP_SCHEDULE or the program chose (omp.h, omp_sched_t).
template <typename Call>
bool runtime_schedule_is_static(const Call& call) {
  auto* get = call.template beside<void(unsigned*, int*)>("omp_get_schedule");
  unsigned kind = 0;
  int chunk = 0;
  if (get != nullptr) get(&kind, &chunk);
  constexpr unsigned is_static = 1, is_monotonic = 0x80000000;
  return (kind & ~is_monotonic) == is_static;
}

/// Where a function that only jumps to another goes: gcc keeps one of several equal regions.
const unsigned char* follow_jump(const unsigned char* code) {
#if defined(__x86_64__)
  constexpr unsigned char mark[] = {0xF3, 0x0F, 0x1E, 0xFA}; // endbr64
  if (__builtin_memcmp(code, mark, sizeof mark) == 0) code += sizeof mark;
  int32_t distance = 0;
  __builtin_memcpy(&distance, code + 1, sizeof distance);
  if (*code == 0xE9) return code + 5 + distance;
  if (*code == 0xEB) return code + 2 + static_cast<signed char>(code[1]);
#elif defined(__aarch64__)
  uint32_t word;
  __builtin_memcpy(&word, code, sizeof word);
  if (word >> 26 == 5) return code + (static_cast<int32_t>(word << 6) >> 4); // b, in words
#endif
  return code;
}

/// True if the function swaps memory by comparing: lock cmpxchg (Intel SDM, volume 2A) or load and store
/// exclusive, compare and swap (Arm ARM, C4.1.94). Only its own bytes are looked at, and only once.
bool compares_and_swaps(const void* function) {
  const unsigned char* code = follow_jump(static_cast<const unsigned char*>(function));
  const CodeRange range = function_at(code);
  if (range.begin == nullptr) return false;
  const auto size = static_cast<size_t>(range.end - code);
#if defined(__x86_64__)
  for (size_t i = 0; i + 4 < size; ++i) {
    if (code[i] != 0xF0) continue;
    const unsigned char* opcode = code + i + 1;
    if ((*opcode & 0xF0) == 0x40) ++opcode; // REX
    if (opcode[0] == 0x0F && opcode[1] == 0xB1) return true;
  }
#elif defined(__aarch64__)
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, code + i, 4);
    const bool store_exclusive = (word & 0xBFE00000) == 0x88000000;
    const bool compare_and_swap = (word & 0xBFA07C00) == 0x88A07C00;
    if (store_exclusive || compare_and_swap) return true;
  }
#endif
  return false;
}

using Region = void (*)(void*);

/// The same, remembered: a region runs thousands of times.
bool adds_in_any_order(Region region) {
  static constinit struct {
    uintptr_t region; // with the answer in its lowest bit, so that both are read at once
    uint32_t epoch;
  } known[64] = {};
  const auto address = reinterpret_cast<uintptr_t>(region) << 1;
  auto& slot = known[(address >> 5) % 64];
  if (const uintptr_t found = __atomic_load_n(&slot.region, __ATOMIC_ACQUIRE);
      (found & ~uintptr_t{1}) == address && __atomic_load_n(&slot.epoch, __ATOMIC_RELAXED) == draw_epoch())
    return (found & 1) != 0;
  const bool answer = compares_and_swaps(reinterpret_cast<const void*>(region));
  __atomic_store_n(&slot.region, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&slot.epoch, draw_epoch(), __ATOMIC_RELEASE);
  __atomic_store_n(&slot.region, address | (answer ? 1 : 0), __ATOMIC_RELEASE);
  return answer;
}

} // namespace

void fix_number_of_threads() {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  bool was_dynamic = false;
  for (int i = 0; i < count; ++i) was_dynamic |= same_text(changes[i].name, "OMP_DYNAMIC");
  if (!was_dynamic) return;
  each_module([](const Module& module) {
    if (is_of_library(module, "openmp"))
      if (const void* set = module.symbol("omp_set_dynamic"))
        reinterpret_cast<void (*)(int)>(const_cast<void*>(set))(0);
    return false;
  });
}

} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(
    openmp, void, GOMP_parallel, (Region region, void* data, unsigned threads, unsigned flags),
    .action = Action::unfixed, .fields = {"threads"},
    .summary = "Records a region of gcc's whose threads add to shared numbers by compare-and-swap.") {
  DETSHIM_ENTER_COPY(GOMP_parallel);
  if (!call.passes() && adds_in_any_order(region))
    record_race(call, threads_of_region(call, threads), Reason::addition_race);
  call.real(region, data, threads, flags);
}

DETSHIM_HOOK(openmp, unsigned, GOMP_parallel_reductions,
             (Region region, void* data, unsigned threads, unsigned flags), .action = Action::unfixed,
             .fields = {"threads"}, .summary = "Records a region of gcc's with a task reduction.") {
  DETSHIM_ENTER_COPY(GOMP_parallel_reductions);
  if (!call.passes()) record_race(call, threads_of_region(call, threads), Reason::addition_race);
  return call.real(region, data, threads, flags);
}

DETSHIM_HOOK(openmp, void, GOMP_atomic_start, (), .action = Action::unfixed, .fields = {"threads"},
             .summary = "Records gcc's reductions of several numbers, which are combined under a lock.") {
  DETSHIM_ENTER_COPY(GOMP_atomic_start);
  if (!call.passes()) record_race_in_team(call, Reason::addition_race);
  call.real();
}

namespace detshim {
namespace {

// gcc's loops come in three forms: a region that is one loop, and a loop in a region over signed and over
// unsigned numbers. Those with the schedule `runtime` have no chunk.

template <typename Call, typename... Bounds>
void run_parallel_loop(const Call& call, Region region, void* data, unsigned threads, Bounds... bounds) {
  if (!call.passes()) record_race(call, threads_of_region(call, threads), Reason::schedule_race);
  call.real(region, data, threads, bounds...);
}

template <typename Call, typename... Bounds>
void run_parallel_runtime_loop(const Call& call, Region region, void* data, unsigned threads,
                               Bounds... bounds) {
  if (!call.passes() && !runtime_schedule_is_static(call))
    record_race(call, threads_of_region(call, threads), Reason::schedule_race);
  call.real(region, data, threads, bounds...);
}

template <typename Call, typename... Bounds>
bool start_loop(const Call& call, Bounds... bounds) {
  if (!call.passes()) record_race_in_team(call, Reason::schedule_race);
  return call.real(bounds...);
}

template <typename Call, typename... Bounds>
bool start_runtime_loop(const Call& call, Bounds... bounds) {
  if (!call.passes() && !runtime_schedule_is_static(call)) record_race_in_team(call, Reason::schedule_race);
  return call.real(bounds...);
}

constexpr Description goes_to_free_threads = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a parallel loop of gcc's whose iterations go to whichever thread is free.",
};
constexpr Description goes_by_omp_schedule = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a parallel loop of gcc's whose schedule OMP_SCHEDULE decides, unless static.",
};
constexpr Description loop_goes_to_free_threads = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a loop of gcc's whose iterations go to whichever thread is free.",
};
constexpr Description loop_goes_by_omp_schedule = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a loop of gcc's whose schedule OMP_SCHEDULE decides, unless static.",
};

using ParallelLoop = CallOfCopy<void(Region region, void* data, unsigned threads, long first, long end,
                                     long step, long chunk, unsigned flags)>;
using ParallelRuntimeLoop = CallOfCopy<void(Region region, void* data, unsigned threads, long first, long end,
                                            long step, unsigned flags)>;
using Loop = CallOfCopy<bool(long first, long end, long step, long chunk, long* own_first, long* own_end)>;
using RuntimeLoop = CallOfCopy<bool(long first, long end, long step, long* own_first, long* own_end)>;
using Unsigned = unsigned long long;
using UnsignedLoop = CallOfCopy<bool(bool up, Unsigned first, Unsigned end, Unsigned step, Unsigned chunk,
                                     Unsigned* own_first, Unsigned* own_end)>;
using UnsignedRuntimeLoop = CallOfCopy<bool(bool up, Unsigned first, Unsigned end, Unsigned step,
                                            Unsigned* own_first, Unsigned* own_end)>;

} // namespace
} // namespace detshim

DETSHIM_TEMPLATE_HOOK(openmp, ParallelLoop, GOMP_parallel_loop_dynamic, run_parallel_loop,
                      goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelLoop, GOMP_parallel_loop_guided, run_parallel_loop,
                      goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelLoop, GOMP_parallel_loop_nonmonotonic_dynamic, run_parallel_loop,
                      goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelLoop, GOMP_parallel_loop_nonmonotonic_guided, run_parallel_loop,
                      goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelRuntimeLoop, GOMP_parallel_loop_runtime, run_parallel_runtime_loop,
                      goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelRuntimeLoop, GOMP_parallel_loop_nonmonotonic_runtime,
                      run_parallel_runtime_loop, goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelRuntimeLoop, GOMP_parallel_loop_maybe_nonmonotonic_runtime,
                      run_parallel_runtime_loop, goes_by_omp_schedule);

DETSHIM_TEMPLATE_HOOK(openmp, Loop, GOMP_loop_dynamic_start, start_loop, loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedLoop, GOMP_loop_ull_dynamic_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, Loop, GOMP_loop_guided_start, start_loop, loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedLoop, GOMP_loop_ull_guided_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, Loop, GOMP_loop_nonmonotonic_dynamic_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedLoop, GOMP_loop_ull_nonmonotonic_dynamic_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, Loop, GOMP_loop_nonmonotonic_guided_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedLoop, GOMP_loop_ull_nonmonotonic_guided_start, start_loop,
                      loop_goes_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, RuntimeLoop, GOMP_loop_runtime_start, start_runtime_loop,
                      loop_goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedRuntimeLoop, GOMP_loop_ull_runtime_start, start_runtime_loop,
                      loop_goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, RuntimeLoop, GOMP_loop_nonmonotonic_runtime_start, start_runtime_loop,
                      loop_goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedRuntimeLoop, GOMP_loop_ull_nonmonotonic_runtime_start,
                      start_runtime_loop, loop_goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, RuntimeLoop, GOMP_loop_maybe_nonmonotonic_runtime_start, start_runtime_loop,
                      loop_goes_by_omp_schedule);
DETSHIM_TEMPLATE_HOOK(openmp, UnsignedRuntimeLoop, GOMP_loop_ull_maybe_nonmonotonic_runtime_start,
                      start_runtime_loop, loop_goes_by_omp_schedule);

// ------------------------------------------------------------------ LLVM and Intel

namespace detshim {
namespace {

/// enum sched_type in kmp.h; the two highest bits but one are modifiers.
bool schedule_is_static(int schedule) {
  constexpr int modifiers = 3 << 29;
  constexpr int ordered = 32; // from schedule to ordered schedule
  const int plain = schedule & ~modifiers;
  switch (plain >= 65 ? plain - ordered : plain) {
  case 33: // static_chunked
  case 34: // static
  case 40: // static_greedy
  case 41: // static_balanced
    return true;
  default:
    return false;
  }
}

constexpr int schedule_runtime = 37;

template <typename Call>
void record_dispatch(const Call& call, int schedule) {
  constexpr int modifiers = 3 << 29;
  const bool is_static = (schedule & ~modifiers) == schedule_runtime ? runtime_schedule_is_static(call)
                                                                     : schedule_is_static(schedule);
  if (!is_static) record_race_in_team(call, Reason::schedule_race);
}

template <typename Call>
void record_reduction(const Call& call) {
  const char* value = environment_value("KMP_DETERMINISTIC_REDUCTION");
  if (value == nullptr || !setting_is_good("KMP_DETERMINISTIC_REDUCTION", value))
    record_race_in_team(call, Reason::addition_race);
}

template <typename Call, typename... Bounds>
void begin_dispatch(const Call& call, void* place, int thread, int schedule, Bounds... bounds) {
  if (!call.passes()) record_dispatch(call, schedule);
  call.real(place, thread, schedule, bounds...);
}

template <typename Call, typename... Arguments>
int reduce(const Call& call, Arguments... arguments) {
  if (!call.passes()) record_reduction(call);
  return call.real(arguments...);
}

constexpr Description dispatches_to_free_threads = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a loop of clang's whose iterations go to whichever thread is free.",
};
constexpr Description reduces_in_any_order = {
    .action = Action::unfixed,
    .fields = {"threads"},
    .summary = "Records a reduction of clang's, unless KMP_DETERMINISTIC_REDUCTION combines it along a tree.",
};

template <typename Number, typename Step>
using DispatchInit =
    CallOfCopy<void(void* place, int thread, int schedule, Number first, Number last, Step step, Step chunk)>;
using DispatchInit4 = DispatchInit<int32_t, int32_t>;
using DispatchInit4u = DispatchInit<uint32_t, int32_t>;
using DispatchInit8 = DispatchInit<int64_t, int64_t>;
using DispatchInit8u = DispatchInit<uint64_t, int64_t>;
using Reduce = CallOfCopy<int(void* place, int thread, int count, size_t size, void* data,
                              void (*combine)(void*, void*), void* lock)>;

} // namespace
} // namespace detshim

DETSHIM_TEMPLATE_HOOK(openmp, DispatchInit4, __kmpc_dispatch_init_4, begin_dispatch,
                      dispatches_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, DispatchInit4u, __kmpc_dispatch_init_4u, begin_dispatch,
                      dispatches_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, DispatchInit8, __kmpc_dispatch_init_8, begin_dispatch,
                      dispatches_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, DispatchInit8u, __kmpc_dispatch_init_8u, begin_dispatch,
                      dispatches_to_free_threads);
DETSHIM_TEMPLATE_HOOK(openmp, Reduce, __kmpc_reduce, reduce, reduces_in_any_order);
DETSHIM_TEMPLATE_HOOK(openmp, Reduce, __kmpc_reduce_nowait, reduce, reduces_in_any_order);

DETSHIM_HOOK(openmp, void, omp_set_dynamic, (int dynamic), .action = Action::replace,
             .fields = {"asked", "given"},
             .summary = "Keeps the number of threads from following the machine's load.") {
  DETSHIM_ENTER_COPY(omp_set_dynamic);
  if (call.passes() || dynamic == 0) return call.real(dynamic);
  if (!options().forces()) {
    call.record(Action::unfixed, Reason::dynamic_threads, {1, 1});
    return call.real(dynamic);
  }
  call.record(Action::replace, Reason::dynamic_threads, {1, 0});
  call.real(0);
}
