// How processes come and go. A forked child is named by a fork handler
// (core/identity/children.cpp), of which only clone and _Fork know nothing.
#include "hooks/libc/process.h"

#include "core/fingerprint/output_digests.h"
#include "core/fingerprint/pending_transfers.h"
#include "core/identity/children.h"
#include "core/identity/shared_page.h"
#include "core/log/closing.h"
#include "core/log/log_file.h"
#include "core/log/repeated_names.h"
#include "hooks/libc/uncovered_execs.h"
#include "hooks/runtimes/unseen_runtimes.h"
#include "hooks/support/user_call_sites.h"
#include "loader/coverage.h"
#include "loader/hook.h"

#include <cstdarg>
#include <pthread.h>
#include <sched.h>

namespace detshim {

namespace hooks {
DETSHIM_DECLARE_HOOK(execve);
} // namespace hooks

void record_at_end() {
  end_transfers();
  write_digests();
  record_user_call_sites();
  record_coverage();
}

// Dash and Python's workers leave without the destructor. Not in a vfork child, whose memory is its
// parent's. Without a system call where there is nothing to close: the process may be in a sandbox.
void close_log_of_this_process() {
  if (options().off() || !is_own_memory())
    return;
  record_runtimes();
  const bool may_have_to = log_file::has_begun() || process().pid == process().root_pid ||
                           process().is_log_awaited || has_user_call_sites();
  if (!may_have_to)
    return;
  close_log(record_at_end);
}

void share_log() {
  share_page();
  log_file::offer_to_children();
}

namespace {

template <typename Call>
void end_process(const Call& call, int status) {
  note_exit_status(status);
  if (!call.passes())
    close_log_of_this_process();
  call.real(status);
}

constexpr Description names_unseen_child = {
    .action = Action::observe,
    .summary = "Names the child, which no fork handler hears of.",
};
using End = Call<void(int status)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, pid_t, fork, (), .action = Action::observe,
             .summary = "Where the user's code forks is written at the end; the child is named by "
                        "a fork handler.") {
  DETSHIM_ENTER(fork);
  if (call.passes())
    return call.real();
  PythonCallSite line;
  if (!note_user_call(UserCall::forks, call.caller()))
    find_python_call_site(line, PythonDetail::all, false);
  if (line.user == 0)
    keep_python_call(UserCall::name, call.caller(), line); // os.fork gives an id
  const int turns = turns_to_wait();
  const pid_t child = call.real();
  if (child == 0)
    wait_turns(turns);
  else if (this_thread().forks_beside)
    note_parallel_child(call.caller());
  return child;
}

DETSHIM_HOOK(libc, pid_t, _Fork, (), names_unseen_child) {
  DETSHIM_ENTER(_Fork);
  if (call.passes())
    return call.real();
  share_log();
  const UnseenFork child;
  return call.real();
}

DETSHIM_HOOK(libc, int, clone, (int (*run)(void*), void* stack, int flags, void* argument, ...),
             names_unseen_child) {
  DETSHIM_ENTER(clone);
  va_list more; // the flags say which of them there are; what is not there is not looked at
  va_start(more, argument);
  void* const parent_tid = va_arg(more, void*);
  void* const tls = va_arg(more, void*);
  void* const child_tid = va_arg(more, void*);
  va_end(more);
  const auto make = [&] {
    return call.real(run, stack, flags, argument, parent_tid, tls, child_tid);
  };
  const bool is_in_own_memory = (flags & CLONE_VM) != 0;
  if (call.passes())
    return make();
  if (is_in_own_memory) { // a thread, but for its name: it draws beside this one
    if ((flags & CLONE_VFORK) == 0)
      note_user_call(UserCall::threads, call.caller());
    return make();
  }
  share_log();
  const UnseenFork child;
  return make();
}

DETSHIM_TEMPLATE_HOOKS(
    libc, End, _exit, _Exit, end_process, .action = Action::observe,
    .summary = "Closes the log of a process that ends without its exit handlers.");

DETSHIM_TEMPLATE_HOOK(
    libc, End, quick_exit, end_process, .action = Action::observe,
    .summary = "Closes the log of a process that ends without its exit handlers.");

void detshim::prepare_for_children() {
  note_own_preload();
  pthread_atfork(
      [] {
        share_log();
        for (Hook* hook : {&hooks::_exit, &hooks::execve})
          if (hook->state == Hook::State::unknown)
            find_real(*hook);
      },
      nullptr, nullptr);
}
