#include "run/option_variables.h"

#include "common/packed_options.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace detshim {

void pack_options() {
  std::string packed;
  for (const char* name : packed_names) {
    const char* const value = std::getenv(name);
    if (value == nullptr)
      continue;
    const std::string entry = std::string(name) + "=" + value;
    char length[16] = {};
    std::to_chars(length, length + sizeof length - 1, entry.size(), 16);
    packed += std::string(length) + ":" + entry;
    ::unsetenv(name);
  }
  const std::size_t around =
      std::strlen(packed_options_name) + 2; // the sign, and the zero at the end
  packed += "0:";
  while ((around + packed.size()) % packed_options_block != 0)
    packed += '.';
  ::setenv(packed_options_name, packed.c_str(), 1);
}

void unpack_options() {
  const char* const value = std::getenv(packed_options_name);
  if (value == nullptr)
    return;
  each_packed_option(value, [](const char* text, std::size_t length) {
    const std::string entry(text, length);
    const std::size_t sign = entry.find('=');
    if (sign != entry.npos)
      ::setenv(entry.substr(0, sign).c_str(), entry.c_str() + sign + 1, 0);
  });
  ::unsetenv(packed_options_name);
}

} // namespace detshim
