// OpenMP: which thread does which iterations, and what threads add up in any order.
//
// The first is a race under the schedules dynamic and guided. Which thread takes what is not
// specified there, so what schedule(static) gives with the chunk asked for, or several of them in a
// row, is an answer too, and the same in every run (hooks/runtimes/openmp_blocks.h). The second is
// only said, with its place in the source; and each region of the user's is noted as threads are,
// since nothing sees that its threads write what is their own alone. gcc compiles a reduction of
// one floating-point number to a compare-and-swap in the region's function, without a call that
// could be seen, so that function is looked at; sums of whole numbers take another instruction, and
// have no order.
//
// Symbols: gcc's libgomp/libgomp_g.h; LLVM's openmp/runtime/src/kmp.h (whose library has gcc's
// symbols too).
#include "hooks/runtimes/openmp.h"

#include "common/run_variable.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "hooks/runtimes/openmp_blocks.h"
#include "hooks/runtimes/runtime_clock.h"
#include "hooks/support/functions.h"
#include "hooks/support/package_threads.h"
#include "hooks/support/user_call_sites.h"
#include "loader/once_in_thread.h"
#include "loader/real_of_caller.h"

#include <climits>
#include <initializer_list>

namespace detshim {
namespace {

/// A number that the runtime tells, by one of its omp_get functions.
template <typename Call>
int ask(const Call& call, const char* name) {
  auto* get = call.template sibling<int()>(name);
  return get != nullptr ? get() : 1;
}

/// How many threads a region has at most, whatever it asks for: OMP_THREAD_LIMIT.
template <typename Call>
unsigned limit_of_threads(const Call& call) {
  auto* get = call.template sibling<int()>("omp_get_thread_limit");
  const int limit = get != nullptr ? get() : 0;
  return limit > 0 ? static_cast<unsigned>(limit) : UINT_MAX;
}

/// Threads of a region that is about to be made: as asked, or what the runtime takes by itself.
template <typename Call>
unsigned threads_of_region(const Call& call, unsigned requested) {
  const unsigned asked =
      requested != 0 ? requested : static_cast<unsigned>(ask(call, "omp_get_max_threads"));
  const unsigned limit = limit_of_threads(call);
  return asked < limit ? asked : limit;
}

/// Records a race in a region with that many threads. One thread cannot race. `is_ordered`: it has
/// a fixed outcome now.
template <typename Call>
void record_race(const Call& call, unsigned threads, Reason why, bool is_ordered = false) {
  if (threads > 1)
    call.record(is_ordered ? Action::replace : Action::nondeterministic, why, {threads});
}

/// The same from inside a region, where every thread comes: its first thread says it.
template <typename Call>
void record_race_in_team(const Call& call, Reason why, bool is_ordered = false) {
  if (ask(call, "omp_get_thread_num") == 0)
    record_race(call, static_cast<unsigned>(ask(call, "omp_get_num_threads")), why, is_ordered);
}

/// What schedule(runtime) means (omp.h, omp_sched_t): OMP_SCHEDULE or the program chose.
struct Chosen {
  unsigned kind = 0;
  int chunk = 0;

