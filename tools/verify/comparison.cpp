// Decides, for each thing that two runs have in common, whether it is equal: the exit status, what
// each printed, the metrics that the user named, and the outputs.
//
// It reads what the runs left in their folders, and nothing else: no log, no clock. Outputs are
// paired by name. Event files, whose names hold a time and a process, are paired by the order of
// their names. What cannot be compared is noted as such, and never counts as equal: a link to a
// file that no output names, a pipe, a pattern that matches nothing, a file that cannot be read.
//
// It cannot know whether something that was not named decides a result, nor whether two equal runs
// were equal by chance.
#include "verify/comparison.h"

#include "support/mapped_file.h"
#include "support/wording.h"
#include "verify/found_results.h"
#include "verify/perturbations.h"
#include "verify/unnamed_outputs.h"

#include <algorithm>
#include <map>

namespace detshim {
namespace {

constexpr const char* other_bytes = "; equal in contents, other bytes";

// ------------------------------------------------------------------ what was printed

/// What the first run and another printed on one stream. Of one that was ended at a difference no
/// more is compared than the whole lines that it had printed.
class PrintedPair {
public:
  PrintedPair(PrintedStream stream, const Run& first, const Run& run)
      : first_file_(first.printed(stream)), file_(run.printed(stream)), first_(first_file_.bytes()),
        other_(file_.bytes()) {
    if (!run.ended_at_difference)
      return;
    other_ = whole_lines(other_);
    first_ = first_lines(first_, static_cast<std::size_t>(std::ranges::count(other_, '\n')));
  }

