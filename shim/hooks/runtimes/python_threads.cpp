#include "hooks/runtimes/python_threads.h"

#include "core/base/modules.h"
#include "core/identity/process.h"
#include "core/policy/options.h"
#include "core/python/frames.h"
#include "hooks/runtimes/python_pools.h"
#include "hooks/support/package_threads.h"
#include "hooks/support/user_call_sites.h"

#include <initializer_list>

namespace detshim {
namespace {

/// A function that starts threads of its own once for what takes tasks as they are free, or trains
/// together.
struct Starter {
  const char* file;
  const char* function; ///< how its name begins
  const char* pool;
  const char* workers;            ///< the variable with their number, or
  const char* is_named = nullptr; ///< with their name, which has this in it
  // The variable with the semaphore under which tasks are taken. They are dealt if all workers are
  // there from the start, as another variable says by its text.
  const char* semaphore = nullptr;
  const char* kind = "";
  const char* if_kind = nullptr;
};

// CPython 3.9 to 3.14, loky 3, gensim 3 and 4. A pool of processes has threads in the program that
// made it, however its workers are started.
constexpr const char* pools_file = "/multiprocessing/pool.py";
constexpr Starter starters[] = {
    {pools_file, "__init__", "multiprocessing.Pool", "self._processes", nullptr,
     "self._inqueue._rlock._semlock.handle", "self._maxtasksperchild", "None"},
    {"/multiprocess/pool.py", "__init__", "multiprocess.Pool", "self._processes", nullptr,
     "self._inqueue._rlock._semlock.handle", "self._maxtasksperchild", "None"},
    {"/concurrent/futures/process.py", "_start_executor_manager_thread", "ProcessPoolExecutor",
     "self._max_workers", nullptr, "self._call_queue._rlock._semlock.handle",
     "self._safe_to_dynamically_spawn_children", "False"},
    {"/process_executor.py", "_start_executor_manager_thread", "loky", "self._max_workers", nullptr,
     "self._call_queue._rlock._semlock.handle"},
    // Each of its workers' threads for tasks; it has others.
    {"/distributed/threadpoolexecutor.py", "_adjust_thread_count", "dask.distributed",
     "self._thread_name_prefix", "Dask-Default"},
    // Word2Vec, Doc2Vec, FastText: threads that write one model.
    {"/gensim/models/word2vec.py", "_train_epoch", "gensim", "self.workers"},
    {"/gensim/models/base_any2vec.py", "_train_epoch", "gensim", "self.workers"},
};

/// What the pool has, in the function of `starter`, which called threading.
struct Workers {
  bool are_several = false, are_dealt = false;
  bool is_one = false; ///< of a pool of processes: nothing is left to race

  explicit Workers(const Starter& starter) {
    Text<160> value, semaphore, kind;
    int frame = 0;
    each_python_scope(2, [&](const PythonScope& scope) {
      if (frame++ == 0)
        return true;
      scope.add(value, starter.workers);
      if (starter.semaphore != nullptr)
        scope.add(semaphore, starter.semaphore), scope.add(kind, starter.kind);
      return false;
    });
    uint32_t number = 0;
    for (const char* at = value.c_str(); *at >= '0' && *at <= '9'; ++at)
      number = number * 10 + static_cast<uint32_t>(*at - '0');
    is_one = number == 1 && starter.semaphore != nullptr;
    are_several =
        starter.is_named != nullptr ? contains(value.c_str(), starter.is_named) : number > 1;
    if (!options().forces())
      return;
    const bool are_there = starter.if_kind == nullptr || same_text(kind.c_str(), starter.if_kind);
    are_dealt = deal_tasks(semaphore.c_str(), are_there && are_several ? number : 1);
  }
};

/// True if a line of the user's own made the pool. Of an installed package's only its authors know
/// what its tasks share, and in which order it takes their results.
bool is_users_own(const PythonCallSite& call_site) {
  if (call_site.user < 1)
    return true;
  for (const char* own :
       {"/multiprocessing/", "/multiprocess/", "/concurrent/futures/", "/joblib/", "/loky/"})
    if (contains(call_site.frames[call_site.user - 1].file, own))
      return true;
  return false;
}

constexpr const char* queues_file = "/multiprocessing/queues.py";

/// A queue is known by one of its locks. False where the scope has none.
bool add_name_of_lock(const PythonScope& scope, const char* name, const char* handle,
                      TextWriter& to) {
  if (!scope.add(to, name))
    return false;
  if (!same_text(to.c_str(), "None"))
    return true;
  to.shorten(0); // forked: all have it at one address
  scope.add(to, handle);
  return true;
}

/// The scopes behind a queue's first object out of a process, from the innermost on.
class PutIntoQueue {
public:
  /// False where the scopes behind this one say nothing.
  bool look_at(const PythonScope& scope) {
    const int number = number_++;
    if (number == 2)
      look_at_put(scope);
    if (number == 3)
      is_of_loader = ends_with(scope.file(), "/torch/utils/data/_utils/worker.py");
    if (number < 3)
      return true;
    return is_put && is_of_loader && !is_told_order(scope);
  }

