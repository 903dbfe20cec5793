#include "loader/draw.h"

#include "core/cryptography.h"
#include "core/sys.h"
#include "core/text.h"

namespace detshim {
namespace {

// What the table of places holds for a draw: a counter's address, and in its lowest bit whether to pin.
constexpr uint64_t pin_bit = 1;

} // namespace

const char* why_entropy_is_kept(const Hook& hook, const void* caller) {
  Module module;
  if (!find_module(caller, module)) return nullptr;
  const char* in_library = "asked for by a cryptography library: keys stay random";
  const char* in_object = "asked for by an object with cryptography in it: keys stay random";
  // arc4random is how programs from OpenBSD make their keys themselves (ssh-keygen).
  const bool makes_keys = starts_with(hook.info->name, "arc4random");
  for (const char* file : cryptography_files)
    if (starts_with(file_name(module.path), file) || (makes_keys && module.needs(file)))
      return starts_with(file_name(module.path), file) ? in_library : in_object;
  for (const char* file : identifier_files)
    if (starts_with(file_name(module.path), file))
      return "asked for by a library that names things by it: two runs at once must not share a name";
  for (const char* symbol : cryptography_symbols)
    if (module.symbol(symbol) != nullptr) return in_object;
  if (*options().keep_entropy == 0) return nullptr;
  char path[600];
  module_path(module, path, sizeof path);
  return keeps_entropy(file_name(path)) ? "named in DETSHIM_KEEP_ENTROPY" : nullptr;
}

bool decide_draw(Hook& hook, DrawSites& sites, const void* caller, std::initializer_list<Value> values) {
  if (options().off() || hook.disabled) return false;
  if (hook.state == Hook::State::unknown) find_real(hook);

  Thread& thread = this_thread();
  const uint32_t epoch = draw_epoch();
  uint64_t key = derive(reinterpret_cast<uintptr_t>(caller), reinterpret_cast<uintptr_t>(&hook) + epoch);
  for (const Value& value : values)
    for (const char* c = value.text; c != nullptr && *c != 0; ++c)
      key = key * 31 + static_cast<unsigned char>(*c);
  if (const uint64_t* known = thread.places.find(key)) {
    auto* counter = reinterpret_cast<Counter*>(*known & ~pin_bit);
    count(*counter);
    if ((*known & pin_bit) == 0) return false;
    sites.remember(epoch, caller, counter);
    return true;
  }

  Action action = Action::pin;
  const char* why = "from the stream of this thread";
  if (hook.state == Hook::State::foreign) {
    action = Action::uncovered;
    why = "another library's function of this name, not the one that is hooked";
  } else if (const char* reason = why_entropy_is_kept(hook, caller)) {
    action = Action::observe;
    why = reason;
  } else if (!options().pins()) {
    action = hook.info->action == Action::pin ? Action::unfixed : Action::observe;
    why = "mode observe: enforce would pin it";
  }
  const bool pin = action == Action::pin;
  Counter* counter =
      record({hook.info->library, hook.info->name, hook.info->fields}, action, caller, why, values);
  // An observation that has no log yet is asked about again: a log may come.
  if (action == Action::observe) return false;
  const sys::SignalsBlocked no_signals;
  thread.places.insert(key) = reinterpret_cast<uintptr_t>(counter) | (pin ? pin_bit : 0);
  if (pin) sites.remember(epoch, caller, counter);
  return pin;
}

void kernel_random(void* data, size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const long got = sys::call(SYS_getrandom, sys::address(at), static_cast<long>(size), 0);
    if (sys::failed(got)) continue;
    at += got;
    size -= static_cast<size_t>(got);
  }
}

} // namespace detshim
