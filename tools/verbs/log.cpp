// detshim log: what a log folder holds, worst first.
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "report/wrapped_lines.h"
#include "verbs/acceptance.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <iostream>

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

Decode decode_of(const LogOptions& options) {
  if (options.no_scan) return Decode::nothing;
  return options.all || options.json ? Decode::everything : Decode::own_code;
}

/// `--check` without `--run`: the other runs in the folder are judged as well, each in a line. A job whose
/// ranks did not find each other has several.
bool others_pass(const Log& log, const LogOptions& options, const std::vector<std::string>& accepted) {
  bool all_pass = true;
  std::ostream& out = options.json ? std::cerr : std::cout;
  if (!log.other_runs.empty()) out << "\nother runs in this folder (--run NAME judges one alone):\n";
  for (const std::string& run : log.other_runs) {
    const Log other = read_log(log.folder, run);
    if (std::ranges::none_of(other.processes, holds_a_record)) continue;
    const Summary summary = summarise(other);
    const Verdict verdict =
        make_verdict(other, summary, scan_loaded_code(other, summary, decode_of(options)), accepted);
    all_pass &= verdict.passes_check();
    out << "  " << printable(run) << ": " << level_name(verdict.level);
    if (!verdict.reasons.empty())
      out << " - " << verdict.reasons.front().kind << ": " << printable(verdict.reasons.front().text);
    out << '\n';
  }
  return all_pass;
}

} // namespace

int log(const LogOptions& options) {
  const std::vector<std::string> accepted = accepted_reasons(options.accepted, options.accepts_kernels);
  const Log log = read_log(options.folder.value_or(default_log_folder), options.run,
                           options.all ? Keep::places_of_records : Keep::folded);
  if (std::ranges::none_of(log.processes, holds_a_record)) nothing_to_read(log, options);
  const Summary summary = summarise(log);
  const LoadedCode code = scan_loaded_code(log, summary, decode_of(options));
  const Verdict verdict = make_verdict(log, summary, code, accepted);
  if (options.json) {
    print_log_json(log, summary, code, verdict, options.all);
  } else {
    const WrappedOutput wraps;
    print_log_text(log, summary, code, verdict, options.all);
  }
  if (!options.check) return done;
  const bool passes = options.run || others_pass(log, options, accepted);
  return passes && verdict.passes_check() ? done : check_failed;
}

} // namespace detshim
