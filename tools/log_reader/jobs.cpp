#include "log_reader/jobs.h"

#include <algorithm>
#include <tuple>

namespace detshim {

std::size_t LoggedJob::missing() const {
  if (size == 0) return ranks.empty() ? 1 : 0;
  const auto end = ranks.lower_bound(size);
  return static_cast<std::size_t>(size) - static_cast<std::size_t>(std::distance(ranks.begin(), end));
}

std::vector<std::string> LoggedJob::missing_names() const {
  constexpr std::size_t few = 5;
  std::vector<std::string> names;
  for (std::int64_t rank = 0; rank < size && names.size() < few; ++rank)
    if (!ranks.contains(rank)) names.push_back(std::to_string(rank));
  if (const std::size_t rest = missing() - std::min(missing(), names.size()); rest > 0)
    names.push_back(std::to_string(rest) + " more");
  return names;
}

std::vector<LoggedJob> jobs_of(const Log& log) {
  std::map<std::tuple<std::string, std::string, std::int64_t>, LoggedJob> jobs;
  for (const RankMark& mark : log.marks) {
    if (!mark.program.empty()) continue;
    LoggedJob& job = jobs[{mark.job_key, mark.launcher, mark.size}];
    job.name = mark.job;
    job.size = mark.size;
    job.ranks.insert(mark.rank);
  }
  std::vector<LoggedJob> result;
  for (const RankMark& mark : log.marks) {
    if (mark.program.empty()) continue;
    bool has_started = false;
    for (auto& [key, job] : jobs)
      if (std::get<1>(key) == mark.launcher) job.launcher = mark.program, has_started = true;
    if (!has_started) result.push_back({mark.job, mark.program, 0, {}});
  }
  for (auto& [key, job] : jobs) result.push_back(std::move(job));
  return result;
}

std::string node_of(const Log& log, const std::string& job, std::int64_t rank) {
  for (const RankMark& mark : log.marks)
    if (mark.program.empty() && mark.rank == rank && mark.job == job) return mark.node;
  for (const Process& process : log.processes)
    if (process.rank == rank && process.job() == job && !process.starts.empty() &&
        !process.starts.front().node.empty())
      return process.starts.front().node;
  return {};
}

std::int64_t size_of_job(const Log& log, const std::string& job) {
  std::int64_t size = 0;
  for (const RankMark& mark : log.marks)
    if (mark.job == job) size = std::max(size, mark.size);
  return size;
}

} // namespace detshim
