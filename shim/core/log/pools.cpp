// Decides from the 128 innermost frames of Python whether a draw is made in a worker of a pool: by
// the files and functions of a table. The first frame behind it that is in no such library made the
// pool. Left out are draws whose numbers are thrown away, and those of a module that a thread's
// worker imports.
//
// It cannot know a pool that is not in the table, nor one whose functions have other names in a
// later version.
#include "core/log/pools.h"

#include "core/python/frames.h"

#include <initializer_list>

namespace detshim {
namespace {

/// A function whose callees run in a worker.
struct Runner {
  const char* file;
  const char* function;
  const char* pool;
  bool seeds; ///< it makes the worker, in which only the seeding of its generators counts
  bool is_thread = false; ///< whose worker shares its modules with the program
};

// CPython 3.8 to 3.14, loky 3, distributed 2026, Ray 2.
constexpr Runner runners[] = {
    {"/multiprocessing/pool.py", "worker", "multiprocessing.Pool", false},
    {"/multiprocessing/pool.py", "_repopulate_pool_static", "multiprocessing.Pool", true},
    {"/multiprocess/pool.py", "worker", "multiprocess.Pool", false},
    {"/multiprocess/pool.py", "_repopulate_pool_static", "multiprocess.Pool", true},
    {"/concurrent/futures/process.py", "_process_worker", "ProcessPoolExecutor", false},
    {"/concurrent/futures/process.py", "_spawn_process", "ProcessPoolExecutor", true},
    {"/concurrent/futures/process.py", "_adjust_process_count", "ProcessPoolExecutor",
     true}, // before 3.9
    {"/concurrent/futures/thread.py", "_worker", "ThreadPoolExecutor", false, true},
    {"/process_executor.py", "_process_worker", "loky", false},
    {"/distributed/threadpoolexecutor.py", "_worker", "dask.distributed", false},
    {"/ray/_private/worker.py", "main_loop", "ray", false},
    // No pool: a process draws a challenge as it first asks a manager for something.
    {"/multiprocessing/managers.py", "_connect", "multiprocessing.Manager", false},
};

const Runner* runner_of(const PythonFrame& frame, bool is_new_worker) {
  for (const Runner& runner : runners)
    if (same_text(frame.function, runner.function) && ends_with(frame.file, runner.file) &&
        (is_new_worker || !runner.seeds))
      return &runner;
  return nullptr;
}

/// NumPy's RandomState(seed) draws before it takes the seed, and throws that away. scikit-learn
/// makes one so for each of its tasks; of any other caller, a seed cannot be told from none.
bool draws_for_nothing(const PythonFrame& frame) {
  return same_text(frame.function, "check_random_state") &&
         ends_with(frame.file, "/sklearn/utils/validation.py");
}

/// Frames from the innermost on: the draw, its pool, who made that.
struct Search {
  Line& line;
  enum { draw, maker, done } looks_for = draw;
  bool is_new_worker = false; ///< the draw is in a child that was forked this moment
  bool imports = false;       ///< the draw is in a module that is imported

  void take(const PythonFrame& frame) {
    if (looks_for == draw)
      take_inner(frame);
    else if (looks_for == maker)
      take_outer(frame);
  }

  void take_inner(const PythonFrame& frame) {
    is_new_worker |=
        same_text(frame.function, "_launch") && ends_with(frame.file, "/popen_fork.py");
    imports |= starts_with(frame.file, "<frozen importlib");
    if (draws_for_nothing(frame))
      looks_for = done;
    if (looks_for == done)
      return;
    const Runner* const runner = runner_of(frame, is_new_worker);
    if (runner == nullptr)
      return;
    if (imports && runner->is_thread) {
      looks_for = done;
      return;
    }
    add_key(line, "pool").add('"').add(runner->pool).add('"');
    looks_for = maker;
  }

  void take_outer(const PythonFrame& frame) {
    for (const char* part : {"/multiprocessing/", "/multiprocess/", "/concurrent/", "/threading.py",
                             "/loky/", "/ray/", "<"})
      if (contains(frame.file, part))
        return;
    add_key(line, "pool_at")
        .add('"')
        .add_json_path(frame.file, 320)
        .add(':')
        .add(static_cast<uint64_t>(frame.line > 0 ? frame.line : 0))
        .add('"');
    looks_for = done;
  }
};

} // namespace

void add_pool(Line& line) {
  constexpr int deep = 128; // a task may call deeply before it draws
  Search search{line};
  each_python_frame(deep, [&](const PythonFrame& frame) {
    search.take(frame);
  });
}

} // namespace detshim
