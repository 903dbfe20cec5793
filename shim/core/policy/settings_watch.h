// What the program does to the variables that the library has set (settings.h): found by looks at the
// environment, after a call that changed it and at the end of the process. What is found is returned; to
// record it is the log's (core/log/setting_records.h) and the hooks'.
#pragma once

#include "core/policy/settings_table.h"

namespace detshim {

/// What a call that changed the environment did to a variable.
enum class Undoing { nothing, undone, restored };

/// Looks at the variable of that name (`length` bytes of it) after such a call. `setting` is then the
/// variable's name in our words, `value` what holds now, nullptr if it is unset. Nothing for a variable that
/// the library does not set, or does not in this mode.
Undoing look_at_setting(const char* name, size_t length, const char*& setting, const char*& value);

/// Looks at all of them after the environment was emptied: true if that undoes any.
bool look_at_emptied_environment();

/// A variable that keeps its reader from being repeatable.
struct SettingFinding {
  const char* name;
  const char* value;          ///< nullptr if it is unset
  bool is_for_others = false; ///< in an environment of the program's own, for the programs that it starts
};

/// TensorFlow in a process with a GPU's driver, where the mode does not force TF_DETERMINISTIC_OPS, and
/// nobody else has set it: of its kernels for CPUs, hooks/tensorflow sees those that ask. Takes the loader's
/// lock. At the end of the process.
bool find_unforced_reader(SettingFinding& found);

/// Calls visit(finding) for what was undone without a call, by writing to `environ` itself. The value holds
/// while it runs. At the end of the process.
void each_silent_undoing(void (*visit)(const SettingFinding& finding));

/// Calls `visit` for each variable that is left alone, matters, and is set.
void each_noted_setting(void (*visit)(const char* name, const char* value, void* data), void* data);

/// What the environment held when it was last looked at. Written by settings.cpp too, as it sets them.
namespace settings_watch {
extern char* held[settings_table::forced_count];     ///< an entry for each that is forced, nullptr for none
extern uint32_t place[settings_table::forced_count]; ///< where in environ, at the start
extern char** held_array;
extern uint64_t watched; ///< a bit for each that is forced in this mode
extern uint64_t undone;  ///< and that the program has undone
} // namespace settings_watch

} // namespace detshim
