#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "report/log_report.h"

namespace detshim {

void write_discriminators(HtmlWriter& html, const ReportSource& source) {
  if (!source.difference || source.difference->discriminators.empty()) return;
  const ReportSection section(html, "discriminators", "Discriminators");
  html.element("p", "Calls that gave something else for the same, by what went in.");
  for (const Discriminator& one : source.difference->discriminators) {
    Table table(html, one.function + " of " + one.library,
                {{"What went in"},
                 {"Result"},
                 {"Diverging", Column::Kind::number},
                 {"Records", Column::Kind::number}});
    for (const Discriminator::Row& row : one.rows)
      table.row({describe_fields(row.attributes), row.counts.diverging > 0 ? "diverging" : "clean",
                 std::to_string(row.counts.diverging), std::to_string(row.counts.records)},
                row.counts.diverging > 0 ? "bad" : "");
  }
}

} // namespace detshim
