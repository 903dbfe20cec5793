// Environment variables that the CUDA libraries and frameworks read, and the values that make them
// repeatable: the table, from which the lists in docs/OPTIONS.md are made. What sets them: settings.h. What
// sees them change: settings_watch.h.
#pragma once

#include "common/describe.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// True if `name` is one that the library sets (DETSHIM_DISABLE=env:NAME accepts it).
bool setting_is_known(const char* name);

/// True if that value of that variable is a repeatable one.
bool setting_is_good(const char* name, const char* value);

/// The table itself. What is set (forced) comes first, then PYTHONHASHSEED, then what is answered where its
/// library is loaded, then what is only written down (noted).
namespace settings_table {

inline constexpr size_t setting_count = 65;
inline constexpr size_t forced_count = 29;
inline constexpr size_t first_answered = forced_count + 1;
inline constexpr size_t answered_count = 10;
inline constexpr size_t first_noted = first_answered + answered_count;
extern const SettingInfo settings[setting_count];

// Once more, because a mode that sets nothing else should not have to fetch the table's page for it.
inline constexpr const char* python_hash_seed = "PYTHONHASHSEED";

/// Not in the table either way: their values are made of the user's folders, and of how kernels are chosen.
inline constexpr const char* triton_cache = "TRITON_CACHE_DIR";
inline constexpr const char* inductor_cache = "TORCHINDUCTOR_CACHE_DIR";
inline constexpr const char* triton_autotuning = "TRITON_CACHE_AUTOTUNING";

/// NAME=value of what is forced, as it stands in an environment. Made by the compiler, so that a start copies
/// none of them; writable, because a program may cut a value up in place.
struct Entries {
  struct {
    char text[sizeof(SettingInfo::name) + sizeof(SettingInfo::value)];
  } of[forced_count];
  unsigned char value_at[forced_count];
};
extern Entries entries;

/// Settings whose names begin with a letter, a bit for each: most of an environment is told apart by that
/// alone.
struct ByLetter {
  uint64_t of[32];
  constexpr uint64_t operator[](char c) const { return c >= 'A' && c <= 'Z' ? of[c - 'A'] : 0; }
};
extern const ByLetter forced_by_letter;
extern const ByLetter read_by_letter; ///< those of which it is of interest who reads them: all but the noted

/// How the files of the library begin that an answered setting belongs to, separated by |.
const char* library_of(size_t answered);

constexpr uint64_t bit(size_t i) { return uint64_t{1} << i; }

/// Calls visit(i) for each bit that is set.
template <typename Visit>
void each_bit(uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<size_t>(__builtin_ctzll(bits)));
}

/// True if the value is a repeatable one; nullptr where the variable is unset.
bool is_good(const SettingInfo& setting, const char* value);

/// What follows the name in an entry of that name, or nullptr.
const char* value_in(const char* entry, const char* name);

/// The number of the forced setting of that name (`length` bytes of it); forced_count where there is none.
size_t find_forced(const char* name, size_t length);

/// The number of the setting of that name, of those whose readers are of interest; setting_count where there
/// is none.
inline size_t find_read(const char* name) {
  size_t found = setting_count;
  each_bit(read_by_letter[*name], [&](size_t i) {
    const char* a = settings[i].name;
    const char* b = name;
    while (*a != 0 && *a == *b) ++a, ++b;
    if (*a == *b) found = i;
  });
  return found;
}

} // namespace settings_table
} // namespace detshim
