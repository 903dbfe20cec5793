// The forms in which `detshim verify` says what it found.
#pragma once

#include "verify/difference_text.h"
#include "verify/verify.h"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// For people.
void print_verify_text(const VerifyPlan& plan, const Verification& result);

/// Where a copy of that document stands in the folder of the runs, for `detshim report`.
inline constexpr const char* verify_document_file = "verify.json";

/// For programs: docs/schemas/verify.schema.json.
void print_verify_json(const VerifyPlan& plan, const Verification& result, std::ostream& out);

/// For build servers: a JUnit test suite, with a case for each thing that was compared and one for
/// the verdict.
void print_verify_junit(const VerifyPlan& plan, const Verification& result, std::ostream& out);

/// For the summary of a build: a table in Markdown of what was compared. Arguments, which may be
/// secrets, are left out.
void print_verify_markdown(const VerifyPlan& plan, const Verification& result, std::ostream& out);

/// For code hosts: a SARIF log, with a result where the runs are not equal.
void print_verify_sarif(const VerifyPlan& plan, const Verification& result, std::ostream& out);

/// The text as it stands in XML and HTML, in an element or between quotes; safe to print.
std::string escaped(std::string_view text);

/// The command in one line, cut where it is long; safe to print.
std::string describe_command(const std::vector<std::string>& words, std::size_t longest = 100);

/// The first lines of a report: the command, and how it was run; safe to print.
std::string describe_plan(const VerifyPlan& plan);

/// What stands before a line of a report, in the column of all that do.
std::string label(const std::string& text);

/// "stdout", "output 'a.npy'"; safe to print.
std::string describe_item(const ComparedItem& item);

/// "until 'epoch 1'", "for the first 50 values of a result": how far runs were compared.
std::string describe_end(const RunEnd& end);

/// "equal - ...": the closing line.
std::string describe_answer(const VerifyPlan& plan, const Verification& result);

/// "loss (300 values on stdout), val_acc (10 values on stdout)"; empty where none was found.
std::string describe_equal_results(const Verification& result);

/// "2 equal runs: ..."; empty where nothing is bounded.
std::string describe_bound(const Verification& result);

/// Everything that was compared, each once; of one that had other bytes in a run, as it was there.
std::vector<ComparedItem> all_items(const Verification& result);

/// The comparison in which the item differs, or nullptr.
const Comparison* find_differing(const Verification& result, const ComparedItem& item);

} // namespace detshim
