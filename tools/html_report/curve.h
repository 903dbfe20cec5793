// A series of numbers as the path of an SVG picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace detshim {

/// What the picture shows: steps from 0 to `steps` - 1 from left to right, `low` to `high` from bottom to
/// top.
struct PlotArea {
  std::size_t steps = 0;
  double low = 0, high = 0;

  static constexpr double width = 1000, height = 300; ///< in the picture's own units

  /// Large enough for the finite numbers of all; nothing finite: 0 to 1.
  static PlotArea around(const std::vector<const std::vector<double>*>& series);

  double x(std::size_t step) const;
  double y(double value) const;
};

/// The attribute `d` of a path. A value that is not finite leaves a gap. Of a series with more steps than the
/// picture has columns, the smallest and the largest value of each column are kept, so that no spike is lost.
std::string path_of(const std::vector<double>& values, const PlotArea& area);

/// The number in few digits: "0.0779".
std::string short_number(double number);
/// The number in as many digits as tell it from its neighbours.
std::string exact_number(double number);

} // namespace detshim
