#include "html_report/report_sections.h"

#include "html_report/process_tree.h"
#include "html_report/section_parts.h"
#include "html_report/time_strip.h"
#include "log_reader/jobs.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <vector>

namespace detshim {
namespace {

constexpr std::size_t most_processes = 5000;
constexpr std::size_t few_children = 8; // more of them without children of their own are folded
constexpr std::size_t few_ranks = 4;
constexpr std::size_t deepest = 40; // of nested lists; deeper ones stand beside each other

class TreeWriter {
public:
  TreeWriter(HtmlWriter& html, const Log& log, const ProcessTree& tree)
      : html_(html), log_(log), tree_(tree) {}

  void write() {
    for (std::size_t i = 0; i < tree_.ranks.size() && written_ < most_processes; ++i)
      write_rank(tree_.ranks[i], i < few_ranks);
    if (written_ < tree_.nodes.size())
      write_note(html_, "and " + counted(tree_.nodes.size() - written_, "more process", "more processes"));
  }

private:
  void write_rank(const RankProcesses& rank, bool is_open) {
    const Element fold(html_, "details", {{"class", "rank"}, {"open", is_open ? "open" : ""}});
    html_.element("summary",
                  describe_rank(log_, rank) + ": " + counted(rank.processes, "process", "processes"));
    write_list(rank.roots, 0);
  }

  void write_list(const std::vector<std::size_t>& nodes, std::size_t depth) {
    if (nodes.empty()) return;
    std::vector<std::size_t> leaves, others;
    for (const std::size_t node : nodes)
      (tree_.nodes[node].children.empty() ? leaves : others).push_back(node);
    if (leaves.size() <= few_children) {
      write_items(nodes, depth);
      return;
    }
    if (!others.empty()) write_items(others, depth);
    const Element fold(html_, "details");
    html_.element("summary", counted(leaves.size(), "process", "processes") + " without children");
    write_items(leaves, depth);
  }

  void write_items(const std::vector<std::size_t>& nodes, std::size_t depth) {
    const Element list(html_, "ul", {{"class", "tree"}});
    for (const std::size_t node : nodes) {
      if (written_ == most_processes) return;
      ++written_;
      const Element item(html_, "li");
      write_process(*tree_.nodes[node].process);
      if (depth < deepest) write_list(tree_.nodes[node].children, depth + 1);
    }
  }

  void write_process(const Process& process) {
    html_.element("code", {{"class", "path"}}, process.path);
    html_.text(" ");
    for (std::size_t i = 0; i < process.starts.size(); ++i) {
      if (i > 0) html_.text(", then ");
      html_.element("code", cut(describe_command(process.starts[i]), longest_command));
    }
    if (process.starts.empty()) html_.text("a program whose start record is lost");
    html_.element("span", {{"class", "faint"}},
                  " process " + std::to_string(process.pid) + ", " + counted(process.threads, "thread") +
                      ", " + counted(process.calls, "record") +
                      (process.is_trapped ? ", answered by the supervisor" : ""));
    if (process.end) return;
    if (process.executed)
      html_.element("span", {{"class", "faint"}},
                    ", then executed " + cut(printable(process.executed->program), longest_command));
    else if (was_ended_by_parent(log_, process))
      html_.element("span", {{"class", "faint"}}, ", ended by its parent");
    else
      html_.element("span", {{"class", "warning"}}, ", no end record");
  }

  static constexpr std::size_t longest_command = 200;

  HtmlWriter& html_;
  const Log& log_;
  const ProcessTree& tree_;
  std::size_t written_ = 0;
};

} // namespace

void write_processes(HtmlWriter& html, const ReportSource& source) {
  if (!source.evidence) return;
  const Log& log = source.evidence->log;
  const ReportSection section(html, "processes", "Processes and ranks");
  const ProcessTree tree(log);
  write_time_strip(html, log, tree);
  html.element("p", "Who started whom. Processes that recorded nothing leave no log, and are not in it.");
  TreeWriter(html, log, tree).write();
  for (const LoggedJob& job : jobs_of(log))
    if (job.missing() > 0)
      write_note(html, "Without a log: " +
                           (job.ranks.empty() ? counted(job.missing(), "job")
                                              : "ranks " + printable(enumerated(job.missing_names()))) +
                           (job.world.empty() ? "" : " of job " + printable(job.world)) + ".");
}

} // namespace detshim
