#include "support/wording.h"
#include "verify/report.h"

#include <ostream>

namespace detshim {
namespace {

void print_case(std::ostream& out, const std::string& name, const char* what,
                const std::string& message, const std::string& text = "") {
  out << "    <testcase classname=\"detshim.verify\" name=\"" << escaped(name) << '"';
  if (*what == 0)
    out << "/>\n";
  else
    out << "><" << what << " message=\"" << escaped(message) << "\">" << text << "</" << what
        << "></testcase>\n";
}

/// The text in a cell of a Markdown table, with nothing that Markdown or HTML would obey.
std::string as_cell(const std::string& text) {
  std::string cell;
  for (const char c : escaped(text))
    cell += std::string_view("|*_[]`\\~").find(c) == std::string_view::npos
                ? std::string(1, c)
                : "&#" + std::to_string(c) + ";";
  return cell;
}

/// In which runs the item differs, and how; empty where it is equal.
std::string message_of(const Verification& result, const ComparedItem& item) {
  const Comparison* const differing = find_differing(result, item);
  std::string message;
  if (differing != nullptr)
    for (const Difference& difference : differing->differences)
      if (difference.item.is(item))
        message = differing->one + " and " + differing->other + ": " +
                  describe_difference(difference.what);
  return message;
}

std::string cause_of(const Verification& result) {
  std::string cause;
  if (result.first_cause)
    for (const std::string& line : describe_first_cause(*result.first_cause, {}))
      cause += escaped(line) + "\n";
  return cause;
}

} // namespace

void print_verify_markdown(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  out << "### detshim verify: " << as_cell(describe_answer(plan, result)) << "\n\n"
      << as_cell(base_name(plan.command.front())) << ", seed " << as_cell(plan.seed) << ", mode "
      << mode_name(plan.mode) << "\n\n| compared | |\n|---|---|\n";
  for (const ComparedItem& item : all_items(result)) {
    const std::string message = message_of(result, item);
    out << "| " << as_cell(describe_item(item)) << " | "
        << (message.empty() ? "equal: " + as_cell(item.amount)
                            : "**different**: " + as_cell(message))
        << " |\n";
  }
  for (const Problem& problem : result.problems)
    out << "| **unverified** | " << as_cell(problem.kind + (": " + problem.text)) << " |\n";
  if (const std::string cause = cause_of(result); !cause.empty())
    out << "\n<pre>\n" << cause << "</pre>\n";
  if (const std::string bound = describe_bound(result); !bound.empty())
    out << '\n' << as_cell(bound) << '\n';
}

void print_verify_junit(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  const std::vector<ComparedItem> items = all_items(result);
  std::size_t failures = 0;
  for (const ComparedItem& item : items)
    failures += find_differing(result, item) != nullptr ? 1 : 0;
  const bool is_unverified = result.answer == Answer::unverified;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"detshim "
         "verify\" "
         "tests=\""
      << items.size() + 1 << "\" failures=\""
      << failures + (result.answer == Answer::different ? 1 : 0) << "\" errors=\""
      << (is_unverified ? 1 : 0) << "\">\n";
  for (const ComparedItem& item : items) {
    const std::string message = message_of(result, item);
    print_case(out, describe_item(item), message.empty() ? "" : "failure", message);
  }
  const char* const what = is_unverified                        ? "error"
                           : result.answer == Answer::different ? "failure"
                                                                : "";
  print_case(out, "verdict", what, describe_answer(plan, result), cause_of(result));
  out << "  </testsuite>\n</testsuites>\n";
}

} // namespace detshim
