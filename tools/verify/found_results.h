// The numbers that a program prints under a name, without being asked for: `loss=0.25`,
// `"val_acc": 0.93`, `loss 0.25`.
#pragma once

#include "verify/metrics.h"
#include "verify/pattern.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Of two runs, line by line.
class FoundResults {
public:
  FoundResults();

  /// Of lines that stand at the same place: what each run printed, and that without its times
  /// (VolatileText::masked()).
  struct Lines {
    std::string_view printed, without_times;
  };
  void add(const Lines& one, const Lines& other, std::uint64_t number);

  /// Series by the same name, of the first run and of the other. A name that showed a time anywhere
  /// is none.
  struct Pair {
    std::string name;
    std::vector<MetricValue> one, other;
  };
  std::vector<Pair> pairs() const;

private:
  void read(const Lines& lines, std::uint64_t number, std::vector<MetricValue> Pair::*side);
  Pair& pair_of(std::string_view name);

  Pattern named_;
  std::vector<Pair> pairs_; ///< in the order in which their names come first
  std::map<std::string, std::size_t, std::less<>> places_; ///< in `pairs_`, by name
  std::set<std::string, std::less<>> of_times_;
};

} // namespace detshim
