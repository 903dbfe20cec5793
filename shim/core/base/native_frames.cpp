#include "core/base/native_frames.h"

#include "common/sys.h"
#include "core/base/cfi_rules.h"
#include "core/base/hash.h"
#include "core/base/thread_memory.h"

#include <sys/auxv.h>

namespace detshim {
namespace {

constexpr uintptr_t page = 4096; // or more: then some are looked at twice

struct Registers {
  uintptr_t code, stack, frame;
};

/// Those of whoever this is inlined into.
[[gnu::always_inline]] inline Registers own_registers() {
  Registers now;
#if defined(__x86_64__)
  __asm__ volatile("mov %%rsp, %1\n\tmov %%rbp, %2\n\tlea 0(%%rip), %0"
                   : "=r"(now.code), "=&r"(now.stack), "=&r"(now.frame));
#elif defined(__aarch64__)
  __asm__ volatile("adr %0, 1f\n\tmov %1, sp\n\tmov %2, x29\n1:"
                   : "=&r"(now.code), "=&r"(now.stack), "=r"(now.frame));
#endif
  return now;
}

/// A return address as it is without a signature (Armv8.3 signs it in its upper bits).
uintptr_t without_signature(uintptr_t address) {
#if defined(__aarch64__)
  return address & ((uintptr_t{1} << 48) - 1);
#else
  return address;
#endif
}

/// Memory from one page's begin to another's.
struct Pages {
  uintptr_t begin, end;

  bool hold(uintptr_t address) const { return address >= begin && address < end; }
};

/// Of the stack that a thread was given, what is known to be there: it stays as long as the thread
/// does.
thread_local constinit Pages own_pages = {};

/// True if the calling thread was given the stack that this is in. C libraries keep a thread's
/// descriptor at the top of its stack.
bool is_own_stack(uintptr_t stack) {
  constexpr uintptr_t farthest = 1 << 20; // what is deeper is looked at each time
  uintptr_t descriptor;
#if defined(__x86_64__)
  __asm__("mov %%fs:0, %0" : "=r"(descriptor));
#elif defined(__aarch64__)
  __asm__("mrs %0, tpidr_el0" : "=r"(descriptor));
#endif
  return stack < descriptor && descriptor - stack <= farthest;
}

/// Reads words of the stack that it stands on, where memory is.
class Stack {
public:
  explicit Stack(uintptr_t stack) : low_(stack) {
    // The kernel maps nothing else near to the first thread's stack, whose top it puts some random
    // bytes at.
    constexpr uintptr_t usual_size = 8 << 20;
    static constinit uintptr_t random = 0;
    uintptr_t top = __atomic_load_n(&random, __ATOMIC_RELAXED);
    if (top == 0)
      __atomic_store_n(&random, top = getauxval(AT_RANDOM), __ATOMIC_RELAXED);
    known_ = {stack & ~(page - 1), (stack | (page - 1)) + 1};
    if (stack < top && top - stack < usual_size) {
      known_.end = (top | (page - 1)) + 1;
      return;
    }
    stays_ = is_own_stack(stack);
    if (stays_ && own_pages.hold(stack))
      known_ = own_pages;
  }

  /// True if it is known already that the word there can be read.
  bool knows(uintptr_t address) const { return known_.hold(address); }

  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool read(uintptr_t from, uintptr_t& to) {
    if (from % sizeof to != 0 || from < low_ || (!known_.hold(from) && !can_extend_to(from)))
      return false;
    to = *reinterpret_cast<const volatile uintptr_t*>(from);
    return true;
  }

private:
  bool can_extend_to(uintptr_t address) {
    constexpr uintptr_t most = 256 * page; // of a single frame
    if (address - known_.end > most)
      return false;
    for (; known_.end <= (address & ~(page - 1)); known_.end += page)
      if (!sys::can_read(known_.end + page > address ? address : known_.end))
        return false;
    if (stays_)
      own_pages = known_;
    return true;
  }

