// Threads that libc makes by itself, for whoever wants to be told of something by a call (SIGEV_THREAD).
//
// No hook sees libc make them. So the function that they are to call is replaced by one of ours, which gives
// the thread the name of what it was made for: the n-th call of a timer, of a queue. The order of these calls
// is that of what happened.
#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/lock.h"
#include "hooks/libc/process.h"
#include "loader/hook.h"

#include <csignal>
#include <ctime>
#include <mqueue.h>

namespace detshim {
namespace {

/// Something that may happen, and whom to tell. What libc keeps of it is its number: its place and, in the
/// upper half, the how-manyeth event there this is.
struct Event {
  Event* next; // of those with its source's hash, or that are over
  void (*run)(sigval);
  sigval value;
  uint64_t source; // a timer, or the complement of a queue's number
  uint64_t happened;
  uint64_t number;
  bool is_kept; // in `kept`: it may happen
  bool once;
  ThreadName name;
};

constinit uint64_t lock = 0;
// The places of events, in pieces of which each is twice as large as the one before.
constexpr uint64_t first_piece_size = 32;
constinit Event* pieces[24] = {};
constinit uint64_t places = 0;
constinit Event* kept[4096] = {};

// A late call may come for an event that is over. So its place is another's only when so many more are over.
constexpr uint64_t fewest_over = 1024;
constinit Event* over = nullptr;
constinit Event* last_over = nullptr;
constinit uint64_t over_count = 0;

Event& event_at(uint64_t place) {
  const uint64_t from_first = place / first_piece_size + 1;
  const int piece = 63 - __builtin_clzll(from_first);
  return pieces[piece][place - first_piece_size * ((uint64_t{1} << piece) - 1)];
}

/// A place for an event; nullptr if there is no memory for it. With the lock held, as all below.
Event* take_place() {
  if (over_count > fewest_over) {
    Event* const event = over;
    over = event->next;
    --over_count;
    event->number += uint64_t{1} << 32;
    return event;
  }
  const uint64_t from_first = places / first_piece_size + 1;
  const auto piece = static_cast<size_t>(63 - __builtin_clzll(from_first));
  if (piece >= sizeof pieces / sizeof *pieces) return nullptr;
  if (pieces[piece] == nullptr)
    pieces[piece] = static_cast<Event*>(sys::map((first_piece_size << piece) * sizeof(Event)));
  if (pieces[piece] == nullptr) return nullptr;
  Event& event = event_at(places);
  event.number = places++;
  return &event;
}

Event*& kept_with(uint64_t source) { return kept[spread(source) >> 52]; }

void keep(Event& event, uint64_t source) {
  event.source = source;
  event.is_kept = true;
  event.next = kept_with(source);
  kept_with(source) = &event;
}

void end(Event& event) {
  if (event.is_kept)
    for (Event** link = &kept_with(event.source); *link != nullptr; link = &(*link)->next)
      if (*link == &event) {
        *link = event.next;
        break;
      }
  event.is_kept = false;
  event.next = nullptr;
  (over == nullptr ? over : last_over->next) = &event;
  last_over = &event;
  ++over_count;
}

/// What that source makes happen is over, but for `other`.
void end_all_of(uint64_t source, const Event* other = nullptr) {
  for (Event *event = kept_with(source), *next; event != nullptr; event = next) {
    next = event->next;
    if (event->source == source && event != other) end(*event);
  }
}

void happen(sigval value) {
  const auto number = reinterpret_cast<uint64_t>(value.sival_ptr);
  Event happened;
  {
    Lock guard(lock);
    Event& event = event_at(number & 0xffffffff);
    if (event.number != number) return; // deleted long ago: POSIX lets a timer's last call go astray
    ++event.happened;
    happened = event;
    if (event.once && event.is_kept) end(event);
  }
  enter_thread(name_of_event(happened.name, happened.happened));
  call_at_thread_end();
  happened.run(happened.value);
}

/// What to ask libc for instead of `asked`, where that wants a thread.
class Notice {
public:
  explicit Notice(const sigevent* asked) : asked_(asked) {
    if (asked == nullptr || asked->sigev_notify != SIGEV_THREAD) return;
    const ThreadName name = name_new_event();
    Lock guard(lock);
    event_ = take_place();
    if (event_ == nullptr) return;
    event_->run = asked->sigev_notify_function;
    event_->value = asked->sigev_value;
    event_->happened = 0;
    event_->once = false;
    event_->name = name;
    given_ = *asked;
    given_.sigev_notify_function = happen;
    given_.sigev_value.sival_ptr = reinterpret_cast<void*>(event_->number);
  }

  sigevent* given() { return event_ != nullptr ? &given_ : const_cast<sigevent*>(asked_); }
  Event* event() { return event_; }

private:
  const sigevent* asked_;
  sigevent given_;
  Event* event_ = nullptr;
};

uint64_t source_of(timer_t timer) { return reinterpret_cast<uintptr_t>(timer); }
uint64_t source_of(mqd_t queue) { return ~static_cast<uint64_t>(static_cast<unsigned>(queue)); }

constexpr Description names_threads = {
    .action = Action::observe,
    .summary = "Gives the threads that it makes (SIGEV_THREAD) their places in the tree of threads.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, timer_create, (clockid_t clock, sigevent* asked, timer_t* timer), names_threads) {
  DETSHIM_ENTER(timer_create);
  if (call.passes()) return call.real(clock, asked, timer);
  Notice notice(asked);
  const int status = call.real(clock, notice.given(), timer);
  if (Event* const event = notice.event()) {
    Lock guard(lock);
    status == 0 ? keep(*event, source_of(*timer)) : end(*event);
  }
  return status;
}

DETSHIM_HOOK(libc, int, timer_delete, (timer_t timer), .action = Action::observe,
             .summary = "Forgets the name of the timer's threads.") {
  DETSHIM_ENTER(timer_delete);
  if (places != 0) {
    Lock guard(lock);
    end_all_of(source_of(timer));
  }
  return call.real(timer);
}

DETSHIM_HOOK(libc, int, mq_notify, (mqd_t queue, const sigevent* asked), names_threads) {
  DETSHIM_ENTER(mq_notify);
  if (call.passes()) return call.real(queue, asked);
  const uint64_t source = source_of(queue);
  Notice notice(asked);
  Event* const event = notice.event();
  if (event != nullptr) { // it may happen before libc has answered
    Lock guard(lock);
    event->once = true;
    keep(*event, source);
  }
  const int status = call.real(queue, notice.given());
  if (places != 0) {
    Lock guard(lock);
    if (status == 0) // a queue tells one, and that one once
      end_all_of(source, event);
    else if (event != nullptr)
      end(*event);
  }
  return status;
}
