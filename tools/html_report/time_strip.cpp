#include "html_report/time_strip.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace detshim {
namespace {

constexpr std::size_t most_rows = 500;
constexpr double picture_width = 1000; // in the units of the picture

/// A process's life, in seconds since the first process of its machine began.
struct Life {
  const Process* process = nullptr;
  std::size_t rank = 0; ///< its number in ProcessTree::ranks
  std::size_t depth = 0;
  double begin = 0;
  std::vector<double> programs; ///< when it executed others
  std::optional<double> end;    ///< or until it turned into a program without a log; nothing: not known
};

/// By whose clock the process's times are. With one machine at most that is named, all are by that one's: a
/// launcher names none.
std::string machine_of(const Process& process, const std::set<std::string>& machines) {
  return machines.size() < 2 ? "" : process.starts.front().node;
}

bool has_time(const Process& process) { return !process.starts.empty() && process.starts.front().time; }

class Lives {
public:
  explicit Lives(const ProcessTree& tree) : tree_(tree) {
    for (const ProcessNode& node : tree.nodes)
      if (has_time(*node.process) && !node.process->starts.front().node.empty())
        machines.insert(node.process->starts.front().node);
    for (const ProcessNode& node : tree.nodes) {
      if (!has_time(*node.process)) continue;
      const std::uint64_t time = *node.process->starts.front().time;
      const auto [begin, is_new] = begins_.emplace(machine_of(*node.process, machines), time);
      if (!is_new) begin->second = std::min(begin->second, time);
    }
    for (std::size_t rank = 0; rank < tree.ranks.size(); ++rank)
      for (const std::size_t root : tree.ranks[rank].roots) add(root, rank);
    for (const Life& life : all) {
      longest = std::max({longest, life.begin, life.end.value_or(0)});
      for (const double program : life.programs) longest = std::max(longest, program);
    }
  }

  std::vector<Life> all; ///< a child behind its parent
  std::set<std::string> machines;
  double longest = 0;
  std::size_t without_time = 0;

private:
  /// With all below it. A log that somebody wrote may nest deeper than a stack.
  void add(std::size_t root, std::size_t rank) {
    std::vector<std::pair<std::size_t, std::size_t>> open{{root, 0}};
    while (!open.empty()) {
      const auto [node, depth] = open.back();
      open.pop_back();
      const Process& process = *tree_.nodes[node].process;
      if (has_time(process))
        all.push_back(life_of(process, rank, depth));
      else
        ++without_time;
      const std::vector<std::size_t>& children = tree_.nodes[node].children;
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        open.emplace_back(*child, depth + 1);
    }
  }

  Life life_of(const Process& process, std::size_t rank, std::size_t depth) const {
    const std::uint64_t zero = begins_.at(machine_of(process, machines));
    const auto seconds = [zero](std::uint64_t time) {
      return time < zero ? 0 : static_cast<double>(time - zero) * 1e-9;
    };
    Life life{&process, rank, depth, seconds(*process.starts.front().time), {}, std::nullopt};
    for (std::size_t i = 1; i < process.starts.size(); ++i)
      if (process.starts[i].time) life.programs.push_back(seconds(*process.starts[i].time));
    const auto time_of = [](const auto& last) { return last ? last->time : std::nullopt; };
    const auto last = process.end ? time_of(process.end) : time_of(process.executed);
    if (last) life.end = std::max(seconds(*last), life.begin);
    return life;
  }

  const ProcessTree& tree_;
  std::map<std::string, std::uint64_t> begins_; ///< of the first process, by machine
};

std::string seconds_text(double seconds) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f s", seconds);
  return text;
}

class StripWriter {
public:
  StripWriter(HtmlWriter& html, const Log& log, const ProcessTree& tree, const Lives& lives)
      : html_(html), log_(log), tree_(tree), lives_(lives), shown_(std::min(lives.all.size(), most_rows)) {}

