#include "log_diff/difference_report.h"

#include "log_diff/causes.h"
#include "log_reader/printable.h"
#include "report/log_report.h"
#include "support/wording.h"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>

namespace detshim {
namespace {

constexpr std::size_t shown_of_a_section = 10;
constexpr std::size_t shown_causes = 4;
constexpr std::size_t shown_ranks = 4;
constexpr std::size_t longest_value = 300;

std::string describe_calls(const CallCount& count) {
  return (count.is_exact ? "" : "at least ") + counted(count.calls, "call");
}

std::string value_of(const std::optional<std::string>& value) {
  return value ? cut(printable(value->empty() ? "nothing that the log says" : *value), longest_value)
               : "none";
}

std::string sides(const FactDifference& fact) { return "A " + value_of(fact.a) + "; B " + value_of(fact.b); }

/// "asked 4711 -> 42, 100 calls".
std::string values_of(const std::optional<RecordDifference::Side>& side, bool with_action) {
  if (!side) return "none";
  std::string text = describe_fields(side->call.fields);
  if (with_action || text.empty())
    text += (text.empty() ? "" : ", ") + std::string(action_names[static_cast<int>(side->call.action)]);
  return cut(text + ", " + describe_calls(side->count), longest_value);
}

std::string sides(const RecordDifference& record) {
  const bool with_action = record.a && record.b && record.a->call.action != record.b->call.action;
  std::string text = "A " + values_of(record.a, with_action) + "; B " + values_of(record.b, with_action);
  if (record.a && record.b && record.a->call.why != record.b->call.why)
    text += "; why: A " + printable(record.a->call.why) + "; B " + printable(record.b->call.why);
  return text;
}

const Call& call_of(const RecordDifference& record) { return record.a ? record.a->call : record.b->call; }

std::string what_differs(const RecordDifference& record) {
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
  if (before.collectives > 0) kinds.push_back(counted(before.collectives, "collective"));
  if (before.unread > 0) kinds.push_back(std::to_string(before.unread) + " not looked into");
  if (!kinds.empty()) text += ", of them " + enumerated(kinds);
  if (before.without > 0)
    text += "; " + std::to_string(before.without) +
            (before.without == 1 ? " of them says nothing of its values"
                                 : " of them say nothing of their values");
  return text;
}

/// "in process 0.2, thread 0.1".
std::string where(const Cause& cause) {
  return "in " + describe(cause.process) +
         (cause.thread.empty() ? "" : ", thread " + printable(cause.thread));
}

std::string name_of(const RecordDifference& record) {
  const Call& call = call_of(record);
  return printable(call.function) + (record.place.empty() ? "" : ", " + record.place);
}

const char* kind_of(const FactDifference& fact) {
  return fact.section == Section::settings    ? "setting "
         : fact.section == Section::libraries ? "library, "
                                              : "";
}

void print_cause(std::ostream& out, const Cause& cause, Style style) {
  if (cause.fact) {
    out << "  " << kind_of(*cause.fact) << style.bold(printable(cause.fact->subject));
    if (cause.fact->section != Section::processes) out << ", " << where(cause);
    out << "\n    " << sides(*cause.fact) << '\n';
    return;
  }
  const RecordDifference& record = *cause.record;
  out << "  " << style.bold(name_of(record)) << "\n    " << where(cause) << ": " << what_differs(record)
      << "\n    " << sides(record) << "\n    " << describe_before(cause.before) << '\n';
}

/// So many of the rank's causes were there before its first record.
std::size_t causes_before_records(const RankDifference& rank) {
  return static_cast<std::size_t>(
      std::ranges::count_if(rank.causes, [](const Cause& cause) { return strength(cause) == 0; }));
}

/// "one of these", where that is all that is known.
const char* how_sure(const RankDifference& rank) {
  const std::size_t before = causes_before_records(rank);
  return (before == 0 ? rank.causes.size() : before) > 1 ? ": one of these; which, the logs do not tell" : "";
}

void print_causes(std::ostream& out, const RankDifference& rank, Style style) {
  const std::size_t shown = std::min(rank.causes.size(), shown_causes);
  const std::size_t before = causes_before_records(rank);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0 && i == before) out << "then, first in their threads, whether or not because of it\n";
    print_cause(out, rank.causes[i], style);
  }
  const std::uint64_t more = rank.causes.size() - shown + rank.further;
  if (more > 0) out << "  and " << counted(more, "further place", "further places") << " in this rank\n";
}

std::string name_of(const RankDifference& rank) {
  return "rank " + std::to_string(rank.rank) + (rank.world.empty() ? "" : " of job " + printable(rank.world));
}

std::string heading_of(const RankDifference& rank, bool has_ranks) {
  return has_ranks ? name_of(rank) + ", " + role_names[static_cast<int>(rank.role)] : "first to differ";
}