  /// PyTorch's loader orders what its workers put into a queue, unless it was made otherwise.
  bool is_ordered() { return is_of_loader && !same_text(order_.c_str(), "False"); }

  Text<96> name;
  bool is_put = false;
  bool is_of_loader = false;

private:
  void look_at_put(const PythonScope& scope) {
    if (same_text(scope.function(), "put") && ends_with(scope.file(), queues_file))
      is_put =
          add_name_of_lock(scope, "self._sem._semlock.name", "self._sem._semlock.handle", name);
  }

  /// Of a loader that was forked its own frame is among those of its workers.
  bool is_told_order(const PythonScope& scope) {
    return ends_with(scope.file(), "/torch/utils/data/dataloader.py") &&
           scope.add(order_, "loader.in_order");
  }

  int number_ = 0;
  Text<16> order_;
};

/// True for a queue's first object out of a process, with the queue's name. Of a package's queue
/// the package's line is the place.
bool is_put_into_queue(PythonCallSite& call_site, Text<96>& name) {
  constexpr int deep = 40;
  PutIntoQueue put;
  each_python_scope(deep, [&put](const PythonScope& scope) {
    return put.look_at(scope);
  });
  if (!put.is_put || put.is_ordered())
    return false;
  name.add(put.name.c_str());
  if (!put.is_of_loader && call_site.user > 1 && contains(call_site.frames[0].file, "-packages/"))
    call_site.user = 0;
  return true;
}

/// Threads of joblib's that write what they share, as those do by which scikit-learn's forests
/// predict.
constexpr Starter sharing_threads = {pools_file, "__init__", "joblib", "self._processes"};

/// Pools of threads in one process.
constexpr Starter pools_of_threads[] = {
    {pools_file, "__init__", "", "self._processes"},
    {"/concurrent/futures/thread.py", "_adjust_thread_count", "", "self._max_workers"},
};

bool shares_memory() {
  constexpr int deep = 16;
  Text<400> settings;
  each_python_scope(deep, [&](const PythonScope& scope) {
    return !ends_with(scope.file(), "/joblib/parallel.py") ||
           !scope.add(settings, "self._backend_kwargs");
  });
  return contains(settings.c_str(), "'require': 'sharedmem'");
}

bool is_started_by(const PythonFrame& caller, const Starter& starter) {
  return starts_with(caller.function, starter.function) && ends_with(caller.file, starter.file);
}

enum class Tasks { race, dealt, for_one_worker };

/// What the new thread belongs to, of `starters`; nullptr for anything else, and for a single
/// worker that no process is for.
const Starter* starter_of(const PythonCallSite& call_site, Tasks& tasks) {
  constexpr int limit = 3; // threading's own, who called it, and who called that
  PythonFrame callers[limit];
  int count = 0;
  each_python_frame(limit, [&](const PythonFrame& frame) {
    callers[count++] = frame;
  });
  if (count < limit || !ends_with(callers[0].file, "/threading.py"))
    return nullptr;
  for (const Starter& starter : starters) {
    if (!is_started_by(callers[1], starter))
      continue;
    const bool is_of_threads =
        same_text(callers[2].function, "__init__") && ends_with(callers[2].file, starter.file);
    const bool is_packages = is_of_threads && !is_users_own(call_site);
    if (is_packages && !shares_memory())
      return nullptr;
    const Workers workers(starter);
    if (workers.is_one && !is_of_threads)
      tasks = Tasks::for_one_worker;
    else if (!workers.are_several)
      return nullptr;
    else
      tasks = workers.are_dealt ? Tasks::dealt : Tasks::race;
    return is_packages ? &sharing_threads : &starter;
  }
  return nullptr;
}

/// True for threads of a pool of several that a package has, and is not known to give one answer.
bool is_racing_pool_of_package(const PythonCallSite& call_site) {
  if (call_site.user < 1 || is_users_own(call_site))
    return false;
  PythonFrame caller; // of threading's
  int number = 0;
  each_python_frame(2, [&](const PythonFrame& frame) {
    if (number++ == 1)
      caller = frame;
  });
  for (const Starter& pool : pools_of_threads)
    if (number == 2 && is_started_by(caller, pool))
      return Workers(pool).are_several && !is_pool_of_one_answer();
  return false;
}

/// True for a thread of asyncio's executor for what the user's code handed to it: no package is in
/// between.
bool is_of_event_loop(const PythonCallSite& call_site) {
  if (call_site.user < 1 || !contains(call_site.frames[call_site.user - 1].file, "/asyncio/"))
    return false;
  constexpr int deep = 12;
  bool is_packages = false;
  each_python_frame(deep, [&](const PythonFrame& frame) {
    is_packages |= contains(frame.file, "-packages/");
  });
  return !is_packages;
}

} // namespace

namespace {

void add_place(const PythonCallSite& call_site, TextWriter& to) {
  const PythonFrame& user = call_site.frames[call_site.user];
  to.add(user.file).add(':').add(static_cast<uint64_t>(user.line > 0 ? user.line : 0));
}

bool is_taking(const PythonFrame& called) {
  return same_text(called.function, "get") && ends_with(called.file, queues_file);
}

/// The file of what the user's line called; "" without one.
const char* called_file(const PythonCallSite& call_site) {
  return call_site.user < 1 ? "" : call_site.frames[call_site.user - 1].file;
}

/// True for a thread of the user's own code.
bool is_users_thread(const PythonCallSite& call_site) {
  for (const char* starter :
       {"/threading.py", "/concurrent/futures/thread.py", "/concurrent/futures/_base.py"})
    if (ends_with(called_file(call_site), starter))
      return true;
  return is_of_event_loop(call_site);
}

Reason why_noted(Tasks tasks, const PythonCallSite& call_site) {
  if (tasks == Tasks::race)
    return Reason::task_race;
  const bool may_share = tasks == Tasks::dealt && is_users_own(call_site);
  return may_share ? Reason::tasks_dealt : Reason::packages_tasks_dealt;
}

} // namespace

PythonThread::PythonThread(const void* caller) {
  Module module;
  if (!options().pins() || !find_module(caller, module) || !is_python(module))
    return;
  PythonCallSite call_site;
  find_python_call_site(call_site, PythonDetail::all, true);
  Tasks tasks = Tasks::race;
  if (is_put_into_queue(call_site, queue)) { // a process starts it as it first puts something in
    pool = "multiprocessing.Queue";
    why = Reason::queue_race;
  } else if (is_users_thread(call_site)) {
    keep_python_call(UserCall::threads, caller, call_site);
    return;
  } else if (const Starter* const starter = starter_of(call_site, tasks)) {
    pool = starter->pool;
    why = why_noted(tasks, call_site);
  } else {
    // Of a single thread that a library starts only its authors know what it shares.
    if (is_racing_pool_of_package(call_site))
      keep_python_call(UserCall::threads, caller, call_site);
    return;
  }
  // The text by which multiprocessing starts a process is no line of the user's.
  if (call_site.user < 0 || ends_with(called_file(call_site), "/multiprocessing/spawn.py"))
    return;
  add_place(call_site, place);
}

PythonTake::PythonTake(const void* caller, const sem_t* semaphore) {
  static thread_local constinit const sem_t* known[8] = {};
  const sem_t*& last = known[reinterpret_cast<uintptr_t>(semaphore) / 4096 % 8];
  if (last == semaphore || !options().pins() || process().root_pid == process().pid)
    return;
  last = semaphore;
  Module module;
  if (!find_module(caller, module) ||
      !(is_python(module) || starts_with(file_name(module.path), "_multiprocessing")))
    return;
  PythonCallSite call_site;
  find_python_call_site(call_site, PythonDetail::all, true);
  if (call_site.user < 1 || !is_taking(call_site.frames[call_site.user - 1]))
    return;
  constexpr int near = 3; // a lock's __enter__ may be in between
  each_python_scope(near, [&](const PythonScope& scope) {
    is_there = same_text(scope.function(), "get") && ends_with(scope.file(), queues_file);
    if (is_there)
      add_name_of_lock(scope, "self._rlock._semlock.name", "self._rlock._semlock.handle", queue);
    return !is_there;
  });
  add_place(call_site, place);
}

} // namespace detshim
