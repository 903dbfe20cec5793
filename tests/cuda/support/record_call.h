// A double's call with all its arguments, in their order, as one line.
#pragma once

#include "record.h"

#include <cstdint>
#include <string>
#include <type_traits>

template <typename Argument>
std::string text_of(Argument argument) {
  if constexpr (std::is_pointer_v<Argument>)
    return std::to_string(reinterpret_cast<uintptr_t>(argument));
  else
    return std::to_string(argument);
}

template <typename... Arguments>
void record_call(const char* name, Arguments... arguments) {
  std::string line = name;
  ((line += " " + text_of(arguments)), ...);
  record("%s", line.c_str());
}
