#include "environment/capture.h"
#include "report/log_report.h"
#include "support/wording.h"
#include "verify/report.h"

#include <algorithm>
#include <cmath>

namespace detshim {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) // which leaves no character that XML 1.0 forbids
    result += c == '&'    ? "&amp;"
              : c == '<'  ? "&lt;"
              : c == '>'  ? "&gt;"
              : c == '"'  ? "&quot;"
              : c == '\'' ? "&#39;"
                          : std::string(1, c);
  return result;
}

std::string describe_command(const std::vector<std::string>& words, std::size_t longest) {
  return cut(printable(joined(words, " ")), longest);
}

std::string describe_plan(const VerifyPlan& plan) {
  return describe_command(shown_words(plan.command)) + "\nseed " + plan.seed + ", mode " +
         mode_name(plan.mode) + "; kept in " + printable(plan.folder.string()) + "\n\n";
}

std::string label(const std::string& text) {
  constexpr std::size_t label_width = 12;
  return padded(text, label_width);
}

std::string describe_item(const ComparedItem& item) {
  const std::string kind = item.kind_name();
  return item.subject.empty() ? kind : kind + " " + in_quotes(item.subject);
}

std::vector<ComparedItem> all_items(const Verification& result) {
  std::vector<ComparedItem> items;
  for (const Comparison& comparison : result.comparisons)
    for (const ComparedItem& item : comparison.items) {
      const auto known = std::ranges::find_if(items, [&](const ComparedItem& known_item) {
        return known_item.is(item);
      });
      if (known == items.end())
        items.push_back(item);
      else if (item.has_other_bytes && !known->has_other_bytes)
        *known = item;
    }
  return items;
}

const Comparison* find_differing(const Verification& result, const ComparedItem& item) {
  for (const Comparison& comparison : result.comparisons)
    if (comparison.differs_in(item))
      return &comparison;
  return nullptr;
}

namespace {

std::vector<ComparedItem> equal_results(const Verification& result) {
  std::vector<ComparedItem> items = all_items(result);
  std::erase_if(items, [&](const ComparedItem& item) {
    return item.kind != ItemKind::result || find_differing(result, item) != nullptr;
  });
  return items;
}

/// "a, b and 3 more".
std::string first_of(std::vector<std::string> texts, std::size_t most) {
  if (texts.size() <= most)
    return enumerated(texts);
  const std::size_t more = texts.size() - most;
  texts.resize(most);
  return joined(texts, ", ") + " and " + std::to_string(more) + " more";
}

} // namespace

std::string describe_equal_results(const Verification& result) {
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const ComparedItem& item : equal_results(result))
    texts.push_back(printable(item.subject) + " (" + item.amount + ")");
  return first_of(std::move(texts), most);
}

std::string describe_bound(const Verification& result) {
  if (result.bound >= 1 || result.answer != Answer::equal)
    return {};
  constexpr double small = 0.05;
  std::string text = "up to " + std::to_string(static_cast<int>(std::ceil(result.bound * 100))) +
                     " of 100 further runs may still differ (95 % confidence)";
  if (result.bound > small)
    text += "; with -n " + std::to_string(runs_for_bound(small)) + ", up to 5";
  return text;
}

namespace {

std::string describe_difference_of_runs(const Verification& result) {
  std::vector<std::string> perturbations;
  for (const Comparison& comparison : result.comparisons) {
    if (comparison.differences.empty())
      continue;
    if (comparison.is_plain())
      return " - under one seed, and nothing else was changed";
    perturbations.push_back(comparison.perturbation_name());
  }
  return " - equal but for " + enumerated(perturbations);
}

/// Of the pair of runs with the most.
std::uint64_t volatile_lines(const Verification& result) {
  std::uint64_t most = 0;
  for (const Comparison& comparison : result.comparisons) {
    std::uint64_t of_pair = 0;
    for (const VolatileLines& lines : comparison.volatile_lines)
      of_pair += lines.count;
    most = std::max(most, of_pair);
  }
  return most;
}

std::string describe_perturbed_runs(const Verification& result) {
  std::vector<std::string> perturbations;
  for (const Run& run : result.runs)
    if (run.perturbation != nullptr)
      perturbations.emplace_back(run.perturbation->name);
  return perturbations.empty() ? "" : ", and under " + enumerated(perturbations);
}

std::string describe_early_end(const VerifyPlan& plan, const Verification& result) {
  const bool are_ended = std::ranges::any_of(result.runs, [](const Run& run) {
    return run.until.has_value();
  });
  return are_ended ? describe_end(*plan.until) : "";
}

std::string describe_names_of_results(const Verification& result) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const ComparedItem& item : equal_results(result))
    names.push_back(printable(item.subject));
  return names.empty() ? "" : "; your results: " + first_of(std::move(names), most);
}

} // namespace

std::string describe_end(const RunEnd& end) {
  if (!end.values())
    return "until " + in_quotes(end.pattern()->text());
  return "for the first " + counted(*end.values(), "value") + " of " +
         (end.pattern() ? in_quotes(end.pattern()->text()) : "a result");
}

std::string describe_answer(const VerifyPlan& plan, const Verification& result) {
  std::string text = answer_name(result.answer);
  if (result.answer == Answer::different)
    return text + describe_difference_of_runs(result);
  if (result.answer == Answer::unverified)
    return text + " - " + result.problems.front().kind + ": " +
           printable(result.problems.front().text);
  if (const std::string end = describe_early_end(plan, result); !end.empty())
    text += " " + end;
  if (const std::uint64_t lines = volatile_lines(result); lines > 0)
    text += " but for " + counted(lines, "volatile line");
  text += " - " + counted(result.plain_runs, "run");
  if (!plan.perturbations.empty())
    text += describe_perturbed_runs(result);
  if (result.resumed)
    text += ", and killed and resumed";
  return text + describe_names_of_results(result);
}

} // namespace detshim
