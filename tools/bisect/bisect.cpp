#include "bisect/bisect.h"

#include "log_reader/log.h"
#include "support/exit_status.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <span>
#include <string_view>

namespace detshim {
namespace {

using Kept = std::vector<bool>;
/// Parts that are kept or left out together.
using Unit = std::vector<std::size_t>;

struct OutOfRuns {};

/// The trials that have ended, in a file. A search takes the same steps where its trials end alike, so the
/// next trial is the next line, until there is none.
class SearchJournal {
public:
  explicit SearchJournal(const BisectPlan& plan) : path_((plan.verify.folder / search_file).string()) {
    const Json search = {{"command", plan.verify.command},
                         {"seed", plan.verify.seed},
                         {"mode", plan.verify.mode},
                         {"runs", *plan.verify.runs},
                         {"compared", plan.compared}};
    std::ifstream in(path_);
    std::string line;
    if (!std::getline(in, line)) {
      write(search);
      return;
    }
    if (Json::parse(line, nullptr, false) != search)
      throw UsageError(in_quotes(path_) + " is of a search for another command, or with other options");
    while (std::getline(in, line))
      if (const Json trial = Json::parse(line, nullptr, false); trial.is_object()) left_.push_back(trial);
    std::ofstream(path_, std::ios::app) << '\n'; // behind a line that was cut off
  }

  /// False where the trial is still to be made.
  bool recall(const RunSettings& settings, Trial& trial) {
    if (left_.empty() || left_.front().value("settings", Json()) != settings_json(settings, trial.runs)) {
      left_.clear();
      return false;
    }
    const Json kept = left_.front();
    left_.pop_front();
    trial.differing = kept.value("differing", std::size_t{0});
    trial.problem = kept.value("problem", "");
    trial.log_problem = kept.value("log_problem", "");
    trial.seconds = kept.value("seconds", 0.0);
    trial.folder = kept.value("folder", trial.folder);
    return true;
  }

  void keep(const RunSettings& settings, const Trial& trial) const {
    write({{"settings", settings_json(settings, trial.runs)},
           {"differing", trial.differing},
           {"problem", trial.problem},
           {"log_problem", trial.log_problem},
           {"seconds", trial.seconds},
           {"folder", trial.folder}});
  }

private:
  using Json = nlohmann::json;

  static Json settings_json(const RunSettings& settings, std::size_t runs) {
    return {{"disabled", settings.disabled}, {"random_layout", settings.keeps_random_layout}, {"runs", runs}};
  }
  void write(const Json& line) const {
    std::ofstream(path_, std::ios::app)
        << line.dump(-1, ' ', true, Json::error_handler_t::replace) << std::endl;
  }

  std::string path_;
  std::deque<Json> left_; ///< trials of a search that goes on
};

/// Halves the parts until each that is left is needed; each trial is a `verify` of its own.
class Bisect {
public:
  Bisect(const BisectPlan& plan, const BisectProgress& progress, Bisection& result)
      : plan_(plan), progress_(progress), result_(result) {}

