#include "verify/comparison.h"

#include "support/mapped_file.h"
#include "support/wording.h"

#include <algorithm>
#include <map>

namespace detshim {
namespace {

constexpr const char* other_bytes = "; equal in contents, other bytes";

// ------------------------------------------------------------------ what was printed

void compare_stream(const char* stream, const Run& one, const Run& other, const ComparisonRules& rules,
                    Comparison& result) {
  const LineComparison lines = compare_stream(stream, one, other, rules);
  ComparedItem item{stream, "", counted(lines.lines, "line"), lines.with_content > 0};
  if (lines.volatile_lines > 0)
    result.volatile_lines.push_back({stream, lines.volatile_lines, lines.first_volatile});
  item.has_other_bytes = lines.has_other_bytes && lines.different == 0;
  if (item.has_other_bytes && lines.volatile_lines == 0 && lines.tolerated == 0) item.amount += other_bytes;
  if (lines.overwritten > 0)
    result.remarks.push_back(std::string(stream) + ": " + counted(lines.overwritten, "state") +
                             " that the program overwrote (\\r) not compared");
  if (lines.tolerated > 0)
    result.remarks.push_back(std::string(stream) + ": " + counted(lines.tolerated, "line") +
                             " equal but for metrics, which are compared with the tolerance");
  if (lines.different > 0) {
    const LinePair& pair = lines.first_different;
    result.differences.push_back({item,
                                  {.where = "line " + std::to_string(pair.line),
                                   .value = pair.value,
                                   .other_value = pair.other_value,
                                   .count = lines.different,
                                   .of = lines.lines,
                                   .unit = "line"}});
  }
  result.items.push_back(std::move(item));
}

void compare_metric(const Pattern& pattern, const char* stream, std::string_view one, std::string_view other,
                    const Tolerance& tolerance, Comparison& result) {
  const std::vector<MetricValue> a = read_series(one, pattern), b = read_series(other, pattern);
  if (a.empty() && b.empty()) return;
  ComparedItem item{"metric", pattern.text(), counted(a.size(), "value") + " on " + stream, true};
  if (const std::optional<MetricDifference> metric = compare_series(a, b, tolerance)) {
    ContentDifference what = *metric;
    what.where = "step " + std::to_string(metric->step);
    if (metric->line > 0)
      what.where += " (" + std::string(stream) + " line " + std::to_string(metric->line) + ")";
    result.differences.push_back({item, std::move(what)});
  }
  result.items.push_back(std::move(item));
}

void compare_printed(const Run& one, const Run& other, const ComparisonRules& rules, Comparison& result) {
  const MappedFile out(one.out()), other_out(other.out()), err(one.err()), other_err(other.err());
  for (const char* const stream : {"stdout", "stderr"})
    if (!(std::string_view(stream) == "stdout" ? rules.ignores_out : rules.ignores_err))
      note_what_fails(result, [&] { compare_stream(stream, one, other, rules, result); });
  for (const Pattern& pattern : rules.metrics)
    note_what_fails(result, [&] {
      const std::size_t before = result.items.size();
      compare_metric(pattern, "stdout", out.bytes(), other_out.bytes(), rules.tolerance, result);
      compare_metric(pattern, "stderr", err.bytes(), other_err.bytes(), rules.tolerance, result);
      if (result.items.size() == before)
        result.uncompared.push_back("--metric '" + pattern.text() + "' matches nothing");
    });
}

// ------------------------------------------------------------------ outputs

/// TensorBoard's files have the time, the machine and the process in their names.
std::string event_file_key(const std::string& name) {
  constexpr std::string_view begin = "events.out.tfevents.";
  const std::size_t at = name.rfind('/') + 1; // 0 where there is none
  return name.compare(at, begin.size(), begin) == 0 ? name.substr(0, at) + std::string(begin) : "";
}

struct OutputPair {
  const OutputFile* one = nullptr;
  const OutputFile* other = nullptr;
};

/// By name; event files that are left, in the order of their names within each folder.
std::vector<OutputPair> pair_outputs(const Run& run, const Run& other_run, std::size_t& paired_by_order) {
  std::map<std::string, OutputPair> by_name;
  for (const OutputFile& file : run.outputs) by_name[file.name].one = &file;
  for (const OutputFile& file : other_run.outputs) by_name[file.name].other = &file;
  std::vector<OutputPair> pairs;
  std::map<std::string, std::pair<std::vector<const OutputFile*>, std::vector<const OutputFile*>>>
      event_files;
  for (const auto& [name, pair] : by_name) {
    const std::string key = event_file_key(name);
    if ((pair.one != nullptr && pair.other != nullptr) || key.empty()) {
      pairs.push_back(pair);
      continue;
    }
    if (pair.one != nullptr) event_files[key].first.push_back(pair.one);
    if (pair.other != nullptr) event_files[key].second.push_back(pair.other);
  }
  for (const auto& [key, files] : event_files)
    for (std::size_t i = 0; i < std::max(files.first.size(), files.second.size()); ++i) {
      pairs.push_back({i < files.first.size() ? files.first[i] : nullptr,
                       i < files.second.size() ? files.second[i] : nullptr});
      if (pairs.back().one != nullptr && pairs.back().other != nullptr) ++paired_by_order;
    }
  return pairs;
}

/// By OutputFile::Kind.
constexpr const char* kind_names[] = {"a file", "a symbolic link", "a symbolic link", "no file",
                                      "an empty folder"};

void compare_output(const OutputPair& pair, Comparison& result) {
  const OutputFile& any = pair.one != nullptr ? *pair.one : *pair.other;
  ComparedItem item{"output", any.name,
                    any.kind == OutputFile::folder ? "empty folder" : counted(any.size, "byte"),
                    any.holds_something()};
  const auto differ = [&](ContentDifference what) { result.differences.push_back({item, std::move(what)}); };
  if (pair.one == nullptr || pair.other == nullptr) {
    differ({any.kind == OutputFile::folder ? "empty folder" : "file",
            pair.one != nullptr ? "made" : "not made", pair.other != nullptr ? "made" : "not made"});
  } else if (pair.one->kind == OutputFile::other || pair.other->kind == OutputFile::other) {
    result.uncompared.push_back("output '" + any.name + "' is no file: it was not compared");
    return;
  } else if (std::string_view(kind_names[pair.one->kind]) != kind_names[pair.other->kind]) {
    differ({"kind", kind_names[pair.one->kind], kind_names[pair.other->kind]});
  } else if (any.kind == OutputFile::folder) {
    return; // there are many where outputs of before were set aside
  } else if (pair.one->kind != OutputFile::regular) {
    item.amount = "link";
    if (pair.one->target != pair.other->target)
      differ({"target of the link", pair.one->target, pair.other->target});
    if (pair.one->kind == OutputFile::open_end || pair.other->kind == OutputFile::open_end)
      result.uncompared.push_back("output '" + any.name + "' is a link to '" + any.target +
                                  "', which is none of the outputs: name that file");
  } else {
    const FileComparison files =
        compare_files(any.name, pair.one->stored.string(), pair.other->stored.string());
    if (files.format != "bytes") item.amount = files.format + ", " + item.amount;
    if (files.difference) differ(*files.difference);
    item.has_other_bytes = !files.ignored.empty();
    if (item.has_other_bytes) {
      item.amount += other_bytes;
      result.remarks.push_back("output '" + any.name + "': contents are equal, the bytes are not: " +
                               files.ignored + " is passed over");
    }
  }
  result.items.push_back(std::move(item));
}

void compare_outputs(const Run& one, const Run& other, const ComparisonRules& rules, Comparison& result) {
  for (std::size_t i = 0; i < rules.outputs.size(); ++i) {
    const auto is_of_it = [i](const OutputFile& file) {
      return file.patterns.contains(i) && file.kind != OutputFile::folder;
    };
    const auto is_of_it_and_full = [i](const OutputFile& file) {
      return file.patterns.contains(i) && file.holds_something();
    };
    const std::string glob = "--output '" + rules.outputs[i] + "'";
    if (std::ranges::none_of(one.outputs, is_of_it) && std::ranges::none_of(other.outputs, is_of_it))
      result.uncompared.push_back(glob + " matches no file that " + one.name + " or " + other.name + " made");
    else if (std::ranges::none_of(one.outputs, is_of_it_and_full) &&
             std::ranges::none_of(other.outputs, is_of_it_and_full))
      result.uncompared.push_back(glob + ": all files are empty");
  }
  std::size_t paired_by_order = 0;
  for (const OutputPair& pair : pair_outputs(one, other, paired_by_order))
    note_what_fails(result, [&] { compare_output(pair, result); });
  if (paired_by_order > 0)
    result.remarks.push_back(counted(paired_by_order, "event file") +
                             " compared in the order of their names, which hold a time and a process");
}

} // namespace

bool Comparison::differs_in(const ComparedItem& item) const {
  return std::ranges::any_of(differences,
                             [&](const Difference& difference) { return difference.item.is(item); });
}

LineComparison compare_stream(std::string_view stream, const Run& one, const Run& other,
                              const ComparisonRules& rules, std::set<std::uint64_t>* different) {
  static const std::vector<Pattern> none;
  const auto file_of = [&](const Run& run) { return stream == "stdout" ? run.out() : run.err(); };
  const auto facts_of = [](const Run& run) { return RunFacts{run.began, run.ended, run.processes}; };
  const MappedFile printed(file_of(one)), other_printed(file_of(other));
  const VolatileText volatile_text(rules.declared_volatile);
  return compare_lines(printed.bytes(), facts_of(one), other_printed.bytes(), facts_of(other),
                       {volatile_text, rules.tolerance.is_exact() ? none : rules.metrics, different});
}

Comparison compare_runs(const Run& one, const Run& other, const ComparisonRules& rules) {
  Comparison result;
  result.one = one.name;
  result.other = other.name;
  result.perturbation = other.perturbation;
  const ComparedItem status{"exit status", "", one.ending(), false};
  if (one.status != other.status) result.differences.push_back({status, {"", one.ending(), other.ending()}});
  result.items.push_back(status);
  compare_printed(one, other, rules, result);
  compare_outputs(one, other, rules, result);
  return result;
}

} // namespace detshim
