#include "log_diff/difference_report.h"

#include "log_diff/difference_wording.h"
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

const char* kind_of(const FactDifference& fact) {
  return fact.section == Section::settings    ? "setting "
         : fact.section == Section::libraries ? "library, "
                                              : "";
}

void print_cause(std::ostream& out, const Cause& cause, Style style) {
  if (cause.fact) {
    out << "  " << kind_of(*cause.fact) << style.bold(printable(cause.fact->subject.text));
    if (cause.fact->section != Section::processes) out << ", " << where(cause);
    out << "\n    " << sides(*cause.fact) << '\n';
    return;
  }
  const RecordDifference& record = *cause.record;
  out << "  " << style.bold(name_of(record)) << "\n    " << where(cause) << ": " << what_differs(record)
      << "\n    " << sides(record) << "\n    " << describe_before(cause.before) << describe_launched(cause)
      << '\n';
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
    out << "  " << printable(fact.subject.text) << ": " << sides(fact);
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

void print_suspects(std::ostream& out, const std::vector<Suspect>& suspects) {
  if (suspects.empty()) return;
  out << "\nresults may differ though these records agree\n";
  for (std::size_t i = 0; i < std::min(suspects.size(), shown_of_a_section); ++i)
    out << "  " << suspects[i].text << '\n';
  if (suspects.size() > shown_of_a_section)
    out << "  and " << suspects.size() - shown_of_a_section << " more: --json\n";
}

} // namespace

std::string name_of(const Cause& cause) {
  return cause.fact ? kind_of(*cause.fact) + printable(cause.fact->subject.text) : name_of(*cause.record);
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
  print_suspects(out, difference.suspects);
}

} // namespace detshim
