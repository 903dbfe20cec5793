// New threads get their place in the tree of threads from whoever makes them. Taken at its first
// draw, a thread's number would be a race; taken by the creator it is the same in every run.
#include "common/sys.h"
#include "core/base/thread_memory.h"
#include "core/fingerprint/output_digests.h"
#include "core/log/records.h"
#include "core/log/start.h"
#include "core/seeds/clock_samples.h"
#include "hooks/libc/process.h"
#include "hooks/libc/rand_r_cache.h"
#include "hooks/runtimes/python_pools.h"
#include "hooks/runtimes/python_threads.h"
#include "hooks/runtimes/unseen_runtimes.h"
#include "hooks/support/package_threads.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

#include <cerrno>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

void detshim::call_at_thread_end() {
  static constinit pthread_key_t key = 0;
  static constinit int state = 0; // 0 none yet, 1 being made, 2 made
  int none = 0;
  if (__atomic_compare_exchange_n(&state, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    const bool made = pthread_key_create(&key, [](void*) {
                        leave_exec_buffer();
                        leave_rand_r_cache();
                        leave_clock_samples();
                        leave_digests();
                        leave_records();
                        leave_thread();
                      }) == 0;
    __atomic_store_n(&state, made ? 2 : 0, __ATOMIC_RELEASE);
  }
  if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == 2)
    pthread_setspecific(key, &key);
}

int detshim::turns_to_wait() {
  constexpr int at_once = 16;
  static constinit int started = 0;
  if (options().workers != WorkerOrder::reversed)
    return 0;
  return at_once - __atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) % at_once;
}

void detshim::wait_turns(int turns) {
  constexpr long nanoseconds_a_turn = 3'000'000; // more than it takes to start one
  if (turns > 0)
    sys::sleep(turns * nanoseconds_a_turn);
}