  bool is_static() const { return plain() == 1; }
  /// The chunk for schedule(static) over so many iterations.
  int block(uint64_t iterations, uint64_t threads) const {
    if (plain() != 2 && plain() != 3)
      return chunk; // static; auto
    const Handing handing = plain() == 2 ? Handing::as_dynamic : Handing::as_guided;
    const int64_t block = block_of(handing, iterations, threads, chunk > 0 ? chunk : 1);
    return block < INT_MAX ? static_cast<int>(block) : INT_MAX;
  }

private:
  unsigned plain() const { return kind & ~0x80000000; } // the highest bit is monotonic
};
template <typename Call>
Chosen runtime_schedule(const Call& call) {
  Chosen chosen;
  if (auto* get = call.template sibling<void(unsigned*, int*)>("omp_get_schedule"))
    get(&chosen.kind, &chosen.chunk);
  return chosen;
}

/// Where a function that only jumps to another goes: gcc keeps one of several equal regions.
const unsigned char* follow_jump(const unsigned char* code) {
#if defined(__x86_64__)
  constexpr unsigned char mark[] = {0xF3, 0x0F, 0x1E, 0xFA}; // endbr64
  if (__builtin_memcmp(code, mark, sizeof mark) == 0)
    code += sizeof mark;
  int32_t distance = 0;
  __builtin_memcpy(&distance, code + 1, sizeof distance);
  if (*code == 0xE9)
    return code + 5 + distance;
  if (*code == 0xEB)
    return code + 2 + static_cast<signed char>(code[1]);
#elif defined(__aarch64__)
  uint32_t word;
  __builtin_memcpy(&word, code, sizeof word);
  if (word >> 26 == 5)
    return code + (static_cast<int32_t>(word << 6) >> 4); // b, in words
#endif
  return code;
}

/// True if the function swaps memory by comparing, or adds to a number that it takes: lock cmpxchg,
/// lock xadd (Intel SDM, volume 2) or load and store exclusive, compare and swap (Arm ARM,
/// C4.1.94).
bool compares_and_swaps(const void* function) {
  const unsigned char* code = follow_jump(static_cast<const unsigned char*>(function));
  const CodeRange range = function_at(code);
  if (range.begin == nullptr)
    return false;
  const auto size = static_cast<size_t>(range.end - code);
#if defined(__x86_64__)
  for (size_t i = 0; i + 4 < size; ++i) {
    if (code[i] != 0xF0)
      continue;
    const unsigned char* opcode = code + i + 1;
    if ((*opcode & 0xF0) == 0x40)
      ++opcode; // REX
    if (opcode[0] == 0x0F && (opcode[1] == 0xB1 || opcode[1] == 0xC1))
      return true;
  }
#elif defined(__aarch64__)
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, code + i, 4);
    const bool store_exclusive = (word & 0xBFE00000) == 0x88000000;
    const bool compare_and_swap = (word & 0xBFA07C00) == 0x88A07C00;
    if (store_exclusive || compare_and_swap)
      return true;
  }
#endif
  return false;
}

#if defined(__x86_64__)
template <size_t count>
bool is_among(int value, const unsigned char (&values)[count]) {
  for (const unsigned char known : values)
    if (value == known)
      return true;
  return false;
}

/// The length of an instruction's operands, which begin with the byte ModRM.
int length_of_operands(const unsigned char* mode_byte) {
  const unsigned char* at = mode_byte;
  const unsigned char mode = *at >> 6;
  const unsigned char base = *at & 7;
  ++at;
  if (mode == 3)
    return 1; // registers alone
  const bool is_scaled = base == 4;
  const unsigned char scaled_base = is_scaled ? *at++ & 7 : 0;
  const bool has_no_base = base == 5 || scaled_base == 5;
  if (mode == 1)
    at += 1;
  else if (mode == 2 || has_no_base)
    at += 4;
  return static_cast<int>(at - mode_byte);
}

/// The length of an instruction that moves or adds whole numbers, or combines their bits, and of no
/// other; else 0. (Intel SDM, volume 2, chapter 2 and appendix A)
int length_of_simple(const unsigned char* code) {
  // movd, movq, movdqa, movaps; padd, pand, por, pxor
  constexpr unsigned char of_vectors[] = {0x10, 0x11, 0x28, 0x29, 0x6E, 0x6F, 0x7E, 0x7F,
                                          0xD6, 0xD4, 0xDB, 0xEB, 0xEF, 0xFC, 0xFD, 0xFE};
  // add, or, and, xor, mov
  constexpr unsigned char of_numbers[] = {0x01, 0x03, 0x09, 0x0B, 0x21,
                                          0x23, 0x31, 0x33, 0x89, 0x8B};
  // add, or, and, xor: by the middle bits of ModRM
  constexpr unsigned char of_immediates[] = {0, 1, 4, 6};
  const unsigned char* at = code;
  const bool has_prefix = *at == 0x66 || *at == 0xF3;
  if (has_prefix)
    ++at;
  if ((*at & 0xF0) == 0x40)
    ++at; // REX
  const auto with_operands = [&](const unsigned char* mode_byte, int immediate) {
    return static_cast<int>(mode_byte - code) + length_of_operands(mode_byte) + immediate;
  };
  if (*at == 0x0F)
    return is_among(at[1], of_vectors) ? with_operands(at + 2, 0) : 0;
  if ((*at & 0xF8) == 0x58)
    return static_cast<int>(at + 1 - code); // pop
  if (is_among(*at, of_numbers))
    return with_operands(at + 1, 0);
  int immediate = 0;
  if (*at == 0x83)
    immediate = 1;
  else if (*at == 0x81 && !has_prefix)
    immediate = 4;
  const bool is_known = immediate != 0 && is_among((at[1] >> 3) & 7, of_immediates);
  return is_known ? with_operands(at + 1, immediate) : 0;
}
#endif

