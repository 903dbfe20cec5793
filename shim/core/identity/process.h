// Who is drawing: the rank and the process in the tree of processes. The thread in its tree:
// thread.h.
//
// A stream is named by `seed / rank / process path / thread path / kind / k`, never by a global
// counter, so it is the same in every run and no two consumers share one. Names are kept as 64-bit
// keys, each derived from its parent's by Philox (common/philox.h), with a readable path beside the
// key for the log.
//
// The first thread of the first process of rank 0 is special: its streams begin with the sequence
// that the seed natively gives (`is_first`).
#pragma once

#include "common/names.h"
#include "common/run_variable.h"

#include <cstdint>

namespace detshim {

struct CommandCounts;
struct Thread;

/// Who this process is: what it hands to those that it starts, and what is its own.
struct Process : RunVariable {
  int pid = 0;
  int rank = 0;
  bool rank_given = false;  ///< by a launcher's variable
  bool begins_rank = false; ///< it is the program that the launcher started, not a child of it
  bool is_launcher = false; ///< mpirun, srun, torchrun
  bool is_first = false;    ///< first process of rank 0, nothing drawn before it
  const char* launcher_name = "";
  uint64_t ranks = 0; ///< in the job; 0 if the launcher does not say
};

/// This process; established by the first call, and again in a forked child.
const Process& process();

/// Told when something was drawn, pinned or recorded here, so that a child from now on is a child
/// and not the program that a mere wrapper (sh, time, env) started.
void mark_drawn();

/// Tells apart those that bore one name in turn: how often it was handed on, from a wrapper to its
/// first child, before it came here, and how many children that wrapper had made.
uint64_t programs_before();

/// True if nobody who draws or seeds runs beside this process: it is no rank, no forked child, has
/// no child now, and what started it does not draw (a shell, a launcher).
bool is_alone();

/// True if the run is this process alone: it is the first program, and has made no child.
bool is_whole_run();

/// True if the environment gives a program that is executed with it a rank that is not this
/// process's.
bool has_other_rank(char* const* environment, uint64_t& rank);

/// True if the calling task's memory is its process's own; false in a child that still shares its
/// parent's (vfork).
bool is_own_memory();

/// Remembers that this process had a random device's descriptor replaced, for the children that may
/// inherit it.
void mark_device_replaced();
/// True if this process or one before it did.
bool device_was_replaced();

// ------------------------------------------------------------------ for this folder

/// What a process that is about to be made will be.
struct ProcessName {
  bool is_first;
  uint64_t branch;   ///< see RunVariable
  uint64_t handoffs; ///< how often the name was handed from a wrapper to its first child
  uint64_t turn;     ///< see RunVariable
  uint64_t key;
  PathText path;
};

/// What the names of this process's children and threads follow from.
namespace identity {

/// In a forked child whose parent names its children by their commands: that parent, until the
/// child executes something.
struct NamingParent {
  CommandCounts* counts; ///< nullptr: no such parent
  uint64_t key;
  PathText path;
};

extern Process self;

/// What this process remembers besides its name.
struct ProcessState {
  uint64_t establishing;    ///< a lock
  uint64_t children_lock;   ///< of what follows, and of the internal variable's entry
  uint32_t children;        ///< of this process, made so far
  uint32_t turns;           ///< the same, with those whose name was taken back
  uint32_t unnamed_threads; ///< that no hook saw being made
  int page_owner;           ///< the process that has made the shared page
  bool drawn;
  bool was_forked;
  bool made_threads;    ///< then which thread's child comes first is a race
  bool polls_children;  ///< then it is a race whether a child has ended when the next one is made
  bool has_robust_list; ///< see is_own_memory()
  bool is_wrapper;      ///< `to_hand_on` is its first child's, whatever it draws itself
  bool hides_rank;      ///< this process is a launcher, and its ranks are not its own
  JobName job_name;
  ProcessName to_hand_on;
  NamingParent naming_parent;
};
extern ProcessState own;

/// What the first child of a process takes over. There is one such child at most.
extern ProcessName handed_on;

inline void copy_path(PathText& to, const PathText& from) {
  __builtin_memcpy(to, from, sizeof(PathText));
}

/// The internal variable's entry of this process. In the environment itself, so that whatever libc
/// executes by itself takes along what holds at that moment. Also where the log folder's name is
/// kept.
extern RunEntry published;
void write_variable();

/// This process's name as it stands.
ProcessName own_name();

/// An entry for one process alone: it takes the name as it stands. `pid` is that process's, or 0
/// where it is not known.
void write_entry_for(RunEntry& entry, const ProcessName& name, int pid,
                     bool is_log_awaited = false);

/// True if this process has a child that it has not waited for: what it starts now runs beside
/// that.
bool has_child();

/// The name that the first child takes over, or the program that this process turns into. A wrapper
/// goes on under another from its beginning, others from then on.
void take_own_name_away();

/// Names the child process with that ordinal of a thread's. The ordinals are the thread's own:
/// threads that make children at once do not race for them.
void name_by_order(ProcessName& name, const Thread& thread, uint64_t ordinal);

} // namespace identity
} // namespace detshim
