// How the log of a process begins: with who the process is, its options, the settings that were
// applied, and its environment.
#pragma once

namespace detshim {

/// Opens the log of this process, with its start record as it begins; true if records can be
/// written. With the log's lock held.
bool open_log();

/// The same, with the lock taken: for what is only seen, and has to be in a log all the same.
void begin_log();

/// To be called before the process goes to another folder: its arguments name files below the
/// first.
void note_working_directory();

} // namespace detshim