/// True if the code up to the call of `end`, a wrapper, may do more than add whole numbers and
/// combine their bits, where no order matters.
bool may_race_when_combined([[maybe_unused]] const unsigned char* code,
                            [[maybe_unused]] const void* end) {
#if defined(__x86_64__)
  constexpr ptrdiff_t longest = 1024;
  const CodeRange function = function_at(code);
  const unsigned char* at = code;
  for (int length; at + 16 < function.end && at - code < longest; at += length)
    if ((length = length_of_simple(at)) == 0)
      break;
  const auto slot_behind = [](const unsigned char* offset_at) {
    int32_t offset = 0;
    __builtin_memcpy(&offset, offset_at, sizeof offset);
    return offset_at + sizeof offset + offset;
  };
  // call or jump to an entry of the table for calls (endbr64, bnd, jmp [slot]), or through the slot
  // itself
  if ((*at & 0xFE) == 0xE8) {
    at = slot_behind(at + 1);
    Module module;
    if (!find_module(code, module) || !module.holds(at))
      return true;
    if (*at == 0xF3)
      at += 4;
    if (*at == 0xF2)
      ++at;
  }
  if (*at != 0xFF || (at[1] != 0x25 && at[1] != 0x15))
    return true;
  return *reinterpret_cast<const void* const*>(slot_behind(at + 2)) != end;
#else
  return true;
#endif
}

using Region = void (*)(void*);

/// Of compares_and_swaps(), remembered: a region runs thousands of times.
bool adds_in_any_order(Region region) {
  return once_in_thread(reinterpret_cast<const void*>(&compares_and_swaps),
                        reinterpret_cast<const void*>(region), [&] {
                          return compares_and_swaps(reinterpret_cast<const void*>(region));
                        }) != 0;
}

/// The last place of the thread where a reduction of several numbers began.
thread_local constinit const void* combination_begins = nullptr;

} // namespace

void fix_number_of_threads() {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  bool was_dynamic = false;
  for (int i = 0; i < count; ++i)
    was_dynamic |= same_text(changes[i].name, "OMP_DYNAMIC");
  if (!was_dynamic)
    return;
  each_module([](const Module& module) {
    if (is_of_library(module, "openmp"))
      if (const void* set = module.symbol("omp_set_dynamic"))
        reinterpret_cast<void (*)(int)>(const_cast<void*>(set))(0);
    return false;
  });
}

} // namespace detshim

using namespace detshim;

