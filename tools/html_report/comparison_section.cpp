#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "support/wording.h"
#include "verify/report.h"

#include <cstdio>

namespace detshim {
namespace {

void add_runs(Table& table, const std::vector<VerifyDocument::Run>& runs) {
  for (const VerifyDocument::Run& run : runs) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.1f", run.seconds);
    table.row({run.name, run.perturbation.empty() ? "nothing" : run.perturbation, seconds, run.ending,
               run.level.empty() ? "none" : run.level});
  }
}

void write_runs(HtmlWriter& html, const VerifyDocument& document) {
  Table table(html, "Runs", {{"Run"}, {"Turned"}, {"Seconds", Column::Kind::number}, {"Ended with"}, {"Log"}},
              Table::Width::scrolls);
  add_runs(table, document.controls);
  add_runs(table, document.runs);
  add_runs(table, document.resumed);
}

void write_items(HtmlWriter& html, const VerifyDocument& document) {
  Table table(html, "What was compared", {{"What"}, {"How much"}, {"Result"}});
  for (const VerifyDocument::Item& item : document.items)
    table.row({describe_item(item.kind, item.subject), item.amount, item.is_equal ? "equal" : "different"},
              item.is_equal ? "" : "bad");
}

void write_differences(HtmlWriter& html, const char* caption,
                       const std::vector<VerifyDocument::Difference>& differences) {
  if (differences.empty()) return;
  constexpr std::size_t shown = 200;
  {
    Table table(html, caption, {{"What"}, {"Runs"}, {"First difference"}});
    for (std::size_t i = 0; i < std::min(shown, differences.size()); ++i) {
      const VerifyDocument::Difference& difference = differences[i];
      table.row({describe_item(difference.kind, difference.subject),
                 difference.one + " and " + difference.other, describe_difference(difference.what)});
    }
  }
  if (differences.size() > shown)
    write_note(html, "and " + counted(differences.size() - shown, "more", "more"));
}

void write_volatile(HtmlWriter& html, const VerifyDocument& document) {
  if (document.volatile_lines.empty()) return;
  constexpr std::size_t longest = 120;
  Table table(html, "Lines that are equal but for times, processes and what --volatile names",
              {{"Stream"}, {"Runs"}, {"Lines", Column::Kind::number}, {"The first"}});
  for (const VerifyDocument::Volatile& lines : document.volatile_lines)
    table.row({lines.stream, lines.one + " and " + lines.other, std::to_string(lines.lines),
               "line " + std::to_string(lines.line) + ": " +
                   describe_pair(lines.value, lines.other_value, longest)});
}

} // namespace

void write_comparison(HtmlWriter& html, const ReportSource& source) {
  if (!source.verification) return;
  const VerifyDocument& document = *source.verification;
  const ReportSection section(html, "comparison", "Runs and what was compared");
  write_differences(html, "What differs", document.differences);
  for (const VerifyDocument::Problem& search : document.searches)
    html.element("p", {{"class", search.kind == "proved" ? "lead" : "note"}},
                 (search.kind == "proved" ? "Proved, " : "Searched, ") + printable(search.text));
  write_items(html, document);
  write_runs(html, document);
  write_volatile(html, document);
  if (!document.controls.empty() && document.control_differences.empty())
    write_note(html, "Control: two runs without enforcement are equal.");
  write_differences(html, "What differs without enforcement (the control)", document.control_differences);
}

} // namespace detshim
