// Children that are named by their command line instead of by the order in which they were started.
//
// make, ninja and ctest start what is ready: with several jobs, which one comes next depends on
// which one ended first. Counted, a child would have another name in every run; named by what it
// executes, it is itself again. Everywhere else the order is part of the program, and arguments are
// not: they may hold a port, a date or a temporary name. So the programs whose order is a race are
// listed, by name.
#pragma once

#include <cstdint>

namespace detshim {

/// True if this process's children are named by their command lines: its program is make, gmake,
/// ninja or ctest. Not inherited by forked children.
bool names_by_command();

/// True if which child comes first is a race too, so that none may take over this process's name:
/// ctest sorts by how long a test took the last time.
bool first_child_is_a_race();

/// True for a program whose work is to start others: a shell, `uv run`, `conda run`. Its name is
/// theirs: what it draws itself (a shell's hash tables, uv's) is drawn under another one from the
/// beginning.
bool is_wrapper();

/// Looks at a shell's script, as the process begins: zsh cuts its arguments up.
void look_at_script();

/// True if this process is a shell whose script may run commands that it does not wait for (`&`,
/// `<(…)`, `coproc`), by its text; and if the text cannot be read. Whether such a command has ended
/// when the next one begins is a race.
bool may_run_in_background();

/// True if this process is a shell that was given its script as an argument (`-c`), and something
/// is expanded in that (`$$`, `$(date)`). Whoever it turns into, its own log has the script.
bool expands_in_command();

/// Hash of a command line: its arguments with their ends, without what may be a secret, since the
/// log has the name that it becomes part of.
uint64_t command_hash(char* const argv[]);

/// What a process counts its children's commands in: memory that its forked children share.
struct CommandCounts;

/// This process's counts, made where there are none yet; nullptr if no memory can be had.
CommandCounts* command_counts();

/// How often the command was counted before, and counts it. Children that execute equal commands at
/// the same time race for it.
uint64_t count_command(CommandCounts* counts, uint64_t hash);

/// In a forked child: it makes its own counts, and a subshell is not who was given the script.
void forget_own_command();

} // namespace detshim
