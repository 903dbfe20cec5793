// Decides the name of a thread: its creator's with an ordinal where a hook saw it made, the main
// thread's where it has forked this process or has the process's number. Any other is numbered by
// the order in which such threads first draw.
//
// That order is a race, and so their draws do not count as pinned. It cannot know who made a thread
// that no hook saw.
#include "core/identity/thread.h"

#include "common/names.h"
#include "common/sys.h"
#include "core/base/own_stack.h"
#include "core/base/thread_memory.h"

namespace detshim {

thread_local constinit Thread detail::thread;

using namespace identity;

uint64_t stream_key(const Thread& thread, Kind kind, uint64_t k) {
  return derive(derive(thread.key, static_cast<uint64_t>(kind)), k);
}

namespace detail {

namespace {

void establish_here(Thread& me) {
  const Process& owner = process();
  const bool forked = me.pid != 0 && me.pid != owner.pid;
  if (forked)
    me.children = me.forks = 0;
  if (forked || me.path[0] == 0) {
    // The thread that forked is the child's main thread. Those that no hook saw being made are told
    // apart by the order in which they come, which record() does not call pinned. (A vfork child
    // asks as the thread whose memory it borrows, which is established already.)
    const bool is_main = forked || sys::gettid() == owner.pid;
    me.path[0] = is_main ? '0' : '?';
    me.path[1] = 0;
    me.label = 0;
    if (!is_main) {
      own.made_threads = true;
      const uint32_t ordinal = __atomic_add_fetch(&own.unnamed_threads, 1, __ATOMIC_RELAXED);
      me.label = label_unannounced + ordinal;
      extend_path(me.path, "", ordinal, me.label);
      if (call_at_thread_end != nullptr)
        call_at_thread_end(); // no hook sees it begin
    }
  }
  me.pid = owner.pid;
  me.is_first = owner.is_first && me.label == 0;
  me.key = derive(owner.key, me.label);
  me.generation = generation();
}

} // namespace

void establish_thread(Thread& me) {
  on_own_stack([&me] {
    establish_here(me);
  });
}

} // namespace detail

ThreadName name_new_thread() {
  Thread& creator = this_thread();
  own.made_threads = true;
  ThreadName name;
  const uint32_t ordinal = ++creator.children;
  name.label = derive(creator.label, ordinal);
  __builtin_memcpy(name.path, creator.path, sizeof name.path);
  extend_path(name.path, ".", ordinal, name.label);
  return name;
}

void enter_thread(const ThreadName& name) {
  Thread& thread = detail::thread;
  thread.label = name.label;
  __builtin_memcpy(thread.path, name.path, sizeof thread.path);
}

void leave_thread() {
  const sys::SignalsBlocked no_signals;
  Thread& thread = detail::thread;
  const uint32_t lives = give_back_thread_memory();
  if (lives == 0)
    return;
  // Streams that have lost their places begin anew; not where they began before.
  thread.label = derive(thread.label, label_rest + lives);
  thread.key = derive(process().key, thread.label);
}

} // namespace detshim
