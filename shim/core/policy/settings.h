// Environment variables that the CUDA libraries and frameworks read, and the values that make them
// repeatable. Set from the library's constructor: each is read in main, lazily, or by a library loaded later.
//
// The table is in settings.cpp, and the lists in docs/OPTIONS.md are made from it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// What became of a variable.
struct SettingChange {
  const char* name;
  const char* was; ///< the user's value, or nullptr where it was unset
  const char* now; ///< what stands in the environment since
};

/// True if `name` is one that the library sets (DETSHIM_DISABLE=env:NAME accepts it).
bool setting_is_known(const char* name);

/// True if that value of that variable is a repeatable one.
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

/// A value that keeps its reader from being repeatable and to which nothing can be added (XLA_FLAGS that name
/// a file): the variable's name, or nullptr.
const char* setting_left_alone();

/// What a call that changed the environment did to a variable.
enum class Undoing { nothing, undone, restored };

/// Looks at the variable of that name (`length` bytes of it) after such a call. `setting` is then the
/// variable's name in our words, `value` what holds now, nullptr if it is unset. Nothing for a variable that
/// the library does not set, or does not in this mode.
Undoing look_at_setting(const char* name, size_t length, const char*& setting, const char*& value);

/// Looks at all of them after the environment was emptied: true if that undoes any.
bool look_at_emptied_environment();

/// Records what was undone without a call, by writing to `environ` itself; and a reader that is there without
/// the value that would make it repeatable. For the end of the process.
void record_silent_undoings();

/// Calls `visit` for each variable that is left alone, matters, and is set.
void each_noted_setting(void (*visit)(const char* name, const char* value, void* data), void* data);

} // namespace detshim