  void run() {
    if (!look_at_baseline()) return;
    Kept best(result_.parts.size(), true);
    try {
      for (;; least_runs_ *= 2) {
        search(best);
        result_.confirmed.reset();
        const Trial trial = try_out(best, std::max(plan_.confirming_runs, 2 * wanted_runs()));
        result_.confirmed = trial;
        if (trial.is_equal() || trial.differing == 0) break;
        best.assign(best.size(), true); // some answer was equal by chance: again with more runs
      }
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
    verify(trial, *plan_.verify.runs, {});
    end(trial);
    if (!trial.is_equal()) {
      const bool differs = trial.differing > 0;
      result_.answer = differs ? Answer::different : Answer::unverified;
      result_.why =
          differs ? "it differs with all hooks and settings: `detshim verify` says where" : trial.problem;
      return false;
    }
    log_problem_ = trial.log_problem;
    result_.parts = used_parts(trial.folder + "/run-1/log", plan_.variables);
    result_.without.resize(result_.parts.size());
    return true;
  }

  /// Variables that nobody asked for go together, unless one of them is needed.
  void search(Kept& best) {
    Unit unread;
    std::vector<Unit> units, single_unread;
    for (std::size_t i = 0; i < result_.parts.size(); ++i)
      if (result_.parts[i].is_unread) {
        unread.push_back(i);
        single_unread.push_back({i});
      } else {
        units.push_back({i});
      }
    if (!unread.empty()) units.push_back(unread);
    leave_out(units, best);
    if (!unread.empty() && best[unread.front()]) leave_out(single_unread, best);
    drop_single_parts(best);
  }

  /// Leaves out of `best` all of the units, or else what is not needed of their later half, then of the
  /// other.
  void leave_out(std::span<const Unit> units, Kept& best) {
    if (units.empty()) return;
    Kept kept = best;
    for (const Unit& unit : units)
      for (const std::size_t i : unit) kept[i] = false;
    if (is_equal(kept)) {
      best = kept;
    } else if (units.size() > 1) {
      leave_out(units.subspan(units.size() / 2), best);
      leave_out(units.first(units.size() / 2), best);
    }
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

  bool is_equal(const Kept& kept) {
    const auto known = known_.find(kept);
    if (known != known_.end() && (!known->second.is_equal() || known->second.runs >= wanted_runs()))
      return known->second.is_equal();
    const Trial trial = try_out(kept, wanted_runs());
    known_.insert_or_assign(kept, trial);
    return trial.is_equal();
  }

  /// In which a difference would show with 95 % that is as rare as the rarest that was seen.
  std::size_t wanted_runs() const { return std::max(least_runs_, rarest_ < 1 ? runs_for_bound(rarest_) : 0); }

  Trial try_out(const Kept& kept, std::size_t runs) {
    Trial trial;
    trial.kept = kept;
    verify(trial, runs, settings(kept));
    end(trial);
    return trial;
  }

  void verify(Trial& trial, std::size_t runs, RunSettings settings) {
    if (result_.runs + runs > plan_.most_runs) throw OutOfRuns();
    trial.first_run = result_.runs + 1;
    trial.runs = runs;
    VerifyPlan plan = plan_.verify;
    plan.folder /= fmt::format("trial-{:03}", ++verifications_);
    trial.folder = plan.folder.string();
    plan.runs = runs;
    plan.settings = settings;
    plan.looks_for_cause = false;
    progress_.began(result_, trial.kept, runs, plan_.most_runs);
    if (!journal_.recall(settings, trial)) {
      // What a trial left that was cut off may be the user's outputs, set aside: verify_program() puts them
      // back.
      while (std::filesystem::exists(plan.folder)) plan.folder += "-again";
      trial.folder = plan.folder.string();
      std::filesystem::create_directory(plan.folder);
      look_at(verify_program(plan), trial);
      journal_.keep(settings, trial);
    }
    result_.runs += runs;
    result_.seconds += trial.seconds;
    if (trial.differing > 0)
      rarest_ = std::min(rarest_, static_cast<double>(trial.differing) / static_cast<double>(runs - 1));
  }

  static void look_at(const Verification& verification, Trial& trial) {
    for (const Run& run : verification.runs) trial.seconds += run.ended - run.began;
    trial.differing =
        static_cast<std::size_t>(std::ranges::count_if(verification.comparisons, &Comparison::differs));
    // What is disabled is missing from the log, and that is what was asked for.
    for (const Problem& problem : verification.problems) {
      if (std::string_view(problem.kind) != "log") trial.problem = problem.text;
      trial.log_problem = problem.text;
    }
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
  SearchJournal journal_{plan_};
  const BisectProgress& progress_;
  Bisection& result_;
  std::map<Kept, Trial> known_;
  std::string log_problem_;
  std::size_t verifications_ = 0;
  std::size_t least_runs_ = *plan_.verify.runs; ///< for an answer
  double rarest_ = 1;                           ///< of the differences that were seen: in so many of the runs
};

struct Used {
  std::map<std::string, std::uint64_t> hooks;
  std::set<std::string> read;
  bool has_fixed_layout = false;
};

void add(const Log& log, Used& used) {
  for (const auto& [symbol, calls] : log.calls.symbols)
    if (symbol.action == Action::replace || symbol.action == Action::pin || symbol.action == Action::refuse)
      used.hooks[symbol.function] += calls.count.calls;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      for (const SettingReader& reader : start.readers) used.read.insert(reader.name);
      used.has_fixed_layout |= start.layout == "fixed";
    }
}

} // namespace

std::vector<UsedPart> used_parts(const std::string& folder, const std::vector<std::string>& variables) {
  Used used;
  const Log newest = read_log(folder);
  add(newest, used);
  for (const std::string& run : newest.other_runs) add(read_log(folder, run), used);
  std::vector<UsedPart> parts;
  for (const auto& [hook, calls] : used.hooks) parts.push_back({hook, hook, calls, false});
  for (const bool is_unread : {false, true})
    for (const std::string& variable : variables)
      if (used.read.contains(variable) != is_unread)
        parts.push_back({"env:" + variable, "env:" + variable, 0, is_unread});
  if (used.has_fixed_layout) parts.push_back({"address-space layout", "", 0, false});
  return parts;
}

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
