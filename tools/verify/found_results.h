// The numbers that a program prints under a name, without being asked for: `loss=0.25`,
// `"val_acc": 0.93`, `loss 0.25`.
#pragma once

#include "verify/lines.h"
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

/// Calls visit(its name) for each result of a line, but for whole numbers.
void each_result(std::string_view line, const std::function<void(std::string_view)>& visit);

/// Of two runs, line by line.
class FoundResults {
public:
  /// Two lines that stand at the same place.
  void add(const ComparedLine& one, const ComparedLine& other, std::uint64_t number);

  /// The rule by which a comparison of lines hands them over; valid as long as this.
  VisitLines visit();

  /// Series by the same name, of the first run and of the other. A name that showed a time
  /// anywhere, or whole numbers alone, is none.
  struct Pair {
    std::string name;
    std::vector<MetricValue> one, other;
  };
  std::vector<Pair> pairs() const;

private:
  void read(const ComparedLine& lines, std::uint64_t number, std::vector<MetricValue> Pair::*side);
  Pair& pair_of(std::string_view name);

  std::vector<Pair> pairs_; ///< in the order in which their names come first
  std::map<std::string, std::size_t, std::less<>> places_; ///< in `pairs_`, by name
  std::set<std::string, std::less<>> of_times_;
};

} // namespace detshim
