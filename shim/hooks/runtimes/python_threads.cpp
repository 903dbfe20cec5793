#include "hooks/runtimes/python_threads.h"

#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

// The process's generation above, the number of the user's threads below: a forked child has none of them.
constinit uint64_t live_threads = 0;
thread_local constinit uint32_t counted_in = 0; // the generation; 0: this is none of them

uint32_t change_live(int difference) {
  uint64_t before = __atomic_load_n(&live_threads, __ATOMIC_RELAXED);
  for (;;) {
    const uint32_t live = before >> 32 == generation() ? static_cast<uint32_t>(before) : 0;
    const uint32_t after = difference < 0 && live == 0 ? 0 : live + static_cast<uint32_t>(difference);
    if (__atomic_compare_exchange_n(&live_threads, &before, uint64_t{generation()} << 32 | after, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return live;
  }
}

/// Python's threads, the calling one and the new one among them. A thread that was joined is none of them: it
/// is taken from the list before the one that joins it can run, but its end comes later. For a thread that
/// holds the interpreter's lock, as who starts another does. `most` if the interpreter does not say.
int python_threads(const Module& interpreter, int most) {
  void* (*main_state)() = nullptr;
  void* (*first)(void*) = nullptr;
  void* (*next)(void*) = nullptr;
  const struct {
    const char* name;
    void* to;
  } needs[] = {{"PyInterpreterState_Main", &main_state},
               {"PyInterpreterState_ThreadHead", &first},
               {"PyThreadState_Next", &next}};
  for (const auto& need : needs) {
    const void* const address = interpreter.symbol(need.name);
    if (address == nullptr) return most;
    __builtin_memcpy(need.to, &address, sizeof address);
  }
  int count = 0;
  for (void* state = first(main_state()); state != nullptr && count < most; state = next(state)) ++count;
  return count;
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
    constexpr int one_other = 3; // it, the calling one, the new one
    if (change_live(1) > 0 && python_threads(module, one_other) == one_other) why = Reason::thread_race;
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

void enter_python_thread() { counted_in = generation(); }

void end_python_thread(bool failed) {
  if (!failed && counted_in != generation()) return;
  if (!failed) counted_in = 0;
  change_live(-1);
}

} // namespace detshim
