// How a hook is written. docs/ADDING_A_HOOK.md walks through one.
//
//   DETSHIM_HOOK(curand, curandStatus_t, curandSetPseudoRandomGeneratorSeed,
//                (curandGenerator_t generator, unsigned long long seed),
//                .action = Action::pin, .fields = {"asked", "given"},
//                .summary = "Replaces the program's seed by one derived from DETSHIM_SEED.") {
//     DETSHIM_ENTER(curandSetPseudoRandomGeneratorSeed);
//     if (call.passes()) return call.real(generator, seed);
//     …
//     call.record(Action::pin, why, {seed, given});
//     return call.real(generator, given);
//   }
//
// The macro gives the exported wrapper, its signature, the row in the hook table (which dlsym and
// DETSHIM_DISABLE ask), and the row in docs/HOOKS.md. The real function is reached through `call` alone, and
// `call` comes from DETSHIM_ENTER alone: a hook that forgets the guard does not compile.
#pragma once

#include "common/describe.h"
#include "core/base/hook_table.h"
#include "core/identity/thread.h"
#include "core/log/records.h"
#include "core/policy/options.h"
#include "loader/real.h"

namespace detshim {

/// What a wrapper answers when no loaded object has the function behind it: a weak reference that came to us.
/// An error in every library that is hooked; never a call through a null pointer.
template <typename Result>
constexpr Result absent() {
  if constexpr (__is_enum(Result))
    return static_cast<Result>(1);
  else if constexpr (__is_same(Result, void))
    return;
  else if constexpr (__is_same(Result, void*))
    return nullptr;
  else
    return static_cast<Result>(-1);
}
template <typename Result>
requires(requires(Result r) { *r; }) constexpr Result absent() { return nullptr; }

template <typename Signature>
struct Absent;
template <typename Result, typename... Arguments>
struct Absent<Result(Arguments...)> {
  static Result call(Arguments...) { return absent<Result>(); }
};
template <typename Result, typename... Arguments>
struct Absent<Result(Arguments..., ...)> {
  static Result call(Arguments..., ...) { return absent<Result>(); }
};

/// One call of a hooked function, from entering the wrapper to leaving it.
template <typename Signature>
class Call {
public:
  Call(Hook& hook, const void* caller) : hook_(hook), caller_(caller) {
    Hook::State state;
    __atomic_load(&hook.state, &state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(state == Hook::State::unknown || state == Hook::State::missing, 0))
      find_real(hook); // a missing one may have been loaded since
    real = hook.state == Hook::State::missing ? &Absent<Signature>::call
                                              : reinterpret_cast<Signature*>(const_cast<void*>(hook.real));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// True if the call is none of our business: switched off, or somebody else's function of that name. Hand
  /// it to `real` as it is.
  bool passes() const { return options().off() || !is_hooked(); }

  /// The part of it that does not depend on the mode.
  bool is_hooked() const { return !hook_.disabled && hook_.state == Hook::State::hooked; }

  /// Records the call; see core/log/records.h.
  void record(Action action, const char* why, std::initializer_list<Value> values) const {
    detshim::record({hook_.info->library, hook_.info->name, hook_.info->fields}, action, caller_, why,
                    values);
  }

  /// Another function of the same library, or nullptr.
  template <typename Function>
  Function* beside(const char* name) const {
    return find_beside<Function>(hook_, name);
  }

  const Hook& hook() const { return hook_; }
  const void* caller() const { return caller_; }

  Signature* real; ///< never null

private:
  Hook& hook_;
  const void* caller_;
};

namespace detail {
/// Hooked calls that this thread is in, of all libraries whose hooks use OutermostCall.
extern thread_local constinit uint8_t call_depth;
} // namespace detail

/// The guard for libraries that call each other through us (libcusolver calls libcublas): a call that a
/// hooked library makes inside a hooked call passes. Not for functions that a signal handler may leave by
/// longjmp, which would leave the depth behind: those of libc use Call.
template <typename Signature>
class OutermostCall : public Call<Signature> {
public:
  OutermostCall(Hook& hook, const void* caller) : Call<Signature>(hook, caller), depth_(detail::call_depth) {
    ++depth_;
  }
  ~OutermostCall() { --depth_; }

  bool passes() const { return depth_ > 1 || Call<Signature>::passes(); }

private:
  uint8_t& depth_;
};

} // namespace detshim

// Address of an exported symbol of ours as a constant: function addresses cannot be made `const void*` in a
// constant expression, so the same symbol is declared once more as an object.
#define DETSHIM_HOOK_ROW(LIBRARY, NAME, ...)                                                                 \
  extern "C" const char detshim_address_##NAME[] __asm__(#NAME);                                             \
  namespace detshim::hooks {                                                                                 \
  [[gnu::section("detshim_hook_info"), gnu::used]] alignas(64) constinit const HookInfo NAME                 \
      ##_info = {.library = #LIBRARY, .name = #NAME, __VA_ARGS__};                                           \
  constinit Hook NAME = {                                                                                    \
      .info = &NAME##_info, .wrapper = detshim_address_##NAME, .name_hash = name_hash(#NAME)};               \
  [[gnu::section("detshim_hooks"), gnu::used]] constinit Hook* const NAME##_row = &NAME;                     \
  }

/// Declares a hook and begins its wrapper's definition. After PARAMS: designated members of HookInfo.
#define DETSHIM_HOOK(LIBRARY, RESULT, NAME, PARAMS, ...)                                                     \
  DETSHIM_HOOK_ROW(LIBRARY, NAME, __VA_ARGS__)                                                               \
  namespace detshim::hooks {                                                                                 \
  using NAME##_signature = RESULT PARAMS;                                                                    \
  }                                                                                                          \
  extern "C" __attribute__((visibility("default"))) RESULT detshim_##NAME PARAMS __asm__(#NAME);             \
  extern "C" RESULT detshim_##NAME PARAMS

/// Its arguments: lets a macro that makes hooks pass a parenthesised list on.
#define DETSHIM_LIST(...) __VA_ARGS__

/// Opens the guard `call` of a hook's body, with nested calls counted.
#define DETSHIM_ENTER_OUTERMOST(NAME)                                                                        \
  ::detshim::OutermostCall<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,                  \
                                                                    __builtin_return_address(0))

/// Opens the guard `call` of a hook's body.
#define DETSHIM_ENTER(NAME)                                                                                  \
  ::detshim::Call<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,                           \
                                                           __builtin_return_address(0))

/// Declares a hook whose wrapper is written in assembly (loader/stubs_*.S), because it must hand the call on
/// by a jump: the real function looks at its caller's address, or does not return like a function.
#define DETSHIM_STUB(LIBRARY, RESULT, NAME, PARAMS, ...)                                                     \
  DETSHIM_HOOK_ROW(LIBRARY, NAME, __VA_ARGS__)                                                               \
  namespace detshim::hooks {                                                                                 \
  using NAME##_signature = RESULT PARAMS;                                                                    \
  }                                                                                                          \
  static_assert(true)
