// Environment variables that the CUDA libraries and frameworks read, and the values that make them
// repeatable: the table, from which the lists in docs/OPTIONS.md are made. What sets them:
// settings.h. What sees them change: settings_watch.h.
#pragma once

#include "common/describe.h"
#include "common/text.h"
#include "core/base/environment.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// True if `name` is one that the library sets (DETSHIM_DISABLE=env:NAME accepts it).
bool setting_is_known(const char* name);

/// True if that value of that variable is a repeatable one.
bool setting_is_good(const char* name, const char* value);

/// The variables that DETSHIM_PORTABLE sets (portable.h).
inline constexpr const char* portable_names[] = {"MKL_CBWR",
                                                 "ONEDNN_MAX_CPU_ISA",
                                                 "OPENBLAS_CORETYPE",
                                                 "ATEN_CPU_CAPABILITY",
                                                 "NPY_DISABLE_CPU_FEATURES",
                                                 "OMP_NUM_THREADS",
                                                 "GLIBC_TUNABLES"};

/// True if the option sets the variable of that name.
constexpr bool is_portable_setting(const char* name) {
  for (const char* known : portable_names)
    if (same_text(name, known))
      return true;
  return false;
}

/// True for an entry NAME=value of a variable that the library sets.
bool is_entry_of_setting(const char* entry);

/// The table itself. What is set (forced) comes first, then PYTHONHASHSEED, then what is only
/// written down (noted).
namespace settings_table {

inline constexpr size_t setting_count = 87;
inline constexpr size_t forced_count = 40;
inline constexpr size_t first_noted = forced_count + 1;
extern const SettingInfo settings[setting_count];

// Once more, because a mode that sets nothing else should not have to fetch the table's page for
// it.
inline constexpr const char* python_hash_seed = "PYTHONHASHSEED";

/// Not in the table either way: their values are made of the user's folders, and of how kernels are
/// chosen.
inline constexpr const char* triton_cache = "TRITON_CACHE_DIR";
inline constexpr const char* inductor_cache = "TORCHINDUCTOR_CACHE_DIR";
inline constexpr const char* triton_autotuning = "TRITON_CACHE_AUTOTUNING";

/// NAME=value of what is forced, as it stands in an environment. Made by the compiler, so that a
/// start copies none of them; writable, because a program may cut a value up in place.
struct Entries {
  struct {
    char text[sizeof(SettingInfo::name) + sizeof(SettingInfo::value)];
  } of[forced_count];
  unsigned char value_at[forced_count];
};
extern Entries entries;

/// Forced settings whose names begin with a letter, a bit for each: most of an environment is told
/// apart by that alone.
struct ByLetter {
  uint64_t of[32];
  constexpr uint64_t operator[](char c) const {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ? of[c % 32] : 0;
  }
};
extern const ByLetter forced_by_letter;

constexpr uint64_t bit(size_t i) { return uint64_t{1} << i; }

/// Calls visit(i) for each bit that is set.
template <typename Visit>
void each_bit(uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1)
    visit(static_cast<size_t>(__builtin_ctzll(bits)));
}

/// True if the value is a repeatable one; nullptr where the variable is unset.
bool is_good(const SettingInfo& setting, const char* value);

/// What follows the name in an entry of that name, or nullptr.
const char* value_in(const char* entry, const char* name);

/// The number of the forced setting of that name; forced_count where no setting has it.
size_t find_forced(const char* text);

} // namespace settings_table
} // namespace detshim
