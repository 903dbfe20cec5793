// Who is drawing: the rank, the process in the tree of processes, the thread in the tree of threads.
//
// A stream is named by `seed / rank / process path / thread path / kind / k`, never by a global counter, so
// it is the same in every run and no two consumers share one. Names are kept as 64-bit keys, each derived
// from its parent's by Philox (core/philox.h), with a readable path beside the key for the log.
//
// The first thread of the first process of rank 0 is special: its streams begin with the sequence that the
// seed natively gives (`is_first`).
#pragma once

#include "core/philox.h"
#include "core/run_variable.h"
#include "core/table.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

struct Counter;
struct Room;

/// What a stream is for. The numbers are part of a stream's name: they never change, new ones are appended.
enum class Kind : uint64_t {
  libc_random = 1, ///< rand and random: one generator, as in glibc
  libc_random_r = 2,
  drand48 = 3,
  xsubi48 = 4,
  rand_r = 5,
  getrandom = 6,
  getentropy = 7,
  arc4random = 8,
  urandom = 9,
  uuid = 10,
  random_device = 11,
  libcxx_random_device = 12,
  curand = 13,
  auxv_random = 14,
  kernel_getrandom = 15, ///< a system call that the supervisor answers
  kernel_device = 16,    ///< a random device that the supervisor opens
  cudnn_dropout = 17,
  cudnn_graph_rng = 18, ///< a random operation in a graph of cuDNN
  libuuid = 19,
  r_seed = 20,    ///< of R's generator, where the program set none
  tcl_seed = 21,  ///< of a Tcl interpreter's
  seeding_function = 22, ///< of a function that is given its own clock, see hooks/seeding_functions.h
};

struct Process {
  int pid = 0;
  int rank = 0;
  bool rank_given = false; ///< by a launcher's variable
  int root_pid = 0;        ///< the first process of the run
  bool is_first = false;   ///< first process of rank 0, nothing drawn before it
  uint64_t key = 0;        ///< names the streams of this process
  uint64_t seed = 0;
  bool has_seed = false;   ///< false only in observe without DETSHIM_SEED
  bool seed_drawn = false; ///< drawn by detshim, not given
  PathText path = {};
  char run[32] = {};           ///< name of the run
  const char* log_folder = ""; ///< absolute; not closed with a zero
  size_t log_folder_length = 0;
  bool log_is_default = false; ///< DETSHIM_LOG was not given
  bool is_trapped =
      false; ///< `detshim run --trap-syscalls` answers for programs that have no library in them
};

/// This process; established by the first call, and again in a forked child.
const Process& process();

/// Told when something was drawn, pinned or recorded here, so that a child from now on is a child and not the
/// program that a mere wrapper (sh, time, env) started.
void mark_drawn();

/// How often this process's name was handed on, from a wrapper to its first child, before it came here: with it, those
/// that bore one name in turn are told apart.
uint64_t bearers_before();

/// True if this process has nobody beside it that could seed alike or race with it: no rank, no thread and no child was
/// made, and it is the run's first program.
bool is_alone();

/// What a process that is about to be made will be.
struct ProcessName {
  bool is_first;
  uint64_t takeovers; ///< how often the name was handed from a wrapper to its first child
  uint64_t key;
  PathText path;
};

/// What a thread that is about to fork has decided for the child.
enum class PendingFork : uint8_t {
  none,
  child,      ///< the child with the thread's last ordinal
  takes_over, ///< the child that takes over this process's name
};

