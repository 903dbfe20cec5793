// Environment variables that the CUDA libraries and frameworks read, and the values that make them
// repeatable. Set from the library's constructor: each is read in main, lazily, or by a library
// loaded later.
//
// Which and to what: settings_table.h. What the program does to them afterwards: settings_watch.h.
#pragma once

#include <cstdint>

namespace detshim {

/// What became of a variable.
struct SettingChange {
  const char* name;
  const char* was; ///< the user's value, or nullptr where it was unset
  const char* now; ///< what stands in the environment since
};

/// Gives every variable a repeatable value and remembers what was changed. Does nothing unless the
/// mode forces. From the constructor only.
void apply_settings();

/// Sets PYTHONHASHSEED, which Python reads as it starts, to a number that follows from the seed,
/// unless it is set: for every mode that pins, so that a run is the same whichever way the library
/// was put in front of it.
void set_python_hash_seed(uint64_t seed);

/// Gives one variable a repeatable value again, if the program has undone it since. Returns what
/// was there instead, or nullptr if nothing had to be done. Calls libc's setenv, which allocates:
/// for hooks of libraries that allocate themselves.
const SettingChange* reapply_setting(const char* name);

/// Adds a change to those that the log names. From the constructor only.
void note_setting_change(const SettingChange& change);

/// The changes that were made from the constructor: `count` of them.
const SettingChange* setting_changes(int& count);

/// Calls visit(name, value, data) for each variable that apply_settings() found as it would have
/// set it: by the user, or by a program that this process was before.
void each_kept_setting(void (*visit)(const char* name, const char* value, void* data), void* data);

/// A value that keeps its reader from being repeatable and to which nothing can be added (XLA_FLAGS
/// that name a file): the variable's name, or nullptr.
const char* setting_left_alone();

} // namespace detshim
