#include "log_reader/summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace detshim {
namespace {

std::size_t badness(Action action) {
  return static_cast<std::size_t>(std::ranges::find(actions_worst_first, action) - actions_worst_first);
}

/// Collects the calls of one symbol and one action.
struct Group {
  SymbolSummary summary;
  std::map<std::vector<Field>, CallCount> examples;
  std::map<std::pair<std::string, std::vector<std::string>>, CallCount> places;
  std::set<std::string> reasons;

  void add(const Process& process, const Call& call) {
    summary.count.add(call.count, call.count_is_exact);
    summary.records.push_back({&process, &call});
    if (!call.fields.empty()) examples[call.fields].add(call.count, call.count_is_exact);
    places[{call.at, call.python}].add(call.count, call.count_is_exact);
    if (!call.why.empty()) reasons.insert(call.why);
  }

  SymbolSummary finish() {
    for (auto& [fields, count] : examples) summary.examples.push_back({fields, count});
    for (auto& [place, count] : places) summary.places.push_back({place.first, place.second, count});
    summary.reasons.assign(reasons.begin(), reasons.end());
    const auto more_calls = [](const auto& a, const auto& b) { return a.count.calls > b.count.calls; };
    std::ranges::stable_sort(summary.examples, more_calls);
    std::ranges::stable_sort(summary.places, more_calls);
    return std::move(summary);
  }
};

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefxABCDEF") == std::string_view::npos &&
         text.front() >= '0' && text.front() <= '9';
}

/// Finds seeds that several ranks asked for alike and that the policy `fixed` made different.
class DivergedSeedFinder {
public:
  void add(const Process& process, const Call& call) {
    if (call.action != Action::pin || process.starts.empty() || process.starts.back().policy != "fixed")
      return;
    const std::string* const asked = find_field(call.fields, "asked");
    const std::string* const given = find_field(call.fields, "given");
    // Values of a clock are equal by chance, and no policy would keep them so.
    const bool is_chance = call.why.find("clock") != std::string::npos;
    if (asked == nullptr || given == nullptr || !is_number(*asked) || is_chance) return;
    Seed& seed = seeds_[{call.library, call.function, *asked}];
    seed.ranks.insert(process.rank);
    seed.given.insert(*given);
  }

  std::vector<DivergedSeed> finish() const {
    std::vector<DivergedSeed> result;
    for (const auto& [key, seed] : seeds_) {
      const auto& [library, function, asked] = key;
      if (seed.ranks.size() < 2 || seed.given.size() < 2) continue;
      if (result.empty() || result.back().library != library || result.back().function != function)
        result.push_back({library, function, asked, seed.ranks.size()});
    }
    return result;
  }

private:
  struct Seed {
    std::set<std::int64_t> ranks;
    std::set<std::string> given;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Seed> seeds_;
};

void add_libraries(const Log& log, Summary& summary) {
  std::set<std::tuple<std::string, std::string, std::optional<std::string>>> seen;
  for (const Process& process : log.processes)
    for (const Library& library : process.libraries)
      if (seen.insert({library.name, library.file, library.version}).second)
        summary.libraries.push_back(library);
}

void add_environment(const Log& log, Summary& summary) {
  std::set<EnvironmentChange> changes;
  std::set<NotedVariable> noted;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      changes.insert(start.environment.begin(), start.environment.end());
      noted.insert(start.noted.begin(), start.noted.end());
    }
  // A child sees what its parent set: its own record of the same value says nothing new.
  std::erase_if(changes, [](const EnvironmentChange& change) { return change.was == change.now; });
  summary.environment.assign(changes.begin(), changes.end());
  summary.noted.assign(noted.begin(), noted.end());
}

} // namespace

Summary summarise(const Log& log) {
  Summary summary;
  std::map<std::tuple<std::size_t, std::string, std::string>, Group> groups;
  DivergedSeedFinder diverged_seeds;
  std::set<std::int64_t> ranks;
  for (const Process& process : log.processes) {
    ranks.insert(process.rank);
    std::set<std::string> threads{"0"};
    for (const Call& call : process.calls) {
      Group& group = groups[{badness(call.action), call.library, call.function}];
      group.summary.action = call.action;
      group.summary.library = call.library;
      group.summary.function = call.function;
      group.add(process, call);
      summary.totals[static_cast<std::size_t>(call.action)].add(call.count, call.count_is_exact);
      diverged_seeds.add(process, call);
      threads.insert(call.thread);
    }
    summary.threads += threads.size();
    for (std::size_t i = 0; i < action_count; ++i)
      summary.unrecorded[i] = saturated_sum(summary.unrecorded[i], process.unrecorded[i]);
    if (!process.end) summary.without_end.push_back(&process);
    if (!process.has_counts && !process.calls.empty()) ++summary.without_counts;
  }
  summary.ranks = ranks.size();
  summary.processes = log.processes.size();
  for (auto& [key, group] : groups) summary.symbols.push_back(group.finish());
  summary.diverged_seeds = diverged_seeds.finish();
  add_libraries(log, summary);
  add_environment(log, summary);
  return summary;
}

} // namespace detshim
