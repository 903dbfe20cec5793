// Functions of other libraries, each looked up once until an object goes, and arguments of a hook
// by their type. Walking through hundreds of loaded objects at each product would take longer than
// a small product.
#pragma once

#include "core/base/modules.h"
#include "loader/hook.h"

namespace detshim {

/// True if there is such a function and, called so, it succeeds: 0 is success in every library.
template <typename Function, typename... Arguments>
bool succeeded(Function* function, Arguments... arguments) {
  return function != nullptr && static_cast<int>(function(arguments...)) == 0;
}

/// A function, by `look(hook, name)`: anew each time while it is not found, unless `keeps_absent`.
template <typename Function, const void* (*look)(const Hook&, const char*), bool keeps_absent>
class KnownFunction {
public:
  explicit constexpr KnownFunction(const char* name) : name_(name) {}

  /// nullptr if it is not found.
  Function* of(const Hook& hook) {
    const uint64_t epoch = uint64_t{draw_epoch()} + 1;
    if (__atomic_load_n(&epoch_, __ATOMIC_ACQUIRE) != epoch) {
      auto* const function =
          reinterpret_cast<Function*>(const_cast<void*>(look(hook, name_.c_str())));
      if (function == nullptr && !keeps_absent)
        return nullptr;
      __atomic_store_n(&known_, function, __ATOMIC_RELAXED);
      __atomic_store_n(&epoch_, epoch, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&known_, __ATOMIC_RELAXED);
  }
  /// Calls it; true if there is one and it succeeded.
  template <typename... Arguments>
  bool succeeds(const Hook& hook, Arguments... arguments) {
    return succeeded(of(hook), arguments...);
  }

private:
  FunctionName name_;
  uint64_t epoch_ = 0;
  Function* known_ = nullptr;
};

/// Another function of a hook's library; nullptr if the library's version has none.
template <typename Function>
using SiblingFunction = KnownFunction<Function, find_sibling, true>;

/// The body of a hook that changes nothing: calls the library, and says of a call that succeeded
/// why it may differ.
template <Reason why, typename Call, typename... Arguments>
auto record_nondeterministic(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!call.passes() && static_cast<int>(status) == 0)
    call.record(Action::nondeterministic, why, {});
  return status;
}

/// The same of a function that may repeat: nobody says.
template <Reason why, typename Call, typename... Arguments>
auto record_observed(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!call.passes() && static_cast<int>(status) == 0)
    call.record(Action::observe, why, {});
  return status;
}

/// The same for what `say(call, arguments...)` says.
template <const auto& say, typename Call, typename... Arguments>
auto say_after(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!call.passes() && static_cast<int>(status) == 0)
    say(call, arguments...);
  return status;
}

/// The body of a hook that sets a math mode, of which `bit` asks for fixed-point emulation.
template <int bit, Reason otherwise, typename Call, typename Handle>
auto record_emulation(const Call& call, Handle handle, int mode) {
  const auto status = call.real(handle, mode);
  if (call.passes() || static_cast<int>(status) != 0)
    return status;
  const bool emulates = (mode & bit) != 0;
  call.record(emulates ? Action::nondeterministic : Action::observe,
              emulates ? Reason::emulation : otherwise, {mode});
  return status;
}
constexpr Description records_emulation = {
    .action = Action::nondeterministic,
    .fields = {"mode"_in},
    .summary =
        "Records modes with fixed-point emulation, which cuBLAS does not promise to be repeatable.",
};

/// The first argument of a type: for bodies that hand the others on as they are.
template <typename Wanted, typename First, typename... Rest>
constexpr Wanted& argument_of_type([[maybe_unused]] First& first, Rest&... rest) {
  if constexpr (__is_same(Wanted, First))
    return first;
  else
    return argument_of_type<Wanted>(rest...);
}

/// The body of a hook that says which library answers.
template <typename Call, typename... Arguments>
auto name_library(const Call& call, Arguments... arguments) {
  if (!call.passes())
    say_library(call.hook());
  return call.real(arguments...);
}

/// True if no pointer is null.
template <typename... Pointers>
bool are_there(Pointers... pointers) {
  return ((pointers != nullptr) && ...);
}

/// The body of a hook that one argument decides: `good` goes in its place where it is `bad`, and
/// `why` says what a bad one does. Another number than the known ones is the library's to refuse.
template <auto good, Reason why, auto... bad, typename Call, typename... Arguments>
auto keep_good(const Call& call, Arguments... arguments) {
  if (call.passes())
    return call.real(arguments...);
  auto& chosen = argument_of_type<decltype(good)>(arguments...);
  const int requested = static_cast<int>(chosen);
  const bool was_good = ((chosen != bad) && ...);
  if (!was_good && options().forces())
    chosen = good;
  const int effective = static_cast<int>(chosen);
  const auto status = call.real(arguments...);
  if (static_cast<int>(status) != 0)
    return status;
  if (was_good)
    call.record(Action::observe, Reason::left_alone, {requested, effective});
  else
    call.record(effective == requested ? Action::nondeterministic : Action::replace, why,
                {requested, effective});
  return status;
}

/// The type of the library's function that our own function describes: `describe(what,
/// arguments...)`.
template <typename Status, typename Describe>
struct DescribedSignature;
template <typename Status, typename Result, typename What, typename... Arguments>
struct DescribedSignature<Status, Result (*)(What, Arguments...)> {
  using type = Status(Arguments...);
};
template <typename Status, auto describe>
using described_signature = typename DescribedSignature<Status, decltype(describe)>::type;
template <typename Status, auto describe>
using DescribedCall = OutermostCall<described_signature<Status, describe>>;

/// An integer or a pointer that is only handed on, whatever it is: it has a register or eight bytes
/// of the stack, in the calling conventions of both architectures. Not for numbers in floating
/// point, nor for structures.
using Word = void*;

/// The guard of a function that takes `count` words behind those that are named.
template <typename Status, int count, typename... Words>
struct WordsSignature : WordsSignature<Status, count - 1, Words..., Word> {};
template <typename Status, typename... Words>
struct WordsSignature<Status, 0, Words...> {
  using type = Status(Words...);
};
template <typename Status, int count, typename... First>
using words_signature = typename WordsSignature<Status, count, First...>::type;
template <typename Status, int count, typename... First>
using CallOfWords = OutermostCall<words_signature<Status, count, First...>>;

} // namespace detshim

/// Declares a hook whose parameters are those of the function that describes it, after DESCRIPTION:
/// an instance of a template too. The wrapper opens GUARD, a template, and returns
/// BODY<describe>(call, arguments...).
#define DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, GUARD, BODY, DESCRIPTION, ...)               \
  namespace detshim::hooks {                                                                       \
  constexpr auto NAME##_describe = &__VA_ARGS__;                                                   \
  using NAME##_guard = GUARD<described_signature<abi::STATUS, NAME##_describe>>;                   \
  }                                                                                                \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, ::detshim::hooks::NAME##_guard, NAME,                             \
                        BODY<::detshim::hooks::NAME##_describe>, DESCRIPTION)