  uintptr_t low_;
  Pages known_;
  bool stays_ = false;
};

uintptr_t words(int64_t count) { return static_cast<uintptr_t>(count * 8); }

/// To the frame of the caller, whose return address was at `slot`; false if no frame follows.
bool step(Stack& stack, Registers& now, uintptr_t& slot) {
  const CfiRule rule = cfi_rule(now.code);
  uintptr_t cfa =
      (rule.cfa == CfiRule::Cfa::stack_pointer ? now.stack : now.frame) + words(rule.cfa_offset);
  if (rule.cfa == CfiRule::Cfa::none)
    return false;
  if (rule.cfa == CfiRule::Cfa::loaded && !stack.read(cfa, cfa))
    return false;
  if (cfa <= now.stack)
    return false; // so that it ends, whatever the tables say
  Registers next = {0, cfa, now.frame};
  if (rule.frame_pointer != CfiRule::Kept::unchanged) {
    const uintptr_t base = rule.frame_pointer == CfiRule::Kept::at_cfa ? cfa : now.frame;
    if (!stack.read(base + words(rule.frame_pointer_offset), next.frame))
      return false;
  }
  slot = cfa + words(rule.return_offset);
  if (!stack.read(slot, next.code))
    return false;
  next.code = without_signature(next.code);
  now = next;
  return now.code != 0;
}

/// Calls see(slot, address) for each return address from the caller's outwards.
template <typename See>
void walk(const Registers& from, Stack& stack, const void* caller, NativeFrames& frames, int wanted,
          See see) {
  frames.count = 0;
  Registers now = from;
  constexpr int most_of_ours = 24, most = 96;
  int steps = 0;
  uintptr_t slot = 0;
  do {
    if (++steps > most_of_ours || !step(stack, now, slot))
      return;
  } while (now.code != reinterpret_cast<uintptr_t>(caller));
  see(slot, now.code);

  while (++steps <= most && frames.count < wanted && step(stack, now, slot)) {
    see(slot, now.code);
    constexpr int longest_circle = 4; // of functions that call each other
    bool is_known = false;
    for (int i = frames.count; !is_known && i > 0 && i > frames.count - longest_circle;)
      is_known = frames.addresses[--i] == now.code;
    if (!is_known)
      frames.addresses[frames.count++] = now.code;
  }
}

uint64_t key_of(const NativeFrames& frames) {
  uint64_t key = 0;
  for (int i = 0; i < frames.count; ++i)
    key = mix(key, frames.addresses[i]);
  return key;
}

/// A way that was gone before. Where it began at the same place with the same
/// registers, and the same return addresses lie on it, it is the same.
struct KnownWay {
  static constexpr unsigned limit = 40;
  Registers from;
  const void* caller;
  uint64_t key;
  uint32_t epoch; ///< of what was unloaded
  uint32_t count;
  uintptr_t addresses[limit];
  uint32_t offsets[limit]; ///< from the stack pointer

  [[gnu::no_sanitize_address, gnu::no_sanitize_thread]] bool leads_from(const Registers& now,
                                                                        const void* by) const {
    if (from.stack != now.stack || from.frame != now.frame || caller != by || count == 0 ||
        epoch != cfi_rules_forgotten())
      return false;
    bool is_same = true;
    for (uint32_t i = 0; i < count; ++i)
      is_same &=
          without_signature(*reinterpret_cast<const volatile uintptr_t*>(now.stack + offsets[i])) ==
          addresses[i];
    return is_same;
  }
};

struct KnownWays {
  KnownWay ways[4];
};
DETSHIM_THREAD_MEMORY KnownWays ways_of_thread = {};

} // namespace

[[gnu::noinline]] void find_native_frames(const void* caller, NativeFrames& frames, int most) {
  const Registers now = own_registers();
  frames.count = 0;
  if (caller == nullptr)
    return;
  Stack stack(now.stack);
  walk(now, stack, caller, frames, most, [](uintptr_t, uintptr_t) {});
}

[[gnu::noinline]] uint64_t native_frames_key(const void* caller) {
  const Registers now = own_registers();
  if (caller == nullptr)
    return 0;
  Stack stack(now.stack);
  const uint64_t place = spread(reinterpret_cast<uintptr_t>(caller) ^ now.stack);
  KnownWay& way = of_this_thread(ways_of_thread).ways[place >> 62];
  if (way.count > 0 && stack.knows(now.stack + way.offsets[way.count - 1]) &&
      way.leads_from(now, caller))
    return way.key;
  // Not known while it is written: a signal handler may come.
  way.count = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  NativeFrames frames;
  uint32_t count = 0;
  walk(now, stack, caller, frames, NativeFrames::limit, [&](uintptr_t slot, uintptr_t address) {
    if (count < KnownWay::limit) {
      way.addresses[count] = address;
      way.offsets[count] = static_cast<uint32_t>(slot - now.stack);
    }
    ++count;
  });
  way.from = now;
  way.caller = caller;
  way.key = key_of(frames);
  way.epoch = cfi_rules_forgotten();
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  if (count <= KnownWay::limit)
    way.count = count;
  return way.key;
}

} // namespace detshim
