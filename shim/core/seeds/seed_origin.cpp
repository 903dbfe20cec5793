#include "core/seeds/seed_origin.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/ring.h"
#include "core/identity/thread.h"
#include "core/seeds/clock_samples.h"
#include "core/seeds/learned_seeds.h"

#include <byteswap.h>
#include <initializer_list>
#include <time.h>

extern "C" char** environ;

namespace detshim {
namespace {

// ------------------------------------------------------------------ the values that a reading gives

// The farthest that a value may lie from a clock and still be that clock with something added: a rank, a
// thread's or a loop's number. Of a clock finer than seconds less: cut to 32 bits, it lies near any number
// every few seconds.
constexpr int64_t widest_offset = 4096;
constexpr int64_t widest_offset_of_fine = 64;

// From here on the count of a clock is large enough for what lies near it to be more than chance. Clocks that
// count from the machine's start are not, for long: under an uptime of an hour each small number is near
// their seconds.
constexpr uint64_t least_whole =
    1'000'000'000; // seconds: since 2001; of finer ones minutes or days since a start

// Below it a number is an index, a task's number, a constant of the program's, and not the low end of a
// clock.
constexpr uint64_t small_number = 65536;

/// True if the call at `caller` follows upon the reading at `call_site`: srand(time(0) + 3).
bool feeds(const void* call_site, const void* caller) {
  constexpr uintptr_t within = 64; // bytes of code
  return reinterpret_cast<uintptr_t>(caller) - reinterpret_cast<uintptr_t>(call_site) - 1 < within;
}

struct Unit {
  uint64_t value;
  bool is_whole = false;  ///< a large count from some epoch, so that something may have been added to it
  bool is_coarse = false; ///< whole seconds: two readings may give the same
};

/// Calls visit(unit) for each number that a reading is by itself. Not for one of so few that a number of the
/// program's is one by chance in a run of a thousand: a part of a second in thousandths, the first seconds
/// since a start.
template <typename Visit>
void each_unit(const ClockSample& reading, Visit visit) {
  if (reading.source == Source::none) return;
  if (reading.source == Source::ticks || reading.source == Source::id) return visit(Unit{reading.a});
  const uint64_t s = reading.a;
  if (s >= small_number) visit(Unit{s, s >= least_whole, true});
  if (reading.source == Source::seconds) return;
  const uint64_t unit = reading.source == Source::nanoseconds ? 1'000'000'000 : 1'000'000; // of the fraction
  for (uint64_t scale = unit; scale >= 1000; scale /= 1000) {
    const uint64_t fraction = reading.b / (unit / scale), whole = s * scale + fraction;
    visit(Unit{whole, whole >= least_whole});
    if (scale > 1000) visit(Unit{fraction});
  }
}

/// The last number of a path such as 0.2.3, 0 without one: how the creator counted this thread.
uint64_t ordinal_of(const PathText& path) {
  uint64_t number = 0;
  bool has_dot = false;
  for (const char* c = path; *c != 0; ++c) {
    if (*c == '.') number = 0, has_dot = true;
    if (*c >= '0' && *c <= '9') number = number * 10 + static_cast<uint64_t>(*c - '0');
  }
  return has_dot ? number : 0;
}

/// The value that is to be explained.
class RequestedValue {
public:
  RequestedValue(uint64_t value, unsigned bits) : value_(value & mask_of(bits)), bits_(bits) {}

  uint64_t number() const { return value_; }
  bool is(uint64_t other) const { return ((other ^ value_) & mask_of(bits_)) == 0; }

  /// True if the value is the unit, with a small number added where it is a whole clock.
  bool is_near(const Unit& unit, int64_t& offset) const {
    const unsigned unused = 64 - bits_;
    offset = static_cast<int64_t>((value_ - unit.value) << unused) >> unused;
    if (offset == 0) return true;
    if (!unit.is_whole) return false;
    // Behind a fine clock lie its own earlier readings, which may be forgotten by now.
    return unit.is_coarse ? offset >= -widest_offset && offset <= widest_offset
                          : offset > 0 && offset <= widest_offset_of_fine;
  }

private:
  static constexpr uint64_t mask_of(unsigned bits) { return ~uint64_t{0} >> (64 - bits); }

