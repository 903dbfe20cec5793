// Small pieces of wording.
#pragma once

#include <cstdint>
#include <string>

namespace detshim {

/// "1 call", "2 calls".
inline std::string counted(std::uint64_t number, const std::string& one, const std::string& many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}
inline std::string counted(std::uint64_t number, const std::string& one) {
  return counted(number, one, one + "s");
}

} // namespace detshim
