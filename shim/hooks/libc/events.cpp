// Threads that libc makes by itself, for whoever wants to be told of something by a call (SIGEV_THREAD).
//
// No hook sees libc make them. So the function that they are to call is replaced by one of ours, which gives
// the thread the name of what it was made for: the n-th call of a timer, of a queue. The order of these calls
// is that of what happened.
#include "common/sys.h"
#include "core/base/lock.h"
#include "hooks/libc/process.h"
#include "loader/hook.h"

#include <csignal>
#include <ctime>
#include <mqueue.h>

namespace detshim {
namespace {

/// Something that may happen, and whom to tell.
struct Event {
  Event* next;
  void (*run)(sigval);
  sigval value;
  timer_t timer;
  uint64_t happened;
  bool expected;
  bool once;
  ThreadName name;
};

constinit uint64_t lock = 0;
constinit Event* events = nullptr; // all that there ever were, newest first
constinit Event* room = nullptr;   // where the next ones lie
constinit size_t room_left = 0;

/// A late call may come for an event that is over. So its place is given to none but the same function and
/// value, and never given back.
Event* take_event(void (*run)(sigval), sigval value) {
  for (Event* event = events; event != nullptr; event = event->next)
    if (!event->expected && event->run == run && event->value.sival_ptr == value.sival_ptr) return event;
  if (room_left == 0) {
    constexpr size_t size = 4096;
    room = static_cast<Event*>(sys::map(size));
    if (room == nullptr) return nullptr;
    room_left = size / sizeof(Event);
  }
  --room_left;
  room->next = events;
  return events = room++;
}

void happen(sigval value) {
  auto* event = static_cast<Event*>(value.sival_ptr);
  enter_thread(name_of_event(event->name, __atomic_add_fetch(&event->happened, 1, __ATOMIC_RELAXED)));
  if (event->once) __atomic_store_n(&event->expected, false, __ATOMIC_RELEASE);
  call_at_thread_end();
  event->run(event->value);
}

/// What to ask libc for instead of `asked`, where that wants a thread.
class Notice {
public:
  Notice(const sigevent* asked, bool once) : asked_(asked) {
    if (asked == nullptr || asked->sigev_notify != SIGEV_THREAD) return;
    const ThreadName name = name_new_event();
    Lock guard(lock);
    event_ = take_event(asked->sigev_notify_function, asked->sigev_value);
    if (event_ == nullptr) return;
    event_->run = asked->sigev_notify_function;
    event_->value = asked->sigev_value;
    event_->timer = nullptr;
    event_->happened = 0;
    event_->expected = true;
    event_->once = once;
    event_->name = name;
    given_ = *asked;
    given_.sigev_notify_function = happen;
    given_.sigev_value.sival_ptr = event_;
  }

  sigevent* given() { return event_ != nullptr ? &given_ : const_cast<sigevent*>(asked_); }
  /// To be called when libc has answered.
  void settle(bool accepted, timer_t timer) {
    if (event_ == nullptr) return;
    Lock guard(lock);
    event_->timer = timer;
    if (!accepted) event_->expected = false;
  }

private:
  const sigevent* asked_;
  sigevent given_;
  Event* event_ = nullptr;
};

} // namespace
} // namespace detshim

using namespace detshim;

#define DETSHIM_EVENT_SUMMARY                                                                                \
  "Gives the threads that it makes (SIGEV_THREAD) their places in the tree of threads."

DETSHIM_HOOK(libc, int, timer_create, (clockid_t clock, sigevent* asked, timer_t* timer),
             .action = Action::observe, .summary = DETSHIM_EVENT_SUMMARY) {
  DETSHIM_ENTER(timer_create);
  if (call.passes()) return call.real(clock, asked, timer);
  Notice notice(asked, false);
  const int status = call.real(clock, notice.given(), timer);
  notice.settle(status == 0, status == 0 ? *timer : nullptr);
  return status;
}

DETSHIM_HOOK(libc, int, timer_delete, (timer_t timer), .action = Action::observe,
             .summary = "Forgets the name of the timer's threads.") {
  DETSHIM_ENTER(timer_delete);
  if (events != nullptr && timer != nullptr) {
    Lock guard(lock);
    for (Event* event = events; event != nullptr; event = event->next)
      if (event->timer == timer) event->timer = nullptr, event->expected = false;
  }
  return call.real(timer);
}

DETSHIM_HOOK(libc, int, mq_notify, (mqd_t queue, const sigevent* asked), .action = Action::observe,
             .summary = DETSHIM_EVENT_SUMMARY) {
  DETSHIM_ENTER(mq_notify);
  if (call.passes()) return call.real(queue, asked);
  Notice notice(asked, true);
  const int status = call.real(queue, notice.given());
  if (status != 0) notice.settle(false, nullptr);
  return status;
}
