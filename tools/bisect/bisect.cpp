#include "bisect/bisect.h"

#include "support/wording.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace detshim {
namespace {

using Kept = std::vector<bool>;
/// Parts that are kept or left out together.
using Unit = std::vector<std::size_t>;

struct OutOfRuns {};

/// Delta debugging (Zeller and Hildebrandt, ddmin) over the parts; each trial is a `verify` of its own.
class Bisect {
public:
  Bisect(const BisectPlan& plan, const BisectProgress& progress, Bisection& result)
      : plan_(plan), progress_(progress), result_(result) {}

  void run() {
    if (!look_at_baseline()) return;
    Kept best(result_.parts.size(), true);
    try {
      search(best);
      confirm(best);
      measure_costs();
    } catch (const OutOfRuns&) {
      result_.is_out_of_runs = true;
    }
    result_.needed = best;
    judge(best);
  }

private:
  /// The program with everything: it has to be repeatable, and its log says what it used.
  bool look_at_baseline() {
    Trial trial;
    const Verification all = verify(trial, plan_.verify.runs, {});
    end(trial);
    if (!trial.is_equal()) {
      const bool differs = all.answer == Answer::different;
      result_.answer = differs ? Answer::different : Answer::unverified;
      result_.why =
          differs ? "it differs with all hooks and settings: `detshim verify` says where" : trial.problem;
      return false;
    }
    for (const Problem& problem : all.problems) log_problem_ = problem.text;
    result_.parts = used_parts(all.runs.front().log().string(), plan_.variables);
    result_.costs.resize(result_.parts.size());
    result_.without.resize(result_.parts.size());
    return true;
  }

  void search(Kept& best) {
    Unit unread;
    std::vector<Unit> units;
    for (std::size_t i = 0; i < result_.parts.size(); ++i)
      if (result_.parts[i].is_unread)
        unread.push_back(i);
      else
        units.push_back({i});
    if (!unread.empty()) units.push_back(unread);
    shrink(best, units);
    const auto is_kept = [&](std::size_t i) { return best[i]; };
    if (unread.size() > 1 && std::ranges::any_of(unread, is_kept)) {
      units.clear();
      for (const std::size_t i : unread) units.push_back({i});
      shrink(best, units);
    }
    drop_single_parts(best);
  }

  /// Leaves of `units` those that are needed beside what else `best` keeps.
  void shrink(Kept& best, std::vector<Unit> units) {
    Kept base = best;
    for (const Unit& unit : units) set(base, unit, false);
    const auto with = [&](auto begin, auto end) {
      Kept kept = base;
      for (; begin != end; ++begin) set(kept, *begin, true);
      return kept;
    };
    const auto take_if_equal = [&](const Kept& kept) {
      if (!is_equal(kept)) return false;
      best = kept;
      std::erase_if(units, [&](const Unit& unit) { return !kept[unit.front()]; });
      return true;
    };
    if (take_if_equal(base)) return;
    for (std::size_t chunks = 2; units.size() > 1;) {
      chunks = std::min(chunks, units.size());
      if (shrink_once(units, chunks, with, take_if_equal)) {
        chunks = 2;
        continue;
      }
      if (chunks == units.size()) return;
      chunks *= 2;
    }
  }

  /// Tries each chunk alone, then all without each.
  template <typename With, typename TakeIfEqual>
  static bool shrink_once(const std::vector<Unit>& units, std::size_t chunks, With with,
                          TakeIfEqual take_if_equal) {
    const auto at = [&](std::size_t chunk) {
      return units.begin() + static_cast<std::ptrdiff_t>(units.size() * chunk / chunks);
    };
    for (std::size_t i = 0; i < chunks; ++i)
      if (take_if_equal(with(at(i), at(i + 1)))) return true;
    for (std::size_t i = 0; chunks > 2 && i < chunks; ++i) {
      std::vector<Unit> rest(units.begin(), at(i));
      rest.insert(rest.end(), at(i + 1), units.end());
      if (take_if_equal(with(rest.begin(), rest.end()))) return true;
    }
    return false;
  }

  /// Each part that is left is needed by itself.
  void drop_single_parts(Kept& best) {
    for (std::size_t i = 0; i < best.size(); ++i) {
      if (!best[i]) continue;
      Kept kept = best;
      kept[i] = false;
      if (is_equal(kept)) {
        best = kept;
        i = std::string::npos; // again from the first
      } else {
        result_.without[i] = known_.at(kept);
      }
    }
  }

  void confirm(const Kept& best) { result_.confirmed = try_out(best, plan_.confirming_runs); }

