#include "html_report/log_evidence.h"

#include "log_diff/run_place.h"

#include <algorithm>

namespace detshim {
namespace {

Log read(const RunPlace& place) { return read_log(place.folder, place.run); }

} // namespace

LogEvidence::LogEvidence(const std::string& name, const std::vector<std::string>& accepted)
    : log(read(find_run(name))), summary(summarise(log)),
      code(scan_loaded_code(log, summary, Decode::own_code)),
      verdict(make_verdict(log, summary, code, accepted)), source_lines(code.changed) {}

bool LogEvidence::is_there() const {
  return std::ranges::any_of(log.processes, [](const Process& process) {
    return !process.starts.empty() || process.calls > 0 || !process.libraries.empty() || process.end;
  });
}

} // namespace detshim
