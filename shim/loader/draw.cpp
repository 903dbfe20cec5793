// Decides whether a draw is pinned, left to the kernel or only observed, from its hook, its caller
// and the mode, and whether that may be remembered for the call site. An interpreter's call site is
// asked about each time, since it draws for whatever Python code runs. Others are asked about for
// their first 256 draws from lines of Python, or 1,024 from native frames.
//
// It cannot tell origins apart that first draw after those: they share one record of the call site.
#include "loader/draw.h"

#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/native_frames.h"
#include "core/python/frames.h"
#include "loader/python_draws.h"

namespace detshim {
namespace {

// What the table holds for a call site: a counter's address, or 0 where its draws are counted
// apart, and in the lowest bits whether to pin, and whether the call site is a Python
// interpreter's, which draws for whatever Python code runs.
constexpr uint64_t pin_bit = 1;
constexpr uint64_t ask_bit = 2;

/// What is remembered under a key of the table.
class Remembered {
public:
  Remembered(Table<8>& decided, uint64_t key) {
    if (const uint64_t* const value = decided.find(key)) {
      value_ = *value;
      is_known = true;
    }
  }

  Counter* counter() const { return reinterpret_cast<Counter*>(value_ & ~(pin_bit | ask_bit)); }
  bool pins() const { return (value_ & pin_bit) != 0; }
  bool asks() const { return (value_ & ask_bit) != 0; }

  bool is_known = false;

private:
  uint64_t value_ = 0;
};

constexpr uint64_t use = 2; // its number of draws so far

/// So many draws of one call site are counted by what led to them: in an extension of Python's by
/// the line of Python, elsewhere by the frames behind. Then the call site is remembered, and a draw
/// is quick.
constexpr uint64_t lines_looked_at = 256;
constexpr uint64_t frames_looked_at = 1024;

void put(Table<8>& decided, uint64_t key, uint64_t value) {
  // Without a system call, which a filter may not allow any more.
  if (uint64_t* const known = decided.find(key)) {
    *known = value;
    return;
  }
  const sys::SignalsBlocked no_signals;
  decided.insert(key) = value;
}

/// One more draw of that call site: how many there were before.
uint64_t note_use(Table<8>& decided, uint64_t call_site) {
  const uint64_t key = mix(call_site, use);
  if (uint64_t* const uses = decided.find(key))
    return (*uses)++;
  const sys::SignalsBlocked no_signals;
  return decided.insert(key)++;
}

/// Whether the call site is an interpreter's.
bool asks_each_time(const Remembered& call_site, const void* caller) {
  if (call_site.is_known)
    return call_site.asks();
  Module module;
  return find_module(caller, module) && is_python(module);
}

/// Names the call site among all that the thread knows.
uint64_t key_of_call_site(const Hook& hook, const void* caller, std::initializer_list<Value> values,
                          Purpose purpose, uint32_t epoch) {
  uint64_t key =
      mix(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(&hook) + epoch);
  if (purpose == Purpose::no_key)
    key = ~key;
  for (const Value& value : values)
    if (value.text != nullptr)
      key = fnv1a_text(value.text, key);
  return key;
}

/// What led to a draw, and tells it from others of its call site.
class DrawOrigin {
public:
  /// `asks`: the call site is an interpreter's.
  DrawOrigin(Table<8>& decided, uint64_t call_site, const void* caller, bool asks)
      : call_site_(call_site), asks_(asks) {
    // Of a program that makes secrets all is kept, whichever package draws, and its output differs:
    // the reason reports it.
    if (asks && !makes_secrets())
      kept_by_ = why_python_keeps_entropy();
    find_python_call_site(line_, PythonDetail::key, false);
    if (!asks && !has_line())
      frames_ = native_frames_key(caller);
    follows_ = asks || is_looked_at(decided);
  }

  /// Why the Python package that draws keeps the kernel's entropy, where it does.
  Reason kept_by() const { return kept_by_; }
  /// Whether the next draw of the call site may come from elsewhere, so that it is not remembered
  /// by itself.
  bool follows() const { return follows_; }

