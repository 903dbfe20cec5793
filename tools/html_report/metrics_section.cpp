#include "html_report/report_sections.h"

#include "html_report/curve.h"
#include "html_report/section_parts.h"
#include "log_reader/printable.h"
#include "support/wording.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace detshim {
namespace {

std::string decimal(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", number);
  return text;
}

/// A line of the picture, in the look of the series of that number.
struct PlotLine {
  std::string path;
  std::string look; ///< classes of the style sheet
};

/// Controls are thinner: they are what enforcement is there to end.
std::string look_of(const MetricCurves& curves, std::size_t i) {
  const bool is_control = curves.series[i].kind == MetricSeries::control;
  return "series s" + std::to_string(i) + (is_control ? " control" : "");
}

std::string name_of(const MetricSeries& series) {
  switch (series.kind) {
  case MetricSeries::control:
    return series.run + " (without enforcement)";
  case MetricSeries::killed:
    return series.run + " (until it was killed)";
  case MetricSeries::resumed:
    return series.run + " (from step " + std::to_string(series.begin + 1) + ")";
  default:
    return series.run;
  }
}

struct Plot {
  PlotArea area;
  std::vector<PlotLine> lines;
  std::string high, low;          ///< beside the picture
  std::string title, description; ///< for those who do not see it
  std::size_t mark = 0;           ///< the step that is marked, from 1; 0: none
};

void write_steps(HtmlWriter& html, const Plot& plot) {
  const Element steps(html, "div", {{"class", "steps"}, {"aria-hidden", "true"}});
  html.element("span", "step 1");
  html.element("span", std::to_string(std::max<std::size_t>(plot.area.steps, 1)));
}

void write_mark(HtmlWriter& html, const Plot& plot) {
  if (plot.mark == 0 || plot.mark > plot.area.steps) return;
  const double x = plot.area.x(plot.mark - 1);
  html.element("div",
               {{"class", x > PlotArea::width / 2 ? "mark right" : "mark"},
                {"aria-hidden", "true"},
                {"style", "--at:" + decimal(x / PlotArea::width * 100) + "%"}},
               "first difference: step " + std::to_string(plot.mark));
}

void write_picture(HtmlWriter& html, const Plot& plot) {
  const std::string title = html.unique_id("curve"), description = title + "-text";
  const std::string width = decimal(PlotArea::width), height = decimal(PlotArea::height);
  const Element picture(html, "svg",
                        {{"role", "img"},
                         {"viewBox", "0 0 " + width + " " + height},
                         {"preserveAspectRatio", "none"},
                         {"aria-labelledby", title + " " + description}});
  html.element("title", {{"id", title}}, plot.title);
  html.element("desc", {{"id", description}}, plot.description);
  for (const PlotLine& line : plot.lines) html.element("path", {{"class", line.look}, {"d", line.path}}, "");
  if (plot.mark == 0 || plot.mark > plot.area.steps) return;
  const std::string x = decimal(plot.area.x(plot.mark - 1));
  html.element("line", {{"class", "first"}, {"x1", x}, {"x2", x}, {"y1", "0"}, {"y2", height}}, "");
}

void write_plot(HtmlWriter& html, const Plot& plot) {
  const Element frame(html, "div", {{"class", "plot"}});
  write_mark(html, plot);
  {
    const Element scale(html, "div", {{"class", "scale"}, {"aria-hidden", "true"}});
    html.element("span", plot.high);
    html.element("span", plot.low);
  }
  write_picture(html, plot);
  write_steps(html, plot);
}

/// |run - first run| by step, as its logarithm; no number where they are equal.
std::vector<double> distances(const MetricSeries& run, const MetricSeries& first) {
  std::vector<double> result;
  for (std::size_t i = 0; i < std::min(run.values.size(), first.values.size()); ++i) {
    const double distance = std::fabs(run.values[i] - first.values[i]);
    result.push_back(distance > 0 ? std::log10(distance) : std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

bool has_number(const std::vector<double>& values) {
  return std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
}

void write_distances(HtmlWriter& html, const MetricCurves& curves) {
  std::vector<std::vector<double>> all;
  std::vector<std::string> looks;
  for (std::size_t i = 1; i < curves.series.size(); ++i) {
    if (curves.series[i].kind == MetricSeries::control) continue;
    std::vector<double> values = distances(curves.series[i], curves.series.front());
    if (!has_number(values)) continue;
    values.resize(std::max(values.size(), curves.series.front().values.size()),
                  std::numeric_limits<double>::quiet_NaN());
    all.push_back(std::move(values));
    looks.push_back(look_of(curves, i));
  }
  if (all.empty()) return;
  std::vector<const std::vector<double>*> pointers;
  pointers.reserve(all.size());
  for (const auto& values : all) pointers.push_back(&values);
  Plot plot;
  plot.area = PlotArea::around(pointers);
  for (std::size_t i = 0; i < all.size(); ++i) plot.lines.push_back({path_of(all[i], plot.area), looks[i]});
  plot.high = short_number(std::pow(10, plot.area.high));
  plot.low = short_number(std::pow(10, plot.area.low));
  plot.title = "Distance from " + curves.series.front().run + " by step";
  plot.description = "Logarithmic, from " + plot.low + " to " + plot.high + ". Equal steps leave a gap.";
  html.element("p", {{"class", "plot-title"}},
               "Distance from " + curves.series.front().run + " (logarithmic; no line where equal)");
  write_plot(html, plot);
}

void write_legend(HtmlWriter& html, const MetricCurves& curves) {
  const Element list(html, "ul", {{"class", "legend"}});
  for (std::size_t i = 0; i < curves.series.size(); ++i) {
    const Element item(html, "li");
    {
      const Element key(html, "svg", {{"viewBox", "0 0 32 8"}, {"aria-hidden", "true"}});
      html.element("path", {{"class", look_of(curves, i)}, {"d", "M0 4L32 4"}}, "");
    }
    const MetricSeries& series = curves.series[i];
    html.text(name_of(series) + ", " + counted(series.values.size() - series.begin, "value"));
  }
}

/// The numbers of a few steps around the first difference, or at the beginning.
void write_values(HtmlWriter& html, const MetricCurves& curves) {
  constexpr std::size_t before = 3, rows = 10;
  const std::size_t first = curves.first ? curves.first->step : 1;
  const std::size_t begin = first > before ? first - before - 1 : 0;
  std::size_t steps = 0;
  for (const MetricSeries& series : curves.series) steps = std::max(steps, series.values.size());
  const Element fold(html, "details");
  html.element("summary", curves.first ? "Values around the first difference" : "The first values");
  std::vector<Column> columns{{"Step", Column::Kind::number}};
  for (const MetricSeries& series : curves.series)
    columns.push_back({series.run.c_str(), Column::Kind::number});
  Table table(html, "Values by step and run", std::move(columns), Table::Width::scrolls);
  for (std::size_t step = begin; step < std::min(begin + rows, steps); ++step) {
    std::vector<std::string> cells{std::to_string(step + 1)};
    for (const MetricSeries& series : curves.series)
      cells.push_back(step >= series.begin && step < series.values.size() ? exact_number(series.values[step])
                                                                          : "not there");
    table.row(cells, curves.first && step + 1 == first ? "bad" : "");
  }
}

std::string describe_first(const MetricCurves& curves) {
  if (!curves.first) return "No run differs from " + curves.series.front().run + ".";
  return "First difference: step " + std::to_string(curves.first->step) + ", " + curves.series.front().run +
         " " + curves.first->value + " and " + curves.differing_run + " " + curves.first->other_value + "; " +
         std::to_string(curves.first->count) + " of " + counted(curves.first->of, "step") +
         (curves.first->count == 1 ? " differs." : " differ.");
}

void write_curves(HtmlWriter& html, const MetricCurves& curves) {
  const Element figure(html, "figure", {{"class", "metric"}});
  html.element("h3", "'" + printable(curves.pattern) + "' on " + curves.stream);
  write_legend(html, curves);
  std::vector<const std::vector<double>*> values;
  values.reserve(curves.series.size());
  for (const MetricSeries& series : curves.series) values.push_back(&series.values);
  Plot plot;
  plot.area = PlotArea::around(values);
  for (std::size_t i = 0; i < values.size(); ++i)
    plot.lines.push_back({path_of(*values[i], plot.area), look_of(curves, i)});
  plot.high = short_number(plot.area.high);
  plot.low = short_number(plot.area.low);
  plot.mark = curves.first ? curves.first->step : 0;
  plot.title = "'" + curves.pattern + "' by step, for " + counted(curves.series.size(), "run");
  plot.description = "From " + plot.low + " to " + plot.high + " over " + counted(plot.area.steps, "step") +
                     ". " + describe_first(curves);
  write_plot(html, plot);
  write_distances(html, curves);
  html.element("figcaption",
               describe_first(curves) + (curves.runs_left_out > 0
                                             ? " Not drawn: " + counted(curves.runs_left_out, "run") + "."
                                             : ""));
  write_values(html, curves);
}

} // namespace

void write_metrics(HtmlWriter& html, const ReportSource& source) {
  if (source.metrics.curves.empty() && source.metrics.problems.empty()) return;
  const ReportSection section(html, "metrics", "Metrics");
  for (const MetricCurves& curves : source.metrics.curves) write_curves(html, curves);
  for (const std::string& problem : source.metrics.problems) write_note(html, "Not read: " + problem);
}

} // namespace detshim
