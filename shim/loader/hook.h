// How a hook is written; docs/ADDING_A_HOOK.md has examples.
//
// The macro gives the exported wrapper, its signature, the row in the hook table (which dlsym and
// DETSHIM_DISABLE ask), and the row in docs/HOOKS.md. The real function is reached through `call`
// alone, and `call` comes from the guard alone: a hook that forgets the guard does not compile.
#pragma once

#include "common/describe.h"
#include "core/base/hook_table.h"
#include "core/identity/thread.h"
#include "core/log/records.h"
#include "core/policy/options.h"
#include "loader/library_version.h"
#include "loader/real.h"

#include <cstdarg>

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wvarargs" // no name for the last parameter of a pack
#endif

namespace detshim {

/// What a wrapper answers where no loaded object has the function (a weak reference): an error in
/// every library.
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

/// A value of a hook's records: "requested"_in went into the call, "effective"_out came out of it.
struct FieldDescription {
  char name[20] = {};
  FieldRole role = FieldRole::input;
};

constexpr FieldDescription described_field(const char* name, size_t length, FieldRole role) {
  FieldDescription field = {.role = role};
  // A name that is too long leaves the array, which is no constant expression.
  for (size_t i = 0; i < length; ++i)
    field.name[i] = name[i];
  field.name[length] = 0;
  return field;
}
constexpr FieldDescription operator""_in(const char* name, size_t length) {
  return described_field(name, length, FieldRole::input);
}
constexpr FieldDescription operator""_out(const char* name, size_t length) {
  return described_field(name, length, FieldRole::result);
}

/// What is said of a hook, besides its names; a constant where several hooks share it.
struct Description {
  Action action;
  FieldDescription fields[4] = {};
  bool lists_algorithms = false;
  char summary[132];
};

constexpr HookInfo hook_info(const char* library, const char* name,
                             const Description& description) {
  HookInfo info = {.library = {}, .name = {}, .action = description.action, .summary = {}};
  // A name that is too long leaves the array, which is no constant expression.
  for (int i = 0; library[i] != 0; ++i)
    info.library[i] = library[i];
  for (int i = 0; name[i] != 0; ++i)
    info.name[i] = name[i];
  info.lists_algorithms = description.lists_algorithms;
  for (size_t field = 0; field < sizeof info.fields / sizeof *info.fields; ++field) {
    info.roles[field] = description.fields[field].role;
    for (size_t i = 0; i < sizeof *info.fields; ++i)
      info.fields[field][i] = description.fields[field].name[i];
  }
  for (size_t i = 0; i < sizeof info.summary; ++i)
    info.summary[i] = description.summary[i];
  return info;
}

/// One call of a hooked function, from entering the wrapper to leaving it.
template <typename Signature>
class Call {
public:
  Call(Hook& hook, const void* caller) : hook_(hook), caller_(caller) {
    Hook::State state;
    __atomic_load(&hook.state, &state, __ATOMIC_ACQUIRE);
    if (__builtin_expect(state == Hook::State::unknown || state == Hook::State::missing, 0))
      find_real(hook); // a missing one may have been loaded since
    real = hook.state == Hook::State::missing
               ? &Absent<Signature>::call
               : reinterpret_cast<Signature*>(const_cast<void*>(hook.real));
  }
  Call& operator=(Call&&) = delete; // neither copied nor moved

  /// True if the call is to go to `real` as it is: switched off, or somebody else's function of
  /// that name.
  bool passes() const { return options().off() || !is_hooked(); }

  /// The part of it that does not depend on the mode.
  bool is_hooked() const { return !hook_.disabled && hook_.state == Hook::State::hooked; }

  /// Records the call, and before it which library of CUDA's answers; see core/log/records.h.
  void record(Action action, Why why, std::initializer_list<Value> values) const {
    counter_of(action, why, values);
  }
  /// The same, for calls that are counted without a further record.
  Counter* counter_of(Action action, Why why, std::initializer_list<Value> values) const {
    say_library(hook_);
    return detshim::record({hook_.info().library, hook_.info().name, hook_.info().fields}, action,
                           caller_, why, values);
  }

  /// Another function of the same library, or nullptr.
  template <typename Function>
  Function* sibling(const char* name) const {
    return find_sibling<Function>(hook_, name);
  }

  Hook& hook() const { return hook_; }
  const void* caller() const { return caller_; }

  Signature* real; ///< never null

private:
  Hook& hook_;
  const void* caller_;
};

namespace detail {
/// Hooked calls that this thread is in, of all libraries whose hooks use OutermostCall.
inline thread_local constinit uint8_t call_depth = 0;
} // namespace detail

/// The guard for libraries that call each other through us (libcusolver calls libcublas): a call
/// that a hooked library makes inside a hooked call passes. Not for functions that a signal handler
/// may leave by longjmp, which would leave the depth behind: those of libc use Call.
template <typename Signature>
class OutermostCall : public Call<Signature> {
public:
  OutermostCall(Hook& hook, const void* caller)
      : Call<Signature>(hook, caller), depth_(detail::call_depth) {
    ++depth_;
  }
  ~OutermostCall() { --depth_; }

  bool passes() const { return depth_ > 1 || Call<Signature>::passes(); }

private:
  uint8_t& depth_;
};

/// True if DETSHIM_FINGERPRINT asks for what such calls bring out.
template <typename Call>
bool wants_fingerprint(const Call& call) {
  return __builtin_expect(options().fingerprint, 0) && !call.passes();
}
/// And this one went well.
template <typename Call, typename Status>
bool wants_fingerprint(const Call& call, Status status) {
  return wants_fingerprint(call) && static_cast<int>(status) == 0;
}

template <typename Guard>
struct SignatureOf;
template <template <typename> typename Guard, typename Signature>
struct SignatureOf<Guard<Signature>> {
  using type = Signature;
};
template <typename Guard>
using signature_of = typename SignatureOf<Guard>::type;

} // namespace detshim

