// Environment variables that the CUDA libraries and frameworks read, and the values that make them
// repeatable. Set from the library's constructor: each is read in main, lazily, or by a library loaded later.
#pragma once

#include <cstdint>

namespace detshim {

/// One variable that enforce and strict set.
struct Setting {
  const char* name;
  const char* value;        ///< what is set
  const char* also_good[5]; ///< a user's own values that stay
  bool good_unset = false;  ///< nothing is set where the user set nothing
  bool any_case = false;    ///< its reader takes capitals and small letters alike
};

/// What became of a variable.
struct SettingChange {
  const Setting* setting;
  bool was_set;
  char was[64];   ///< the user's value, when was_set
  char entry[80]; ///< what stands in the environment since the constructor
};

/// True if `name` is one of the settings (DETSHIM_DISABLE=env:NAME accepts it).
bool setting_is_known(const char* name);

/// True if that value of that setting is a repeatable one.
bool setting_is_good(const char* name, const char* value);

/// Gives every variable a repeatable value and remembers what was changed. Does nothing unless the mode
/// forces. From the constructor only.
void apply_settings();

/// Sets PYTHONHASHSEED, which Python reads as it starts, to a number that follows from the seed, unless it is
/// set: for every mode that pins, so that a run is the same whichever way the library was put in front of it.
void set_python_hash_seed(uint64_t seed);

/// Gives one variable a repeatable value again, if the program has undone it since. Returns what was there
/// instead, or nullptr if nothing had to be done. Calls libc's setenv, which allocates: for hooks of
/// libraries that allocate themselves.
const SettingChange* reapply_setting(const char* name);

/// The changes that apply_settings() made: `count` of them.
const SettingChange* setting_changes(int& count);

} // namespace detshim
