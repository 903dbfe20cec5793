// What is done about threads and processes besides their hooks.
#pragma once

namespace detshim {

/// Has leave_thread called however the calling thread ends: pthread_exit and cancellation do not
/// return.
void call_at_thread_end();

/// DETSHIM_WORKERS=reversed: a thread or a child waits before it begins, the earlier it was started
/// the longer, so that of those that are started at once the last comes first. Asked before it is
/// made, and done in it.
int turns_to_wait();
void wait_turns(int turns);

/// The calling thread ends: gives back the memory that it kept for programs that it executes.
void leave_exec_buffer();

/// Has what most forked children call looked for once, in the parent, and not again in each child.
/// From the constructor only.
void prepare_for_children();

/// A child is about to be made, and this process may hand its name on: its log's files, which say
/// the old one, stay its own.
void share_log();

/// What the destructor does at a normal end, for a process that ends otherwise, or whose log does.
void close_log_of_this_process();

/// Writes the records that wait for the process's end: where it read clocks, and what it had
/// loaded.
void record_at_end();

} // namespace detshim
