// Variables of the environment, and what they hold.
#pragma once

#include "support/wording.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Its value, or `fallback` where it is unset or empty.
inline std::string variable(const char* name, const std::string& fallback = "") {
  const char* const value = std::getenv(name);
  return value == nullptr || *value == 0 ? fallback : value;
}

/// The entries of LD_PRELOAD, but detshim's own library.
inline std::vector<std::string> other_preloads() {
  std::string list = variable("LD_PRELOAD");
  std::ranges::replace(list, ' ', ':');
  std::vector<std::string> entries = split(list, ':');
  std::erase_if(entries, [](const auto& entry) {
    return entry.empty() || base_name(entry) == "libdetshim.so";
  });
  return entries;
}

/// A seed as the library reads it: decimal, or hexadecimal after 0x; nothing for any other text.
inline std::optional<std::uint64_t> read_seed(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal)
    text.remove_prefix(2);
  return number_in<std::uint64_t>(text, is_hexadecimal ? 16 : 10);
}

} // namespace detshim
