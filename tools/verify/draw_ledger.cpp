#include "verify/draw_ledger.h"

#include "log_reader/log.h"
#include "log_reader/printable.h"
#include "log_reader/source_lines.h"
#include "log_reader/summary.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <map>
#include <utility>

namespace detshim {
namespace {

using Rows = std::map<std::pair<std::string, std::string>, LedgerRow>;

/// True if no line of a file of the user's drew: what an interpreter imports as it starts, for one.
bool is_nobodys(const PythonFrames& python) {
  return !python.empty() && (!python.user || python.frames[*python.user].starts_with('<'));
}

void add_calls(const Run& run, std::uint64_t LedgerRow::*calls, SourceLines& source_lines, Rows& rows) {
  const Log log = read_log(run.log().string());
  for (const SymbolSummary& symbol : summarise(log).symbols) {
    if (symbol.action != Action::pin) continue;
    const std::string function = printable(symbol.library + "." + symbol.function);
    for (const CallPlace& from : symbol.places) {
      if (is_nobodys(from.python)) continue;
      const std::string place = describe_call_site(from.at, from.frames, from.python, source_lines);
      LedgerRow& row = rows[{function, place}];
      row.function = function;
      row.place = place;
      row.*calls += from.count.calls;
    }
  }
}

} // namespace

std::vector<LedgerRow> draw_ledger(const Run& whole, const Run& killed, const Run& resumed) {
  SourceLines source_lines;
  Rows rows;
  add_calls(whole, &LedgerRow::whole, source_lines, rows);
  add_calls(killed, &LedgerRow::killed, source_lines, rows);
  add_calls(resumed, &LedgerRow::resumed, source_lines, rows);
  std::vector<LedgerRow> ledger;
  for (auto& [key, row] : rows) ledger.push_back(std::move(row));
  std::ranges::stable_sort(ledger, [](const LedgerRow& a, const LedgerRow& b) {
    return std::pair(a.began_anew(), a.resumed) > std::pair(b.began_anew(), b.resumed);
  });
  return ledger;
}

std::string describe_row(const LedgerRow& row) {
  std::string text = row.function + " at " + row.place + ": " + counted(row.killed, "call") +
                     " until the kill, " + std::to_string(row.resumed) + " after it (" +
                     std::to_string(row.whole) + " in a whole run)";
  if (row.began_anew())
    text += ": it began anew, and gave the same again unless the program had set its seed";
  return text;
}

} // namespace detshim
