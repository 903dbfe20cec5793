// Calls that can differ.
//
// Decides, of each symbol that was called and either went ahead nondeterministic or by a way that
// has no hook, which finding that is: from the action, the reason code and the fields that the hook
// wrote down. And of calls that were counted and whose records are gone, that they are missing. It
// cannot know whether the program's results are made of such a call, nor what lost records said.
#include "log_reader/call_owner.h"
#include "log_reader/source_lines.h"
#include "verdict/finders.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

/// The value of the first example that has the field; nullptr without one.
const std::string* first_field(const SymbolSummary& symbol, std::string_view name) {
  for (const Example& example : symbol.examples)
    if (const std::string* value = find_field(example.fields, name))
      return value;
  return nullptr;
}

/// What the fields of a record are in a reason. The later one counts where two fill one part.
constexpr struct {
  std::string_view field;
  void (*put)(VerdictReason& reason, const std::string& value);
} reason_parts[] = {
    {"function_of",
     [](VerdictReason& reason, const std::string& value) {
       reason.names = {value};
     }},
    {"version",
     [](VerdictReason& reason, const std::string& value) {
       reason.detail = value;
     }},
    {"known_good",
     [](VerdictReason& reason, const std::string& value) {
       reason.names = {value};
     }},
    {"tuner",
     [](VerdictReason& reason, const std::string& value) {
       reason.names = {value};
     }},
    {"others",
     [](VerdictReason& reason, const std::string& value) {
       reason.count = std::strtoull(value.c_str(), nullptr, 10);
     }},
};

/// Findings that the reason code alone tells, of what went ahead nondeterministic or without a hook
/// and of what was only observed.
struct ByCode {
  Reason reason;
  Finding finding;
};
constexpr ByCode bad_by_code[] = {{Reason::may_be_key, Finding::may_be_key},
                                  {Reason::other_version, Finding::setting_left}};
constexpr ByCode observed_by_code[] = {{Reason::secret_program, Finding::may_be_key},
                                       {Reason::undocumented, Finding::undocumented_call},
                                       {Reason::timed_by_tuner, Finding::timed_choice}};

std::optional<Finding> find_by_code(std::span<const ByCode> rows, const std::string& code) {
  const auto row = std::ranges::find(rows, reason_of(code), &ByCode::reason);
  return row == rows.end() ? std::nullopt : std::optional(row->finding);
}

Finding finding_of(const SymbolSummary& symbol, const std::string& code, const std::string& from) {
  if (symbol.action == Action::observe)
    return *find_by_code(observed_by_code, code);
  if (const std::optional<Finding> finding = find_by_code(bad_by_code, code))
    return *finding;
  if (symbol.action == Action::nondeterministic)
    return Finding::nondeterministic_call;
  const std::string* const function_of = first_field(symbol, "function_of");
  if (function_of == nullptr)
    return Finding::uncovered_call;
  return from == *function_of ? Finding::foreign : Finding::bypass;
}

/// The line that called, of the user's where one is known; empty where none is.
std::string line_of_call(const CallPlace& call, SourceLines& lines) {
  // Of a package's threads, which no line of the user's is behind, its own line.
  if (!call.python.empty())
    return line_of_frame(call.python.frames[call.python.user.value_or(0)]);
  const std::optional<UserLine> user = lines.find_user(call.at, call.frames);
  return user ? user->text() : "";
}

/// A framework's operators, by their own names.
std::set<std::string> operators_of(const SymbolSummary& symbol) {
  std::set<std::string> operators;
  if (symbol.action != Action::nondeterministic)
    return operators;
  for (const Example& example : symbol.examples)
    if (const std::string* name = find_field(example.fields, "operator"))
      operators.insert(*name);
  return operators;
}

VerdictReason reason_of_call(const SymbolSummary& symbol, SourceLines& lines) {
  VerdictReason reason{.library = symbol.library, .function = symbol.function};
  if (!symbol.reasons.empty())
    reason.code = symbol.reasons.front();
  if (!symbol.places.empty()) {
    reason.file = file_of_place(symbol.places.front().at);
    reason.place = line_of_call(symbol.places.front(), lines);
  }
  reason.finding = finding_of(symbol, reason.code, reason.file);
  for (const auto& [field, put] : reason_parts)
    if (const std::string* value = first_field(symbol, field))
      put(reason, *value);
  if (reason.finding == Finding::uncovered_call && !symbol.examples.empty() &&
      !symbol.examples.front().fields.empty())
    reason.detail = symbol.examples.front().fields.front().value;
  return reason;
}

void add_call(const SymbolSummary& symbol, SourceLines& lines, Findings& findings) {
  const std::set<std::string> operators = operators_of(symbol);
  for (const std::string& name : operators)
    findings.add({.finding = Finding::nondeterministic_operator,
                  .library = symbol.library,
                  .function = name});
  if (operators.empty())
    findings.add(reason_of_call(symbol, lines));
}

bool is_bad(Action action) {
  return action == Action::nondeterministic || action == Action::uncovered;
}

/// What a program draws whose purpose is a secret stays random, and is no fault; of some functions
/// nobody says whether they repeat.
bool is_observed_reason(const SymbolSummary& symbol) {
  return symbol.action == Action::observe && !symbol.reasons.empty() &&
         find_by_code(observed_by_code, symbol.reasons.front());
}

void find_lost_calls(const VerdictInputs& inputs, Findings& findings) {
  const Summary& summary = inputs.summary;
  for (const Action action : actions_worst_first)
    if (action != Action::observe && summary.lost(action) > 0)
      findings.add({.finding = is_bad(action) ? Finding::lost_bad_calls : Finding::lost_calls,
                    .detail = action_names[static_cast<std::size_t>(action)],
                    .count = summary.lost(action)});
  if (summary.missing_records > 0 && !inputs.log.is_incomplete())
    findings.add({.finding = Finding::lost_records, .count = summary.missing_records});
}

} // namespace

void find_calls(const VerdictInputs& inputs, Findings& findings) {
  SourceLines lines(inputs.code.changed);
  for (const SymbolSummary& symbol : inputs.summary.symbols)
    if ((is_bad(symbol.action) || is_observed_reason(symbol)) && !inputs.code.is_harmless(symbol))
      add_call(symbol, lines, findings);
  find_lost_calls(inputs, findings);
}

} // namespace detshim
