// Call sites where the user's own machine code does what leaves no record, and what two runs may
// differ by.
//
// `std::mt19937 engine(time(nullptr))` takes its seed out of sight. The reading is seen: its call
// site is kept, and written as the process ends, and `detshim log` looks whether the line there
// seeds something. Threads and children that race leave nothing either.
#pragma once

#include "core/python/frames.h"

namespace detshim {

/// From file_time on, what is read: an `input` record each. `open_file_time` is of an open file,
/// whose size a language's library asks for whatever its caller wants; `statx_time` of one of which
/// nothing but the times may be wanted.
enum class UserCall {
  clock,
  threads,
  forks,
  children,
  file_time,
  network,
  timer,
  system,
  name,
  open_file_time,
  statx_time,
};

/// True in a process whose program the system brought. Each run has hundreds of them (shells, ls,
/// make).
bool is_program_of_system();
/// And it does not run scripts or builds: what it reads, it may print.
bool is_tool_of_system();

/// Keeps the call site, if the code at `caller` is the user's, or was called by it in the C++
/// or Fortran library (std::chrono, system_clock). At most 64 of a kind and process; further ones
/// are not kept. Neither allocates nor writes. True if it is the user's.
bool note_user_call(UserCall kind, const void* caller);

/// A call of the user's Python that is kept.
struct PythonCall;

/// Keeps a call by the user's Python, whose place was found before. Of 64 call sites of a process,
/// each once; nullptr for a further one. `may_be_deadline`: until drop_deadline().
PythonCall* keep_python_call(UserCall kind, const void* caller, const PythonCallSite& place,
                             bool may_be_deadline = false);

/// It is no reason, until it is restored.
void drop_python_call(PythonCall& kept);
void restore_python_call(PythonCall& kept);

/// The same place has called again.
void repeat_python_call(PythonCall& kept, const void* caller, bool may_be_deadline);

/// What the calling thread's Python has read last became a seed, and nothing else: that reading is
/// no reason.
void drop_reading_of_seed();

/// The calling thread waits at a semaphore, as Python's locks do. If the function that waits has
/// just read a clock, that was for the deadline, whatever line took the lock: open() does.
void drop_deadline(const void* caller);

/// Keeps where a child was made while another had not been waited for: whose output or result comes
/// first is a race. Whoever's code it is, a shell's too. May be called in a vfork child.
void note_parallel_child(const void* caller);

/// Whether this process has kept any.
bool has_user_call_sites();

/// Writes those that were not written yet, and makes a log for them if the process has none.
void record_user_call_sites();

} // namespace detshim
