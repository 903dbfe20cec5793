#include "verify/log_verdict.h"

#include "log_reader/log.h"
#include "report/verdict_texts.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"
#include "verdict/verdict.h"

#include <utility>

namespace detshim {
namespace {

void add_processes(const Log& log, std::map<std::int64_t, std::string>& processes) {
  for (const Process& process : log.processes)
    processes.emplace(process.pid, "rank " + std::to_string(process.rank) + ", " + process.path);
}

void judge_run(Log log, const std::vector<std::string>& accepted, LogVerdict& result) {
  add_processes(log, result.processes);
  if (log.processes.empty() && !log.is_incomplete() && log.missing_root == 0) return;
  const Verdict verdict = JudgedLog(std::move(log), Decode::own_code, accepted).verdict;
  result.is_there = true;
  for (const auto* reasons : {&verdict.reasons, &verdict.accepted})
    for (const VerdictReason& reason : *reasons)
      for (std::string& key : keys_of(reason)) result.can_differ.insert(std::move(key));
  // That nothing was drawn asks for what is done here: for a comparison.
  if (verdict.reasons.size() == 1 && verdict.reasons.front().finding == Finding::no_draw) return;
  const bool passes = verdict.passes_check() || (verdict.can_be_settled() && !verdict.has_refused);
  if (result.level.empty() || !verdict.passes_check()) result.level = level_name(verdict.level);
  result.passes &= passes;
  for (const VerdictReason& reason : verdict.reasons)
    result.reasons.push_back(std::string(reason.kind()) + ": " + reason_text(reason));
  if (verdict.has_refused) result.reasons.emplace_back("refused: calls failed on purpose, in mode strict");
}

} // namespace

LogVerdict judge_log(const std::string& folder, const std::vector<std::string>& accepted) {
  LogVerdict result;
  Log newest = read_log(folder);
  const std::vector<std::string> others = newest.other_runs;
  judge_run(std::move(newest), accepted, result);
  for (const std::string& run : others) judge_run(read_log(folder, run), accepted, result);
  return result;
}

std::map<std::int64_t, std::string> logged_processes(const std::string& folder) {
  std::map<std::int64_t, std::string> processes;
  const Log newest = read_log(folder);
  add_processes(newest, processes);
  for (const std::string& run : newest.other_runs) add_processes(read_log(folder, run), processes);
  return processes;
}

bool is_out_of_reach(const std::string& program) {
  try {
    return ElfFile(find_executable(program)).is_static_program();
  } catch (const ElfError&) {
    return false; // a script: its interpreter is what runs
  }
}

} // namespace detshim
