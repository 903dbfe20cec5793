// A difference of two logs as text for people. Only the sentence is decided here: it follows from
// the kind of a difference and from what the record is of (difference_texts, the first row that
// holds). Long values are cut. Long lists are cut too, and say how many more there are.
//
// It cannot say which of several causes came first, and says in the heading that it is one of
// these.
#include "log_diff/difference_report.h"

#include "log_diff/causes.h"
#include "report/log_report.h"
#include "support/reason_texts.h"
#include "support/wording.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace detshim {
namespace {

constexpr std::size_t longest_value = 300; // of a longer one the beginning is shown

std::string value_of(const std::optional<std::string>& value) {
  return value
             ? cut(printable(value->empty() ? "nothing that the log says" : *value), longest_value)
             : "none";
}

/// "output 9: 9da8e8a9d66f4cd7, 12 bytes", of several at once "output 289 and those behind it, 9 in
/// all:
/// ...".
std::string values_of_digest(const Call& call) {
  const auto value = [&call](const char* name) {
    const std::string* const field = find_field(call.fields, name);
    return field == nullptr ? std::string() : printable(*field);
  };
  std::string text = "output " + value("first");
  if (const std::string outputs = value("digests"); outputs != "1")
    text += " and those behind it, " + outputs + " in all";
  text += find_field(call.fields, "unread") != nullptr ? ": not read" : ": " + value("digest");
  return cut(text + ", " + value("bytes") + " bytes", longest_value);
}

/// "asked 4711 -> 42, 100 calls".
std::string values_of(const std::optional<RecordDifference::Side>& side, bool with_action) {
  if (!side)
    return "none";
  if (side->call.is_digest)
    return values_of_digest(side->call);
  std::string text = describe_fields(side->call.fields);
  if (with_action || text.empty())
    text +=
        (text.empty() ? "" : ", ") + std::string(action_names[static_cast<int>(side->call.action)]);
  return cut(text + ", " + describe_calls(side->count), longest_value);
}

std::string sides(const FactDifference& fact) {
  return "A " + value_of(fact.a) + "; B " + value_of(fact.b);
}

std::string sides(const RecordDifference& record) {
  const bool with_action = record.a && record.b && record.a->call.action != record.b->call.action;
  std::string text =
      "A " + values_of(record.a, with_action) + "; B " + values_of(record.b, with_action);
  if (record.a && record.b && record.a->call.why != record.b->call.why)
    text += "; why: A " + printable(text_of_code(record.a->call.why)) + "; B " +
            printable(text_of_code(record.b->call.why));
  return text;
}

bool is_output(const RecordDifference& record) { return record.section == Section::digests; }

/// Of a library call's output the inputs are known too.
bool is_output_of_call(const RecordDifference& record) {
  return is_output(record) && record.a && find_field(record.a->call.fields, "in") != nullptr;
}

bool is_output_of_libc(const RecordDifference& record) {
  return is_output(record) && record.a && record.a->call.library == "libc";
}

bool is_volatile(const RecordDifference& record) { return record.is_volatile; }

bool has_inputs(const RecordDifference& record) { return record.has_inputs; }

bool is_any(const RecordDifference&) { return true; }

struct DifferenceText {
  CauseKind kind;
  bool (*is_of)(const RecordDifference& record);
  const char* text;
};

/// Of the rows of a kind the first that the record is of.
constexpr DifferenceText difference_texts[] = {
    {CauseKind::result, is_output_of_call, "the same went in, something else came out"},
    {CauseKind::result, is_output_of_libc, "something else came out, after the same draws"},
    {CauseKind::result, is_output, "something else came back, after the same draws"},
    {CauseKind::result, has_inputs, "the same went in, something else came out"},
    {CauseKind::result, is_any, "something else came out; what went in is not recorded"},
    {CauseKind::input, is_output_of_call, "something else went in: what made it ran before"},
    {CauseKind::input, is_output,
     "another output, or after other draws: what made the difference ran before"},
    {CauseKind::input, is_volatile,
     "volatile: the program's seed is not the same in both, nor is what it was given"},
    {CauseKind::input, is_any,
     "something else went in: what made it ran before, and left no record"},
    {CauseKind::absorbed, is_volatile,
     "volatile: the program's seed is not the same in both, and detshim gave the same"},
    {CauseKind::absorbed, is_any, "something else went in, and the same came out"},
    {CauseKind::count, is_any, "made more often in one run; since when, the log does not say"},
    {CauseKind::only_a, is_any, "a call that B did not make there"},
    {CauseKind::only_b, is_any, "a call that A did not make there"},
    {CauseKind::order, is_any, "the other run makes this call at another point"},
};

std::string what_differs(const RecordDifference& record) {
  const auto* const row =
      std::ranges::find_if(difference_texts, [&record](const DifferenceText& text) {
        return text.kind == record.kind && text.is_of(record);
      });
  return row->text;
}

std::string where(const Cause& cause) {
  return "in " + describe(cause.process) +
         (cause.thread.empty() ? "" : ", thread " + printable(cause.thread));
}

std::size_t causes_before_records(const RankDifference& rank) {
  return static_cast<std::size_t>(std::ranges::count_if(rank.causes, [](const Cause& cause) {
    return strength(cause) == 0;
  }));
}

const char* how_sure(const RankDifference& rank) {
  const std::size_t before = causes_before_records(rank);
  return (before == 0 ? rank.causes.size() : before) > 1
             ? ": one of these; which, the logs do not tell"
             : "";
}

std::string name_of(const RankDifference& rank) {
  return "rank " + std::to_string(rank.rank) +
         (rank.job.empty() ? "" : " of job " + printable(rank.job));
}

constexpr std::size_t shown_of_a_section = 10;
constexpr std::size_t shown_causes = 4;
constexpr std::size_t shown_ranks = 4;

const char* kind_of(const FactDifference& fact) {
  return fact.section == Section::settings    ? "setting "
         : fact.section == Section::libraries ? "library, "
                                              : "";
}

void print_cause(std::ostream& out, const Cause& cause, Style style) {
  if (cause.fact) {
    out << "  " << kind_of(*cause.fact) << style.bold(printable(cause.fact->subject.text));
    if (cause.fact->section != Section::processes)
      out << ", " << where(cause);
    out << "\n    " << sides(*cause.fact) << '\n';
    return;
  }
  const RecordDifference& record = *cause.record;
  out << "  " << style.bold(name_of(record)) << "\n    " << where(cause) << ": "
      << what_differs(record) << "\n    " << sides(record)
      << "\n    the same before it in its thread: " << counted(cause.before, "record") << '\n';
}

void print_causes(std::ostream& out, const RankDifference& rank, Style style) {
  const std::size_t shown = std::min(rank.causes.size(), shown_causes);
  const std::size_t before = causes_before_records(rank);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0 && i == before)
      out << "then, first in their threads, whether or not because of it\n";
    print_cause(out, rank.causes[i], style);
  }
  const std::uint64_t more = rank.causes.size() - shown + rank.further;
  if (more > 0)
    out << "  and " << counted(more, "further place", "further places") << " in this rank\n";
}

