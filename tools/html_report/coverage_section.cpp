#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <map>
#include <set>

namespace detshim {
namespace {

struct LibraryRow {
  ActionCounts calls{};
  std::uint64_t hooks = 0; ///< of the process with the most
  bool is_known = false;   ///< what was hooked is known: a library of CUDA's
  std::set<std::string> missing, files, bound;
};

using Rows = std::map<std::string, LibraryRow>;

void add_library(Rows& rows, const Library& library) {
  rows[library.name].files.insert(library.file + (library.version ? ", version " + *library.version : ""));
}

Rows rows_of(const LogEvidence& evidence) {
  Rows rows;
  for (const SymbolSummary& symbol : evidence.summary.symbols) {
    std::uint64_t& calls = rows[symbol.library].calls[static_cast<std::size_t>(symbol.action)];
    calls = saturated_sum(calls, symbol.count.calls);
  }
  for (const Library& library : evidence.summary.libraries) add_library(rows, library);
  for (const Process& process : evidence.log.processes) {
    for (const Coverage& coverage : process.coverage) {
      LibraryRow& row = rows[coverage.library];
      row.is_known = true;
      row.hooks = std::max(row.hooks, coverage.hooks);
      row.missing.insert(coverage.missing.begin(), coverage.missing.end());
      if (row.files.empty()) row.files.insert(coverage.files.begin(), coverage.files.end());
    }
    for (const Bound& bound : process.bound)
      rows[bound.library].bound.insert(bound.functions.begin(), bound.functions.end());
  }
  return rows;
}

void write_names(HtmlWriter& html, const std::string& title, const std::set<std::string>& names) {
  if (names.empty()) return;
  constexpr std::size_t most = 500;
  const Element fold(html, "details");
  html.element("summary", title);
  {
    const Element list(html, "ul", {{"class", "names"}});
    std::size_t shown = 0;
    for (const std::string& name : names) {
      if (shown++ == most) break;
      const Element item(html, "li");
      html.element("code", name);
    }
  }
  if (names.size() > most) write_note(html, "and " + std::to_string(names.size() - most) + " more");
}

} // namespace

void write_coverage(HtmlWriter& html, const ReportSource& source) {
  if (!source.evidence) return;
  const Rows rows = rows_of(*source.evidence);
  if (rows.empty()) return;
  const ReportSection section(html, "coverage", "Coverage by library");
  {
    std::vector<Column> columns{{"Library"}, {"Hooked functions", Column::Kind::number}};
    for (const ActionSection& group : action_sections) columns.push_back({group.title, Column::Kind::number});
    Table table(html, "Calls by library and action", std::move(columns), Table::Width::scrolls);
    for (const auto& [name, row] : rows) {
      std::vector<std::string> cells{name, row.is_known ? std::to_string(row.hooks) : "-"};
      bool is_any_bad = false;
      for (const ActionSection& group : action_sections) {
        const std::uint64_t calls = row.calls[static_cast<std::size_t>(group.action)];
        cells.push_back(std::to_string(calls));
        is_any_bad |= calls > 0 && is_bad(group.action);
      }
      table.row(cells, is_any_bad ? "bad" : "");
    }
  }
  write_note(html,
             "Hooked functions are counted for CUDA's libraries, where one is loaded when a process ends.");
  for (const auto& [name, row] : rows) {
    write_names(html, name + ": " + counted(row.files.size(), "file"), row.files);
    write_names(html, name + ": " + counted(row.missing.size(), "hooked function") + " that it does not have",
                row.missing);
    write_names(html, name + ": " + counted(row.bound.size(), "function") + " in use that have no hook",
                row.bound);
  }
}

} // namespace detshim
