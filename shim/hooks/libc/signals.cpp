// Signals by which a process ends another: a pool ends its workers so, which then have no end of
// their own in the log, nor have said what they have loaded.
//
// Symbols: signal.h, kill(2).
#include "common/record_schema.h"
#include "core/log/child_modules.h"
#include "core/log/records.h"
#include "hooks/support/user_call_sites.h"
#include "loader/hook.h"

#include <signal.h>

using namespace detshim;

namespace {

void record_kill(pid_t pid, int signal) {
  Text<96> line;
  RecordWriter<RecordType::killed>(line)
      .number("pid", static_cast<uint64_t>(pid))
      .number("signal", static_cast<uint64_t>(signal))
      .end();
  record_line(line.c_str(), line.length());
}

} // namespace

DETSHIM_HOOK(
    libc, int, kill, (pid_t pid, int signal), .action = Action::observe,
    .summary =
        "Writes down which process is ended by SIGTERM or SIGKILL, and what a child has loaded.") {
  DETSHIM_ENTER(kill);
  const bool ends = (signal == SIGTERM || signal == SIGKILL) && pid > 1 && !call.passes();
  if (ends) {
    record_modules_of_child(pid);
    if (is_tool_of_system()) // timeout(1): the time is up
      note_user_call(UserCall::clock, call.caller());
  }
  const int status = call.real(pid, signal);
  if (status == 0 && ends)
    record_kill(pid, signal);
  return status;
}
