#include "loader/draw.h"

#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/native_frames.h"
#include "core/base/python_frames.h"

namespace detshim {
namespace {

// What the table holds for a call site: a counter's address, or 0 where its draws are counted apart, and in
// the lowest bits whether to pin, and whether the call site is a Python interpreter's, which draws for
// whatever Python code runs.
constexpr uint64_t pin_bit = 1;
constexpr uint64_t ask_bit = 2;

constexpr uint64_t use = 2; // its number of draws so far

/// So many draws of one call site are counted by what led to them: in an extension of Python's by the line of
/// Python, elsewhere by the frames behind. Then the call site is remembered, and a draw is quick.
constexpr uint64_t lines_looked_at = 256, frames_looked_at = 1024;

void put(Table<8>& decided, uint64_t key, uint64_t value) {
  if (uint64_t* const known =
          decided.find(key)) { // without a system call, which a filter may not allow any more
    *known = value;
    return;
  }
  const sys::SignalsBlocked no_signals;
  decided.insert(key) = value;
}

/// One more draw of that call site: how many there were before.
uint64_t note_use(Table<8>& decided, uint64_t call_site) {
  const uint64_t key = mix(call_site, use);
  if (uint64_t* const uses = decided.find(key)) return (*uses)++;
  const sys::SignalsBlocked no_signals;
  return decided.insert(key)++;
}

bool asks_each_time(const void* caller) {
  Module module;
  return find_module(caller, module) && is_python(module);
}

} // namespace

bool decide_draw(Hook& hook, CallSites& call_sites, const void* caller, std::initializer_list<Value> values,
                 Purpose purpose) {
  if (options().off() || hook.disabled) return false;
  if (hook.state == Hook::State::unknown) find_real(hook);

  const uint32_t epoch = draw_epoch();
  Table<8>& decided = call_sites_of_this_thread();
  uint64_t key = mix(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(&hook) + epoch);
  if (purpose == Purpose::no_key) key = ~key;
  for (const Value& value : values)
    if (value.text != nullptr) key = fnv1a_text(value.text, key);
  const uint64_t* known = decided.find(key);
  const bool asks = known != nullptr ? (*known & ask_bit) != 0 : asks_each_time(caller);
  Module interpreter;
  if (asks) find_module(caller, interpreter);
  const PythonLock python(interpreter); // before the log's, which a thread that holds this one may wait for
  Reason kept_by = asks ? why_python_keeps_entropy() : Reason::none;
  PythonCallSite line;
  find_python_call_site(line, PythonDetail::key, false);
  const uint64_t frames = !asks && line.count == 0 ? native_frames_key(caller) : 0;
  const bool is_distinguished = line.count > 0 || frames != 0;
  bool follows = asks; // the next draw may come from elsewhere, so this call site is not remembered
  if (!asks && is_distinguished)
    follows = note_use(decided, key) < (line.count > 0 ? lines_looked_at : frames_looked_at);
  const uint64_t call_site = key;
  if (kept_by != Reason::none) key = mix(key, 1);
  if (follows) key = mix(key, line.count > 0 || asks ? line.key() : frames);
  if (kept_by != Reason::none || follows) known = decided.find(key);
  if (known != nullptr && (*known & ~(pin_bit | ask_bit)) != 0) {
    auto* counter = reinterpret_cast<Counter*>(*known & ~(pin_bit | ask_bit));
    count(*counter);
    if ((*known & pin_bit) == 0) return false;
    if (!follows) call_sites.remember(epoch, caller, counter);
    return true;
  }

  Action action = Action::pin;
  Reason why = Reason::own_stream;
  if (hook.state == Hook::State::shadowed) {
    action = Action::uncovered;
    why = Reason::not_the_library;
  } else if (kept_by != Reason::none) {
    action = Action::observe;
    why = kept_by;
  } else if (const KeptEntropy kept = why_entropy_is_kept(hook, caller, purpose); kept.why != Reason::none) {
    action = kept.may_be_no_key ? Action::nondeterministic : Action::observe;
    why = kept.why;
  } else if (!options().pins()) {
    action = hook.info().action == Action::pin ? Action::nondeterministic : Action::observe;
    why = Reason::observed;
  }
  const bool pin = action == Action::pin;
  Counter* counter =
      record({hook.info().library, hook.info().name, hook.info().fields}, action, caller, why, values);
  if (line.count == 0) find_python_call_site(line, PythonDetail::key, false); // the record looked for Python
  // An observation that has no log yet is asked about again: a log may come.
  if (action == Action::observe) return false;
  if (asks || follows) put(decided, call_site, asks ? ask_bit : 0);
  put(decided, key, reinterpret_cast<uintptr_t>(counter) | (pin ? pin_bit : 0) | (asks ? ask_bit : 0));
  if (pin && !follows && line.count == 0) call_sites.remember(epoch, caller, counter);
  return pin;
}

void kernel_random(void* data, size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const long got = sys::enter(SYS_getrandom, sys::address(at), static_cast<long>(size));
    if (sys::failed(got)) continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
}

} // namespace detshim
