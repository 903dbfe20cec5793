// Holds shim/abi, which is written down by hand, to the vendors' headers. All of it is checked
// while compiling; the tests, a file a library, only say which headers were there.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

/// Whether our enumeration is passed as the vendor's is and this value of it has the vendor's
/// number.
template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return sizeof(Ours) == sizeof(Theirs) &&
         static_cast<long long>(ours) == static_cast<long long>(theirs);
}

/// Whether our own function is called as one of theirs is: as many arguments, each as large and
/// in the same kind of register.
template <class Ours, class Theirs>
struct CalledAlike : std::false_type {};
template <class OurResult, class... Ours, class TheirResult, class... Theirs>
requires(sizeof...(Ours) ==
         sizeof...(Theirs)) struct CalledAlike<OurResult(Ours...), TheirResult(Theirs...)>
    : std::bool_constant<
          sizeof(OurResult) == sizeof(TheirResult) && ((sizeof(Ours) == sizeof(Theirs)) && ...) &&
          ((std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>)&&...) &&
          ((std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>)&&...)> {
};

/// Whether a function of theirs takes so many integers and pointers and nothing else: such a one
/// may be handed on without its types (CallOfWords in shim/hooks/support/functions.h).
template <size_t count, class Theirs>
struct TakesWords : std::false_type {};
template <size_t count, class Result, class... Theirs>
requires(sizeof...(Theirs) == count) struct TakesWords<count, Result(Theirs...)>
    : std::bool_constant<((std::is_pointer_v<Theirs> || std::is_integral_v<Theirs> ||
                           std::is_enum_v<Theirs>)&&...)> {
};

/// The same, theirs first.
template <class Theirs, class Ours>
constexpr bool called_alike() {
  return CalledAlike<Ours, Theirs>();
}
/// The same for a function that cuda_runtime.h overloads: its own signature chooses it.
template <class Theirs, class Ours>
constexpr bool called_alike(Theirs*) {
  return CalledAlike<Ours, Theirs>();
}