namespace detshim {
namespace {

/// Records a region whose threads add to shared numbers. How many it is to have: one in strict,
/// which adds in one order.
template <typename Call>
unsigned order_sums(const Call& call, unsigned threads) {
  const bool is_alone = options().strict();
  record_race(call, threads_of_region(call, threads), Reason::addition_race, is_alone);
  return is_alone ? 1 : threads;
}

/// Notes a place of several threads, as asked or, for 0, as the runtime's function `number` tells.
/// A region may have one first, and more later (`if (n > 1000)`).
template <typename Call>
void note_threads(const Call& call, unsigned threads, const char* number) {
  if (call.passes() || threads == 1)
    return;
  const auto find = [&] {
    return reinterpret_cast<uint64_t>(call.template sibling<int()>(number));
  };
  auto* const get = reinterpret_cast<int (*)()>(once_in_thread(number, call.caller(), find));
  if (threads == 0 && (get == nullptr || get() < 2))
    return;
  if (limit_of_threads(call) == 1)
    return;
  once_in_thread(reinterpret_cast<const void*>(&fix_number_of_threads), call.caller(), [&] {
    return note_user_call(UserCall::threads, call.caller()), true;
  });
  note_package_thread(call.caller());
}

template <bool is_reduction, typename Call, typename... Numbers>
auto run_region(const Call& call, Region region, void* data, unsigned threads, Numbers... numbers) {
  note_threads(call, threads, "omp_get_max_threads");
  if (!call.passes() && (is_reduction || adds_in_any_order(region)))
    threads = order_sums(call, threads);
  return call.real(region, data, threads, numbers...);
}
constexpr Description gcc_region = {.action = Action::nondeterministic,
                                    .fields = {"threads"_out},
                                    .summary =
                                        "Records a region whose threads add to shared numbers."};
using Parallel = CallOfCopy<void(Region region, void* data, unsigned threads, unsigned flags)>;
using ParallelSections =
    CallOfCopy<void(Region, void* data, unsigned threads, unsigned count, unsigned flags)>;
using ParallelReductions =
    CallOfCopy<unsigned(Region region, void* data, unsigned threads, unsigned flags)>;

// gcc's loops come in three forms: a region that is one loop, and a loop in a region over signed
// and over unsigned numbers. Those whose schedule OMP_SCHEDULE decides have no chunk.

using ParallelLoop = CallOfCopy<words_signature<void, 5, Region, void*, unsigned>>;
using ParallelRuntime = CallOfCopy<words_signature<void, 4, Region, void*, unsigned>>;
using Loop =
    CallOfCopy<words_signature<bool, 6>>; // the bounds, and where the thread's own are to go
using Runtime = CallOfCopy<words_signature<bool, 5>>;
using UnsignedLoop = CallOfCopy<words_signature<bool, 7>>; // which way it goes, and the same
using UnsignedRuntime = Loop;

/// One over signed numbers, as gcc's entries are given it.
Iterations iterations_of(Word first, Word end, Word step) {
  const bool goes_up = reinterpret_cast<intptr_t>(step) > 0;
  return {reinterpret_cast<uintptr_t>(first), reinterpret_cast<uintptr_t>(end),
          reinterpret_cast<uintptr_t>(step), goes_up, false};
}

/// One over unsigned numbers. `up` is a bool, of which one byte counts.
Iterations iterations_of(Word up, Word first, Word end, Word step) {
  const bool goes_up = (reinterpret_cast<uintptr_t>(up) & 0xFF) != 0;
  return {reinterpret_cast<uintptr_t>(first), reinterpret_cast<uintptr_t>(end),
          reinterpret_cast<uintptr_t>(step), goes_up, true};
}

template <Handing handing>
Word word_of_block(const Iterations& loop, uint64_t threads, Word chunk) {
  const auto asked = reinterpret_cast<intptr_t>(chunk);
  return reinterpret_cast<Word>(intptr_t{block_of(handing, loop.count(), threads, asked)});
}

template <typename Call>
unsigned threads_of_team(const Call& call) {
  return static_cast<unsigned>(ask(call, "omp_get_num_threads"));
}

/// A function of the runtime's for loops in a fixed order; nullptr where that is not wanted.
template <typename Function, typename Call>
Function* in_order(const Call& call, const char* name) {
  return options().forces() ? call.template sibling<Function>(name) : nullptr;
}

/// Calls run(is_fixed) with OMP_SCHEDULE deciding for static.
template <typename Call, typename Run>
auto with_static_variable(const Call& call, const Chosen& chosen, const Iterations& loop,
                          unsigned threads, Run run) {
  auto* const set = in_order<void(unsigned, int)>(call, "omp_set_schedule");
  if (set == nullptr)
    return run(false);
  set(1, chosen.block(loop.count(), threads));
  const bool has_some = run(true);
  set(chosen.kind, chosen.chunk);
  return has_some;
}

/// What is to be done as any region with a loop begins; gives how many threads it is to have.
template <typename Call>
unsigned begin_region(const Call& call, Region region, unsigned threads) {
  note_threads(call, threads, "omp_get_max_threads");
  if (!call.passes() && adds_in_any_order(region))
    return order_sums(call, threads);
  return threads;
}

template <Handing handing, typename Call>
void run_loop(const Call& call, Region region, void* data, unsigned threads, Word first, Word end,
              Word step, Word chunk, Word flags) {
  threads = begin_region(call, region, threads);
  if (call.passes())
    return call.real(region, data, threads, first, end, step, chunk, flags);
  auto* const fixed = in_order<signature_of<ParallelLoop>>(call, "GOMP_parallel_loop_static");
  const unsigned team = threads_of_region(call, threads);
  record_race(call, team, Reason::schedule_race, fixed != nullptr);
  if (fixed == nullptr)
    return call.real(region, data, threads, first, end, step, chunk, flags);
  const Word block = word_of_block<handing>(iterations_of(first, end, step), team, chunk);
  fixed(region, data, threads, first, end, step, block, flags);
}

template <typename Call>
void run_loop_by_variable(const Call& call, Region region, void* data, unsigned threads, Word first,
                          Word end, Word step, Word flags) {
  threads = begin_region(call, region, threads);
  const Chosen chosen = runtime_schedule(call);
  if (call.passes() || chosen.is_static())
    return call.real(region, data, threads, first, end, step, flags);
  const unsigned team = threads_of_region(call, threads);
  with_static_variable(call, chosen, iterations_of(first, end, step), team, [&](bool is_fixed) {
    record_race(call, team, Reason::schedule_race, is_fixed);
    call.real(region, data, threads, first, end, step, flags);
    return true;
  });
}

/// Of a loop in a region: its bounds, the chunk, and where the thread's own bounds are to go.
template <Handing handing, typename Call>
bool start_loop(const Call& call, Word first, Word end, Word step, Word chunk, Word own_first,
                Word own_end) {
  if (call.passes())
    return call.real(first, end, step, chunk, own_first, own_end);
  auto* const fixed = in_order<signature_of<Loop>>(call, "GOMP_loop_static_start");
  record_race_in_team(call, Reason::schedule_race, fixed != nullptr);
  if (fixed == nullptr)
    return call.real(first, end, step, chunk, own_first, own_end);
  const Word block =
      word_of_block<handing>(iterations_of(first, end, step), threads_of_team(call), chunk);
  return fixed(first, end, step, block, own_first, own_end);
}

template <Handing handing, typename Call>
bool start_unsigned_loop(const Call& call, Word up, Word first, Word end, Word step, Word chunk,
                         Word own_first, Word own_end) {
  if (call.passes())
    return call.real(up, first, end, step, chunk, own_first, own_end);
  auto* const fixed = in_order<signature_of<UnsignedLoop>>(call, "GOMP_loop_ull_static_start");
  record_race_in_team(call, Reason::schedule_race, fixed != nullptr);
  if (fixed == nullptr)
    return call.real(up, first, end, step, chunk, own_first, own_end);
  const Iterations loop = iterations_of(up, first, end, step);
  const Word block = word_of_block<handing>(loop, threads_of_team(call), chunk);
  return fixed(up, first, end, step, block, own_first, own_end);
}

/// The bounds are the same without a chunk; three of the words are a signed loop's.
template <typename Call, typename... Bounds>
bool start_loop_by_variable(const Call& call, const Iterations& loop, Bounds... bounds) {
  const Chosen chosen = runtime_schedule(call);
  if (call.passes() || chosen.is_static())
    return call.real(bounds...);
  return with_static_variable(call, chosen, loop, threads_of_team(call), [&](bool is_fixed) {
    record_race_in_team(call, Reason::schedule_race, is_fixed);
    return call.real(bounds...);
  });
}

template <typename Call>
bool start_signed_by_variable(const Call& call, Word first, Word end, Word step, Word own_first,
                              Word own_end) {
  return start_loop_by_variable(call, iterations_of(first, end, step), first, end, step, own_first,
                                own_end);
}

template <typename Call>
bool start_unsigned_by_variable(const Call& call, Word up, Word first, Word end, Word step,
                                Word own_first, Word own_end) {
  return start_loop_by_variable(call, iterations_of(up, first, end, step), up, first, end, step,
                                own_first, own_end);
}

/// A loop's next iterations, whatever schedule it was started with: libgomp looks there under this
/// name alone. Where this hook is disabled too: another one may have started the loop.
template <typename Call>
bool go_on(const Call& call, Word first, Word end) {
  const bool is_unsigned = contains(call.hook().info().name, "_ull_");
  auto* const next = call.template sibling<bool(Word, Word)>(
      is_unsigned ? "GOMP_loop_ull_runtime_next" : "GOMP_loop_runtime_next");
  return (next == nullptr ? call.real : next)(first, end);
}

constexpr Description gcc_loop = {
    .action = Action::replace,
    .fields = {"threads"_out},
    .summary =
        "Gives a loop of gcc's whose iterations go to whichever thread is free a static schedule.",
};

using Next = CallOfCopy<words_signature<bool, 2>>;

// ------------------------------------------------------------------ LLVM and Intel

/// The numbers of enum sched_type in kmp.h; the two highest bits but one are modifiers.
constexpr int modifiers = 3 << 29, static_chunked = 33, static_whole = 34,
              by_variable_of_clang = 37;
constexpr int to_ordered = 32, first_ordered = 65;

bool is_guided(int kind) {
  for (const int guided : {36, 39, 42, 43, 46}) // chunked, trapezoidal, iterative, analytical, simd
    if (kind == guided)
      return true;
  return false;
}

/// A number of that many bytes out of a register of eight, whose others say nothing.
template <int width, bool is_unsigned>
int64_t number_of(Word word) {
  const auto all = reinterpret_cast<uintptr_t>(word);
  if (width == 8)
    return static_cast<int64_t>(all);
  const auto half = static_cast<uint32_t>(all);
  return is_unsigned ? int64_t{half} : int64_t{static_cast<int32_t>(half)};
}

/// Of a loop whose last number is one of its own. Wrong by one where it has as many as there are
/// numbers.
template <int width, bool is_unsigned>
uint64_t iterations_of_dispatch(Word first, Word last, Word step) {
  const int64_t by = number_of<width, false>(step); // signed in each entry
  const auto end =
      static_cast<uint64_t>(number_of<width, is_unsigned>(last)) + (by > 0 ? 1 : -uint64_t{1});
  return Iterations{static_cast<uint64_t>(number_of<width, is_unsigned>(first)), end,
                    static_cast<uint64_t>(by), by > 0, is_unsigned}
      .count();
}

/// A schedule as clang's code names it to its runtime.
struct ClangSchedule {
  explicit ClangSchedule(int schedule) {
    const int plain = schedule & ~modifiers;
    ordered = plain >= first_ordered ? to_ordered : 0;
    kind = plain - ordered;
  }

