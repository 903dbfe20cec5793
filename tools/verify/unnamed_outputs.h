// Files that a program writes and that no --output names: they may be what the user wants to be
// equal.
#pragma once

#include "environment/capture.h"
#include "verify/compared_texts.h"
#include "verify/run_once.h"

#include <cstddef>
#include <string>
#include <vector>

namespace detshim {

/// Keeps what small texts among `run.unnamed_outputs` hold, before the next run writes them again.
void keep_unnamed_texts(Run& run);

/// Numbers that both runs wrote under that name, and equal.
struct WrittenResult {
  std::string name, file;
  std::size_t values = 0;
};
std::vector<WrittenResult> equal_written_results(const Run& one, const Run& other,
                                                 const ComparisonRules& rules);

/// One that differs, and how: "curve.csv", "line 3: '1,0.5' and '1,0.6'".
struct DifferingFile {
  std::string path, how;
};

struct UnnamedDifferences {
  std::vector<DifferingFile> files;
  std::vector<std::string> of_times; ///< texts that differ in times alone
};

/// Of two runs that follow one another; `is_first_pair`: nothing ran before them. Names that differ
/// in the run's moment alone are one name, and lines that show times are compared like those on the
/// standard streams.
UnnamedDifferences compare_unnamed_outputs(const Run& one, const Run& other, bool is_first_pair,
                                           const ComparisonRules& rules);

} // namespace detshim
