#include "html_report/curve.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace detshim {
namespace {

constexpr std::size_t columns = 500; // twice as many points at most

class Path {
public:
  explicit Path(const PlotArea& area) : area_(area) {}

  void add(std::size_t step, double value) {
    if (!std::isfinite(value)) {
      end_stroke();
      return;
    }
    last_x_ = area_.x(step);
    last_y_ = area_.y(value);
    put(points_in_stroke_++ == 0 ? 'M' : 'L', last_x_, last_y_);
  }

  std::string take() {
    end_stroke();
    return std::move(text_);
  }

private:
  /// A point that stands alone is a short line, or it would not show.
  void end_stroke() {
    constexpr double half = 2;
    if (points_in_stroke_ == 1) {
      put('M', last_x_ - half, last_y_);
      put('L', last_x_ + half, last_y_);
    }
    points_in_stroke_ = 0;
  }

  void put(char letter, double x, double y) {
    char point[64];
    std::snprintf(point, sizeof point, "%c%.1f %.1f", letter, x, y);
    text_ += point;
  }

  const PlotArea& area_;
  std::string text_;
  std::size_t points_in_stroke_ = 0;
  double last_x_ = 0, last_y_ = 0;
};

/// The steps of the smallest and of the largest finite value, in order; or one step, which is not finite.
void add_column(const std::vector<double>& values, std::size_t begin, std::size_t end, Path& path) {
  std::size_t low = begin, high = begin;
  for (std::size_t i = begin; i < end; ++i) {
    if (!std::isfinite(values[i])) continue;
    if (!std::isfinite(values[low]) || values[i] < values[low]) low = i;
    if (!std::isfinite(values[high]) || values[i] > values[high]) high = i;
  }
  path.add(std::min(low, high), values[std::min(low, high)]);
  if (low != high) path.add(std::max(low, high), values[std::max(low, high)]);
}

} // namespace

PlotArea PlotArea::around(const std::vector<const std::vector<double>*>& series) {
  PlotArea area{0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (const std::vector<double>* const values : series) {
    area.steps = std::max(area.steps, values->size());
    for (const double value : *values)
      if (std::isfinite(value)) {
        area.low = std::min(area.low, value);
        area.high = std::max(area.high, value);
      }
  }
  if (area.low > area.high) {
    area.low = 0;
    area.high = 1;
  }
  return area;
}

double PlotArea::x(std::size_t step) const {
  return steps < 2 ? width / 2 : width * static_cast<double>(step) / static_cast<double>(steps - 1);
}

double PlotArea::y(double value) const {
  constexpr double margin = 6; // for the width of the line
  if (!(high > low)) return height / 2;
  // Halved first: the difference of two large numbers may not be finite.
  const double part = (value / 2 - low / 2) / (high / 2 - low / 2);
  return margin + (height - 2 * margin) * (1 - std::clamp(part, 0.0, 1.0));
}

std::string path_of(const std::vector<double>& values, const PlotArea& area) {
  Path path(area);
  if (values.size() <= 2 * columns)
    for (std::size_t i = 0; i < values.size(); ++i) path.add(i, values[i]);
  else
    for (std::size_t column = 0; column < columns; ++column)
      add_column(values, values.size() * column / columns, values.size() * (column + 1) / columns, path);
  return path.take();
}

std::string short_number(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

std::string exact_number(double number) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

} // namespace detshim
