// Decides whether two calls were made at the same call site. Where both runs had one build of a
// file, its build and the offset tell. Where they had two, the offset means nothing and the file's
// name alone counts. A frame of Python's counts by its path below its packages or its script, and
// its line.
//
// A place becomes a line of source only where the file on disk still has the build that ran. It
// cannot tell apart two call sites of one function in a file whose offsets do not count.
#include "log_diff/call_sites.h"

#include "log_reader/python_files.h"
#include "report/log_report.h"
#include "scanner/elf_file.h"
#include "support/wording.h"

#include <algorithm>
#include <cstddef>

namespace detshim {

CallSiteKeys::CallSiteKeys(const LoggedRun& mine, const LoggedRun& other) : mine_(mine) {
  for (const auto& [file, builds] : other.builds) {
    other_names_.insert(base_name(file));
    other_builds_.insert(builds.begin(), builds.end());
  }
}

const CallSiteKeys::FileKey& CallSiteKeys::file_key(std::string_view path) {
  if (const auto known = files_.find(path); known != files_.end())
    return known->second;
  const std::string file(path);
  const auto builds = mine_.builds.find(file);
  FileKey key{base_name(file), false};
  if (builds != mine_.builds.end() && builds->second.size() == 1) {
    if (const std::string& build = *builds->second.begin(); other_builds_.contains(build))
      key = {build, true};
  } else {
    key.has_offsets = builds == mine_.builds.end() && !other_names_.contains(key.name);
  }
  return files_.emplace(file, key).first->second;
}

void CallSiteKeys::add_site(Digest& digest, std::string_view place) {
  const std::size_t plus = place.rfind("+0x");
  const FileKey& key = file_key(place.substr(0, plus));
  digest.add(key.name);
  if (key.has_offsets && plus != place.npos)
    digest.add(place.substr(plus));
}

std::uint64_t CallSiteKeys::key_of(const Call& call, const std::string& script_folder) {
  Digest digest;
  digest.add(call.library);
  digest.add(call.function);
  add_site(digest, call.at);
  for (const std::string& frame : call.frames)
    add_site(digest, frame);
  for (const std::string& frame : call.python.frames)
    digest.add(portable_frame(frame, script_folder));
  return digest.key();
}

bool CallSiteTexts::is_what_ran(const LoggedRun& run, const std::string& place) {
  const std::string file = place.substr(0, place.rfind("+0x"));
  const auto known = known_.find({&run, file});
  if (known != known_.end())
    return known->second;
  bool is_same = false;
  if (const auto builds = run.builds.find(file);
      builds != run.builds.end() && builds->second.size() == 1) {
    try {
      is_same = ElfFile(file).build_id() == *builds->second.begin();
    } catch (const ElfError&) { // gone, or something else lies there now
    }
  }
  known_[{&run, file}] = is_same;
  return is_same;
}

bool CallSiteTexts::is_what_ran(const LoggedRun& run, const Call& call) {
  return is_what_ran(run, call.at) &&
         std::ranges::all_of(call.frames, [&](const std::string& frame) {
           return is_what_ran(run, frame);
         });
}

std::string CallSiteTexts::describe(const RecordDifference& record) {
  for (const auto& [side, run] : {std::pair(&record.a, &a_), std::pair(&record.b, &b_)}) {
    if (!*side)
      continue;
    const Call& call = (*side)->call;
    if (!call.python.empty() || is_what_ran(*run, call))
      return describe_call_site(call.at, call.frames, call.python, source_lines_);
  }
  return printable(record.a ? record.a->call.at : record.b->call.at);
}

} // namespace detshim
