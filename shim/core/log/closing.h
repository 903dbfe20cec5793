// How the log of a process ends: with the process, or with the program that it turns into.
#pragma once

namespace detshim {

/// The process is about to turn into `program`: reports it in its log, behind all that is recorded
/// at an end and may be recorded again if the end does not come. The caller sees to it that the
/// process has a log, and that it is not a vfork child in another's memory. `is_awaited`: the
/// program will leave a log, if only of its end.
void write_exec(const char* program, bool is_awaited, void (*last_records)());
/// It could not, and goes on.
void write_failed_exec(int error);

/// Begins the log, though nothing was drawn, of the first process of `detshim run` and of a program
/// of which the one before it in its process has said that it will have one. Where it is missing,
/// they were killed.
void begin_awaited_log();

/// The same for a program that ends past us: what is loaded by now is said at once.
void begin_log_without_end();

/// Writes the closing record, and in the first process of the run the closing line on stderr. Once
/// in a process: `last_records` is called before, for what is recorded at the end.
void close_log(void (*last_records)());

/// It was not the end after all: the next close_log() closes it again.
void go_on_with_log();

} // namespace detshim