  /// By turns, with all parts and without this one: in every other pair the other is first.
  void measure_costs() {
    bool has_measured_unread = false;
    if (plan_.pairs == 0) return;
    for (std::size_t i = 0; i < result_.parts.size(); ++i) {
      const bool is_unread = result_.parts[i].is_unread;
      if (is_unread && has_measured_unread) continue;
      has_measured_unread |= is_unread;
      Kept kept(result_.parts.size(), true);
      for (std::size_t j = 0; j < kept.size(); ++j)
        kept[j] = is_unread ? !result_.parts[j].is_unread : j != i;
      Trial trial;
      trial.kept = kept;
      const Verification pairs =
          verify(trial, 2 * plan_.pairs, {RunSettings{}, settings(kept), settings(kept), RunSettings{}});
      result_.costs[i] = cost_of(pairs.runs);
    }
  }

  static std::optional<Cost> cost_of(const std::vector<Run>& runs) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i + 1 < runs.size(); i += 2) {
      const auto seconds = [&](std::size_t run) { return std::max(runs[run].ended - runs[run].began, 1e-6); };
      const bool is_turned = i % 4 != 0;
      ratios.push_back(seconds(is_turned ? i + 1 : i) / seconds(is_turned ? i : i + 1));
    }
    if (ratios.empty()) return std::nullopt;
    std::ranges::sort(ratios);
    const std::size_t middle = ratios.size() / 2;
    const double median = ratios.size() % 2 == 1 ? ratios[middle] : (ratios[middle - 1] + ratios[middle]) / 2;
    return Cost{median, ratios.front(), ratios.back(), ratios.size()};
  }

  bool is_equal(const Kept& kept) {
    const auto known = known_.find(kept);
    if (known != known_.end()) return known->second.is_equal();
    const Trial trial = try_out(kept, plan_.verify.runs);
    known_.emplace(kept, trial);
    return trial.is_equal();
  }

  Trial try_out(const Kept& kept, std::size_t runs) {
    Trial trial;
    trial.kept = kept;
    verify(trial, runs, {settings(kept)});
    end(trial);
    return trial;
  }

  Verification verify(Trial& trial, std::size_t runs, std::vector<RunSettings> turns) {
    if (result_.runs + runs > plan_.most_runs) throw OutOfRuns();
    trial.first_run = result_.runs + 1;
    trial.runs = runs;
    VerifyPlan plan = plan_.verify;
    char name[32];
    std::snprintf(name, sizeof name, "trial-%03zu", ++verifications_);
    plan.folder /= name;
    trial.folder = plan.folder.string();
    plan.runs = runs;
    plan.turns = std::move(turns);
    plan.looks_for_cause = false;
    std::filesystem::create_directory(plan.folder);
    progress_.began(result_, trial.kept, runs);
    Verification verification = verify_program(plan);
    result_.runs += runs;
    for (const Comparison& comparison : verification.comparisons)
      trial.differing += comparison.differences.empty() ? 0 : 1;
    // What is disabled is missing from the log, and that is what was asked for.
    for (const Problem& problem : verification.problems)
      if (std::string_view(problem.kind) != "log") trial.problem = problem.text;
    return verification;
  }

  void end(const Trial& trial) {
    result_.trials.push_back(trial);
    progress_.ended(result_, trial);
  }

  RunSettings settings(const Kept& kept) const {
    RunSettings settings;
    settings.disabled = disabled_parts(result_.parts, kept);
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (!kept[i] && result_.parts[i].disables.empty()) settings.keeps_random_layout = true;
    return settings;
  }

  static void set(Kept& kept, const Unit& unit, bool value) {
    for (const std::size_t i : unit) kept[i] = value;
  }

  void judge(const Kept& best) {
    const bool keeps_something = std::ranges::find(best, true) != best.end();
    if (result_.confirmed && !result_.confirmed->is_equal())
      result_.why =
          "the set that was found did not hold when it was run again: more runs for each answer (-n) find a "
          "difference that is rare";
    else if (!result_.confirmed)
      result_.why = "the search ended before the smallest set was found, after " +
                    counted(result_.runs, "run") + " (--most-runs)";
    else if (!keeps_something)
      result_.why = "the program is repeatable without any of them too: that it is with all proves nothing";
    else if (!log_problem_.empty())
      result_.why = log_problem_;
    else
      result_.answer = Answer::equal;
  }

  const BisectPlan& plan_;
  const BisectProgress& progress_;
  Bisection& result_;
  std::map<Kept, Trial> known_;
  std::string log_problem_;
  std::size_t verifications_ = 0;
};

} // namespace

std::string disabled_parts(const std::vector<UsedPart>& parts, const std::vector<bool>& kept) {
  std::string list;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (!kept[i] && !parts[i].disables.empty()) list += (list.empty() ? "" : ",") + parts[i].disables;
  return list;
}

Bisection bisect_program(const BisectPlan& plan, const BisectProgress& progress) {
  Bisection result;
  Bisect(plan, progress, result).run();
  return result;
}

} // namespace detshim
