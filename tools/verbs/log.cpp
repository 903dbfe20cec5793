// detshim log: what a log folder holds, worst first.
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "verbs/verbs.h"

#include <algorithm>

namespace detshim {
namespace {

bool holds_a_record(const Process& process) {
  return !process.starts.empty() || process.calls > 0 || !process.libraries.empty() || process.end;
}

/// Says in one line why there is nothing to print.
[[noreturn]] void nothing_to_read(const Log& log, const LogOptions& options) {
  const std::string folder = "'" + printable(log.folder) + "'";
  if (options.run && !log.other_runs.empty())
    throw UsageError("no run '" + printable(*options.run) + "' in " + folder + "; the newest there is " +
                     printable(log.other_runs.front()));
  if (!log.newer_files.empty())
    throw UsageError("the log in " + folder + " is of format " +
                     std::to_string(log.newer_files.front().format) + ", this detshim reads format " +
                     std::to_string(known_log_format));
  if (!log.files.empty()) throw UsageError("no readable record in " + folder);
  throw UsageError(
      "no log in " + folder +
      ": a program run by `detshim run -- program`, or with LD_PRELOAD=libdetshim.so, makes one as soon as "
      "there is something to record; what draws by instructions of the processor or by system calls of its "
      "own leaves no trace there: `detshim scan program` finds it");
}

} // namespace

int log(const LogOptions& options) {
  const Log log = read_log(options.folder.value_or(default_log_folder), options.run,
                           options.all ? Keep::places_of_records : Keep::folded);
  if (std::ranges::none_of(log.processes, holds_a_record)) nothing_to_read(log, options);
  const Summary summary = summarise(log);
  const LoadedCode code = scan_loaded_code(log, summary, !options.no_scan);
  const Verdict verdict = make_verdict(log, summary, code, options.accepts_kernels);
  if (options.json)
    print_log_json(log, summary, code, verdict, options.all);
  else
    print_log_text(log, summary, code, verdict, options.all);
  return options.check && !verdict.passes_check() ? check_failed : done;
}

} // namespace detshim