/// One thread's own state. Lives in initial-exec TLS, starts all zero (so that a new thread copies no
/// template) and needs no destructor.
struct Thread {
  uint32_t generation = 0; ///< of the process that the rest was made for
  int pid = 0;             ///< of that process
  bool is_first = false;   ///< main thread of the first process
  uint8_t depth = 0;       ///< hooks being executed, see loader/hook.h
  PendingFork fork = PendingFork::none;
  uint64_t label = 0;             ///< place in the tree of threads, 0 for the main thread
  uint64_t key = 0;               ///< names the thread's streams
  uint32_t children = 0;          ///< threads made so far
  uint32_t forks = 0;             ///< processes made so far
  uint32_t events = 0;            ///< timers and the like that make threads, made so far
  uint64_t sharing_child = 0;     ///< the last vfork child that executed a program
  Room* exec_room = nullptr;      ///< kept for programs that are executed, see hooks/libc/process.cpp
  ptrdiff_t memory = 0;           ///< distance to this thread's copies, see core/thread_memory.h
  uint32_t lives = 0;             ///< how often leave_thread() was called
  uint32_t records = 0;           ///< records written so far
  Counter* count_block = nullptr; ///< counts file: this thread's block, see core/counts.cpp
  int64_t count_block_first = 0;
  uint32_t count_block_left = 0;
  PathText path = {};
  Table<8> places; ///< call places: key -> counter, see core/log.cpp
};

/// A number that changes when this process is a new one. It lives in a page that the kernel wipes in every
/// child, so a child made by clone(2), _Fork or a raw system call is noticed too. One load.
uint32_t generation();

/// This thread, established for this process.
Thread& this_thread();

/// Key of the k-th stream of a kind in this thread.
uint64_t stream_key(const Thread& thread, Kind kind, uint64_t k = 0);

/// What a creator hands to the thread that it makes.
struct ThreadName {
  uint64_t label;
  PathText path;
};

/// Takes the next ordinal of the calling thread, for a thread about to be made.
ThreadName name_new_thread();
/// The same for what makes threads behind the hooks (a timer): the n-th thread that it makes is
/// name_of_event(name, n).
ThreadName name_new_event();
ThreadName name_of_event(const ThreadName& event, uint64_t n);
/// Called by the new thread before anything else of its own.
void enter_thread(const ThreadName& name);
/// Gives the thread's memory back. A later draw of the same thread (a destructor's) begins streams of its
/// own.
void leave_thread();

/// True if the calling task's memory is its process's own; false in a child that still shares its parent's
/// (vfork).
bool is_own_memory();

/// The internal variable's entry for a program that is about to be executed: in this process, or, if the
/// caller is a child that still shares this process's memory (vfork), in that child. `argv` is the program's
/// command line.
void write_exec_entry(RunEntry& entry, char* const argv[]);

/// The same for a child process that is about to be made together with its program (posix_spawn). Takes the
/// next ordinal of the calling thread. The first child of a process that drew nothing takes over its name (a
/// wrapper such as sh or time is transparent), and this process goes on under another.
void write_spawn_entry(RunEntry& entry, char* const argv[]);

/// Remembers that this process had a random device's descriptor replaced, for the children that may inherit
/// it.
void mark_device_replaced();
/// True if this process or one before it did.
bool device_was_replaced();

/// Registers the fork handlers and puts the internal variable into the environment. From the constructor
/// only.
void publish_identity();

namespace detail {
extern thread_local constinit Thread thread;
/// Has leave_thread() called at the calling thread's end; set by whoever can.
using AtThreadEnd = void();
extern constinit AtThreadEnd* call_at_thread_end;
struct alignas(4096) GenerationPage { // alone in its page: the kernel wipes whole pages
  uint32_t generation;
  uint32_t draw_epoch; ///< see draw_epoch()
};
extern GenerationPage generation_page;
void establish_thread(Thread& thread);
} // namespace detail

inline uint32_t generation() {
  return __atomic_load_n(&detail::generation_page.generation, __ATOMIC_RELAXED);
}

/// A number that changes whenever what was decided for a call place may hold no longer: in a child, and when
/// an object was unloaded, whose addresses another one may get.
inline uint32_t draw_epoch() {
  return __atomic_load_n(&detail::generation_page.draw_epoch, __ATOMIC_RELAXED);
}
/// Begins a new epoch.
void forget_places();

inline Thread& this_thread() {
  Thread& thread = detail::thread;
  // 0 is a thread's first call, and what a wiped page reads: a child that nobody announced.
  if (__builtin_expect(thread.generation == 0 || thread.generation != generation(), 0))
    detail::establish_thread(thread);
  return thread;
}

} // namespace detshim
