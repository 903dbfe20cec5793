// Who reads the variables that the library sets (settings.h), by getenv.
#pragma once

#include "core/policy/settings_table.h"

namespace detshim {

/// Notes that the program asked for that setting (a number in the table) from there. The first readers are
/// kept, a few of them; no more than a comparison for one that is known. True where it is undone, the first
/// time.
bool note_setting_read(size_t setting, const void* caller);

/// True if what reads that forced setting does so once, and has.
bool is_read_for_good(const char* setting);

/// Calls visit(name, callers, number of them, data) for each setting that was asked for.
void each_read_setting(void (*visit)(const char* name, const void* const* callers, int count, void* data),
                       void* data);

/// True if the program has asked for that forced setting while it was undone: what asked has another value.
/// From then on it stays undone, whatever the program restores.
bool was_read_undone(const char* setting);

/// The value of a variable that is not set, but answered where its library is loaded; nullptr where that does
/// not hold, or the mode does not force it.
const char* answer_for(size_t setting, const char* value);

} // namespace detshim