std::string heading_of(const RankDifference& rank, bool has_ranks) {
  return has_ranks ? name_of(rank) + ", " + role_names[static_cast<int>(rank.role)]
                   : "first to differ";
}

void print_section(std::ostream& out, const LogDifference& difference, Section section,
                   Style style) {
  const std::uint64_t all = difference.differences[static_cast<int>(section)];
  if (all == 0)
    return;
  out << '\n' << style.bold(section_names[static_cast<int>(section)]) << " (" << all << ")\n";
  std::size_t shown = 0;
  std::uint64_t processes = 0;
  for (const FactDifference& fact : difference.facts) {
    if (fact.section != section || shown == shown_of_a_section)
      continue;
    ++shown;
    processes += std::max<std::uint64_t>(fact.processes, 1);
    out << "  " << printable(fact.subject.text) << ": " << sides(fact);
    if (fact.processes > 1)
      out << ", in " << counted(fact.processes, "process", "processes");
    out << '\n';
  }
  for (const RecordDifference& record : difference.records) {
    if (record.section != section || shown == shown_of_a_section)
      continue;
    ++shown;
    ++processes;
    out << "  " << name_of(record) << " (" << kind_names[static_cast<int>(record.kind)]
        << (record.is_volatile ? ", volatile" : "") << ")\n    " << sides(record) << '\n';
  }
  if (all > processes)
    out << "  and " << all - processes << " more\n";
}

