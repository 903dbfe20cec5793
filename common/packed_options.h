// One variable in place of those that `detshim run` makes of its options. Programs copy their
// environment (Python, Perl, every shell), so a variable more, or a longer name of the log, would
// move what they keep in memory. All in one of a fixed size, it does not.
//
//   _DETSHIM_OPTIONS=<length>:DETSHIM_LOG=log<length>:DETSHIM_QUIET=10:....    lengths in
//   hexadecimal
#pragma once

#include "common/text.h"

#include <cstddef>

namespace detshim {

inline constexpr const char* packed_options_name = "_DETSHIM_OPTIONS";

/// The entry's size, with its name and the zero behind it, is a multiple of this.
inline constexpr size_t packed_options_block = 2048;

/// What is packed. A variable of the same name counts instead, where a program has set one since.
/// The seed and the mode are left as they are: programs ask for them, and they are always of one
/// length, or always there.
inline constexpr const char* packed_names[] = {
    "DETSHIM_SEED_POLICY", "DETSHIM_LOG",           "DETSHIM_DISABLE", "DETSHIM_QUIET",
    "DETSHIM_LEAVE",       "DETSHIM_LEARNED_SEEDS", "DETSHIM_FREEZE"};

/// Calls visit(text, length) for each NAME=value in the variable's value, which is not closed by a
/// zero.
template <typename Visit>
void each_packed_option(const char* value, Visit visit) {
  for (;;) {
    size_t length = 0;
    for (; *value != ':'; ++value) {
      const bool is_digit = *value >= '0' && *value <= '9';
      if (!is_digit && !(*value >= 'a' && *value <= 'f'))
        return;
      length = length * 16 + static_cast<size_t>(is_digit ? *value - '0' : *value - 'a' + 10);
    }
    ++value;
    if (length == 0)
      return;
    for (size_t i = 0; i < length; ++i)
      if (value[i] == 0)
        return; // cut
    visit(value, length);
    value += length;
  }
}

} // namespace detshim
