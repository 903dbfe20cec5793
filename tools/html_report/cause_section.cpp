#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "html_report/source_excerpt.h"
#include "log_diff/difference_wording.h"
#include "log_reader/printable.h"
#include "support/wording.h"

#include <algorithm>
#include <cstddef>

namespace detshim {
namespace {

constexpr std::size_t shown_ranks = 8;
constexpr std::size_t shown_causes = 4;

void write_excerpt(HtmlWriter& html, const SourceExcerpt& excerpt) {
  const Element figure(html, "figure", {{"class", "source"}});
  html.element("figcaption", excerpt.file + ", line " + std::to_string(excerpt.line));
  const Element list(html, "ol", {{"start", std::to_string(excerpt.first)}});
  for (std::size_t i = 0; i < excerpt.lines.size(); ++i) {
    const bool is_it = excerpt.first + i == excerpt.line;
    html.open("li", {{"value", std::to_string(excerpt.first + i)}, {"class", is_it ? "meant" : "around"}});
    html.open(is_it ? "mark" : "span");
    // Tabs as blanks, or they would come out as escapes.
    std::string line = excerpt.lines[i];
    std::ranges::replace(line, '\t', ' ');
    html.element("code", line);
    html.close();
    html.close();
  }
}

void write_cause(HtmlWriter& html, const Cause& cause, LogEvidence* evidence, bool is_first) {
  const Element item(html, "li");
  if (cause.fact) {
    html.element("b", printable(cause.fact->subject.text));
    html.element("p",
                 std::string(section_names[static_cast<int>(cause.fact->section)]) + ", " + where(cause));
    html.element("p", {{"class", "values"}}, sides(*cause.fact));
    return;
  }
  const RecordDifference& record = *cause.record;
  html.element("b", name_of(record));
  html.element("p", where(cause) + ": " + what_differs(record) + ".");
  html.element("p", {{"class", "values"}}, sides(record));
  html.element("p", describe_before(cause.before) + ".");
  if (evidence == nullptr || !is_first) return;
  const Call& call = record.a ? record.a->call : record.b->call;
  if (const auto excerpt = source_excerpt(call, *evidence)) write_excerpt(html, *excerpt);
}

void write_rank(HtmlWriter& html, const RankDifference& rank, bool has_ranks, LogEvidence* evidence) {
  std::string title =
      has_ranks ? name_of(rank) + ", " + role_names[static_cast<int>(rank.role)] : "First to differ";
  html.element("h3", title + how_sure(rank));
  const std::size_t shown = std::min(rank.causes.size(), shown_causes);
  {
    const Element list(html, "ol", {{"class", "causes"}});
    for (std::size_t i = 0; i < shown; ++i) write_cause(html, rank.causes[i], evidence, i == 0);
  }
  const std::uint64_t more = rank.causes.size() - shown + rank.further;
  if (more > 0) write_note(html, "and " + counted(more, "further place", "further places") + " in this rank");
}

/// What differs in the two logs, section by section.
void write_differences(HtmlWriter& html, const LogDifference& difference) {
  for (int section = 0; section < section_count; ++section) {
    const std::uint64_t all = difference.differences[section];
    if (all == 0) continue;
    const Element fold(html, "details");
    html.element("summary", std::string(section_names[section]) + ": " + counted(all, "difference"));
    std::uint64_t shown = 0;
    {
      Table table(html, std::string("What differs in ") + section_names[section], {{"What"}, {"A and B"}});
      for (const FactDifference& fact : difference.facts) {
        if (static_cast<int>(fact.section) != section) continue;
        table.row({printable(fact.subject.text), sides(fact)});
        shown += std::max<std::uint64_t>(fact.processes, 1);
      }
      for (const RecordDifference& record : difference.records) {
        if (static_cast<int>(record.section) != section) continue;
        table.row({name_of(record) + " (" + kind_names[static_cast<int>(record.kind)] + ")", sides(record)});
        ++shown;
      }
    }
    if (all > shown) write_note(html, "and " + std::to_string(all - shown) + " more");
  }
}

void write_list(HtmlWriter& html, const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  const Element fold(html, "details");
  html.element("summary", title);
  const Element list(html, "ul");
  for (const std::string& line : lines) html.element("li", line);
}

} // namespace

void write_first_cause(HtmlWriter& html, const ReportSource& source) {
  if (!source.difference && source.difference_problem.empty()) return;
  const ReportSection section(html, "first-cause", "First cause");
  const std::string pair = "A is " + source.one + ", B is " + source.other + ".";
  if (!source.difference) {
    write_note(html, "The logs of " + source.one + " and " + source.other +
                         " could not be compared: " + source.difference_problem);
    return;
  }
  const LogDifference& difference = *source.difference;
  html.element("p", pair + " " + counted(difference.identical, "record") +
                        (difference.identical == 1 ? " is" : " are") + " the same in both logs.");
  std::size_t differing = 0;
  for (const RankDifference& rank : difference.ranks)
    if (!rank.causes.empty() && ++differing <= shown_ranks)
      write_rank(html, rank, difference.ranks.size() > 1, source.evidence.get());
  if (differing > shown_ranks) write_note(html, "and " + counted(differing - shown_ranks, "further rank"));
  if (differing == 0)
    html.element("p", {{"class", "lead"}},
                 "Nothing differs in the two logs: what made the runs differ left no record.");
  write_differences(html, difference);
  write_list(html, "Not known", difference.unknown);
  write_list(html, "Differs, and means nothing by itself", difference.notes);
}

} // namespace detshim