  /// Names the decision.
  uint64_t key() const {
    uint64_t key = call_site_;
    if (kept_by_ != Reason::none)
      key = mix(key, static_cast<uint64_t>(kept_by_));
    if (follows_)
      key = mix(key, has_line() || asks_ ? line_.key() : frames_);
    return key;
  }

  /// A record may have begun to look for Python.
  bool has_line_by_now() {
    if (!has_line())
      find_python_call_site(line_, PythonDetail::key, false);
    return has_line();
  }

private:
  bool has_line() const { return line_.count > 0; }

  bool is_looked_at(Table<8>& decided) const {
    const bool is_told_apart = has_line() || frames_ != 0;
    const uint64_t limit = has_line() ? lines_looked_at : frames_looked_at;
    return is_told_apart && note_use(decided, call_site_) < limit;
  }

  uint64_t call_site_;
  bool asks_;
  bool follows_ = false;
  Reason kept_by_ = Reason::none;
  PythonCallSite line_;
  uint64_t frames_ = 0;
};

struct Decision {
  Action action;
  Reason why;
};

Decision decide(const Hook& hook, const void* caller, Purpose purpose, Reason kept_by_python) {
  if (hook.state == Hook::State::shadowed)
    return {Action::uncovered, Reason::not_the_library};
  if (kept_by_python != Reason::none)
    return {Action::observe, kept_by_python};
  const KeptEntropy kept = why_entropy_is_kept(hook, caller, purpose);
  if (kept.why != Reason::none)
    return {kept.may_be_no_key ? Action::nondeterministic : Action::observe, kept.why};
  if (options().pins())
    return {Action::pin, Reason::own_stream};
  const bool is_of_a_seed = hook.info().action == Action::pin;
  return {is_of_a_seed ? Action::nondeterministic : Action::observe, Reason::observed};
}

} // namespace

bool decide_draw(Hook& hook, CallSites& call_sites, const void* caller,
                 std::initializer_list<Value> values, Purpose purpose) {
  if (options().off() || hook.disabled)
    return false;
  if (hook.state == Hook::State::unknown)
    find_real(hook);

  const uint32_t epoch = draw_epoch();
  Table<8>& decided = call_sites_of_this_thread();
  const uint64_t call_site = key_of_call_site(hook, caller, values, purpose, epoch);
  const bool asks = asks_each_time(Remembered(decided, call_site), caller);
  Module interpreter;
  if (asks)
    find_module(caller, interpreter);
  // Before the log's lock, which a thread that holds this one may wait for.
  const PythonLock python(interpreter);
  DrawOrigin origin(decided, call_site, caller, asks);
  const uint64_t key = origin.key();
  const Remembered known(decided, key);
  if (known.counter() != nullptr) {
    count(*known.counter());
    if (known.pins() && !origin.follows())
      call_sites.remember(epoch, caller, known.counter());
    return known.pins();
  }

  const Decision decision = decide(hook, caller, purpose, origin.kept_by());
  Counter* const counter = record({hook.info().library, hook.info().name, hook.info().fields},
                                  decision.action, caller, decision.why, values);
  // An observation that has no log yet is asked about again: a log may come.
  if (decision.action == Action::observe)
    return false;
  const bool pins = decision.action == Action::pin;
  const uint64_t asking = asks ? ask_bit : 0;
  if (origin.follows())
    put(decided, call_site, asking);
  put(decided, key, reinterpret_cast<uintptr_t>(counter) | (pins ? pin_bit : 0) | asking);
  if (pins && !origin.follows() && !origin.has_line_by_now())
    call_sites.remember(epoch, caller, counter);
  return pins;
}

void kernel_random(void* data, size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const long got = sys::enter(SYS_getrandom, sys::address(at), static_cast<long>(size));
    if (sys::failed(got))
      continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
}

} // namespace detshim