void print_section(std::ostream& out, const LogDifference& difference, Section section, Style style) {
  const std::uint64_t all = difference.differences[static_cast<int>(section)];
  if (all == 0) return;
  out << '\n' << style.bold(section_names[static_cast<int>(section)]) << " (" << all << ")\n";
  std::size_t shown = 0;
  std::uint64_t processes = 0;
  for (const FactDifference& fact : difference.facts) {
    if (fact.section != section || shown == shown_of_a_section) continue;
    ++shown;
    processes += std::max<std::uint64_t>(fact.processes, 1);
    out << "  " << printable(fact.subject) << ": " << sides(fact);
    if (fact.processes > 1) out << ", in " << counted(fact.processes, "process", "processes");
    out << '\n';
  }
  for (const RecordDifference& record : difference.records) {
    if (record.section != section || shown == shown_of_a_section) continue;
    ++shown;
    ++processes;
    out << "  " << name_of(record) << " (" << kind_names[static_cast<int>(record.kind)]
        << (record.is_volatile ? ", volatile" : "") << ")\n    " << sides(record) << '\n';
  }
  if (all > processes) out << "  and " << all - processes << " more\n";
}

void print_discriminators(std::ostream& out, const LogDifference& difference, Style style) {
  for (const Discriminator& one : difference.discriminators) {
    out << '\n' << style.bold(printable(one.function)) << " by what went in\n";
    for (std::size_t i = 0; i < std::min(one.rows.size(), shown_of_a_section); ++i) {
      const Discriminator::Row& row = one.rows[i];
      out << "  " << (row.counts.diverging > 0 ? "diverging " : "clean     ");
      if (row.counts.diverging > 0) out << row.counts.diverging << " of ";
      out << counted(row.counts.records, "record") << ": "
          << cut(describe_fields(row.attributes), longest_value) << '\n';
    }
    if (one.rows.size() > shown_of_a_section)
      out << "  and " << one.rows.size() - shown_of_a_section << " more\n";
  }
}

} // namespace

std::string name_of(const Cause& cause) {
  return cause.fact ? kind_of(*cause.fact) + printable(cause.fact->subject) : name_of(*cause.record);
}

void print_leading_cause(std::ostream& out, const LogDifference& difference, Style style) {
  if (difference.first_cause() == nullptr) return;
  const RankDifference& rank = difference.ranks.front();
  const std::uint64_t others = rank.causes.size() - 1 + rank.further;
  out << style.bold(heading_of(rank, difference.ranks.size() > 1));
  if (*how_sure(rank) != 0) out << ", or one of " << counted(others, "other place");
  out << '\n';
  print_cause(out, rank.causes.front(), style);
}

void print_first_cause(std::ostream& out, const LogDifference& difference, Style style) {
  const bool has_ranks = difference.ranks.size() > 1;
  std::size_t shown = 0, differing = 0;
  for (const RankDifference& rank : difference.ranks) {
    if (rank.causes.empty() || ++differing > shown_ranks) continue;
    ++shown;
    out << style.bold(heading_of(rank, has_ranks)) << how_sure(rank) << '\n';
    print_causes(out, rank, style);
  }
  if (differing > shown) out << "and " << counted(differing - shown, "further rank") << '\n';
  const std::size_t same = difference.ranks.size() - differing;
  if (has_ranks && differing > 0 && same > 0)
    out << counted(same, "rank") << " of " << difference.ranks.size()
        << " without a difference in the logs\n";
}

void print_difference_text(std::ostream& out, const LogDifference& difference, Style style) {
  for (const auto& [name, side] : {std::pair("A", &difference.a), std::pair("B", &difference.b)}) {
    out << name << "  " << printable(side->folder) << ", run " << printable(side->run) << ": "
        << counted(side->records, "record") << " of " << counted(side->processes, "process", "processes");
    if (side->other_runs > 0)
      out << " (" << counted(side->other_runs, "other run") << " in this folder: FOLDER/RUN names one)";
    out << '\n';
  }
  const LogDifference::Result result = difference.result();
  if (result == LogDifference::Result::different) {
    std::uint64_t all = 0;
    for (const std::uint64_t count : difference.differences) all += count;
    out << style.red("different") << ": " << counted(all, "difference") << "; "
        << counted(difference.identical, "record") << (difference.identical == 1 ? " is" : " are")
        << " the same\n\n";
    print_first_cause(out, difference, style);
  } else {
    out << (result == LogDifference::Result::equal
                ? style.bold("equal") + ": nothing differs in what the logs hold; "
                : style.bold("not known") +
                      ": nothing differs in what the logs hold, but they do not hold all; ")
        << counted(difference.identical, "record") << (difference.identical == 1 ? " is" : " are")
        << " the same\n";
  }
  for (int section = 0; section < section_count; ++section)
    print_section(out, difference, static_cast<Section>(section), style);
  print_discriminators(out, difference, style);
  if (!difference.unknown.empty()) out << "\nnot known\n";
  for (const std::string& what : difference.unknown) out << "  " << what << '\n';
  if (!difference.notes.empty()) out << "\nnote\n";
  for (const std::string& note : difference.notes) out << "  " << note << '\n';
}

} // namespace detshim