  uint64_t value_;
  unsigned bits_;
};

/// What was seeded by a reading before: a value that is passed again is that reading's again, whatever was
/// read since.
struct Used {
  uint64_t value;
  int64_t offset;
  uint64_t owner_key;
  bool owner_is_first;
  ClockSample reading;
};
constinit Ring<Used, 64> used;

uint64_t instance_of(uint64_t owner_key, const ClockSample& reading) {
  // An id is the same whenever it is read.
  const uint64_t which = reading.source == Source::id ? reading.a : reading.order;
  return derive(derive(owner_key, static_cast<uint64_t>(reading.source)), which);
}

/// One reading that explains the value.
struct Match {
  const ClockSamples* samples = nullptr; ///< nullptr for one of `used`
  uint64_t owner_key = 0;
  bool owner_is_first = false;
  ClockSample reading = {};
  int64_t offset = 0;
  bool is_exact = false;
  bool is_coarse = false;

  explicit operator bool() const { return reading.source != Source::none; }
};

/// The numbers that tell this thread from its siblings, by which a clock is often shifted.
struct Siblings {
  uint64_t rank = 0;
  uint64_t thread = 0;

  bool hold(int64_t offset) const {
    return offset > 0 && (static_cast<uint64_t>(offset) == rank || static_cast<uint64_t>(offset) == thread ||
                          static_cast<uint64_t>(offset) + 1 == thread);
  }
};

/// Whether the object that seeds may pass a reading on: its own, or one of is_reader().
class Readers {
public:
  explicit Readers(const void* caller) : knows_caller_(find_module(caller, caller_)) {}

  bool include(const void* call_site) const {
    Module module;
    return (knows_caller_ && caller_.holds(call_site)) ||
           (find_module(call_site, module) && is_reader(module));
  }
  /// The same of a rank's, whose addresses are not this process's.
  static bool include_of(const ClockSamples& rank, const void* call_site) {
    for (const CodeRange& range : rank.readers)
      if (range.holds(call_site)) return true;
    return false;
  }

private:
  Module caller_;
  bool knows_caller_;
};

/// Looks through the samples for readings that explain the value.
class Search {
public:
  Search(RequestedValue value, const void* caller, const CodeRange& function)
      : value_(value), caller_(caller), function_(function), readers_(caller), own_(own_clock_samples()) {
    siblings_.rank = static_cast<uint64_t>(process().rank);
    siblings_.thread = ordinal_of(this_thread().path);
  }

  /// The reading that the value comes from; none if no reading explains it.
  Match run() {
    Match own, others;
    each_thread_samples([&](const ClockSamples& samples) {
      if (samples.order == 0) return;
      Match& best = &samples == own_ ? own : others;
      const uint64_t owner_key = samples.owner_key;
      for (const auto& readings : {samples.first, samples.latest})
        for (size_t i = 0; i < call_site_count; ++i) {
          const ClockSample reading = copy_of(readings[i]);
          // The samples of a thread that has ended may become another's at any moment.
          const bool is_owners = __atomic_load_n(&samples.owner_key, __ATOMIC_RELAXED) == owner_key;
          if (reading.source != Source::none && is_owners) consider(best, samples, reading);
        }
    });
    const Match before = own && !own.is_coarse ? Match{} : used_before();
    if (own && !own.is_coarse && own.is_exact) return own;
    if (before && !is_fresh(own, before)) return before;
    if (!own || !others) return own ? own : others;
    if (own.is_exact != others.is_exact) return own.is_exact ? own : others;
    return !own.is_exact && siblings_.hold(others.offset) && !siblings_.hold(own.offset) ? others : own;
  }

private:
  void consider(Match& best, const ClockSamples& samples, const ClockSample& reading) {
    if (!may_explain(samples, reading)) return;
    each_unit(reading, [&](const Unit& unit) {
      int64_t offset = 0;
      if (!value_.is_near(unit, offset)) return;
      // Many readings give a whole second, or lie near a value: one that another library made for itself is
      // not what the program passes.
      const bool may_be_chance = unit.is_coarse || offset != 0;
      if (may_be_chance && !(is_of_rank(samples) ? Readers::include_of(samples, reading.call_site)
                                                 : readers_.include(reading.call_site)))
        return;
      const Match match = {&samples, samples.owner_key, samples.owner_is_first, reading,
                           offset,   offset == 0,       unit.is_coarse};
      if (is_better(match, best)) best = match;
    });
  }