  bool is_static() const {
    constexpr int greedy = 40;
    constexpr int balanced = 41;
    for (const int fixed : {static_chunked, static_whole, greedy, balanced})
      if (kind == fixed)
        return true;
    return false;
  }
  bool is_by_variable() const { return kind == by_variable_of_clang; }

  int ordered; ///< what is added to the kind for a loop with ordered parts; 0 without
  int kind;
};

/// How many iterations a thread gets at once.
int64_t block_of_dispatch(const ClangSchedule& schedule, const Chosen& chosen, uint64_t count,
                          unsigned threads, int64_t chunk) {
  if (schedule.ordered != 0)
    return chunk; // while one thread does a block, the others wait for it
  if (schedule.is_by_variable())
    return chosen.block(count, threads);
  const Handing handing = is_guided(schedule.kind) ? Handing::as_guided : Handing::as_dynamic;
  return block_of(handing, count, threads, chunk);
}

/// Of schedule(runtime) the team has its own copy, which nobody tells: it is given what its thread
/// has. With cancellation, libomp's fixed schedules wait for ever in places where its others end.
template <int width, bool is_unsigned, typename Call>
void begin_dispatch(const Call& call, void* place, int thread, int schedule, Word first, Word last,
                    Word step, Word chunk) {
  note_threads(call, 0, "omp_get_num_threads");
  const ClangSchedule asked(schedule);
  if (call.passes() || asked.is_static())
    return call.real(place, thread, schedule, first, last, step, chunk);
  const Chosen chosen = asked.is_by_variable() ? runtime_schedule(call) : Chosen{};
  const bool is_fixed = options().forces() && ask(call, "omp_get_cancellation") == 0;
  if (!chosen.is_static() || !is_fixed)
    record_race_in_team(call, Reason::schedule_race, is_fixed);
  if (!is_fixed)
    return call.real(place, thread, schedule, first, last, step, chunk);
  const uint64_t count = iterations_of_dispatch<width, is_unsigned>(first, last, step);
  const int64_t asked_chunk =
      asked.is_by_variable() ? chosen.chunk : number_of<width, false>(chunk);
  const int64_t block = block_of_dispatch(asked, chosen, count, threads_of_team(call), asked_chunk);
  const bool is_whole = chosen.is_static() && chosen.chunk <= 0;
  call.real(place, thread, asked.ordered + (is_whole ? static_whole : static_chunked), first, last,
            step, reinterpret_cast<Word>(static_cast<intptr_t>(block)));
}

template <typename Call, typename... Arguments>
int reduce(const Call& call, Arguments... arguments) {
  const char* const value = environment_value("KMP_DETERMINISTIC_REDUCTION");
  const bool is_tree = value != nullptr && setting_is_good("KMP_DETERMINISTIC_REDUCTION", value);
  if (!call.passes() && !is_tree)
    record_race_in_team(call, Reason::addition_race);
  return call.real(arguments...);
}

template <typename Call, typename... Arguments>
auto note_team(const Call& call, Arguments... arguments) {
  note_threads(call, 0, "omp_get_num_threads");
  return call.real(arguments...);
}

constexpr Description noted = {.action = Action::observe,
                               .summary =
                                   "Noted where a team comes: which thread is first is a race."};
using Time = Call<double()>;
template <int count>
using Noted = CallOfCopy<words_signature<Word, count>>;

constexpr Description clang_race = {.action = Action::nondeterministic,
                                    .fields = {"threads"_out},
                                    .summary =
                                        "Records clang's reductions that no variable orders."};
constexpr Description clang_loop = {.action = Action::replace,
                                    .fields = {"threads"_out},
                                    .summary = "Gives such a loop of clang's a static schedule."};
using Init = CallOfCopy<words_signature<void, 4, void*, int, int>>;
using Reduce = CallOfCopy<words_signature<int, 7>>;

} // namespace
} // namespace detshim

