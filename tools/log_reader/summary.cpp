// Decides which processes have no end, which calls have no record, and which ranks of a job are
// missing. A process has an end if its log has one, if it turned into a program whose log is not
// missing, or if its parent's log says that it killed it. A rank is there once it left a mark. A
// launcher none of whose ranks left one counts as a job of which a rank is missing.
//
// It cannot know how many ranks a job has where no launcher says it.
#include "log_reader/summary.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace detshim {
namespace {

SymbolSummary summarise(const FoldedCalls::Symbol& symbol, const SymbolCalls& calls) {
  SymbolSummary summary{symbol.action,
                        symbol.library,
                        symbol.function,
                        calls.count,
                        {},
                        calls.examples_left_out,
                        {},
                        {},
                        &calls};
  for (const auto& [fields, count] : calls.examples)
    summary.examples.push_back({fields, count});
  for (const auto& [place, count] : calls.places)
    summary.places.push_back({std::get<0>(place), std::get<1>(place), std::get<2>(place), count});
  summary.reasons.assign(calls.reasons.begin(), calls.reasons.end());
  const auto more_calls = [](const auto& a, const auto& b) {
    return a.count.calls > b.count.calls;
  };
  std::ranges::stable_sort(summary.examples, more_calls);
  std::ranges::stable_sort(summary.places, more_calls);
  return summary;
}

void add_libraries(const Log& log, Summary& summary) {
  std::set<std::tuple<std::string, std::string, std::optional<std::string>>> seen;
  for (const Process& process : log.processes)
    for (const Library& library : process.libraries)
      if (seen.insert({library.name, library.file, library.version}).second)
        summary.libraries.push_back(library);
}

void add_environment(const Log& log, Summary& summary) {
  std::set<EnvironmentChange> changes;
  std::set<NotedVariable> noted;
  std::set<SettingReader> readers;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      changes.insert(start.environment.begin(), start.environment.end());
      noted.insert(start.noted.begin(), start.noted.end());
      readers.insert(start.readers.begin(), start.readers.end());
    }
  // A child sees what its parent set: its own record of the same value says nothing new, unless the
  // parent has no log.
  std::erase_if(changes, [&changes](const EnvironmentChange& change) {
    return change.was == change.now &&
           std::ranges::any_of(changes, [&change](const EnvironmentChange& other) {
             return other.name == change.name && other.was != other.now;
           });
  });
  summary.environment.assign(changes.begin(), changes.end());
  summary.noted.assign(noted.begin(), noted.end());
  summary.readers.assign(readers.begin(), readers.end());
}

} // namespace

Summary summarise(const Log& log) {
  Summary summary;
  std::set<std::pair<std::string, std::int64_t>> ranks; // of each job
  for (const Process& process : log.processes) {
    ranks.emplace(process.job(), process.rank);
    summary.threads += process.threads;
    for (std::size_t i = 0; i < action_count; ++i)
      summary.unrecorded[i] = saturated_sum(summary.unrecorded[i], process.unrecorded[i]);
    if (!process.came_to_its_end() && !was_ended_by_parent(log, process))
      summary.without_end.push_back(&process);
    summary.missing_records = saturated_sum(summary.missing_records, process.missing_records);
    if (!process.has_counts && process.calls > 0)
      ++summary.without_counts;
  }
  summary.ranks = ranks.size();
  summary.processes = log.processes.size();
  for (const auto& [symbol, calls] : log.calls.symbols) {
    summary.symbols.push_back(summarise(symbol, calls));
    summary.totals[static_cast<std::size_t>(symbol.action)].add(calls.count);
  }
  add_libraries(log, summary);
  add_environment(log, summary);
  return summary;
}

std::size_t LoggedJob::missing() const {
  if (size == 0)
    return ranks.empty() ? 1 : 0;
  const auto end = ranks.lower_bound(size);
  return static_cast<std::size_t>(size) -
         static_cast<std::size_t>(std::distance(ranks.begin(), end));
}

std::vector<std::string> LoggedJob::missing_names() const {
  constexpr std::size_t few = 5;
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < size && names.size() < few; ++rank)
    if (!ranks.contains(rank))
      names.push_back(std::to_string(rank));
  if (const std::size_t rest = missing() - std::min(missing(), names.size()); rest > 0)
    names.push_back(std::to_string(rest) + " more");
  return names;
}

std::vector<LoggedJob> jobs_of(const Log& log) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, LoggedJob> jobs;
  for (const RankMark& mark : log.marks) {
    if (!mark.program.empty())
      continue;
    LoggedJob& job = jobs[{mark.job_key, mark.launcher, mark.size}];
    job.name = mark.job;
    job.size = mark.size;
    job.ranks.insert(mark.rank);
  }
  std::vector<LoggedJob> result;
  for (const RankMark& mark : log.marks) {
    if (mark.program.empty())
      continue;
    bool has_started = false;
    for (auto& [key, job] : jobs)
      if (std::get<1>(key) == mark.launcher)
        job.launcher = mark.program, has_started = true;
    if (!has_started)
      result.push_back({mark.job, mark.program, 0, {}});
  }
  for (auto& [key, job] : jobs)
    result.push_back(std::move(job));
  return result;
}

std::string node_of(const Log& log, const std::string& job, std::int64_t rank) {
  for (const RankMark& mark : log.marks)
    if (mark.program.empty() && mark.rank == rank && mark.job == job)
      return mark.node;
  for (const Process& process : log.processes)
    if (process.rank == rank && process.job() == job && !process.starts.empty() &&
        !process.starts.front().node.empty())
      return process.starts.front().node;
  return {};
}

std::int64_t size_of_job(const Log& log, const std::string& job) {
  std::int64_t size = 0;
  for (const RankMark& mark : log.marks)
    if (mark.job == job)
      size = std::max(size, mark.size);
  return size;
}

} // namespace detshim