  std::string_view first() const { return first_; }
  std::string_view other() const { return other_; }

private:
  MappedFile first_file_, file_;
  std::string_view first_, other_;
};

/// Where a metric or a result differs, and how.
ContentDifference described(const MetricDifference& difference, const char* unit,
                            PrintedStream stream) {
  ContentDifference what = difference;
  what.unit = unit;
  what.where = std::string(unit) + " " + std::to_string(difference.step);
  if (difference.line > 0)
    what.where +=
        " (" + std::string(stream_name(stream)) + " line " + std::to_string(difference.line) + ")";
  return what;
}

/// A table of names has more, and is compared as lines. Says so.
bool are_too_many_results(std::size_t names, const std::string& where, Comparison& result) {
  constexpr std::size_t most = 64;
  if (names > most)
    result.remarks.push_back(where + ": numbers under " + std::to_string(names) +
                             " names, compared as lines and not by name");
  return names > most;
}

/// They stand before the stream's own difference: they say what became of the result.
void add_results(const FoundResults& found, PrintedStream stream, const ComparisonRules& rules,
                 Comparison& result) {
  const std::string name = stream_name(stream);
  const std::vector<FoundResults::Pair> pairs = found.pairs();
  // With --metric the user has named what counts.
  if (!rules.metrics.empty() || are_too_many_results(pairs.size(), name, result))
    return;
  for (const FoundResults::Pair& pair : pairs) {
    const std::size_t values = std::max(pair.one.size(), pair.other.size());
    const ComparedItem item{ItemKind::result, pair.name, counted(values, "value") + " on " + name};
    if (const auto difference = compare_series(pair.one, pair.other, {}))
      result.differences.push_back({item, described(*difference, "value", stream)});
    result.items.push_back(item);
  }
}

void compare_lines_of(PrintedStream stream, const Run& one, const Run& other,
                      const ComparisonRules& rules, Comparison& result) {
  FoundResults results;
  const LineComparison lines = compare_stream(stream, one, other, rules, nullptr, &results);
  const std::string name = stream_name(stream);
  ComparedItem item{item_kind(stream), "", counted(lines.lines, "line"), lines.with_content > 0};
  if (lines.volatile_lines > 0)
    result.volatile_lines.push_back({stream, lines.volatile_lines, lines.first_volatile});
  item.has_other_bytes = lines.has_other_bytes && lines.different == 0;
  if (item.has_other_bytes && lines.volatile_lines == 0 && lines.tolerated == 0)
    item.amount += other_bytes;
  if (lines.overwritten > 0)
    result.remarks.push_back(name + ": " + counted(lines.overwritten, "state") +
                             " that the program overwrote (\\r) not compared");
  if (lines.tolerated > 0)
    result.remarks.push_back(name + ": " + counted(lines.tolerated, "line") +
                             " equal but for metrics, which are compared with the tolerance");
  add_results(results, stream, rules, result);
  if (lines.different > 0)
    result.differences.push_back({item, content_difference(lines)});
  result.items.push_back(std::move(item));
}

/// False where neither run printed a value there.
bool compare_metric(const Pattern& pattern, PrintedStream stream, const Run& one, const Run& other,
                    const Tolerance& tolerance, Comparison& result) {
  const PrintedPair printed(stream, one, other);
  const std::vector<MetricValue> series = read_series(printed.first(), pattern);
  const std::vector<MetricValue> other_series = read_series(printed.other(), pattern);
  if (series.empty() && other_series.empty())
    return false;
  const std::string name = stream_name(stream);
  ComparedItem item{ItemKind::metric, pattern.text(),
                    counted(series.size(), "value") + " on " + name, true};
  if (const std::optional<MetricDifference> metric =
          compare_series(series, other_series, tolerance)) {
    result.differences.push_back({item, described(*metric, "step", stream)});
  }
  result.items.push_back(std::move(item));
  return true;
}

/// How much of it came before the runs were ended at a line of the other stream.
bool is_of_chance(PrintedStream stream, const Run& one, const Run& other) {
  return one.until && one.until == other.until && one.until != stream;
}

void compare_printed(const Run& one, const Run& other, const ComparisonRules& rules,
                     Comparison& result) {
  for (const PrintedStream stream : both_streams)
    if (!rules.ignores(stream) && !is_of_chance(stream, one, other))
      note_what_fails(result, [&] {
        compare_lines_of(stream, one, other, rules, result);
      });
  for (const Pattern& pattern : rules.metrics)
    note_what_fails(result, [&] {
      bool is_there = false;
      for (const PrintedStream stream : both_streams)
        is_there |= compare_metric(pattern, stream, one, other, rules.tolerance, result);
      if (!is_there)
        result.uncompared.push_back("--metric '" + pattern.text() + "' matches nothing");
    });
}

// ------------------------------------------------------------------ outputs

/// TensorBoard's files have the time, the machine and the process in their names.
std::string event_file_key(const std::string& name) {
  constexpr std::string_view begin = "events.out.tfevents.";
  const std::size_t at = name.rfind('/') + 1; // 0 where it has no folder
  return name.compare(at, begin.size(), begin) == 0 ? name.substr(0, at) + std::string(begin) : "";
}

struct OutputPair {
  const OutputFile* one = nullptr;
  const OutputFile* other = nullptr;
};

/// By name; event files that are left, in the order of their names within each folder.
std::vector<OutputPair> pair_outputs(const Run& run, const Run& other_run,
                                     std::size_t& paired_by_order) {
  std::map<std::string, OutputPair> by_name;
  for (const OutputFile& file : run.outputs)
    by_name[file.name].one = &file;
  for (const OutputFile& file : other_run.outputs)
    by_name[file.name].other = &file;
  std::vector<OutputPair> pairs;
  std::map<std::string, std::pair<std::vector<const OutputFile*>, std::vector<const OutputFile*>>>
      event_files;
  for (const auto& [name, pair] : by_name) {
    const std::string key = event_file_key(name);
    if ((pair.one != nullptr && pair.other != nullptr) || key.empty()) {
      pairs.push_back(pair);
      continue;
    }
    if (pair.one != nullptr)
      event_files[key].first.push_back(pair.one);
    if (pair.other != nullptr)
      event_files[key].second.push_back(pair.other);
  }
  for (const auto& [key, files] : event_files)
    for (std::size_t i = 0; i < std::max(files.first.size(), files.second.size()); ++i) {
      pairs.push_back({i < files.first.size() ? files.first[i] : nullptr,
                       i < files.second.size() ? files.second[i] : nullptr});
      if (pairs.back().one != nullptr && pairs.back().other != nullptr)
        ++paired_by_order;
    }
  return pairs;
}

/// By OutputFile::Kind.
constexpr const char* output_kind_names[] = {"a file", "a symbolic link", "no file",
                                             "an empty folder"};

/// An output of both runs, of one kind in both.
struct OutputComparison {
  const OutputFile &one, &other;
  ComparedItem item;
  Comparison& result;

