#include "verify/report.h"

#include <ostream>

namespace detshim {
namespace {

void print_case(std::ostream& out, const std::string& name, const char* what, const std::string& message,
                const std::string& text = "") {
  out << "    <testcase classname=\"detshim.verify\" name=\"" << escaped(name) << '"';
  if (*what == 0)
    out << "/>\n";
  else
    out << "><" << what << " message=\"" << escaped(message) << "\">" << text << "</" << what
        << "></testcase>\n";
}

} // namespace

void print_verify_junit(const VerifyPlan& plan, const Verification& result, std::ostream& out) {
  const std::vector<ComparedItem> items = all_items(result);
  std::size_t failures = 0;
  for (const ComparedItem& item : items) failures += find_differing(result, item) != nullptr ? 1 : 0;
  const bool is_unverified = result.answer == Answer::unverified;
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"detshim verify\" "
         "tests=\""
      << items.size() + 1 << "\" failures=\"" << failures + (result.answer == Answer::different ? 1 : 0)
      << "\" errors=\"" << (is_unverified ? 1 : 0) << "\">\n";
  for (const ComparedItem& item : items) {
    const Comparison* const differing = find_differing(result, item);
    std::string message;
    if (differing != nullptr)
      for (const Difference& difference : differing->differences)
        if (difference.item.is(item))
          message = differing->one + " and " + differing->other + ": " + describe_difference(difference.what);
    print_case(out, describe_item(item), differing != nullptr ? "failure" : "", message);
  }
  const char* const what = is_unverified ? "error" : result.answer == Answer::different ? "failure" : "";
  std::string cause;
  if (result.first_cause)
    for (const std::string& line : describe_first_cause(*result.first_cause, {}))
      cause += escaped(line) + "\n";
  print_case(out, "verdict", what, describe_answer(plan, result), cause);
  out << "  </testsuite>\n</testsuites>\n";
}

} // namespace detshim