DETSHIM_TEMPLATE_HOOK(openmp, Parallel, GOMP_parallel, run_region<false>, gcc_region);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelSections, GOMP_parallel_sections, run_region<false>,
                      gcc_region);
DETSHIM_TEMPLATE_HOOK(openmp, ParallelReductions, GOMP_parallel_reductions, run_region<true>,
                      gcc_region);

DETSHIM_HOOK(
    openmp, void, GOMP_atomic_start, (), .action = Action::observe,
    .summary =
        "Where gcc's reductions of several numbers begin, which are combined under a lock.") {
  DETSHIM_ENTER_COPY(GOMP_atomic_start);
  combination_begins = call.caller();
  call.real();
}

DETSHIM_HOOK(openmp, void, GOMP_atomic_end, (), .action = Action::nondeterministic,
             .fields = {"threads"_out},
             .summary = "Records such a reduction, unless it adds whole numbers alone.") {
  // It is jumped to, often, and then returns to the runtime.
  const void* const begin =
      combination_begins != nullptr ? combination_begins : __builtin_return_address(0);
  const CallOfCopy<void()> call(hooks::GOMP_atomic_end, begin);
  const auto may_race = [&] {
    return may_race_when_combined(static_cast<const unsigned char*>(begin), call.hook().wrapper());
  };
  if (!call.passes() &&
      once_in_thread(reinterpret_cast<const void*>(&may_race_when_combined), begin, may_race) != 0)
    record_race_in_team(call, Reason::addition_race);
  call.real();
}

