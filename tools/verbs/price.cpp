// detshim price: what each answer of the library's costs a program, and which of them it needs.
#include "verify/price.h"
#include "support/files.h"
#include "support/hash.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verbs/time_option.h"
#include "verbs/verbs.h"
#include "verbs/verify_plan.h"
#include "verify/metrics.h"
#include "verify/price_report.h"
#include "verify/report.h"

#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>

#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// In the folder of a search: a line for what is priced, and one for each trial that has ended, by
/// which the same command goes on where it was.
constexpr const char* search_file = "price.jsonl";

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// What counts as a run's time: its own, or that of a step in the middle of those that it printed.
double time_of(const Run& run, const std::optional<Pattern>& step) {
  if (!step)
    return run.ended - run.began;
  std::vector<double> times;
  for (const PrintedStream stream : both_streams)
    for (const MetricValue& value : read_series(read_file(run.printed(stream)), *step))
      times.push_back(static_cast<double>(value.number));
  if (times.empty())
    throw UsageError("--step " + in_quotes(step->text()) + " matches nothing that " + run.name +
                     " printed");
  return middle_of(times);
}

/// What two trials have to agree in to be of one search. By its hash: arguments may be secrets.
std::string search_of(const PriceOptions& options) {
  const VerifyOptions& verify = options.verify;
  const Json agreed = {verify.run.command,
                       verify.run.seed.value_or(""),
                       verify.run.disable.value_or(""),
                       options.step.value_or(""),
                       verify.outputs,
                       verify.metrics,
                       verify.volatile_text,
                       verify.ignored};
  return hash_digits(hash_of(agreed.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

/// The runs of a search, and the file that keeps what came of them.
class Trials {
public:
  Trials(const PriceOptions& options, fs::path folder)
      : options_(options), folder_(std::move(folder)), began_(std::chrono::steady_clock::now()) {
    if (options.step)
      step_.emplace(*options.step, "--step");
    if (options.budget)
      budget_s_ = seconds_of("--budget", *options.budget);
    take_up();
  }

  PriceTrial run_without(const std::vector<PricePart>& left_off, std::size_t runs) {
    return run_once_as(key_of(left_off), left_off, runs);
  }
  PriceTrial run_all_again() { return run_once_as("(nothing, again)", {}, runs_of_trial); }

  bool has_time(std::size_t runs) const {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began_;
    return !budget_s_ || spent.count() + static_cast<double>(runs) * run_s_ <= *budget_s_;
  }

  /// Of the first run with all parts, or of the last trial.
  const std::string& log() const { return log_; }

private:
  PriceTrial run_once_as(const std::string& key, const std::vector<PricePart>& left_off,
                         std::size_t runs) {
    if (const auto known = known_.find(key); known != known_.end() && known->second.runs >= runs)
      return known->second;
    const PriceTrial trial = run(plan_without(left_off, runs));
    known_[key] = trial;
    add_line({{"without", key},
              {"runs", trial.runs},
              {"differing", trial.differing},
              {"seconds", trial.seconds},
              {"noise", trial.noise},
              {"problem", trial.problem},
              {"longest", run_s_},
              {"log", log_}});
    return trial;
  }

  static std::string key_of(const std::vector<PricePart>& left_off) {
    std::vector<std::string> names;
    for (const PricePart& part : left_off)
      names.push_back(part.name);
    return joined(names, ",");
  }

  VerifyPlan plan_without(const std::vector<PricePart>& left_off, std::size_t runs) {
    VerifyOptions options = options_.verify;
    std::vector<std::string> disabled;
    if (options.run.disable && !options.run.disable->empty())
      disabled.push_back(*options.run.disable);
    for (const PricePart& part : left_off)
      if (part.disables.empty())
        options.run.keep_aslr = true;
      else
        disabled.push_back(part.disables);
    if (!disabled.empty())
      options.run.disable = joined(disabled, ",");
    options.run.log = next_folder().string();
    options.runs = runs;
    return plan_verification(options);
  }

  /// One that was cut off has left its own.
  fs::path next_folder() {
    fs::path folder;
    do
      folder = folder_ / ("trial-" + std::to_string(++trials_));
    while (fs::exists(folder));
    return folder;
  }

  PriceTrial run(const VerifyPlan& plan) {
    const Verification result = verify_program(plan);
    PriceTrial trial;
    trial.runs = result.runs.size();
    for (const Comparison& comparison : result.comparisons)
      trial.differing += comparison.differs() ? 1 : 0;
    trial.problem = problem_of(result);
    std::vector<double> times;
    for (const Run& run : result.runs) {
      run_s_ = std::max(run_s_, run.ended - run.began);
      if (trial.problem.empty())
        times.push_back(time_of(run, step_));
    }
    if (!times.empty()) {
      trial.seconds = std::ranges::min(times);
      trial.noise = middle_of(times) - trial.seconds;
    }
    log_ = result.runs.front().log().string();
    return trial;
  }

  /// Why its runs prove nothing, or fail. What no log of the runs knows is no matter here.
  static std::string problem_of(const Verification& result) {
    for (const Problem& problem : result.problems)
      if (problem.spoils_differences || is_any_of(problem.kind, {"failed", "unnamed_output"}))
        return problem.text;
    return "";
  }

  void take_up() {
    std::ifstream input(folder_ / search_file);
    std::string line;
    const bool is_new = !std::getline(input, line);
    if (is_new)
      return add_line({{"search", search_of(options_)}});
    if (Json::parse(line, nullptr, false) != Json{{"search", search_of(options_)}})
      throw UsageError("--log " + in_quotes(folder_.string()) +
                       " holds another search: its command, seed and options have to be the same");
    while (std::getline(input, line))
      take_line(Json::parse(line, nullptr, false));
    std::ofstream(folder_ / search_file, std::ios::app) << '\n'; // behind a line that was cut
  }

  /// Of a line that was cut by a kill, nothing.
  void take_line(const Json& json) {
    if (!json.is_object() || !json.contains("without"))
      return;
    known_[json["without"]] = {json["runs"], json["differing"], json["seconds"], json["noise"],
                               json["problem"]};
    run_s_ = json["longest"];
    if (json["without"] == "")
      log_ = json["log"];
  }

  void add_line(const Json& json) const {
    std::ofstream output(folder_ / search_file, std::ios::app);
    output << json.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
    if (!output)
      throw UsageError("cannot write " + in_quotes((folder_ / search_file).string()));
  }

  const PriceOptions& options_;
  fs::path folder_;
  std::chrono::steady_clock::time_point began_;
  std::optional<Pattern> step_;
  std::optional<double> budget_s_;
  double run_s_ = 0; ///< the longest one took
  std::size_t trials_ = 0;
  std::string log_;
  std::map<std::string, PriceTrial> known_; ///< by what they left off
};

fs::path folder_of(const std::optional<std::string>& asked_for) {
  const std::string name =
      moment_text(std::time(nullptr), "price-%Y%m%dT%H%M%S-") + std::to_string(::getpid());
  const fs::path folder =
      fs::absolute(asked_for ? fs::path(*asked_for) : fs::path("detshim-log") / name);
  std::error_code error;
  const bool is_there = fs::exists(folder, error) && !fs::is_empty(folder, error);
  if (is_there && !fs::exists(folder / search_file, error))
    throw UsageError("--log " + in_quotes(folder.string()) +
                     " is not accepted: a folder that is new, or of an earlier `price`");
  fs::create_directories(folder, error);
  if (error)
    throw UsageError("cannot make the folder " + in_quotes(folder.string()) + ": " +
                     error.message());
  return folder;
}

PriceSubject subject_of(const PriceOptions& options, const fs::path& folder) {
  const RunOptions& run = options.verify.run;
  return {run.command, run.seed.value_or(variable("DETSHIM_SEED", default_seed)),
          run.disable.value_or(variable("DETSHIM_DISABLE", "")), folder.string(),
          options.step.value_or("")};
}

void check_repeats(const PriceTrial& all, const fs::path& folder) {
  if (!all.repeats())
    throw UsageError(
        "the runs differ, or prove nothing, with nothing left off: " +
        (all.problem.empty() ? "see " + in_quotes(folder.string()) : printable(all.problem)) +
        "; `detshim verify` first");
}

Price price_of(Trials& trials, const fs::path& folder) {
  const PriceTrial all = trials.run_without({}, runs_of_trial);
  check_repeats(all, folder);
  const std::vector<PricePart> parts = used_parts(trials.log());
  PriceSearch search;
  search.try_without = [&](const std::vector<PricePart>& left_off, std::size_t runs) {
    return trials.run_without(left_off, runs);
  };
  search.try_all_again = [&] {
    return trials.run_all_again();
  };
  search.has_time = [&](std::size_t runs) {
    return trials.has_time(runs);
  };
  const Price price = find_price(all, parts, search);
  check_repeats(price.all, folder);
  return price;
}

} // namespace

int price(const PriceOptions& options) {
  check_verify(options.verify);
  const fs::path folder = folder_of(options.verify.run.log);
  Price price;
  try {
    Trials trials(options, folder);
    price = price_of(trials, folder);
  } catch (const Interrupted& interrupted) {
    spdlog::warn("interrupted; the same command with --log {} goes on", printable(folder.string()));
    ::signal(interrupted.signal, SIG_DFL);
    ::raise(interrupted.signal);
  }
  const PriceSubject subject = subject_of(options, folder);
  if (options.json)
    print_price_json(subject, price, std::cout);
  else
    print_price_text(subject, price);
  std::cout.flush();
  return price.is_out_of_time ? check_failed : done;
}

} // namespace detshim