void print_suspects(std::ostream& out, const std::vector<Suspect>& suspects) {
  if (suspects.empty())
    return;
  out << "\nresults may differ though these records agree\n";
  for (std::size_t i = 0; i < std::min(suspects.size(), shown_of_a_section); ++i)
    out << "  " << suspects[i].text << '\n';
  if (suspects.size() > shown_of_a_section)
    out << "  and " << suspects.size() - shown_of_a_section << " more: --json\n";
}

void print_first_cause(std::ostream& out, const LogDifference& difference, Style style) {
  const bool has_ranks = difference.ranks.size() > 1;
  std::size_t shown = 0, differing = 0;
  for (const RankDifference& rank : difference.ranks) {
    if (rank.causes.empty() || ++differing > shown_ranks)
      continue;
    ++shown;
    out << style.bold(heading_of(rank, has_ranks)) << how_sure(rank) << '\n';
    print_causes(out, rank, style);
  }
  if (differing > shown)
    out << "and " << counted(differing - shown, "further rank") << '\n';
  const std::size_t same = difference.ranks.size() - differing;
  if (has_ranks && differing > 0 && same > 0)
    out << counted(same, "rank") << " of " << difference.ranks.size()
        << " without a difference in the logs\n";
}

} // namespace

std::string name_of(const RecordDifference& record) {
  return printable(record.call().function) +
         (record.call_site.empty() ? "" : ", " + record.call_site);
}

std::string name_of(const Cause& cause) {
  return cause.fact ? kind_of(*cause.fact) + printable(cause.fact->subject.text)
                    : name_of(*cause.record);
}

void print_leading_cause(std::ostream& out, const LogDifference& difference, Style style) {
  if (difference.first_cause() == nullptr)
    return;
  const RankDifference& rank = difference.ranks.front();
  const std::uint64_t others = rank.causes.size() - 1 + rank.further;
  out << style.bold(heading_of(rank, difference.ranks.size() > 1));
  if (*how_sure(rank) != 0)
    out << ", or one of " << counted(others, "other place");
  out << '\n';
  print_cause(out, rank.causes.front(), style);
}

void print_difference_text(std::ostream& out, const LogDifference& difference, Style style) {
  for (const auto& [name, side] : {std::pair("A", &difference.a), std::pair("B", &difference.b)}) {
    out << name << "  " << printable(side->folder) << ", run " << printable(side->run) << ": "
        << counted(side->records, "record") << " of "
        << counted(side->processes, "process", "processes");
    if (side->other_runs > 0)
      out << " (" << counted(side->other_runs, "other run")
          << " in this folder: FOLDER/RUN names one)";
    out << '\n';
  }
  const LogDifference::Result result = difference.result();
  const std::string same =
      counted(difference.identical, "record is", "records are") + " the same\n";
  if (result == LogDifference::Result::different) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : difference.differences)
      all += count;
    out << style.red("different") << ": " << counted(all, "difference") << "; " << same << '\n';
    print_first_cause(out, difference, style);
  } else {
    out << (result == LogDifference::Result::equal
                ? style.bold("equal") + ": nothing differs in what the logs hold; "
                : style.bold("not known") +
                      ": nothing differs in what the logs hold, but they do not hold all; ")
        << same;
  }
  for (int section = 0; section < section_count; ++section)
    print_section(out, difference, static_cast<Section>(section), style);
  if (!difference.unknown.empty())
    out << "\nnot known\n";
  for (const std::string& what : difference.unknown)
    out << "  " << what << '\n';
  if (!difference.notes.empty())
    out << "\nnote\n";
  for (const std::string& note : difference.notes)
    out << "  " << note << '\n';
  print_suspects(out, difference.suspects);
}

} // namespace detshim