  void add_difference(ContentDifference what) const {
    result.differences.push_back({item, std::move(what)});
  }
};

void compare_links(OutputComparison& output) {
  const auto& [one, other, item, result] = output;
  output.item.amount = "link";
  output.item.is_link = true;
  if (one.target != other.target)
    output.add_difference({"target of the link", one.target, other.target});
  if (one.leads_outside || other.leads_outside)
    result.uncompared.push_back("output '" + one.name + "' is a link to '" + one.target +
                                "', which is not an output: name that file");
  result.items.push_back(item);
}

void compare_regular_files(OutputComparison& output) {
  auto& [one, other, item, result] = output;
  const FileComparison files = compare_files(one.name, one.stored.string(), other.stored.string());
  if (files.format != "bytes")
    item.amount = files.format + ", " + item.amount;
  if (files.difference)
    output.add_difference(*files.difference);
  item.has_other_bytes = !files.ignored.empty();
  if (item.has_other_bytes) {
    item.amount += other_bytes;
    result.remarks.push_back("output '" + one.name + "': contents are equal, the bytes are not: " +
                             files.ignored + " is passed over");
  }
  result.items.push_back(item);
}

void note_no_file(OutputComparison& output) {
  output.result.uncompared.push_back("output '" + output.one.name +
                                     "' is no file: it was not compared");
}

/// There are many where outputs of before were set aside: that both made one is not listed.
void pass_over_folder(OutputComparison&) {}

/// By OutputFile::Kind.
constexpr void (*compare_by_kind[])(OutputComparison&) = {&compare_regular_files, &compare_links,
                                                          &note_no_file, &pass_over_folder};

ComparedItem item_of(const OutputFile& file) {
  const bool is_folder = file.kind == OutputFile::folder;
  return {ItemKind::output, file.name, is_folder ? "empty folder" : counted(file.size, "byte"),
          file.holds_something()};
}

void add_missing_output(const OutputFile& file, bool is_in_first, Comparison& result) {
  const ComparedItem item = item_of(file);
  const char* const what = file.kind == OutputFile::folder ? "empty folder" : "file";
  const char* const made = is_in_first ? "made" : "not made";
  const char* const other_made = is_in_first ? "not made" : "made";
  result.differences.push_back({item, {what, made, other_made}});
  result.items.push_back(item);
}

void compare_output(const OutputPair& pair, Comparison& result) {
  if (pair.other == nullptr)
    return add_missing_output(*pair.one, true, result);
  if (pair.one == nullptr)
    return add_missing_output(*pair.other, false, result);
  OutputComparison output{*pair.one, *pair.other, item_of(*pair.one), result};
  const auto kind = pair.one->kind, other_kind = pair.other->kind;
  if (kind == other_kind)
    return compare_by_kind[kind](output);
  if (kind == OutputFile::other || other_kind == OutputFile::other)
    return note_no_file(output);
  output.add_difference({"kind", output_kind_names[kind], output_kind_names[other_kind]});
  result.items.push_back(output.item);
}

void compare_outputs(const Run& one, const Run& other, const ComparisonRules& rules,
                     Comparison& result) {
  for (std::size_t i = 0; i < rules.outputs.size(); ++i) {
    const auto is_of_it = [i](const OutputFile& file) {
      return file.patterns.contains(i) && file.kind != OutputFile::folder;
    };
    const auto is_of_it_and_full = [i](const OutputFile& file) {
      return file.patterns.contains(i) && file.holds_something();
    };
    const std::string glob = "--output '" + rules.outputs[i] + "'";
    if (std::ranges::none_of(one.outputs, is_of_it) &&
        std::ranges::none_of(other.outputs, is_of_it))
      result.uncompared.push_back(glob + " matches no file that " + one.name + " or " + other.name +
                                  " made");
    else if (std::ranges::none_of(one.outputs, is_of_it_and_full) &&
             std::ranges::none_of(other.outputs, is_of_it_and_full))
      result.uncompared.push_back(glob + ": all files are empty");
  }
  std::size_t paired_by_order = 0;
  for (const OutputPair& pair : pair_outputs(one, other, paired_by_order))
    note_what_fails(result, [&] {
      compare_output(pair, result);
    });
  if (paired_by_order > 0)
    result.remarks.push_back(
        counted(paired_by_order, "event file") +
        " compared in the order of their names, which hold a time and a process");
}

void compare_endings(const Run& one, const Run& other, Comparison& result) {
  const ComparedItem status{ItemKind::exit_status, "", one.ending(), false};
  if (one.status != other.status)
    result.differences.push_back({status, {"", one.ending(), other.ending()}});
  result.items.push_back(status);
}

/// What was printed under that name stands for it already.
void add_written_results(const std::vector<WrittenResult>& results, Comparison& result) {
  if (are_too_many_results(results.size(), "written texts", result))
    return;
  for (const auto& [name, file, values] : results) {
    const ComparedItem item{ItemKind::result, name, counted(values, "value") + " in " + file};
    if (std::ranges::none_of(result.items, [&](const ComparedItem& known) {
          return known.is(item);
        }))
      result.items.push_back(item);
  }
}

/// By ItemKind.
constexpr const char* item_kind_names[] = {"exit status", "stdout", "stderr",     "output",
                                           "metric",      "result", "fingerprint"};

} // namespace

const char* ComparedItem::kind_name() const {
  return item_kind_names[static_cast<std::size_t>(kind)];
}

std::string Comparison::perturbation_name() const {
  if (is_resumed)
    return "resume";
  return perturbation == nullptr ? "" : perturbation->name;
}

bool Comparison::differs_in(const ComparedItem& item) const {
  return std::ranges::any_of(differences, [&](const Difference& difference) {
    return difference.item.is(item);
  });
}

LineComparison compare_stream(PrintedStream stream, const Run& one, const Run& other,
                              const ComparisonRules& rules, std::set<std::uint64_t>* different,
                              FoundResults* results) {
  const PrintedPair printed(stream, one, other);
  const VolatileText volatile_text = volatile_text_of(one, rules);
  return compare_lines(printed.first(), facts_of(one), printed.other(), facts_of(other),
                       {volatile_text, tolerated_metrics(rules), different,
                        results == nullptr ? VisitLines() : results->visit()});
}

Comparison compare_runs(const Run& one, const Run& other, const ComparisonRules& rules) {
  Comparison result;
  result.one = one.name;
  result.other = other.name;
  result.perturbation = other.perturbation;
  const bool are_whole = one.is_whole() && other.is_whole();
  if (are_whole)
    compare_endings(one, other, result);
  compare_printed(one, other, rules, result);
  if (are_whole)
    compare_outputs(one, other, rules, result);
  else if (other.ended_at_difference)
    result.remarks.push_back(other.name + " was ended at a difference: what it would have printed "
                                          "and written later was not compared (-n N: each run goes "
                                          "on to its end)");
  if (rules.metrics.empty() && are_whole)
    note_what_fails(result, [&] {
      add_written_results(equal_written_results(one, other, rules), result);
    });
  return result;
}

} // namespace detshim
