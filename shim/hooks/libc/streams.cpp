// The closing line of a run goes to stderr, which some programs close just before they end.
//
// Symbols: stdio.h, fclose(3).
#include "core/identity/process.h"
#include "core/log/log_file.h"
#include "loader/hook.h"

#include <stdio.h>

using namespace detshim;

DETSHIM_HOOK(
    libc, int, fclose, (FILE * stream), .action = Action::observe,
    .summary = "Keeps stderr for the closing line, where the first program of the run closes it.") {
  DETSHIM_ENTER(fclose);
  if (stream == stderr && !call.passes() && !options().quiet && process().root_pid == process().pid)
    log_file::keep_stderr();
  return call.real(stream);
}
