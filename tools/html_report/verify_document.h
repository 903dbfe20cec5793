// The document that `detshim verify --json` prints, and that stands as verify.json in the folder of its runs.
#pragma once

#include "verify/artifact_formats/compare.h"

#include <string>
#include <vector>

namespace detshim {

/// Texts are as they stand in the document: not safe to print.
struct VerifyDocument {
  struct Run {
    std::string name, perturbation, ending, folder;
    std::string level; ///< of its log; empty without one
    double seconds = 0;
  };
  struct Item { ///< something that was compared
    std::string kind, subject, amount;
    bool is_equal = true;
  };
  struct Difference {
    std::string one, other, perturbation; ///< names of the runs; what was turned for the other
    std::string kind, subject;
    ContentDifference what;
  };
  struct Volatile {
    std::string one, other, stream;
    std::uint64_t lines = 0, line = 0;
    std::string value, other_value;
  };
  struct Problem {
    std::string kind, text;
  };

  std::string verdict;
  std::string text; ///< the closing line; of an older document the verdict alone
  std::vector<std::string> command;
  std::string seed, mode, folder, bound;
  std::vector<Run> controls, runs, resumed;
  std::vector<Item> items;
  std::vector<Difference> differences, control_differences;
  std::vector<Volatile> volatile_lines;
  std::vector<Problem> problems;
  std::vector<Problem> searches; ///< of --allocations; kind: what they came to
  std::vector<std::string> notes;
  double relative_tolerance = 0, absolute_tolerance = 0;

  const Run* find_run(const std::string& name) const;
};

/// Folders of runs are looked for beside the file where they are not where the document says. Throws
/// UsageError for what is no such document.
VerifyDocument read_verify_document(const std::string& file);

/// "output 'a.npy'", safe to print.
std::string describe_item(const std::string& kind, const std::string& subject);

} // namespace detshim