// What is known of a hook besides its wrapper, and its place in the table.
#define DETSHIM_HOOK_ROW(LIBRARY, NAME, ...)                                                       \
  namespace detshim::hooks {                                                                       \
  extern const HookInfo NAME##_info __asm__("detshim_info_" #NAME)                                 \
      __attribute__((visibility("hidden")));                                                       \
  [[gnu::section("detshim_hook_info"), gnu::used]] alignas(4) constinit const HookInfo NAME        \
      ##_info = hook_info(#LIBRARY, #NAME, Description{__VA_ARGS__});                              \
  extern const uint32_t NAME##_hash __asm__("detshim_hash_" #NAME)                                 \
      __attribute__((visibility("hidden")));                                                       \
  [[gnu::section("detshim_hook_hashes"), gnu::used]] constinit const uint32_t NAME##_hash =        \
      name_hash(#NAME);                                                                            \
  DETSHIM_DECLARE_HOOK(NAME);                                                                      \
  }                                                                                                \
  DETSHIM_PLACE_HOOK(NAME, #NAME);

/// Declares a hook and begins its wrapper's definition. After PARAMS: members of Description, or
/// one.
#define DETSHIM_HOOK(LIBRARY, RESULT, NAME, PARAMS, ...)                                           \
  DETSHIM_HOOK_ROW(LIBRARY, NAME, __VA_ARGS__)                                                     \
  namespace detshim::hooks {                                                                       \
  using NAME##_signature = RESULT PARAMS;                                                          \
  }                                                                                                \
  extern "C" __attribute__((visibility("default"))) RESULT detshim_##NAME PARAMS __asm__(#NAME);   \
  extern "C" RESULT detshim_##NAME PARAMS

/// Declares a hook whose wrapper opens the guard `GUARD call` and returns BODY(call, arguments...),
/// a function template. GUARD is a guard with the function's type, OutermostCall<int(void*)>. A
/// function with a `...` gives BODY a va_list in its place. After BODY as for DETSHIM_HOOK.
///
/// The wrapper is a friend of a class template: there alone can a function be defined by the name
/// of its type. The pointer has that definition made; the linker drops it (startup_order.ld), which
/// spares each start a write.
#define DETSHIM_TEMPLATE_HOOK(LIBRARY, GUARD, NAME, BODY, ...)                                     \
  namespace detshim::hooks {                                                                       \
  using NAME##_signature = signature_of<GUARD>;                                                    \
  DETSHIM_DECLARE_HOOK(NAME);                                                                      \
  }                                                                                                \
  extern "C"                                                                                       \
      __attribute__((visibility("default"),                                                        \
                     used)) ::detshim::hooks::NAME##_signature detshim_##NAME __asm__(#NAME);      \
  template <typename Signature>                                                                    \
  struct detshim_definition_of_##NAME;                                                             \
  template <typename Result, typename... Arguments>                                                \
  struct detshim_definition_of_##NAME<Result(Arguments...)> {                                      \
    friend Result detshim_##NAME(Arguments... arguments) {                                         \
      GUARD call(::detshim::hooks::NAME, __builtin_return_address(0));                             \
      return BODY(call, arguments...);                                                             \
    }                                                                                              \
  };                                                                                               \
  template <typename Result, typename... Arguments>                                                \
  struct detshim_definition_of_##NAME<Result(Arguments..., ...)> {                                 \
    friend Result detshim_##NAME(Arguments... arguments, ...) {                                    \
      GUARD call(::detshim::hooks::NAME, __builtin_return_address(0));                             \
      va_list rest;                                                                                \
      __builtin_va_start(rest, 0);                                                                 \
      const Result result = BODY(call, arguments..., rest);                                        \
      va_end(rest);                                                                                \
      return result;                                                                               \
    }                                                                                              \
  };                                                                                               \
  template struct detshim_definition_of_##NAME<::detshim::hooks::NAME##_signature>;                \
  [[gnu::section("detshim_uses"),                                                                  \
    gnu::used]] static constinit ::detshim::hooks::NAME##_signature* const detshim_use_of_##NAME = \
      &detshim_##NAME;                                                                             \
  DETSHIM_HOOK_ROW(LIBRARY, NAME, __VA_ARGS__)                                                     \
  static_assert(true)

/// The same for two functions that differ by their names alone: open and open64.
#define DETSHIM_TEMPLATE_HOOKS(LIBRARY, GUARD, NAME, OTHER, BODY, ...)                             \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, GUARD, NAME, BODY, __VA_ARGS__);                                  \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, GUARD, OTHER, BODY, __VA_ARGS__)

/// Opens the guard `call` of a hook's body, with nested calls counted.
#define DETSHIM_ENTER_OUTERMOST(NAME)                                                              \
  ::detshim::OutermostCall<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,        \
                                                                    __builtin_return_address(0))

/// Opens the guard `call` of a hook's body.
#define DETSHIM_ENTER(NAME)                                                                        \
  ::detshim::Call<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,                 \
                                                           __builtin_return_address(0))

/// Declares a hook whose wrapper is written in assembly (loader/stubs_*.S), because it must hand
/// the call on by a jump: the real function looks at its caller's address, or does not return like
/// a function.
#define DETSHIM_STUB(LIBRARY, RESULT, NAME, PARAMS, ...)                                           \
  DETSHIM_HOOK_ROW(LIBRARY, NAME, __VA_ARGS__)                                                     \
  namespace detshim::hooks {                                                                       \
  using NAME##_signature = RESULT PARAMS;                                                          \
  }                                                                                                \
  static_assert(true)
