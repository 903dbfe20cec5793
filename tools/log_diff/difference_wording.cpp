#include "log_diff/difference_wording.h"

#include "log_diff/causes.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <vector>

namespace detshim {
namespace {

std::string describe_calls(const CallCount& count) {
  return (count.is_exact ? "" : "at least ") + counted(count.calls, "call");
}

std::string value_of(const std::optional<std::string>& value) {
  return value ? cut(printable(value->empty() ? "nothing that the log says" : *value), longest_value)
               : "none";
}

/// "print 9da8e8a9d66f4cd7, 12 bytes", of several at once "prints 289 to 297: ...".
std::string values_of_print(const Call& call) {
  const auto value = [&call](const char* name) {
    const std::string* const found = find_field(call.fields, name);
    return found == nullptr ? std::string() : printable(*found);
  };
  std::string text = "print " + value("first");
  if (const std::string prints = value("prints"); prints != "1")
    text += " and those behind it, " + prints + " in all";
  text += find_field(call.fields, "unread") != nullptr ? ": not read" : ": " + value("print");
  return cut(text + ", " + value("bytes") + " bytes", longest_value);
}

/// "asked 4711 -> 42, 100 calls".
std::string values_of(const std::optional<RecordDifference::Side>& side, bool with_action) {
  if (!side) return "none";
  if (side->call.is_print) return values_of_print(side->call);
  std::string text = describe_fields(side->call.fields);
  if (with_action || text.empty())
    text += (text.empty() ? "" : ", ") + std::string(action_names[static_cast<int>(side->call.action)]);
  return cut(text + ", " + describe_calls(side->count), longest_value);
}

const Call& call_of(const RecordDifference& record) { return record.a ? record.a->call : record.b->call; }

} // namespace

std::string sides(const FactDifference& fact) { return "A " + value_of(fact.a) + "; B " + value_of(fact.b); }

std::string sides(const RecordDifference& record) {
  const bool with_action = record.a && record.b && record.a->call.action != record.b->call.action;
  std::string text = "A " + values_of(record.a, with_action) + "; B " + values_of(record.b, with_action);
  if (record.a && record.b && record.a->call.why != record.b->call.why)
    text += "; why: A " + printable(reason_text(record.a->call.why)) + "; B " +
            printable(reason_text(record.b->call.why));
  return text;
}

std::string what_differs(const RecordDifference& record) {
  const bool is_print = record.section == Section::prints;
  // Of a library call's output the inputs are known too.
  const bool is_output = is_print && record.a && find_field(record.a->call.fields, "in") != nullptr;
  if (is_output && record.kind == CauseKind::result) return "the same went in, something else came out";
  if (is_output && record.kind == CauseKind::input) return "something else went in: what made it ran before";
  if (is_print && record.kind == CauseKind::result)
    return record.a->call.library == "libc" ? "something else came out, after the same draws"
                                            : "something else came back, after the same draws";
  if (is_print && record.kind == CauseKind::input)
    return "another print, or after other draws: what made the difference ran before";
  switch (record.kind) {
  case CauseKind::result:
    return record.has_inputs ? "the same went in, something else came out"
                             : "something else came out; what went in is not recorded";
  case CauseKind::input:
    return record.is_volatile
               ? "volatile: the program's seed is not the same in both, nor is what it was given"
               : "something else went in: what made it ran before, and left no record";
  case CauseKind::absorbed:
    return record.is_volatile
               ? "volatile: the program's seed is not the same in both, and detshim gave the same"
               : "something else went in, and the same came out";
  case CauseKind::count:
    return "made more often in one run; since when, the log does not say";
  case CauseKind::only_a:
    return "a call that B did not make there";
  case CauseKind::only_b:
    return "a call that A did not make there";
  default:
    return "the other run makes this call at another point";
  }
}

std::string describe_before(const IdenticalRecords& before) {
  std::string text = "the same before it in its thread: " + counted(before.all(), "record");
  std::vector<std::string> kinds;
  if (before.draws > 0) kinds.push_back(counted(before.draws, "draw"));
  if (before.prints > 0) kinds.push_back(counted(before.prints, "print"));
  if (before.collectives > 0) kinds.push_back(counted(before.collectives, "collective"));
  if (before.unread > 0) kinds.push_back(std::to_string(before.unread) + " not looked into");
  if (!kinds.empty()) text += ", of them " + enumerated(kinds);
  if (before.without > 0)
    text += "; " + std::to_string(before.without) +
            (before.without == 1 ? " of them says nothing of its values"
                                 : " of them say nothing of their values");
  return text;
}

std::string describe_launched(const Cause& cause) {
  if (!cause.launched || (cause.launched->a == 0 && cause.launched->b == 0)) return {};
  const auto [a, b] = *cause.launched;
  std::string text = "; " + counted(a, "kernel") + " launched since the copy before it";
  if (a != b) text += ", in B " + std::to_string(b);
  return text + (a == 1 && b == 1 ? ": it may be the one" : ": one of these may be it");
}

std::string where(const Cause& cause) {
  return "in " + describe(cause.process) +
         (cause.thread.empty() ? "" : ", thread " + printable(cause.thread));
}

std::string name_of(const RecordDifference& record) {
  const Call& call = call_of(record);
  return printable(call.function) + (record.place.empty() ? "" : ", " + record.place);
}

std::size_t causes_before_records(const RankDifference& rank) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rank.causes, [](const Cause& cause) { return strength(cause) == 0; }));
}

const char* how_sure(const RankDifference& rank) {
  const std::size_t before = causes_before_records(rank);
  return (before == 0 ? rank.causes.size() : before) > 1 ? ": one of these; which, the logs do not tell" : "";
}

std::string name_of(const RankDifference& rank) {
  return "rank " + std::to_string(rank.rank) + (rank.world.empty() ? "" : " of job " + printable(rank.world));
}

} // namespace detshim
