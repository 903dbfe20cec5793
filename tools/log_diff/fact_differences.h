// Settings, libraries, ranks and processes in which two runs differ, and what of them is not known.
#pragma once

#include "log_diff/difference.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace detshim {

class FactDifferences {
public:
  /// `turned`: settings that were made to differ, which is no difference but a note.
  explicit FactDifferences(std::set<std::string> turned) : turned_(std::move(turned)) {}

  /// What they held, where their builds are not known.
  void know_files(Facts in_a, Facts in_b) {
    files_a_ = std::move(in_a), files_b_ = std::move(in_b);
  }

  /// Of one program in both runs. Returns those of its differences that tell something.
  std::vector<FactDifference> compare(const Program& a, const Program& b, bool have_same_records);

  /// A program that one run lacks.
  FactDifference missing(const Program& program, bool is_in_a);

  void compare_ranks(const LoggedRun& a, const LoggedRun& b);

  void add(const FactDifference& difference);

  /// Hands over what was found.
  void finish(LogDifference& to);

private:
  class ProgramComparison;

  std::set<std::string> turned_;
  Facts files_a_, files_b_;
  std::map<std::tuple<Section, FactSubject, std::optional<std::string>, std::optional<std::string>>,
           FactDifference>
      differences_;
  std::uint64_t counts_[section_count] = {};
  std::map<FactSubject, std::uint64_t> unknown_; ///< number of processes, by what is not known
  std::set<std::string> notes_;
};

} // namespace detshim
