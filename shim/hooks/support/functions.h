// Functions of other libraries, each looked up once until an object goes, and arguments of a hook by their
// type. Walking through hundreds of loaded objects at each product would take longer than a small product.
#pragma once

#include "core/base/modules.h"
#include "loader/hook.h"

namespace detshim {

/// Where a function is. `find(name)` looks for it: anew each time while there is none, unless `keeps_absent`.
template <typename Function, bool keeps_absent>
class KnownFunction {
public:
  explicit constexpr KnownFunction(const char* name) : name_(name) {}

protected:
  template <typename Find>
  Function* get(Find find) {
    const uint64_t epoch = uint64_t{draw_epoch()} + 1;
    if (__atomic_load_n(&epoch_, __ATOMIC_ACQUIRE) != epoch) {
      Function* const found = find(name_.c_str());
      if (found == nullptr && !keeps_absent) return nullptr;
      __atomic_store_n(&known_, found, __ATOMIC_RELAXED);
      __atomic_store_n(&epoch_, epoch, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&known_, __ATOMIC_RELAXED);
  }

private:
  FunctionName name_;
  uint64_t epoch_ = 0;
  Function* known_ = nullptr;
};

/// True if there is such a function and, called so, it succeeds: 0 is success in every library.
template <typename Function, typename... Arguments>
bool succeeded(Function* function, Arguments... arguments) {
  return function != nullptr && static_cast<int>(function(arguments...)) == 0;
}

/// Another function of a hook's library.
template <typename Function>
class SiblingFunction : KnownFunction<Function, true> {
public:
  using KnownFunction<Function, true>::KnownFunction;

  /// nullptr if the library's version has none.
  Function* of(const Hook& hook) {
    return this->get([&](const char* name) { return find_sibling<Function>(hook, name); });
  }
  /// Calls it; true if there is one and it succeeded.
  template <typename... Arguments>
  bool succeeds(const Hook& hook, Arguments... arguments) {
    return succeeded(of(hook), arguments...);
  }
};

/// A function of any object of the process: of a driver that the CUDA libraries have opened themselves.
template <typename Function>
class ProcessFunction : KnownFunction<Function, false> {
public:
  using KnownFunction<Function, false>::KnownFunction;

  Function* get() {
    return KnownFunction<Function, false>::get(
        [](const char* name) { return reinterpret_cast<Function*>(const_cast<void*>(find_symbol(name))); });
  }
};

/// The first argument of a type: for bodies that hand the others on as they are.
template <typename Wanted, typename First, typename... Rest>
constexpr Wanted& argument_of_type([[maybe_unused]] First& first, Rest&... rest) {
  if constexpr (__is_same(Wanted, First))
    return first;
  else
    return argument_of_type<Wanted>(rest...);
}

/// The type of the library's function that a function of ours describes: `describe(what, arguments...)`.
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

/// The guard of a function that takes `count` integers or pointers, whatever these are: for one that is only
/// handed on. Each has a register or eight bytes of the stack, in the calling conventions of both
/// architectures. Not for numbers in floating point, nor for structures.
template <typename Status, int count, typename... Words>
struct WordsSignature : WordsSignature<Status, count - 1, Words..., void*> {};
template <typename Status, typename... Words>
struct WordsSignature<Status, 0, Words...> {
  using type = Status(Words...);
};
template <typename Status, int count>
using CallOfWords = OutermostCall<typename WordsSignature<Status, count>::type>;

} // namespace detshim

/// Declares a hook whose parameters are those of the function that describes it, after DESCRIPTION: an
/// instance of a template too. The wrapper opens GUARD, a template, and returns BODY<describe>(call,
/// arguments...).
#define DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, GUARD, BODY, DESCRIPTION, ...)                         \
  namespace detshim::hooks {                                                                                 \
  constexpr auto NAME##_describe = &__VA_ARGS__;                                                             \
  using NAME##_guard = GUARD<described_signature<abi::STATUS, NAME##_describe>>;                             \
  }                                                                                                          \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, ::detshim::hooks::NAME##_guard, NAME,                                       \
                        BODY<::detshim::hooks::NAME##_describe>, DESCRIPTION)
