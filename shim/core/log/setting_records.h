// What the log says of the variables that the library sets (core/policy/settings.h).
#pragma once

#include "core/log/records.h"

namespace detshim {

/// A call gave a variable that the library has set another value, or took it away (nullptr).
void record_undone_setting(const Subject& subject, const void* caller, const char* setting,
                           const char* value);

/// A call gave it a repeatable value again. If nobody has asked for it meanwhile, the undoing counts as seen
/// and no longer as unfixed.
void record_restored_setting(const Subject& subject, const void* caller, const char* setting,
                             const char* value);

/// The program asked for that forced setting (a number in the table) while it was undone: an undoing that
/// came after another reader counts as unfixed again.
void record_read_of_undone(size_t setting);

/// A reader of that setting (a number in the table), for which the environment has `value`, was told what is
/// repeatable.
void record_answered_setting(size_t setting, const char* value);

/// A user's own value that had to give way is said, even in a run that draws nothing; and one that stays
/// although it is not repeatable.
void record_replaced_settings();

/// Records what was undone without a call, by writing to `environ` itself; and a reader that is there without
/// the value that would make it repeatable. For the end of the process.
void record_undone_settings();

/// Triton reads whether it is to keep what it chose: writes, once a process and if there is a log, which
/// folder it keeps that in, and whether anything is there (cold, warm with a hash of the names).
void record_triton_cache();

/// PyTorch was found in the process: writes the same of the folder in which Inductor keeps what it chose, if
/// the variable says which.
void record_inductor_cache();

/// Writes who asked for which settings, if there is a log. For the end of the process.
void record_setting_reads();

} // namespace detshim