  /// True for samples of another process, whose addresses are not this one's.
  static bool is_of_rank(const ClockSamples& samples) {
    const RankClockSamples* ranks = rank_clock_samples();
    return ranks != nullptr && &samples >= ranks->of && &samples < ranks->of + RankClockSamples::limit &&
           &samples != own_clock_samples();
  }

  /// A small number is an index or a constant of the program's. It counts as the low end of a clock, or an
  /// id, where the reading is this thread's, nothing was seeded since, and, in a process that has others
  /// beside it, the call follows at once.
  bool may_explain(const ClockSamples& samples, const ClockSample& reading) const {
    const bool is_part = reading.source == Source::id || reading.source == Source::ticks;
    if (value_.number() >= small_number && !is_part) return true;
    if (&samples != own_ || reading.order <= samples.seeded) return false;
    return value_.number() >= small_number || is_alone() || feeds(reading.call_site, caller_);
  }

  bool is_better(const Match& match, const Match& best) const {
    if (!best) return true;
    if (match.is_exact != best.is_exact) return match.is_exact;
    if (match.is_coarse != best.is_coarse) return !match.is_coarse;
    const bool is_fed = feeds(match.reading.call_site, caller_);
    if (is_fed != feeds(best.reading.call_site, caller_)) return is_fed;
    if (!match.is_exact) {
      if (siblings_.hold(match.offset) != siblings_.hold(best.offset)) return siblings_.hold(match.offset);
      const bool is_near = function_.holds(match.reading.call_site);
      if (is_near != function_.holds(best.reading.call_site)) return is_near;
    }
    if (match.samples != best.samples) return match.owner_is_first && !best.owner_is_first;
    return match.reading.order > best.reading.order;
  }

  Match used_before() const {
    Match best;
    used.any([&](const Used& one) {
      Match match = {
          nullptr, one.owner_key, one.owner_is_first, one.reading, one.offset, value_.is(one.value), false};
      each_unit(one.reading, [&](const Unit& unit) {
        match.is_coarse |= unit.is_coarse;
        if (match.is_exact || !unit.is_coarse || !value_.is_near(unit, match.offset)) return;
        match.is_exact = match.offset == 0;
        best = best ? best : match;
      });
      if (match.is_exact && !(best && best.is_exact)) best = match;
      return false;
    });
    return best;
  }

  /// Whether a reading was made for this call, although an earlier one explains the value as well.
  bool is_fresh(const Match& own, const Match& before) const {
    if (!own || (own.owner_key == before.owner_key && own.reading.order == before.reading.order))
      return false;
    if (feeds(own.reading.call_site, caller_)) return own.reading.order > own.samples->seeded;
    return own.reading.call_site == before.reading.call_site && own.reading.order > own.samples->seeded;
  }

