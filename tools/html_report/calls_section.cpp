#include "html_report/report_sections.h"

#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <cstddef>

namespace detshim {
namespace {

constexpr std::size_t in_a_block = 100;          // places that a browser lays out together
constexpr std::size_t most_of_a_symbol = 10'000; // the rest is for `detshim log --all`
constexpr std::size_t most_values = 200;
constexpr std::size_t opened = 5; // calls that can differ are shown unfolded, while they are few

std::string describe_calls(const CallCount& count) {
  return (count.is_exact ? "" : "at least ") + counted(count.calls, "call");
}

/// Writes the calls of one log; keeps count of how much of the page they take.
class CallsWriter {
public:
  CallsWriter(HtmlWriter& html, LogEvidence& evidence) : html_(html), evidence_(evidence) {}

  void write() {
    for (const ActionSection& group : action_sections) write_group(group);
  }

private:
  bool is_shown(const SymbolSummary& symbol, const ActionSection& group) const {
    return symbol.action == group.action && !evidence_.code.is_harmless(symbol);
  }

  void write_group(const ActionSection& group) {
    const LoadedCode& code = evidence_.code;
    const bool has_code = group.action == Action::uncovered && code.own > 0;
    const std::vector<SymbolSummary>& symbols = evidence_.summary.symbols;
    const auto number =
        std::ranges::count_if(symbols, [&](const SymbolSummary& symbol) { return is_shown(symbol, group); });
    if (number == 0 && !has_code) return;
    html_.element("h3", {{"class", std::string("action ") + group.title}}, group.title);
    html_.element("p", group.meaning + std::string(", ") +
                           counted(static_cast<std::uint64_t>(number), "function") + ".");
    std::size_t left = is_bad(group.action) ? opened : 0;
    for (const SymbolSummary& symbol : symbols)
      if (is_shown(symbol, group)) write_symbol(symbol, left > 0 && left-- > 0);
    if (has_code) write_code(code);
  }

  void write_symbol(const SymbolSummary& symbol, bool is_open) {
    const Element fold(html_, "details", {{"class", "call"}, {"open", is_open ? "open" : ""}});
    {
      const Element line(html_, "summary");
      html_.element("code", symbol.function);
      html_.text(" of " + symbol.library + ", " + describe_calls(symbol.count));
    }
    for (const std::string& why : symbol.reasons) html_.element("p", reason_text(why));
    write_values(symbol);
    write_places(symbol);
  }

  void write_values(const SymbolSummary& symbol) {
    const bool has_fields =
        std::ranges::any_of(symbol.examples, [](const Example& one) { return !one.fields.empty(); });
    if (!has_fields) return;
    const std::size_t shown = std::min(most_values, symbol.examples.size());
    {
      Table table(html_, "Values", {{"Value"}, {"Calls", Column::Kind::number}});
      for (std::size_t i = 0; i < shown; ++i) {
        const Example& example = symbol.examples[i];
        table.row({example.fields.empty() ? "none" : describe_fields(example.fields),
                   (example.count.is_exact ? "" : "at least ") + std::to_string(example.count.calls)});
      }
    }
    const std::uint64_t left_out = symbol.examples.size() - shown + symbol.examples_left_out;
    if (left_out > 0) write_note(html_, "and " + counted(left_out, "record") + " with other values");
  }

  void write_places(const SymbolSummary& symbol) {
    const std::size_t shown = std::min(most_of_a_symbol, symbol.places.size());
    if (shown == 0) return;
    html_.element("h4", counted(symbol.places.size(), "place"));
    for (std::size_t begin = 0; begin < shown; begin += in_a_block)
      write_block(symbol, begin, std::min(begin + in_a_block, shown));
    if (shown < symbol.places.size())
      write_note(html_, "and " + counted(symbol.places.size() - shown, "more place") + ": detshim log --all");
  }

  /// The blocks after the first are folded: opening one costs what is in it.
  void write_block(const SymbolSummary& symbol, std::size_t begin, std::size_t end) {
    const bool is_folded = begin > 0;
    if (is_folded) {
      html_.open("details", {{"class", "block"}});
      html_.element("summary", "places " + std::to_string(begin + 1) + " to " + std::to_string(end));
    }
    html_.open("ol", {{"class", "places"}, {"start", std::to_string(begin + 1)}});
    for (std::size_t i = begin; i < end; ++i) {
      const CallPlace& place = symbol.places[i];
      const Element item(html_, "li");
      html_.element("code", describe_place(place.at, place.frames, place.python, evidence_.source_lines));
      html_.text(" " + describe_calls(place.count));
    }
    html_.close();
    if (is_folded) html_.close();
  }

  /// Instructions in the loaded files that draw around every hook.
  void write_code(const LoadedCode& code) {
    const Element fold(html_, "details", {{"class", "call"}});
    html_.element("summary",
                  counted(code.own_places(), "place") + " in loaded code that can draw around every hook");
    html_.element("p", std::string("Remedy: ") + draw_remedy);
    const Element list(html_, "ol", {{"class", "places"}});
    for (std::size_t file = 0; file < code.own; ++file) {
      const FileScan& scan = code.uncovered[file];
      for (std::size_t i = 0; i < std::min(scan.places.size(), in_a_block); ++i) {
        const Element item(html_, "li");
        html_.element("code", describe_place(scan, scan.places[i]));
      }
    }
  }

  HtmlWriter& html_;
  LogEvidence& evidence_;
};

} // namespace

void write_calls(HtmlWriter& html, const ReportSource& source) {
  if (!source.evidence) return;
  const ReportSection section(html, "calls", "Calls, worst first");
  if (source.verification) html.element("p", "Of the first run.");
  if (source.evidence->summary.symbols.empty()) write_note(html, "The log holds no call.");
  CallsWriter(html, *source.evidence).write();
}

} // namespace detshim
