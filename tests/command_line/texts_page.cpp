// Prints the sentences that people read of findings, of reasons and of what differs between two
// logs, each with sample values: the page that texts.golden keeps. Other tests ask for kinds and
// codes, so a sentence that is reworded changes that file alone.
#include "log_diff/difference_report.h"
#include "report/verdict_texts.h"
#include "support/reason_texts.h"

#include <iostream>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace detshim;

constexpr struct {
  Finding finding;
  const char* name;
} findings[] = {
#define DETSHIM_PAGE_FINDING(finding, ...) {Finding::finding, #finding},
    DETSHIM_FINDINGS(DETSHIM_PAGE_FINDING)
#undef DETSHIM_PAGE_FINDING
};

constexpr const char* reasons[] = {
#define DETSHIM_PAGE_REASON(code) #code,
    DETSHIM_REASONS(DETSHIM_PAGE_REASON)
#undef DETSHIM_PAGE_REASON
};

/// A finding with a value in each of its fields.
VerdictReason sample(Finding finding) {
  return {.finding = finding,
          .library = "LIBRARY",
          .function = "FUNCTION",
          .file = "/folder/FILE.so",
          .code = "static_program",
          .place = "PLACE:12",
          .detail = "DETAIL",
          .names = {"NAME", "program NAME2"},
          .others = {"OTHER", "OTHER2"},
          .count = 2};
}

/// The variants of a finding by which parts of its sentence are left out or change.
std::vector<VerdictReason> variants(Finding finding) {
  const VerdictReason all = sample(finding);
  VerdictReason one = all, without_remedy = all, bare = all;
  one.count = 1;
  one.names = {"NAME"};
  one.others = {"OTHER"};
  without_remedy.code = "clock_read";
  bare.file.clear();
  bare.code.clear();
  bare.place.clear();
  bare.detail.clear();
  bare.count = 0;
  std::vector<VerdictReason> every = {all, one, without_remedy, bare};
  if (finding == Finding::clock_read) {
    every.push_back(all);
    every.back().names = {"NAME", "NAME2", "NAME3", "NAME4", "NAME5"};
  }
  if (finding == Finding::open_library)
    for (const char* file :
         {"libcusparseLt.so.0", "libcutensor.so.2", "libcudss.so.0", "libnvshmem_host.so.3"}) {
      every.push_back(all);
      every.back().file = file;
    }
  return every;
}

/// False where a value is missing that the sentence needs.
bool is_whole(const std::string& text) {
  if (text.starts_with(' ') || text.ends_with(' '))
    return false;
  return text.find("  ") == text.npos && text.find(" ,") == text.npos;
}

void print(const std::string& text, const std::string& remedy) {
  std::cout << "  " << text << '\n';
  if (!remedy.empty())
    std::cout << "    -> " << remedy << '\n';
}

void print_findings() {
  std::cout << "Findings (tools/report/verdict_texts.cpp)\n\n";
  for (const auto& [finding, name] : findings) {
    std::cout << name << '\n';
    std::set<std::string> printed;
    for (const VerdictReason& reason : variants(finding)) {
      const std::string text = reason_text(reason), remedy = reason_remedy(reason);
      if (is_whole(text) && printed.insert(text + remedy).second)
        print(text, remedy);
    }
  }
}

void print_reasons() {
  std::cout << "\nReasons (tools/support/reason_texts)\n\n";
  for (const char* code : reasons) {
    std::cout << code << '\n';
    print(text_of_code(code), remedy_of_code(code));
  }
}

/// How a record of one library differs in both runs.
struct CauseCase {
  CauseKind kind;
  Section section;
  const char* library;
  bool has_inputs, is_volatile;
};
constexpr CauseCase cause_cases[] = {
    {CauseKind::result, Section::calls, "cudnn", true, false},
    {CauseKind::result, Section::calls, "cudnn", false, false},
    {CauseKind::result, Section::digests, "cudnn", true, false},
    {CauseKind::result, Section::digests, "libc", false, false},
    {CauseKind::result, Section::digests, "cuda", false, false},
    {CauseKind::input, Section::calls, "cudnn", true, false},
    {CauseKind::input, Section::calls, "libc", true, true},
    {CauseKind::input, Section::digests, "cudnn", true, false},
    {CauseKind::input, Section::digests, "libc", false, false},
    {CauseKind::absorbed, Section::calls, "libc", true, false},
    {CauseKind::absorbed, Section::calls, "libc", true, true},
    {CauseKind::count, Section::calls, "libc", true, false},
    {CauseKind::only_a, Section::calls, "libc", true, false},
    {CauseKind::only_b, Section::calls, "libc", true, false},
    {CauseKind::order, Section::calls, "libc", true, false},
};

RecordDifference::Side side_of(const CauseCase& of, const char* value) {
  RecordDifference::Side side;
  side.call.library = of.library;
  side.call.function = "FUNCTION";
  side.call.action = Action::observe;
  side.call.is_digest = of.section == Section::digests;
  side.call.fields = {{"requested", value}};
  if (side.call.is_digest)
    side.call.fields = {{"first", "1"}, {"digests", "1"}, {"digest", value}, {"bytes", "4"}};
  if (side.call.is_digest && of.has_inputs)
    side.call.fields.push_back({"in", "INPUT"});
  side.count.calls = 1;
  return side;
}

RankDifference rank_with(const CauseCase& of) {
  RecordDifference record;
  record.process.path = "0";
  record.thread = "0";
  record.section = of.section;
  record.kind = of.kind;
  record.has_inputs = of.has_inputs;
  record.is_volatile = of.is_volatile;
  record.call_site = "PLACE:12";
  if (of.kind != CauseKind::only_b)
    record.a = side_of(of, "7");
  if (of.kind != CauseKind::only_a)
    record.b = side_of(of, "8");
  Cause cause;
  cause.process = record.process;
  cause.thread = record.thread;
  cause.record = record;
  cause.before = 3;
  return {.job = "", .rank = 0, .role = RankDifference::Role::origin, .causes = {cause}};
}

LogDifference difference_with(const std::vector<RankDifference>& ranks) {
  LogDifference difference;
  difference.a = {.folder = "A", .run = "RUN", .records = 4, .processes = 1, .other_runs = 1};
  difference.b = {.folder = "B", .run = "RUN", .records = 4, .processes = 2};
  difference.identical = 3;
  difference.ranks = ranks;
  difference.differences[static_cast<int>(Section::calls)] = ranks.empty() ? 0 : 1;
  return difference;
}

void print_causes() {
  std::cout << "\nWhat differs between two logs (tools/log_diff/difference_text.cpp)\n\n";
  for (const CauseCase& of : cause_cases)
    print_leading_cause(std::cout, difference_with({rank_with(of)}), {});
  std::cout << '\n';
  LogDifference equal = difference_with({});
  print_difference_text(std::cout, equal, {});
  std::cout << '\n';
  equal.unknown = {"UNKNOWN"};
  equal.notes = {"NOTE"};
  print_difference_text(std::cout, equal, {});
  std::cout << '\n';
  RankDifference two = rank_with(cause_cases[0]), same;
  two.causes.push_back(rank_with(cause_cases[11]).causes.front());
  same.rank = 1;
  print_difference_text(std::cout, difference_with({two, same}), {});
}

} // namespace

int main() {
  print_findings();
  print_reasons();
  print_causes();
}