namespace detshim {
namespace {

/// What a creator leaves for the new thread. Result is void* for pthread_create, int for
/// thrd_create.
template <typename Result>
struct Start {
  Result (*run)(void*);
  void* argument;
  ThreadName name;
  int turns; ///< see turns_to_wait()
};

template <typename Result>
Result run_thread(void* data) {
  auto* start = static_cast<Start<Result>*>(data);
  const auto run = start->run;
  void* const argument = start->argument;
  enter_thread(start->name);
  const int turns = start->turns;
  sys::unmap(start, sizeof *start);
  call_at_thread_end();
  wait_turns(turns);
  return run(argument);
}

/// Makes a thread that enters through run_thread; `create` is the real function with its other
/// arguments bound.
template <typename Result, typename Create>
int create_thread(Result (*run)(void*), void* argument, Create create) {
  auto* const start = static_cast<Start<Result>*>(sys::map(sizeof(Start<Result>)));
  if (start == nullptr)
    return create(run, argument);
  start->run = run;
  start->argument = argument;
  start->name = name_new_thread();
  start->turns = turns_to_wait();
  const int status = create(run_thread<Result>, start);
  if (status != 0)
    sys::unmap(start, sizeof *start);
  return status;
}

template <typename Call, typename... Arguments>
int wait_at(const Call& call, Arguments... arguments) {
  drop_deadline(call.caller());
  return call.real(arguments...);
}

/// Semaphores that processes share begin a page; libc's and Python's own lie anywhere.
bool begins_page(const sem_t* semaphore) {
  constexpr uintptr_t page = 4096;
  return __builtin_expect(reinterpret_cast<uintptr_t>(semaphore) % page == 0, 0);
}

/// `take` calls the real function, once it is this worker's turn, or no turns are kept.
template <typename Call, typename Take>
int take_in_turn(const Call& call, const sem_t* semaphore, Turn turn, Take take) {
  const int error = turn == Turn::others        ? EAGAIN
                    : turn == Turn::expired     ? ETIMEDOUT
                    : turn == Turn::interrupted ? EINTR
                                                : 0;
  if (error != 0) {
    errno = error;
    return -1;
  }
  if (turn == Turn::given_up)
    call.record(Action::nondeterministic, Reason::task_race, {});
  const int status = take();
  if (status == 0 && turn == Turn::own)
    pass_turn(semaphore);
  return status;
}

/// Of a line of the user's that takes from a queue of several processes. Python asks without
/// waiting first, with its lock held.
template <typename Call>
void note_take(const Call& call, const sem_t* semaphore) {
  PythonTake take(call.caller(), semaphore);
  if (!take.is_there)
    return;
  begin_log();
  call.record(Action::observe, Reason::queue_race,
              {"multiprocessing.Queue.get", take.queue.c_str(), take.place.c_str()});
}

template <typename Call>
int try_semaphore(const Call& call, sem_t* semaphore) {
  if (!begins_page(semaphore) || call.passes())
    return wait_at(call, semaphore);
  note_take(call, semaphore);
  return take_in_turn(call, semaphore, look_at_turn(semaphore), [&] {
    return wait_at(call, semaphore);
  });
}

template <typename Call, typename... Time>
int wait_for_semaphore(const Call& call, sem_t* semaphore, Time... time) {
  if (!begins_page(semaphore) || call.passes())
    return wait_at(call, semaphore, time...);
  const auto wait = [&](clockid_t clock = CLOCK_REALTIME, const timespec* until = nullptr) {
    return wait_for_turn(semaphore, clock, until);
  };
  Turn turn;
  if constexpr (sizeof...(time) == 1)
    turn = wait(CLOCK_REALTIME, time...);
  else
    turn = wait(time...);
  return take_in_turn(call, semaphore, turn, [&] {
    return wait_at(call, semaphore, time...);
  });
}

constexpr Description ends_deadline = {
    .action = Action::replace,
    .fields = {"threads_of"_out, "queue"_out, "made_at"_out},
    .summary = "Deals the tasks of Python's pools to workers in turn; tells what clock is read for "
               "a lock's "
               "deadline.",
};
using Wait = Call<int(sem_t* semaphore)>;
using WaitUntil = Call<int(sem_t* semaphore, const timespec* time)>;
using Sleep = Call<int(clockid_t clock, int flags, const timespec* time, timespec* left)>;
using WaitByClock = Call<int(sem_t* semaphore, clockid_t clock, const timespec* time)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(libc, Wait, sem_trywait, try_semaphore, ends_deadline);
DETSHIM_TEMPLATE_HOOK(libc, Wait, sem_wait, wait_for_semaphore, ends_deadline);
DETSHIM_TEMPLATE_HOOK(libc, WaitUntil, sem_timedwait, wait_for_semaphore, ends_deadline);
DETSHIM_TEMPLATE_HOOK(libc, Sleep, clock_nanosleep, wait_at, ends_deadline); // time.sleep
DETSHIM_TEMPLATE_HOOK(libc, WaitByClock, sem_clockwait, wait_for_semaphore, ends_deadline);

DETSHIM_HOOK(
    libc, int, pthread_create,
    (pthread_t * thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument),
    .action = Action::observe, .fields = {"threads_of"_out, "queue"_out, "made_at"_out},
    .summary =
        "Gives the new thread its streams. Recorded where Python starts a pool of several, or "
        "a queue's feeder.") {
  DETSHIM_ENTER(pthread_create);
  if (call.passes())
    return call.real(thread, attributes, run, argument);
  Module maker;
  if (note_user_call(UserCall::threads, call.caller()) ||
      (find_module(call.caller(), maker) && is_python(maker)))
    this_thread().made_thread = true;
  note_thread_of_runtime(call.caller());
  note_package_thread(call.caller());
  PythonThread python(call.caller());
  const int status = create_thread(run, argument, [&](void* (*entry)(void*), void* data) {
    return call.real(thread, attributes, entry, data);
  });
  if (status == 0 && python.why != Reason::none)
    call.record(Action::observe, python.why,
                {python.pool, python.queue.c_str(), python.place.c_str()});
  return status;
}

DETSHIM_HOOK(
    libc, int, thrd_create, (thrd_t * thread, int (*run)(void*), void* argument),
    .action = Action::observe,
    .summary = "Gives the new thread its place in the tree of threads, and with it its streams.") {
  DETSHIM_ENTER(thrd_create);
  if (call.passes())
    return call.real(thread, run, argument);
  note_user_call(UserCall::threads, call.caller());
  return create_thread(run, argument, [&](int (*entry)(void*), void* data) {
    return call.real(thread, entry, data);
  });
}