#define DETSHIM_GCC_LOOP(GUARD, NAME, BODY)                                                        \
  DETSHIM_TEMPLATE_HOOK(openmp, GUARD, GOMP_##NAME, BODY, gcc_loop)
#define DETSHIM_GCC_LOOPS(GUARD, NAME, OTHER, BODY)                                                \
  DETSHIM_TEMPLATE_HOOKS(openmp, GUARD, GOMP_##NAME, GOMP_##OTHER, BODY, gcc_loop)
DETSHIM_GCC_LOOPS(ParallelLoop, parallel_loop_dynamic, parallel_loop_nonmonotonic_dynamic,
                  run_loop<Handing::as_dynamic>);
DETSHIM_GCC_LOOPS(ParallelLoop, parallel_loop_guided, parallel_loop_nonmonotonic_guided,
                  run_loop<Handing::as_guided>);
DETSHIM_GCC_LOOPS(ParallelRuntime, parallel_loop_runtime, parallel_loop_nonmonotonic_runtime,
                  run_loop_by_variable);
DETSHIM_GCC_LOOP(ParallelRuntime, parallel_loop_maybe_nonmonotonic_runtime, run_loop_by_variable);
DETSHIM_GCC_LOOPS(Loop, loop_dynamic_start, loop_nonmonotonic_dynamic_start,
                  start_loop<Handing::as_dynamic>);
DETSHIM_GCC_LOOPS(Loop, loop_guided_start, loop_nonmonotonic_guided_start,
                  start_loop<Handing::as_guided>);
DETSHIM_GCC_LOOPS(Runtime, loop_runtime_start, loop_nonmonotonic_runtime_start,
                  start_signed_by_variable);
DETSHIM_GCC_LOOP(Runtime, loop_maybe_nonmonotonic_runtime_start, start_signed_by_variable);
DETSHIM_GCC_LOOPS(UnsignedLoop, loop_ull_dynamic_start, loop_ull_nonmonotonic_dynamic_start,
                  start_unsigned_loop<Handing::as_dynamic>);
DETSHIM_GCC_LOOPS(UnsignedLoop, loop_ull_guided_start, loop_ull_nonmonotonic_guided_start,
                  start_unsigned_loop<Handing::as_guided>);
DETSHIM_GCC_LOOPS(UnsignedRuntime, loop_ull_runtime_start, loop_ull_nonmonotonic_runtime_start,
                  start_unsigned_by_variable);
DETSHIM_GCC_LOOP(UnsignedRuntime, loop_ull_maybe_nonmonotonic_runtime_start,
                 start_unsigned_by_variable);

#define DETSHIM_GCC_NEXT(KIND)                                                                     \
  DETSHIM_TEMPLATE_HOOKS(openmp, Next, GOMP_loop_##KIND##_next, GOMP_loop_ull_##KIND##_next,       \
                         go_on, gcc_loop)
DETSHIM_GCC_NEXT(dynamic);
DETSHIM_GCC_NEXT(guided);
DETSHIM_GCC_NEXT(nonmonotonic_dynamic);
DETSHIM_GCC_NEXT(nonmonotonic_guided);

DETSHIM_TEMPLATE_HOOK(openmp, Init, __kmpc_dispatch_init_4, (begin_dispatch<4, false>), clang_loop);
DETSHIM_TEMPLATE_HOOK(openmp, Init, __kmpc_dispatch_init_4u, (begin_dispatch<4, true>), clang_loop);
DETSHIM_TEMPLATE_HOOK(openmp, Init, __kmpc_dispatch_init_8, (begin_dispatch<8, false>), clang_loop);
DETSHIM_TEMPLATE_HOOK(openmp, Init, __kmpc_dispatch_init_8u, (begin_dispatch<8, true>), clang_loop);
DETSHIM_TEMPLATE_HOOKS(openmp, Reduce, __kmpc_reduce, __kmpc_reduce_nowait, reduce, clang_race);

// Of clang's regions their parts are noted: the call that makes one takes any number of arguments.
#define NOTED(COUNT, NAME, OTHER)                                                                  \
  DETSHIM_TEMPLATE_HOOKS(openmp, Noted<COUNT>, NAME, OTHER, note_team, noted)
NOTED(3, omp_set_lock, __kmpc_critical);
NOTED(9, __kmpc_for_static_init_4, __kmpc_for_static_init_4u);
NOTED(9, __kmpc_for_static_init_8, __kmpc_for_static_init_8u);
NOTED(12, __kmpc_omp_task, __kmpc_taskloop);
DETSHIM_TEMPLATE_HOOK(openmp, Noted<2>, __kmpc_single, note_team, noted);
DETSHIM_TEMPLATE_HOOKS(openmp, Time, omp_get_wtime, omp_get_wtime_, read_clock_of_runtime,
                       notes_clock_of_runtime);

DETSHIM_HOOK(openmp, void, omp_set_dynamic, (int dynamic), .action = Action::replace,
             .fields = {"requested"_in, "effective"_out},
             .summary = "Keeps the number of threads from following the machine's load.") {
  DETSHIM_ENTER_COPY(omp_set_dynamic);
  if (call.passes() || dynamic == 0)
    return call.real(dynamic);
  if (!options().forces()) {
    call.record(Action::nondeterministic, Reason::dynamic_threads, {1, 1});
    return call.real(dynamic);
  }
  call.record(Action::replace, Reason::dynamic_threads, {1, 0});
  call.real(0);
}