  void write() {
    const Element figure(html_, "figure", {{"class", "metric"}});
    html_.element("h3", "When they recorded");
    write_legend();
    {
      // The table below says the same, and more exactly.
      const Element strip(html_, "div", {{"class", "strip"}, {"aria-hidden", "true"}});
      for (std::size_t i = 0; i < shown_; ++i) write_row(i);
      html_.element("span", {{"class", "who"}}, "");
      const Element scale(html_, "div", {{"class", "steps"}});
      html_.element("span", "0 s");
      html_.element("span", seconds_text(lives_.longest));
    }
    write_table();
    write_notes();
  }

private:
  static std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
  }

  double x(double seconds) const { return lives_.longest > 0 ? seconds / lives_.longest * picture_width : 0; }

  void write_legend() {
    const Element list(html_, "ul", {{"class", "legend"}});
    const auto entry = [&](const char* look, const char* path, const char* what) {
      const Element item(html_, "li");
      {
        const Element key(html_, "svg", {{"viewBox", "0 0 32 8"}, {"aria-hidden", "true"}});
        html_.element("path", {{"class", look}, {"d", path}}, "");
      }
      html_.text(what);
    };
    const char* const bar = "M1 1H31V7H1Z";
    entry("life", bar, "from its log's first record to its end");
    entry("life open", bar, "no end record: killed, or left without its exit handlers");
    entry("program", "M16 0V8", "executed another program");
  }

  void write_row(std::size_t i) {
    const Life& life = lives_.all[i];
    if (tree_.ranks.size() > 1 && (i == 0 || lives_.all[i - 1].rank != life.rank))
      html_.element("span", {{"class", "whose"}}, describe_rank(log_, tree_.ranks[life.rank]));
    constexpr std::size_t deepest = 6; // that the style sheet indents
    html_.element("span", {{"class", "who d" + std::to_string(std::min(life.depth, deepest))}},
                  life.process->path);
    const Element picture(
        html_, "svg", {{"viewBox", "0 0 1000 10"}, {"preserveAspectRatio", "none"}, {"aria-hidden", "true"}});
    constexpr double narrowest = 3; // that can still be seen
    const double begin = std::min(x(life.begin), picture_width - narrowest);
    const double end = std::max(life.end ? x(*life.end) : picture_width, begin + narrowest);
    html_.element("path",
                  {{"class", life.end ? "life" : "life open"},
                   {"d", "M" + number(begin) + " 1H" + number(end) + "V9H" + number(begin) + "Z"}},
                  "");
    for (const double program : life.programs)
      html_.element("path", {{"class", "program"}, {"d", "M" + number(x(program)) + " 0V10"}}, "");
  }

  std::string describe_end(const Life& life) const {
    if (life.end) return seconds_text(*life.end);
    return was_ended_by_parent(log_, *life.process) ? "ended by its parent" : "not recorded";
  }

  void write_table() {
    const Element fold(html_, "details");
    html_.element("summary", "The same as a table");
    Table table(html_, "When the processes recorded, in seconds from the first",
                {{"Process", Column::Kind::code},
                 {"Rank"},
                 {"Began", Column::Kind::number},
                 {"Ended", Column::Kind::number},
                 {"Program", Column::Kind::code}},
                Table::Width::scrolls);
    constexpr std::size_t longest_command = 80;
    for (std::size_t i = 0; i < shown_; ++i) {
      const Life& life = lives_.all[i];
      table.row({life.process->path, describe_rank(log_, tree_.ranks[life.rank]), seconds_text(life.begin),
                 describe_end(life), cut(describe_command(life.process->starts.back()), longest_command)});
    }
  }

  void write_notes() {
    if (shown_ < lives_.all.size())
      write_note(html_, "and " + counted(lives_.all.size() - shown_, "more process", "more processes"));
    if (lives_.without_time > 0)
      write_note(html_, counted(lives_.without_time, "process", "processes") +
                            " of the tree below: the log has no times of them");
    if (lives_.machines.size() > 1)
      write_note(html_, "Each machine has a clock of its own: 0 s is where its first process began, and what "
                        "two machines did at the same moment cannot be seen here.");
  }

  HtmlWriter& html_;
  const Log& log_;
  const ProcessTree& tree_;
  const Lives& lives_;
  std::size_t shown_;
};

} // namespace

void write_time_strip(HtmlWriter& html, const Log& log, const ProcessTree& tree) {
  const Lives lives(tree);
  if (lives.all.empty())
    html.element("p",
                 "This log holds no times, so there is no strip in time: the tree of the processes alone.");
  else
    StripWriter(html, log, tree, lives).write();
}

} // namespace detshim
