#include "hooks/runtimes/python_threads.h"

#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

// The process's generation above; below it the user's threads that were made and not seen to be joined.
// Whether one has ended by then is a race. A forked child has none of them.
constinit uint64_t unjoined_threads = 0;
thread_local constinit int unjoined_of_this_one = 0; // which it has made

uint32_t change_unjoined(int difference) {
  unjoined_of_this_one += difference;
  uint64_t before = __atomic_load_n(&unjoined_threads, __ATOMIC_RELAXED);
  for (;;) {
    const uint32_t count = before >> 32 == generation() ? static_cast<uint32_t>(before) : 0;
    const uint32_t after = difference < 0 && count == 0 ? 0 : count + static_cast<uint32_t>(difference);
    if (__atomic_compare_exchange_n(&unjoined_threads, &before, uint64_t{generation()} << 32 | after, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return count;
  }
}

constexpr const char* queue_file = "/multiprocessing/queues.py";

/// What the user's line called, if that starts threads; nullptr for anything else, such as a library of which
/// only its authors know what its threads share.
const char* maker(const PythonCallSite& call_site) {
  if (call_site.user < 1) return nullptr;
  const char* const file = call_site.frames[call_site.user - 1].file;
  if (ends_with(file, "/threading.py")) return "threading.Thread";
  if (ends_with(file, "/concurrent/futures/thread.py") || ends_with(file, "/concurrent/futures/_base.py"))
    return "ThreadPoolExecutor";
  // A process makes it as it first puts something in.
  if (ends_with(file, queue_file)) return "multiprocessing.Queue";
  return nullptr;
}

/// A function that starts threads of its own once for what takes tasks as they are free, or trains together.
struct Starter {
  const char* file;
  const char* function; ///< how its name begins
  const char* pool;
  const char* workers;            ///< the variable with their number, or
  const char* is_named = nullptr; ///< with their name, which has this in it
};

// CPython 3.9 to 3.14, loky 3, gensim 3 and 4. A pool of processes has threads in the program that made it,
// however its workers are started.
constexpr const char* pools_file = "/multiprocessing/pool.py";
constexpr Starter starters[] = {
    {pools_file, "__init__", "multiprocessing.Pool", "self._processes"},
    {"/multiprocess/pool.py", "__init__", "multiprocess.Pool", "self._processes"},
    {"/concurrent/futures/process.py", "_start_executor_manager_thread", "ProcessPoolExecutor",
     "self._max_workers"},
    {"/process_executor.py", "_start_executor_manager_thread", "loky", "self._max_workers"},
    // Each of its workers' threads for tasks; it has others.
    {"/distributed/threadpoolexecutor.py", "_adjust_thread_count", "dask.distributed",
     "self._thread_name_prefix", "Dask-Default"},
    // Word2Vec, Doc2Vec, FastText: threads that write one model.
    {"/gensim/models/word2vec.py", "_train_epoch", "gensim", "self.workers"},
    {"/gensim/models/base_any2vec.py", "_train_epoch", "gensim", "self.workers"},
};

/// True if no more than one worker is asked for, or for something else. In the function of `starter`, which
/// called threading.
bool has_one_worker(const Starter& starter) {
  Text<160> value;
  int frame = 0;
  each_python_scope(2, [&](const PythonScope& scope) {
    if (frame++ == 1) scope.add(value, starter.workers);
    return frame < 2;
  });
  if (starter.is_named != nullptr) return !contains(value.c_str(), starter.is_named);
  return same_text(value.c_str(), "1") || same_text(value.c_str(), "0");
}

/// True if a line of the user's own made the ThreadPool: only its authors know what the threads of an
/// installed package's share.
bool is_users_own(const PythonCallSite& call_site) {
  if (call_site.user < 1) return false;
  const char* const made_by = call_site.frames[call_site.user - 1].file;
  return contains(made_by, "/multiprocessing/") || contains(made_by, "/multiprocess/");
}

/// What the new thread belongs to, of `starters`; nullptr for anything else, and for a single worker.
const Starter* starter_of(const PythonCallSite& call_site) {
  constexpr int limit = 3; // threading's own, who called it, and who called that
  PythonFrame callers[limit];
  int count = 0;
  each_python_frame(limit, [&](const PythonFrame& frame) { callers[count++] = frame; });
  if (count < limit || !ends_with(callers[0].file, "/threading.py")) return nullptr;
  const PythonFrame& caller = callers[1];
  for (const Starter& starter : starters) {
    if (!starts_with(caller.function, starter.function) || !ends_with(caller.file, starter.file)) continue;
    const bool is_of_threads =
        same_text(callers[2].function, "__init__") && ends_with(callers[2].file, starter.file);
    if (is_of_threads && !is_users_own(call_site)) return nullptr;
    return has_one_worker(starter) ? nullptr : &starter;
  }
  return nullptr;
}

/// True once in a process for a line: one that fills several queues counts as one process. For a thread that
/// holds the interpreter's lock.
bool is_first_queue_of(const PythonFrame& user) {
  static constinit struct {
    uint32_t generation;
    int line;
  } last = {};
  if (last.generation == generation() && last.line == user.line) return false;
  last = {generation(), user.line};
  return true;
}

} // namespace

PythonThread::PythonThread(const void* caller) {
  Module module;
  if (!options().pins() || !find_module(caller, module) || !is_python(module)) return;
  PythonCallSite call_site;
  find_python_call_site(call_site, PythonDetail::all, true);
  const char* pool = maker(call_site);
  if (pool != nullptr && ends_with(call_site.frames[call_site.user - 1].file, queue_file)) {
    if (is_first_queue_of(call_site.frames[call_site.user])) why = Reason::queue_race;
  } else if (pool != nullptr) {
    is_users = true;
    if (change_unjoined(1) > 0) why = Reason::thread_race;
  } else if (const Starter* const starter = starter_of(call_site)) {
    pool = starter->pool;
    why = Reason::task_race;
  } else {
    return;
  }
  made_by.add(pool);
  if (call_site.user < 0) return;
  // The text by which multiprocessing starts a process is no line of the user's.
  if (call_site.user > 0 && ends_with(call_site.frames[call_site.user - 1].file, "/multiprocessing/spawn.py"))
    return;
  const PythonFrame& user = call_site.frames[call_site.user];
  made_by.add(", ").add(user.file).add(':').add(static_cast<uint64_t>(user.line > 0 ? user.line : 0));
}

void forget_python_thread() { change_unjoined(-1); }

void note_python_lock(bool is_taken) {
  if (__builtin_expect(unjoined_of_this_one <= 0, 1)) return;
  // Tried first with the interpreter's lock, then waited for without it, when no frame can be read.
  static thread_local constinit bool is_joining = false;
  if (holds_python_lock()) {
    const char* const function = innermost_python_frame().function;
    PythonCallSite call_site;
    if ((is_joining = same_text(function, "_wait_for_tstate_lock")))
      find_python_call_site(call_site, PythonDetail::all, true);
    is_joining = is_joining && maker(call_site) != nullptr; // a library joins threads of its own
  }
  if (!is_taken || !is_joining) return;
  is_joining = false;
  change_unjoined(-1);
}

} // namespace detshim
