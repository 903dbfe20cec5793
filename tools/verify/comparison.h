// What two runs have in common, and what not.
#pragma once

#include "artifact_formats/compare.h"
#include "verify/compared_texts.h"
#include "verify/found_results.h"
#include "verify/lines.h"
#include "verify/metrics.h"
#include "verify/run_once.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace detshim {

/// What can be compared. The names are those of the JSON document.
enum class ItemKind { exit_status, out, err, output, metric, result, fingerprint };

constexpr ItemKind item_kind(PrintedStream stream) {
  return stream == PrintedStream::out ? ItemKind::out : ItemKind::err;
}

/// Something that was compared: a stream, an output by its name, a metric by its pattern, a result
/// that the program prints by the name that it gives it.
struct ComparedItem {
  ItemKind kind = ItemKind::exit_status;
  std::string subject;          ///< of an output, a metric or a result
  std::string amount;           ///< "12 lines", "npy, 1200 bytes"
  bool holds_something = true;  ///< false: equal because it is empty
  bool has_other_bytes = false; ///< equal in what it holds, and not by its bytes
  bool is_link = false;         ///< it has no bytes of its own

  /// The same thing in another pair of runs.
  bool is(const ComparedItem& other) const {
    return kind == other.kind && subject == other.subject;
  }
  /// "exit status", "stdout", "stderr", "output", "metric", "result", "fingerprint".
  const char* kind_name() const;
  /// What the user named (--output, --metric), rather than what every run has.
  bool is_named() const { return kind == ItemKind::output || kind == ItemKind::metric; }
};

struct Difference {
  ComparedItem item;
  ContentDifference what;
};

/// Lines that are equal but for what changes from run to run.
struct VolatileLines {
  PrintedStream stream = PrintedStream::out;
  std::uint64_t count = 0;
  LinePair first;
};

struct Comparison {
  std::string one, other;                     ///< names of the runs
  const Perturbation* perturbation = nullptr; ///< what was turned for the other; null: nothing
  bool is_resumed = false;     ///< the other was killed and started again: it has two parts
  std::size_t other_index = 0; ///< among the runs; 0 for a resumed one
  std::vector<ComparedItem> items;
  std::vector<Difference> differences;
  std::vector<VolatileLines> volatile_lines;
  std::vector<std::string> remarks;    ///< what was passed over, in words
  std::vector<std::string> uncompared; ///< why something that was asked for could not be compared

  /// Of two runs that nothing was turned in.
  bool is_plain() const { return perturbation == nullptr && !is_resumed; }
  /// "aslr", "resume"; empty for plain runs.
  std::string perturbation_name() const;
  bool differs() const { return !differences.empty(); }
  bool differs_in(const ComparedItem& item) const;
};

/// Calls compare(), and notes why where it throws: a metric that is no number, a file that cannot
/// be read, a REGEX that takes too long. What else there is can be compared all the same.
template <typename Compare>
void note_what_fails(Comparison& result, Compare compare) {
  try {
    compare();
  } catch (const std::runtime_error& error) { // UsageError, std::system_error
    result.uncompared.emplace_back(error.what());
  }
}

/// What two runs printed. `different`: where not null, for the lines that differ.
/// `results`: where not null, for what it finds in them.
LineComparison compare_stream(PrintedStream stream, const Run& one, const Run& other,
                              const ComparisonRules& rules,
                              std::set<std::uint64_t>* different = nullptr,
                              FoundResults* results = nullptr);

Comparison compare_runs(const Run& one, const Run& other, const ComparisonRules& rules);

} // namespace detshim
