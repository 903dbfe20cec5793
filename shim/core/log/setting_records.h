// What the log says of the variables that the library sets (core/policy/settings.h).
#pragma once

namespace detshim {

/// A user's own value that had to give way is said, even in a run that draws nothing; and one that stays
/// although it is not repeatable.
void record_replaced_settings();

/// Records what was undone without a call, by writing to `environ` itself; and a reader that is there without
/// the value that would make it repeatable. For the end of the process.
void record_undone_settings();

} // namespace detshim
