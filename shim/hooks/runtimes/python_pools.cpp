#include "hooks/runtimes/python_pools.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/policy/options.h"
#include "core/python/frames.h"

#include <cerrno>
#include <initializer_list>
#include <linux/futex.h>

namespace detshim {
namespace {

constexpr int none = -1, tasks = 0, results = 1; // roles of semaphores

/// In the page of a pool's semaphore for tasks.
struct Deal {
  static constexpr uint32_t limit = 64;
  struct Worker {
    uint32_t number_plus_1; ///< in the name of the process: ForkPoolWorker-3
    int pid;
  };

  uint32_t workers; ///< 0: not said yet
  uint32_t entered;
  uint32_t turns[2]; ///< tasks that were taken, results that were given
  uint32_t is_off;
  Worker of[limit]; ///< in the order in which they came
};

Deal& deal_at(const void* semaphore) {
  constexpr uintptr_t offset = 64; // a sem_t has 32 bytes
  return *reinterpret_cast<Deal*>(reinterpret_cast<uintptr_t>(semaphore) + offset);
}

/// What this process works for.
struct Work {
  const sem_t* semaphores[2]; ///< by role
  int pid;                    ///< a child of this process is no worker of the pool
  uint32_t number;

  Deal& deal() const { return deal_at(semaphores[tasks]); }
};

struct PoolState {
  Work work;
  bool has_pool;   ///< this process has begun one
  bool has_looked; ///< for an interpreter, once
};
constinit PoolState python_pools = {};

bool is_worker() { return python_pools.work.pid != 0 && python_pools.work.pid == sys::getpid(); }

int role_of(const sem_t* semaphore) {
  if (!is_worker())
    return none;
  return semaphore == python_pools.work.semaphores[tasks]     ? tasks
         : semaphore == python_pools.work.semaphores[results] ? results
                                                              : none;
}

/// What the thread is about to do, if it is a worker's: `get` of a queue takes a task and `put`
/// gives a result where what a worker runs calls it (CPython 3.8 to 3.14, loky 3).
///
/// `processes`: the module that knows the worker's name then.
int find_role(const char*& processes) {
  constexpr const char* standard = "multiprocessing.process";
  constexpr struct {
    const char *function, *file, *processes;
  } runners[] = {
      {"worker", "/multiprocessing/pool.py", standard},
      {"worker", "/multiprocess/pool.py", "multiprocess.process"}, // dill's
      {"_process_worker", "/concurrent/futures/process.py", standard},
      {"_sendback_result", "/concurrent/futures/process.py", standard},
      {"_process_worker", "/loky/process_executor.py", standard},
      {"_sendback_result", "/loky/process_executor.py", standard},
  };
  PythonCallSite any;
  if (!python_pools.has_looked)
    find_python_call_site(any, PythonDetail::key, true);
  python_pools.has_looked = true;
  PythonFrame frames[3] = {};
  int count = 0;
  each_python_frame(3, [&](const PythonFrame& frame) {
    frames[count++] = frame;
  });
  const int at = count == 3 && same_text(frames[0].function, "__enter__") ? 1 : 0;
  if (count < at + 2 || !ends_with(frames[at].file, "/queues.py"))
    return none;
  const PythonFrame& runner = frames[at + 1];
  for (const auto& known : runners)
    if (same_text(runner.function, known.function) && ends_with(runner.file, known.file)) {
      processes = known.processes;
      return same_text(frames[at].function, "get") ? tasks : results;
    }
  return none;
}

/// Enters this worker under the number in its process's name.
bool enter(const sem_t* semaphore, const char* processes) {
  Text<80> name;
  if (!add_python_value(name, processes, "_current_process.name"))
    return false;
  uint32_t number = 0;
  for (const char* at = name.c_str(); *at != 0; ++at)
    number = *at < '0' || *at > '9' ? 0 : number * 10 + static_cast<uint32_t>(*at - '0');
  python_pools.work = {{semaphore, nullptr}, sys::getpid(), number};
  Deal& deal = python_pools.work.deal();
  const uint32_t place = __atomic_fetch_add(&deal.entered, 1, __ATOMIC_ACQ_REL);
  if (place < Deal::limit) {
    deal.of[place].pid = python_pools.work.pid;
    __atomic_store_n(&deal.of[place].number_plus_1, number + 1, __ATOMIC_RELEASE);
  }
  return true;
}

/// The worker whose turn it is, by the order of their numbers; nullptr while not all have come.
const Deal::Worker* next_worker(const Deal& deal, int role) {
  const uint32_t workers = __atomic_load_n(&deal.workers, __ATOMIC_ACQUIRE);
  if (workers == 0 || __atomic_load_n(&deal.entered, __ATOMIC_ACQUIRE) < workers)
    return nullptr;
  const uint32_t turn = __atomic_load_n(&deal.turns[role], __ATOMIC_ACQUIRE) % workers;
  const Deal::Worker* next = nullptr;
  for (uint32_t i = 0; i < workers; ++i) {
    const uint32_t number = __atomic_load_n(&deal.of[i].number_plus_1, __ATOMIC_ACQUIRE);
    if (number == 0)
      return nullptr;
    uint32_t before = 0;
    for (uint32_t k = 0; k < workers; ++k)
      before += deal.of[k].number_plus_1 < number;
    if (before == turn)
      next = &deal.of[i];
  }
  return next;
}

Turn turn_of(const Deal& deal, int role) {
  if (__atomic_load_n(&deal.is_off, __ATOMIC_ACQUIRE) != 0 || deal.workers == 1)
    return Turn::none;
  const Deal::Worker* const next = next_worker(deal, role);
  return next != nullptr && next->pid == python_pools.work.pid ? Turn::own : Turn::others;
}

/// A worker that was replaced is one more than there are.
bool has_changed(const Deal& deal, int role) {
  if (deal.workers == 0)
    return false;
  const Deal::Worker* const next = next_worker(deal, role);
  return deal.entered > deal.workers ||
         (next != nullptr && sys::call(SYS_kill, next->pid, 0) == -ESRCH);
}

bool is_past(clockid_t clock, const timespec& time) {
  timespec now = {};
  sys::call(SYS_clock_gettime, clock, sys::address(&now));
  return now.tv_sec > time.tv_sec || (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec);
}

/// Seconds that the worker whose turn it is has computed; 0 if that is not known.
uint64_t seconds_computed(const Deal& deal, int role) {
  const Deal::Worker* const next = next_worker(deal, role);
  if (next == nullptr)
    return 0;
  constexpr int scheduled_time =
      2; // of a process's clocks (Linux's posix-timers.h, CPUCLOCK_SCHED)
  timespec time = {};
  if (sys::call(SYS_clock_gettime, ~next->pid * 8 | scheduled_time, sys::address(&time)) != 0)
    return 0;
  return static_cast<uint64_t>(time.tv_sec);
}

} // namespace

bool deal_tasks(const char* semaphore, uint32_t workers) {
  uintptr_t address = 0;
  for (const char* at = semaphore; *at >= '0' && *at <= '9'; ++at)
    address = address * 10 + static_cast<uintptr_t>(*at - '0');
  constexpr uintptr_t page = 4096;
  if (address == 0 || address % page != 0)
    return false;
  if (workers > Deal::limit)
    workers = 1;
  __atomic_store_n(&deal_at(reinterpret_cast<const void*>(address)).workers, workers,
                   __ATOMIC_RELEASE);
  python_pools.has_pool = true;
  return workers > 1;
}

Turn look_at_turn(const sem_t* semaphore) {
  if (!options().forces())
    return Turn::none;
  int role = role_of(semaphore);
  if (role == none) {
    const char* processes = "";
    role = find_role(processes);
    if (role == none || (role == tasks && !enter(semaphore, processes)) || !is_worker())
      return Turn::none;
    python_pools.work.semaphores[role] = semaphore;
  }
  return turn_of(python_pools.work.deal(), role);
}

Turn wait_for_turn(const sem_t* semaphore, clockid_t clock, const timespec* time) {
  const int role = role_of(semaphore);
  if (role == none)
    return Turn::none;
  Deal& deal = python_pools.work.deal();
  uint32_t& turns = deal.turns[role];
  constexpr timespec one_look = {0, 20'000'000};
  // A worker that has its turn in a minute, or computes in it, may take as many as 60: its task is
  // long. Who only waits, perhaps for a task that is not dealt yet, keeps all others from going on.
  constexpr int minute = 3000, most_minutes = 60;
  constexpr uint64_t busy = 5; // seconds of a minute; who polls each millisecond takes some three
  uint32_t last = turns;
  uint64_t computed = seconds_computed(deal, role);
  int looks = 0, minutes = 0;
  for (;; ++looks) {
    if (looks == minute) {
      const uint64_t now = seconds_computed(deal, role);
      if (++minutes == most_minutes || now < computed + busy)
        break;
      computed = now, looks = 0;
    }
    const uint32_t turn = __atomic_load_n(&turns, __ATOMIC_ACQUIRE);
    if (const Turn now = turn_of(deal, role); now != Turn::others)
      return now;
    if (has_changed(deal, role))
      break;
    if (turn != last)
      last = turn, looks = 0, minutes = 0, computed = seconds_computed(deal, role);
    if (time != nullptr && is_past(clock, *time))
      return Turn::expired;
    if (sys::call(SYS_futex, sys::address(&turns), FUTEX_WAIT, static_cast<long>(turn),
                  sys::address(&one_look)) == -EINTR)
      return Turn::interrupted;
  }
  return __atomic_exchange_n(&deal.is_off, 1, __ATOMIC_ACQ_REL) == 0 ? Turn::given_up : Turn::none;
}

void pass_turn(const sem_t* semaphore) {
  constexpr long all = 0x7fffffff;
  uint32_t& turns = python_pools.work.deal().turns[role_of(semaphore)];
  __atomic_add_fetch(&turns, 1, __ATOMIC_RELEASE);
  sys::call(SYS_futex, sys::address(&turns), FUTEX_WAKE, all);
}

bool is_clock_of_batches() {
  if (__builtin_expect(!python_pools.has_pool, 1))
    return false;
  const PythonFrame frame = innermost_python_frame();
  return same_text(frame.function, "_dispatch") && ends_with(frame.file, "/joblib/parallel.py");
}

} // namespace detshim
