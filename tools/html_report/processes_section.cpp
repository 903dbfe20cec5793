#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/jobs.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <optional>

namespace detshim {
namespace {

constexpr std::size_t most_processes = 500;
constexpr std::size_t few_processes = 20; // more of them are folded
constexpr std::size_t longest_command = 200;

std::string describe_rank(const Log& log, const Process& process) {
  const std::string world = process.world();
  const std::int64_t size = size_of_world(log, world);
  const std::string node = node_of(log, world, process.rank);
  return std::to_string(process.rank) + (size > 0 ? " of " + std::to_string(size) : "") +
         (world.empty() ? "" : " of job " + printable(world)) +
         (node.empty() ? "" : ", node " + printable(node));
}

std::string describe_programs(const Process& process) {
  std::string text;
  for (const Start& start : process.starts)
    text += (text.empty() ? "" : ", then ") + cut(describe_command(start), longest_command);
  return text.empty() ? "its start record is lost" : text;
}

bool has_no_end(const Log& log, const Process& process) {
  return !process.end && !process.executed && !was_ended_by_parent(log, process);
}

std::string describe_end(const Log& log, const Process& process) {
  if (process.end) return "ended";
  if (process.executed) return "executed " + cut(printable(process.executed->program), longest_command);
  return has_no_end(log, process) ? "no end record" : "ended by its parent";
}

void write_table(HtmlWriter& html, const Log& log) {
  const std::size_t count = log.processes.size();
  std::optional<Element> fold;
  if (count > few_processes) {
    fold.emplace(html, "details");
    html.element("summary", counted(count, "process", "processes"));
  }
  Table table(html, "Processes by their names: 0.2.1 was started by 0.2",
              {{"Process", Column::Kind::code},
               {"Rank"},
               {"Program", Column::Kind::code},
               {"Id", Column::Kind::number},
               {"Threads", Column::Kind::number},
               {"Records", Column::Kind::number},
               {"End"}},
              Table::Width::scrolls);
  for (std::size_t i = 0; i < std::min(count, most_processes); ++i) {
    const Process& process = log.processes[i];
    table.row({process.path, describe_rank(log, process), describe_programs(process),
               std::to_string(process.pid), std::to_string(process.threads), std::to_string(process.calls),
               describe_end(log, process) + (process.is_trapped ? ", answered by the supervisor" : "")},
              has_no_end(log, process) ? "bad" : "");
  }
}

} // namespace

void write_processes(HtmlWriter& html, const ReportSource& source) {
  if (!source.evidence) return;
  const Log& log = source.evidence->log;
  const ReportSection section(html, "processes", "Processes and ranks");
  write_table(html, log);
  if (log.processes.size() > most_processes)
    write_note(html,
               "and " + counted(log.processes.size() - most_processes, "more process", "more processes"));
  write_note(html, "Processes that recorded nothing leave no log, and are not in it.");
  for (const LoggedJob& job : jobs_of(log))
    if (job.missing() > 0)
      write_note(html, "Without a log: " +
                           (job.ranks.empty() ? counted(job.missing(), "job")
                                              : "ranks " + printable(enumerated(job.missing_names()))) +
                           (job.world.empty() ? "" : " of job " + printable(job.world)) + ".");
}

} // namespace detshim
