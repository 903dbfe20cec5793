// How the run was made and what its log leaves open.
//
// Decides by what stands in the log about the run itself: files that were loaded and what was found
// in them, the mode, processes and ranks without a log or an end, lines that cannot be read. It
// cannot know what a process without a log did, nor what a file held that is gone.
#include "log_reader/library_code.h"
#include "support/wording.h"
#include "verdict/cuda_findings.h"
#include "verdict/finders.h"

#include <set>
#include <utility>
#include <vector>

namespace detshim {
namespace {

/// True if the CUDA libraries of a process had algorithms to choose.
bool chose_algorithms(const Process& process) {
  return std::ranges::any_of(process.libraries, has_algorithms, &Library::name) ||
         std::ranges::any_of(process.coverage, [&](const Coverage& coverage) {
           return has_algorithms(coverage.library) && may_have_used(process, coverage.library);
         });
}

/// Programs that left no log: their parent, or what they were before, reports it.
void find_lost_processes(const Process& process, const std::string& program, Findings& findings) {
  for (const Lost& lost : process.lost)
    findings.add({.finding = Finding::lost_process,
                  .file = lost.program,
                  .code = lost.why,
                  .detail = lost.path});
  const bool is_named = contains(process.lost, process.pid, &Lost::pid);
  if (!process.gave_up_rights.empty() && !process.end && !is_named)
    findings.add({.finding = Finding::gave_up_rights,
                  .detail = process.gave_up_rights,
                  .names = {process.path},
                  .others = {program}});
}

/// "rank 0 process 0.1 (train)": a process whose end is not known; empty for others. What it
/// executed has a log of its own, draws nothing, or is a reason of its own.
std::string name_if_unended(const Log& log, const Process& process, const std::string& program) {
  const bool is_unseen = contains(process.lost, process.pid, &Lost::pid);
  if (process.came_to_its_end() || !process.gave_up_rights.empty() || is_unseen ||
      was_ended_by_parent(log, process))
    return {};
  return "rank " + std::to_string(process.rank) + " process " + process.path + " (" +
         (process.executed ? base_name(process.executed->program) : program) + ")";
}

} // namespace

void find_code(const VerdictInputs& inputs, Findings& findings) {
  const LoadedCode& code = inputs.code;
  if (const std::size_t places = code.own_places(); places > 0) {
    const FileScan& first = code.uncovered.front();
    findings.add({.finding = Finding::own_code,
                  .file = first.file,
                  .place = first.places.empty() ? "" : place_text(first, first.places.front()),
                  .count = places});
  }
  if (!code.is_decoded)
    findings.add({.finding = Finding::not_decoded});
  findings.add_named(Finding::missing_files, code.missing,
                     code.missing.empty() ? "" : code.missing.front());
  findings.add_named(Finding::changed_files, code.changed,
                     code.changed.empty() ? "" : *code.changed.begin());
}

/// Whether the program drew from it, nobody can tell.
void find_runtimes(const VerdictInputs& inputs, Findings& findings) {
  std::set<std::pair<std::string, std::string>> all;
  for (const Process& process : inputs.log.processes)
    for (const Runtime& runtime : process.runtimes)
      all.emplace(runtime.file, runtime.why);
  for (const auto& [file, why] : all)
    findings.add({.finding = Finding::runtime, .file = file, .code = why});
}

void find_settings(const VerdictInputs& inputs, Findings& findings) {
  std::set<std::string> disabled;
  bool observes = false, records = false;
  for (const Process& process : inputs.log.processes)
    for (const Start& start : process.starts) {
      if (start.disabled)
        disabled.insert(*start.disabled);
      observes |= start.mode == "observe";
      records |= start.mode == "record" && chose_algorithms(process);
    }
  if (observes)
    findings.add({.finding = Finding::mode_observe});
  if (records)
    findings.add({.finding = Finding::mode_record});
  for (const std::string& text : disabled)
    findings.add({.finding = Finding::disabled, .detail = text});
}

void find_processes(const VerdictInputs& inputs, Findings& findings) {
  std::vector<std::string> unended, lost, unnamed;
  for (const Process& process : inputs.log.processes) {
    const std::string program =
        process.starts.empty() ? process.file : base_name(process.starts.back().program);
    find_lost_processes(process, program, findings);
    if (std::string name = name_if_unended(inputs.log, process, program); !name.empty())
      unended.push_back(std::move(name));
    if (process.starts.empty())
      lost.push_back(process.file);
    if (process.came_to_its_end() && process.modules.empty())
      unnamed.push_back(program);
  }
  if (const std::int64_t root = inputs.log.missing_root; root != 0)
    unended.push_back("process " + std::to_string(root) + ", the first, which left no log");
  findings.add_named(Finding::no_modules, unnamed);
  findings.add_named(Finding::no_end, unended);
  findings.add_named(Finding::no_start, lost, lost.empty() ? "" : lost.front());
}

void find_ranks(const VerdictInputs& inputs, Findings& findings) {
  for (const LoggedJob& job : jobs_of(inputs.log)) {
    if (job.missing() == 0)
      continue;
    findings.add({.finding = job.size == 0 ? Finding::no_rank : Finding::missing_ranks,
                  .place = job.name,
                  .detail = job.launcher,
                  .names = {std::to_string(job.missing())},
                  .others = job.missing_names(),
                  .count = static_cast<std::uint64_t>(job.size)});
  }
}

void find_damage(const VerdictInputs& inputs, Findings& findings) {
  const Log& log = inputs.log;
  std::size_t lines =
      log.damaged_lines; // and the torn ones of processes that ended: others have no_end
  for (const Process& process : log.processes)
    lines += process.has_torn_line && process.end ? 1 : 0;
  if (lines > 0)
    findings.add({.finding = Finding::damaged, .count = lines});
  for (const OtherFormatFile& file : log.other_format_files)
    findings.add({.finding = Finding::other_format,
                  .file = file.file,
                  .detail = std::to_string(file.format)});
  for (const std::string& file : log.unreadable_files)
    findings.add({.finding = Finding::unreadable, .file = file});
}

/// What its results come from, nobody has seen.
void find_no_draw(const VerdictInputs& inputs, Findings& findings) {
  const auto is_blank = [](const Process& process) {
    return process.calls == 0 && process.libraries.empty() && process.frameworks.empty() &&
           process.bound.empty();
  };
  if (findings.reasons.empty() && std::ranges::all_of(inputs.log.processes, is_blank))
    findings.add({.finding = Finding::no_draw});
}

void count_refused(const VerdictInputs& inputs, Findings& findings) {
  findings.has_refused = inputs.summary.calls(Action::refuse) > 0;
}

} // namespace detshim
