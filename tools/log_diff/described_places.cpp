#include "log_diff/described_places.h"

#include "log_reader/printable.h"
#include "report/log_report.h"
#include "scanner/elf_file.h"

#include <algorithm>

namespace detshim {

bool DescribedPlaces::is_what_ran(const LoggedRun& run, const std::string& place) {
  const std::string file = place.substr(0, place.rfind("+0x"));
  const auto known = known_.find({&run, file});
  if (known != known_.end()) return known->second;
  bool is_same = false;
  if (const auto builds = run.builds.find(file); builds != run.builds.end() && builds->second.size() == 1) {
    try {
      is_same = ElfFile(file).build_id() == *builds->second.begin();
    } catch (const ElfError&) { // gone, or something else lies there now
    }
  }
  known_[{&run, file}] = is_same;
  return is_same;
}

bool DescribedPlaces::is_what_ran(const LoggedRun& run, const Call& call) {
  return is_what_ran(run, call.at) &&
         std::ranges::all_of(call.frames, [&](const std::string& frame) { return is_what_ran(run, frame); });
}

std::string DescribedPlaces::describe(const RecordDifference& record) {
  for (const auto& [side, run] : {std::pair(&record.a, &a_), std::pair(&record.b, &b_)}) {
    if (!*side) continue;
    const Call& call = (*side)->call;
    if (!call.python.empty() || is_what_ran(*run, call))
      return describe_place(call.at, call.frames, call.python, source_lines_);
  }
  return printable(record.a ? record.a->call.at : record.b->call.at);
}

} // namespace detshim
