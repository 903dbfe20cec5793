// Decides which settings, libraries and ranks differ, subject by subject. A value that one log does
// not state is unknown, and never equal. What was turned on purpose, or is another path to one
// build, is a note. Sums of calls count only where the records agree and both processes have an
// end.
//
// A build id is believed: it cannot know whether two files of one id hold the same code. A file
// without one counts by what was kept of its contents, where both runs have that.
#include "log_diff/fact_differences.h"

#include "support/wording.h"

#include <algorithm>
#include <cstddef>

namespace detshim {
namespace {

constexpr std::size_t most_differences = 10000; ///< kept; of more the number

std::optional<std::string> find(const Facts& facts, const FactSubject& subject) {
  const auto fact = facts.find(subject);
  return fact == facts.end() ? std::nullopt : std::optional(fact->second);
}

/// Calls visit(subject, value in a, value in b) for each subject that is not the same in both, or
/// not known.
template <typename Visit>
void each_difference(const Facts& a, const Facts& b, Visit visit) {
  for (const auto& [subject, value] : a)
    if (const std::optional<std::string> other = find(b, subject); value.empty() || other != value)
      visit(subject, std::optional(value), other);
  for (const auto& [subject, value] : b)
    if (!a.contains(subject))
      visit(subject, std::optional<std::string>(), std::optional(value));
}

Section section_of(FactKind library_fact) {
  if (library_fact == FactKind::calls)
    return Section::draws;
  return library_fact == FactKind::lost_log ? Section::processes : Section::libraries;
}

bool has_no_files(const Facts& libraries) {
  return std::ranges::any_of(libraries, [](const auto& fact) {
    return fact.first.kind == FactKind::unknown_files;
  });
}

} // namespace

/// The facts of one program in two runs.
class FactDifferences::ProgramComparison {
public:
  ProgramComparison(FactDifferences& all, const Program& a, const Program& b)
      : all_(all), a_(a), b_(b) {}

  void compare_settings() {
    const std::string program = find(*a_.settings, program_subject).value_or("");
    const std::optional<std::string> build = find(*a_.libraries, file_subject(program));
    const bool is_same_build =
        build && !build->empty() && build == find(*b_.libraries, file_subject(program));
    each_difference(*a_.settings, *b_.settings,
                    [&](const FactSubject& subject, const Fact& in_a, const Fact& in_b) {
                      if (is_unknown(in_a, in_b))
                        ++all_.unknown_[subject];
                      else if (subject.kind == FactKind::program_path && is_same_build)
                        all_.notes_.insert(*in_a + " ran in one, " + *in_b +
                                           " in the other, of one build");
                      else if (all_.turned_.contains(subject.text))
                        note(subject, in_a, in_b, ", as it was asked for");
                      else
                        differ(Section::settings, subject, in_a, in_b);
                    });
  }

  void compare_libraries(bool have_same_records) {
    const bool files_are_known = !has_no_files(*a_.libraries) && !has_no_files(*b_.libraries);
    // Where records differ they say more than the sum, which a process that was killed has not.
    const bool sums_are_told = have_same_records && a_.has_end && b_.has_end;
    const auto is_told = [&](const FactSubject& subject) {
      if (subject.kind == FactKind::file)
        return files_are_known;
      return sums_are_told || section_of(subject.kind) != Section::draws;
    };
    each_difference(*a_.libraries, *b_.libraries,
                    [&](const FactSubject& subject, const Fact& in_a, const Fact& in_b) {
                      if (is_unknown(in_a, in_b))
                        compare_held_files(subject);
                      else if (subject.kind == FactKind::unknown_files)
                        ++all_.unknown_[subject];
                      else if (subject.kind == FactKind::killed)
                        note(subject, in_a, in_b, "");
                      else if (is_told(subject))
                        differ(section_of(subject.kind), subject, in_a, in_b);
                    });
  }

  std::vector<FactDifference> differences;

private:
  using Fact = std::optional<std::string>;

  static bool is_unknown(const Fact& in_a, const Fact& in_b) {
    return in_a && in_b && (in_a->empty() || in_b->empty());
  }

  void differ(Section section, const FactSubject& subject, const Fact& in_a, const Fact& in_b) {
    differences.push_back({section, subject, in_a, in_b, a_.name, 1});
    all_.add(differences.back());
  }

  void note(const FactSubject& subject, const Fact& in_a, const Fact& in_b, const char* why) {
    all_.notes_.insert(subject.text + ": " + in_a.value_or("none") + " in A, " +
                       in_b.value_or("none") + " in B" + why);
  }

  /// A file whose build a log does not say, by what was kept of it.
  void compare_held_files(const FactSubject& subject) {
    const Fact held_a = find(all_.files_a_, subject);
    const Fact held_b = find(all_.files_b_, subject);
    if (!held_a || !held_b)
      ++all_.unknown_[subject];
    else if (held_a != held_b)
      differ(section_of(subject.kind), subject, held_a, held_b);
  }

  FactDifferences& all_;
  const Program& a_;
  const Program& b_;
};

std::vector<FactDifference> FactDifferences::compare(const Program& a, const Program& b,
                                                     bool have_same_records) {
  ProgramComparison comparison(*this, a, b);
  comparison.compare_settings();
  comparison.compare_libraries(have_same_records);
  return std::move(comparison.differences);
}

FactDifference FactDifferences::missing(const Program& program, bool is_in_a) {
  std::uint64_t records = 0;
  for (const ThreadRecords& thread : program.threads)
    records += thread.records;
  const std::string what = find(*program.settings, command_line_subject).value_or("") + " (" +
                           counted(records, "record") + ")";
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
      if (!mark.program.empty() || mark.size == 0)
        continue;
      size = std::max(size, mark.size);
      ranks.insert(mark.rank);
    }
    for (const auto& [job, ranks_of_job] : jobs) {
      const std::string name = job.empty() ? "the job" : "job " + job;
      facts[{"ranks of " + name}] =
          std::to_string(ranks_of_job.second.size()) + " of " + std::to_string(ranks_of_job.first);
      const auto missing =
          ranks_of_job.first - static_cast<std::int64_t>(ranks_of_job.second.size());
      if (missing > 0)
        ++unknown_[{counted(static_cast<std::uint64_t>(missing), "rank") + " of " + name + " in " +
                    side}];
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
  const auto key =
      std::make_tuple(difference.section, difference.subject, difference.a, difference.b);
  if (const auto known = differences_.find(key); known != differences_.end())
    ++known->second.processes;
  else if (differences_.size() < most_differences)
    differences_.emplace(key, difference);
}

void FactDifferences::finish(LogDifference& to) {
  for (auto& [key, difference] : differences_)
    to.facts.push_back(std::move(difference));
  for (int i = 0; i < section_count; ++i)
    to.differences[i] += counts_[i];
  std::vector<std::string> files;
  for (const auto& [what, processes] : unknown_) {
    if (what.kind == FactKind::file)
      files.push_back(printable(what.text.substr(file_subject({}).text.size())));
    else
      to.unknown.push_back(
          printable(what.text) +
          (processes > 1 ? " in " + counted(processes, "process", "processes") : std::string()));
  }
  if (!files.empty())
    to.unknown.push_back("the builds of " + some_of(files));
  for (const std::string& note : notes_)
    to.notes.push_back(printable(note));
}

} // namespace detshim
