// What the program does to the variables that the library has set (settings.h), and who reads them,
// by getenv. What it does is found by looks at the environment, after a call that changed it and at
// the end of the process. What is found is returned; to record it is the log's
// (core/log/setting_records.h) and the hooks'.
#pragma once

#include "core/policy/settings_table.h"

namespace detshim {

/// What a call that changed the environment did to a variable.
enum class Undoing { nothing, undone, restored };

/// Looks at the variable of that name, or entry, after such a call. `setting` is then the
/// variable's name in our words, `value` what holds now, nullptr if it is unset. Nothing for a
/// variable that the library does not set, or does not in this mode.
Undoing look_at_setting(const char* text, const char*& setting, const char*& value);

/// Looks at all of them after the environment was emptied: true if that undoes any.
uint64_t look_at_emptied_environment();

/// A variable that keeps its reader from being repeatable.
struct SettingFinding {
  const char* name;
  const char* value; ///< nullptr if it is unset
  bool is_for_others =
      false; ///< in an environment of the program's own, for the programs that it starts
};

/// TensorFlow in a process with a GPU's driver, where the mode does not force TF_DETERMINISTIC_OPS,
/// and nobody else has set it: of its kernels for CPUs, hooks/tensorflow sees those that ask. Takes
/// the loader's lock. At the end of the process.
bool find_unforced_reader(SettingFinding& finding);

/// Calls visit(finding) for what was undone without a call, by writing to `environ` itself. The
/// value holds while it runs. At the end of the process.
void each_silent_undoing(void (*visit)(const SettingFinding& finding));

/// Calls `visit` for each variable that is left alone, matters, and is set.
void each_noted_setting(void (*visit)(const char* name, const char* value, void* data), void* data);

/// Notes that the program asked for that setting (a number in the table) from there. The first
/// readers are kept, a few of them; no more than a comparison for one that is known. True where it
/// is undone, the first time.
bool note_setting_read(size_t setting, const void* caller);

/// True if what reads that forced setting does so once, and has.
bool is_read_for_good(const char* setting);

/// Calls visit(name, callers, number of them, data) for each setting that was asked for.
void each_read_setting(void (*visit)(const char* name, const void* const* callers, int count,
                                     void* data),
                       void* data);

/// True if the program has asked for that forced setting while it was undone: what asked has
/// another value. From then on it stays undone, whatever the program restores.
bool was_read_undone(const char* setting);

/// What the environment held when it was last looked at. Written by settings.cpp too, as it sets
/// them. The numbers have a bit for each forced setting.
namespace settings_watch {
struct Watch {
  char* held[settings_table::forced_count]; ///< an entry for each; nullptr for none
  char** held_array;
  uint64_t watched; ///< those that are forced in this mode
  uint64_t undone;  ///< and that the program has undone
  uint64_t left;    ///< those that DETSHIM_LEAVE leaves
  uint64_t moved;   ///< held[i] is not what it was at the start, and may be gone
};
extern Watch watch;
} // namespace settings_watch

} // namespace detshim
