// A run that was killed and started again, against one that was left alone: what they have in
// common, and which stream of draws began anew, so that a resumed training does not go on where it
// was.
#pragma once

#include "verify/comparison.h"

#include <cstdint>
#include <string>
#include <vector>

namespace detshim {

/// Compares the status and the outputs of `whole` and `resumed`, and the metrics: what `killed`
/// printed has to be how the series of `whole` begins, what `resumed` printed how it ends, and no
/// step may be missing between. What else was printed is not compared: a resumed run prints
/// something else.
Comparison compare_resumed(const Run& whole, const Run& killed, const Run& resumed,
                           const ComparisonRules& rules);

/// Pinned calls of one function from one place.
struct LedgerRow {
  std::string function; ///< "libc.rand"
  std::string place;    ///< with its line, safe to print
  std::uint64_t whole = 0, killed = 0, resumed = 0;

  /// Its stream began a second time: what it gave first it gave again, unless the program had set
  /// its seed.
  bool began_anew() const { return killed > 0 && resumed > 0; }
};

/// Those that began anew first, then most calls first, without those of no line of the user's.
/// Empty where nothing was pinned, or no log was left.
std::vector<LedgerRow> draw_ledger(const Run& whole, const Run& killed, const Run& resumed);

/// "libc.rand at train.cpp:6 main: 40 calls until the kill, 60 after it (100 in a whole run): ...".
std::string describe_row(const LedgerRow& row);

} // namespace detshim
