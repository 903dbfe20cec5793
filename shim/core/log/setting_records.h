// What the log says of the variables that the library sets (core/policy/settings.h).
#pragma once

#include "core/log/records.h"

namespace detshim {

/// A call gave a variable that the library has set another value, or took it away (nullptr).
void record_undone_setting(const Subject& subject, const void* caller, const char* setting,
                           const char* value);

/// A call of that record took away all of those settings, a bit for each in the table.
void note_settings_of_record(Counter* counter, uint64_t settings);

/// A call gave it a repeatable value again. If nobody has asked for it meanwhile, the undoing
/// counts as seen and no longer as nondeterministic.
void record_restored_setting(const Subject& subject, const void* caller, const char* setting,
                             const char* value);

/// A call gave a variable that speaks of determinism a value (core/policy/switch_readers.h). Begins
/// a log: whether the switch is of any use is told at the end.
void record_set_switch(const Subject& subject, const void* caller, const char* name,
                       const char* value);

/// The program asked for that forced setting (a number in the table) while it was undone: an
/// undoing that came after another reader counts as nondeterministic again.
void record_read_of_undone(size_t setting);

/// A user's own value that had to be replaced is said, even in a run that draws nothing; and one
/// that stays although it is not repeatable.
void record_replaced_settings();

/// Records what was undone without a call, by writing to `environ` itself; and a reader that is
/// there without the value that would make it repeatable. For the end of the process.
void record_undone_settings();

/// Records each setting whose reader is loaded from that file, in a version in which its value is
/// not known to be good. `looked_at` has a bit for each setting whose reader's version is known.
void record_other_versions(const char* path, uint64_t& looked_at);

/// Writes who asked for which settings, if there is a log. For the end of the process.
void record_setting_reads();

} // namespace detshim