  RequestedValue value_;
  const void* caller_;
  const CodeRange& function_;
  Readers readers_;
  const ClockSamples* own_;
  Siblings siblings_;
};

// ------------------------------------------------------------------ what is no reading

/// True if the function holds the number as an immediate operand before the call: the program's own constant.
bool is_in_code(uint64_t value, const void* caller, const CodeRange& function) {
  if (function.begin == nullptr)
    return false; // of a compiler's own making: what lies before it may be no memory
  const auto* end = static_cast<const unsigned char*>(caller);
  // A small number stands in much code for something else.
  const long reach = value < small_number ? 40 : 1 << 16;
#if defined(__x86_64__)
  const auto low = static_cast<uint32_t>(value); // of an immediate operand's 4 or 8 bytes
  for (const auto* code = end - function.begin > reach ? end - reach : function.begin;
       code + sizeof low < end; ++code) {
    // A small number is also a distance to data: it counts behind the opcode of `mov` to a register (Intel
    // SDM, volume 2B, B8+ rd) alone.
    const bool is_mov = (*code & 0xF8) == 0xB8;
    if ((is_mov || value >= small_number) && __builtin_memcmp(code + 1, &low, sizeof low) == 0) return true;
  }
  return false;
#else
  const uint32_t low = 0x52800000 | static_cast<uint32_t>(value & 0xffff) << 5; // movz w, #low
  // movk w, #high, lsl 16
  const uint32_t high = 0x72A00000 | static_cast<uint32_t>(value >> 16 & 0xffff) << 5;
  bool has_low = (value & 0xffff) == 0, has_high = (value >> 16 & 0xffff) == 0;
  for (const auto* code = end - function.begin > reach ? end - reach : function.begin; code < end;
       code += 4) {
    uint32_t word;
    __builtin_memcpy(&word, code, sizeof word);
    has_low |= (word & 0x7fffffe0) == low;
    has_high |= (word & 0x7fffffe0) == high;
  }
  return has_low && has_high;
#endif
}

/// True if the text holds the number, or one that lies within `reach`: --seed=1234, SEED=1234 and a rank.
bool names(const char* text, uint64_t value, uint64_t reach) {
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9') continue;
    uint64_t number = 0;
    bool fits = true;
    for (; *text >= '0' && *text <= '9'; ++text)
      fits &= !__builtin_mul_overflow(number, uint64_t{10}, &number) &&
              !__builtin_add_overflow(number, static_cast<uint64_t>(*text - '0'), &number);
    if (fits && value - number + reach <= 2 * reach) return true;
    if (*text == 0) return false;
  }
  return false;
}

/// True if the value is an address of the thread itself, of the stack, of the heap that malloc begins with,
/// or of the calling object. All 64 bits of one are nothing else; what 32 bits leave of it may be any number,
/// so there only narrow ranges count, and in a process with others beside it the narrowest alone.
bool is_address(uint64_t value, unsigned bits, const void* caller) {
  if (value < small_number || (bits == 64 && value >> 32 == 0)) return false;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const auto holds = [&](uintptr_t first, uint64_t size) { return ((value - first) & mask) < size; };
  const bool is_whole = bits != 32;
  const char here = 0;
  if (holds(reinterpret_cast<uintptr_t>(__builtin_thread_pointer()), 1) ||
      holds(reinterpret_cast<uintptr_t>(&here), is_whole ? uint64_t{8} << 20 : uint64_t{64} << 10))
    return true;
  if (!is_whole && !is_alone()) return false;
  constexpr uint64_t reach = 1 << 20;
  const auto heap_end = reinterpret_cast<uintptr_t>(sbrk(0)); // libc has it in memory
  if (holds(heap_end - reach, reach)) return true;
  Module module;
  if (!find_module(caller, module)) return false;
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (header.p_type == PT_LOAD &&
        holds(module.base + header.p_vaddr, is_whole || header.p_memsz < reach ? header.p_memsz : reach))
      return true;
  }
  return false;
}

/// True if the value is made of words of entropy that this process was given, the first byte the lowest, or,
/// as hexadecimal digits are read, the highest.
bool is_entropy(uint64_t value) {
  const auto was_given = [](uint32_t word) {
    bool was = false;
    each_thread_samples([&](const ClockSamples& samples) {
      for (const uint32_t& given : samples.entropy)
        if (const uint32_t its = __atomic_load_n(&given, __ATOMIC_RELAXED);
            its == word || bswap_32(its) == word)
          was = true;
    });
    return was;
  };
  const auto high = static_cast<uint32_t>(value >> 32);
  return (high == 0 || high == ~0U || was_given(high)) && was_given(static_cast<uint32_t>(value));
}

