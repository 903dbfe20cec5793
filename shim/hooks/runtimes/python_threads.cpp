#include "hooks/runtimes/python_threads.h"

#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/policy/options.h"
#include "hooks/support/user_call_sites.h"

namespace detshim {
namespace {

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

} // namespace

PythonThread::PythonThread(const void* caller) {
  Module module;
  if (!options().pins() || !find_module(caller, module) || !is_python(module)) return;
  PythonCallSite call_site;
  find_python_call_site(call_site, PythonDetail::all, true);
  // What the user's line called. Of what a library starts only its authors know what its threads share.
  const char* const called = call_site.user < 1 ? "" : call_site.frames[call_site.user - 1].file;
  const char* pool = "multiprocessing.Queue";
  if (ends_with(called, "/multiprocessing/queues.py")) { // a process starts it as it first puts something in
    why = Reason::queue_race;
  } else if (ends_with(called, "/threading.py") || ends_with(called, "/concurrent/futures/thread.py") ||
             ends_with(called, "/concurrent/futures/_base.py")) {
    keep_python_call(UserCall::threads, caller, call_site);
    return;
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

} // namespace detshim
