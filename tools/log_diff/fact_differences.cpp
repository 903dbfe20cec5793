#include "log_diff/fact_differences.h"

#include "support/wording.h"

#include <algorithm>
#include <cstddef>

namespace detshim {
namespace {

constexpr std::size_t most_differences = 10000; ///< kept; of more the number

std::optional<std::string> find(const Facts& facts, const FactSubject& subject) {
  const auto found = facts.find(subject);
  return found == facts.end() ? std::nullopt : std::optional(found->second);
}

/// Calls visit(subject, value in a, value in b) for each subject that is not the same in both, or not known.
template <typename Visit>
void each_difference(const Facts& a, const Facts& b, Visit visit) {
  for (const auto& [subject, value] : a)
    if (const std::optional<std::string> other = find(b, subject); value.empty() || other != value)
      visit(subject, std::optional(value), other);
  for (const auto& [subject, value] : b)
    if (!a.contains(subject)) visit(subject, std::optional<std::string>(), std::optional(value));
}

Section section_of(FactKind library_fact) {
  if (library_fact == FactKind::calls) return Section::draws;
  return library_fact == FactKind::lost_log ? Section::processes : Section::libraries;
}

bool has_no_files(const Facts& libraries) {
  return std::ranges::any_of(libraries,
                             [](const auto& fact) { return fact.first.kind == FactKind::unknown_files; });
}

} // namespace

std::vector<FactDifference> FactDifferences::compare(const Program& a, const Program& b,
                                                     bool have_same_records) {
  std::vector<FactDifference> found;
  const auto differ = [&](Section section, const FactSubject& subject, const auto& in_a, const auto& in_b) {
    found.push_back({section, subject, in_a, in_b, a.name, 1});
    add(found.back());
  };
  const auto note = [&](const FactSubject& subject, const auto& in_a, const auto& in_b, const char* why) {
    notes_.insert(subject.text + ": " + in_a.value_or("none") + " in A, " + in_b.value_or("none") + " in B" +
                  why);
  };
  const auto is_unknown = [](const auto& in_a, const auto& in_b) {
    return in_a && in_b && (in_a->empty() || in_b->empty());
  };
  const std::string program = find(*a.settings, program_subject).value_or("");
  const std::optional<std::string> build = find(*a.libraries, file_subject(program));
  const bool is_same_build = build && !build->empty() && build == find(*b.libraries, file_subject(program));
  each_difference(*a.settings, *b.settings,
                  [&](const FactSubject& subject, const auto& in_a, const auto& in_b) {
                    if (is_unknown(in_a, in_b))
                      ++unknown_[subject];
                    else if (subject.kind == FactKind::program_path && is_same_build)
                      notes_.insert(*in_a + " ran in one, " + *in_b + " in the other, of one build");
                    else if (turned_.contains(subject.text))
                      note(subject, in_a, in_b, ", as it was asked for");
                    else
                      differ(Section::settings, subject, in_a, in_b);
                  });
  const bool files_are_known = !has_no_files(*a.libraries) && !has_no_files(*b.libraries);
  // Where records differ they say more than the sum, which a process that was killed has not.
  const bool sums_are_told = have_same_records && a.has_end && b.has_end;
  each_difference(*a.libraries, *b.libraries,
                  [&](const FactSubject& subject, const auto& in_a, const auto& in_b) {
                    const Section section = section_of(subject.kind);
                    const auto held_a = find(files_a_, subject), held_b = find(files_b_, subject);
                    if (is_unknown(in_a, in_b) && held_a && held_b) {
                      if (held_a != held_b) differ(section, subject, held_a, held_b);
                    } else if (is_unknown(in_a, in_b) || subject.kind == FactKind::unknown_files)
                      ++unknown_[subject];
                    else if (subject.kind == FactKind::killed)
                      note(subject, in_a, in_b, "");
                    else if ((files_are_known || subject.kind != FactKind::file) &&
                             (sums_are_told || section != Section::draws))
                      differ(section, subject, in_a, in_b);
                  });
  return found;
}

FactDifference FactDifferences::missing(const Program& program, bool is_in_a) {
  std::uint64_t records = 0;
  for (const ThreadRecords& thread : program.threads) records += thread.records;
  const std::string what =
      find(*program.settings, command_line_subject).value_or("") + " (" + counted(records, "record") + ")";
  FactDifference difference{
      Section::processes, {describe(program.name)}, std::nullopt, std::nullopt, program.name, 1};
  (is_in_a ? difference.a : difference.b) = what;
  add(difference);
  return difference;
}

void FactDifferences::compare_ranks(const LoggedRun& a, const LoggedRun& b) {
  const auto ranks_of = [this](const LoggedRun& run, const char* side) {
    Facts facts;
    std::map<std::string, std::pair<std::int64_t, std::set<std::int64_t>>> jobs;
    for (const RankMark& mark : run.marks) {
      auto& [size, ranks] = jobs[mark.job];
      if (!mark.program.empty() || mark.size == 0) continue;
      size = std::max(size, mark.size);
      ranks.insert(mark.rank);
    }
    for (const auto& [job, ranks_of_job] : jobs) {
      const std::string name = job.empty() ? "the job" : "job " + job;
      facts[{"ranks of " + name}] =
          std::to_string(ranks_of_job.second.size()) + " of " + std::to_string(ranks_of_job.first);
      const auto missing = ranks_of_job.first - static_cast<std::int64_t>(ranks_of_job.second.size());
      if (missing > 0)
        ++unknown_[{counted(static_cast<std::uint64_t>(missing), "rank") + " of " + name + " in " + side}];
      for (const std::int64_t rank : ranks_of_job.second)
        facts[{"rank " + std::to_string(rank) + " of " + name}] = "there";
    }
    return facts;
  };
  each_difference(ranks_of(a, "A"), ranks_of(b, "B"),
                  [this](const FactSubject& subject, const auto& in_a, const auto& in_b) {
                    add({Section::ranks, subject, in_a, in_b, {}, 0});
                  });
}

void FactDifferences::add(const FactDifference& difference) {
  ++counts_[static_cast<int>(difference.section)];
  const auto key = std::make_tuple(difference.section, difference.subject, difference.a, difference.b);
  if (const auto known = differences_.find(key); known != differences_.end())
    ++known->second.processes;
  else if (differences_.size() < most_differences)
    differences_.emplace(key, difference);
}

void FactDifferences::finish(LogDifference& to) {
  for (auto& [key, difference] : differences_) to.facts.push_back(std::move(difference));
  for (int i = 0; i < section_count; ++i) to.differences[i] += counts_[i];
  std::vector<std::string> files;
  for (const auto& [what, processes] : unknown_) {
    if (what.kind == FactKind::file)
      files.push_back(printable(what.text.substr(file_subject({}).text.size())));
    else
      to.unknown.push_back(printable(what.text) + (processes > 1
                                                       ? " in " + counted(processes, "process", "processes")
                                                       : std::string()));
  }
  if (!files.empty()) to.unknown.push_back("the builds of " + some_of(files));
  for (const std::string& note : notes_) to.notes.push_back(printable(note));
}

} // namespace detshim
