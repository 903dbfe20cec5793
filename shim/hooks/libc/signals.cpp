// Signals by which a process ends another: a pool ends its workers so, which then have no end of
// their own in the log.
//
// Symbols: signal.h, kill(2).
#include "common/record_schema.h"
#include "core/log/records.h"
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
        "Writes down which process is ended by SIGTERM or SIGKILL: a pool's worker, not a crash.") {
  DETSHIM_ENTER(kill);
  const int status = call.real(pid, signal);
  const bool ends = signal == SIGTERM || signal == SIGKILL;
  if (status == 0 && ends && pid > 1 && !call.passes())
    record_kill(pid, signal);
  return status;
}
