// What two runs have in common, and what not.
#pragma once

#include "verify/artifact_formats/compare.h"
#include "verify/lines.h"
#include "verify/metrics.h"
#include "verify/run_once.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace detshim {

/// What is looked at in a pair of runs.
struct ComparisonRules {
  std::vector<std::string> outputs; ///< globs
  std::vector<Pattern> metrics;
  Tolerance tolerance;
  std::vector<Pattern> declared_volatile;
  bool ignores_out = false, ignores_err = false;
  std::vector<std::string> ignored_files; ///< globs; of those that no output names
};

/// Something that was compared: "stdout", an output by its name, a metric by its pattern.
struct ComparedItem {
  const char* kind = "";        ///< "exit status", "stdout", "stderr", "output", "metric"
  std::string subject;          ///< of an output or a metric
  std::string amount;           ///< "12 lines", "npy, 1200 bytes"
  bool holds_something = true;  ///< false: equal because it is empty
  bool has_other_bytes = false; ///< equal in what it holds, and not by its bytes

  /// The same thing in another pair of runs.
  bool is(const ComparedItem& other) const {
    return std::string_view(kind) == other.kind && subject == other.subject;
  }
};

struct Difference {
  ComparedItem item;
  ContentDifference what;
};

/// Lines that are equal but for what changes from run to run.
struct VolatileLines {
  const char* stream = "";
  std::uint64_t count = 0;
  LinePair first;
};

struct Comparison {
  std::string one, other;      ///< names of the runs
  std::string perturbation;    ///< what was turned for the other; empty: nothing
  std::size_t other_index = 0; ///< among the runs; 0: of a run in two parts
  std::vector<ComparedItem> items;
  std::vector<Difference> differences;
  std::vector<VolatileLines> volatile_lines;
  std::vector<std::string> remarks;    ///< what was passed over, in words
  std::vector<std::string> uncompared; ///< why something that was asked for could not be compared

  bool differs() const { return !differences.empty(); }
  bool differs_in(const ComparedItem& item) const;
};

/// Calls compare(), and notes why where it throws: a metric that is no number, a file that cannot be read, a
/// REGEX that takes too long. What else there is can be compared all the same.
template <typename Compare>
void note_what_fails(Comparison& result, Compare compare) {
  try {
    compare();
  } catch (const std::runtime_error& error) { // UsageError, std::system_error
    result.uncompared.emplace_back(error.what());
  }
}

/// What two runs printed on "stdout" or "stderr". `different`: where not null, for the lines that differ.
LineComparison compare_stream(std::string_view stream, const Run& one, const Run& other,
                              const ComparisonRules& rules, std::set<std::uint64_t>* different = nullptr);

Comparison compare_runs(const Run& one, const Run& other, const ComparisonRules& rules);

} // namespace detshim
