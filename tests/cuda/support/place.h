// Arguments of a call that no function looks into: each a pointer made from a number, so that a
// double's record shows whether it arrived in its place.
#pragma once

#include <cstdint>

/// Any pointer, from a number.
struct Place {
  uintptr_t number;
  template <typename T>
  operator T*() const {
    return reinterpret_cast<T*>(number);
  }
};
inline Place at(uintptr_t number) { return {number}; }