/// True if the program has read a clock or an id: else a value that nothing explains comes from what is its
/// own.
bool has_read(const void* caller) {
  const Readers readers(caller);
  bool has = false;
  each_thread_samples([&](const ClockSamples& samples) {
    has |= samples.has_forgotten;
    for (const ClockSample& latest : samples.latest)
      has |= latest.source != Source::none && readers.include(latest.call_site);
  });
  return has;
}

} // namespace

bool is_from_user(uint64_t value, uint64_t reach) {
  const bool is_small = value < small_number;
  if (is_small) reach = 0;
  for (char** entry = environ; !is_small && entry != nullptr && *entry != nullptr; ++entry)
    if (!starts_with(*entry, "DETSHIM_") && names(*entry, value, reach)) return true;
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[1025];
  bool is_named = false;
  for (long size; !is_named && (size = sys::read(fd, text, sizeof text - 1)) > 0;) {
    for (long i = 0; i < size; ++i)
      if (text[i] == 0) text[i] = ' ';
    text[size] = 0;
    is_named = names(text, value, reach);
  }
  sys::close(fd);
  return is_named;
}

bool explain_learned(uint64_t value, const void* caller, Explanation& made) {
  constexpr uint64_t label_learned = 0x6C656172;
  const LearnedSeed learned = learned_seed(value, caller);
  if (!learned.changes || is_from_user(value, 0)) return false;
  const Thread& thread = this_thread();
  made.origin = Origin::learned;
  // A sequence for each group: what one passes shifts no other's.
  const uint64_t owner = learned.is_of_all       ? process().seed
                         : learned.is_of_threads ? process().key
                                                 : thread.key;
  made.owner_key = derive(owner, learned.group);
  made.owner_is_first = learned.is_first &&
                        (learned.is_of_all || (learned.is_of_threads ? process().is_first : thread.is_first));
  const bool is_of_several = learned.is_of_all || learned.is_of_threads; // a child's are its parent's too
  made.instance = derive(derive(is_of_several ? learned.group : made.owner_key, label_learned), value);
  return true;
}

Explanation explain(uint64_t value, unsigned bits, const void* caller) {
  Explanation made;
  const Thread& thread = this_thread();
  made.owner_key = thread.key;
  made.owner_is_first = thread.is_first;
  constexpr uint64_t label_address = 0x61646472;
  const bool is_small = value < small_number;
  const CodeRange function = function_at(caller);
  // Before all guesses: a part of a clock may be any number, by chance one that they know.
  const bool is_learned = explain_learned(value, caller, made);
  if (!is_learned && is_in_code(value, caller, function)) { // what was read is still to be used
    made.origin = Origin::constant;
    return made;
  }
  // To look at the command line takes time, and a program may seed a million times.
  static constinit int looked = 0;
  const Match match = is_learned ? Match{} : Search(RequestedValue(value, bits), caller, function).run();
  if (is_learned) { // all is said
  } else if (match && (match.offset == 0 || !is_from_user(value, 0))) {
    made.origin = match.reading.source == Source::id ? Origin::id : Origin::clock;
    made.offset = match.offset;
    made.owner_key = match.owner_key;
    made.owner_is_first = match.owner_is_first;
    made.instance = instance_of(match.owner_key, match.reading);
    if (match.samples != nullptr)
      used.add({value, match.offset, match.owner_key, match.owner_is_first, match.reading});
  } else if (is_address(value, bits, caller)) {
    made.origin = Origin::address;
    made.instance = derive(derive(thread.key, label_address), value);
  } else if (is_small || !has_read(caller) || is_entropy(value) ||
             (looked++ < 256 && is_from_user(value, widest_offset))) {
    made.origin = Origin::constant;
  }
  if (ClockSamples* samples = own_clock_samples()) samples->seeded = samples->order;
  return made;
}

} // namespace detshim
