// Does the runs and decides the verdict: equal, different or unverified.
//
// The rules stand in the order of what can be trusted. A run that was spoiled (killed, out of disk,
// with processes left behind) proves nothing, not even that runs differ. Then one difference is
// enough for *different*. Then any problem that makes equality prove too little is enough for
// *unverified*. What is left is *equal*. A perturbed run counts like a plain one for the verdict,
// and not at all for how often plain runs may still differ.
//
// It reads the runs' folders and the verdicts of their logs. It cannot know what another run would
// have done: differing_rate_bound() says how much N equal runs rule out. Nor can it know that a
// race or a clock came out the same by chance: more runs make that less likely, and so do runs in
// which something is turned.
#include "verify/verify.h"

#include "environment/capture.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "support/lists.h"
#include "support/mapped_file.h"
#include "support/progress.h"
#include "support/wording.h"
#include "verify/line_watch.h"
#include "verify/output_claim.h"
#include "verify/run_processes.h"
#include "verify/running_comparison.h"
#include "verify/stepped_clocks.h"
#include "verify/unnamed_outputs.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace detshim {
namespace {

/// Once it has ended.
void add_logged_facts(Run& run) {
  if (run.has_logged_facts)
    return;
  run.has_logged_facts = true;
  LoggedFacts facts = logged_facts(run.log().string());
  run.processes.merge(facts.processes);
  run.reads_clocks = facts.reads_clocks;
  run.may_show_times = facts.may_show_times;
  run.shown_formats = std::move(facts.shown_formats);
}

/// One that was ended on purpose has no end in its log, and a child that just began no start.
LogVerdict judge_log_of(const Run& run, const VerifyPlan& plan) {
  std::vector<std::string> accepted = plan.accepted;
  if (!run.is_whole())
    for (const Finding finding : {Finding::no_end, Finding::no_start})
      accepted.emplace_back(row_of(finding).kind);
  return judge_log(run.log().string(), accepted);
}

/// A line for each run as it ends, on a terminal as it begins: who waits for hours reads them.
class RunLines {
public:
  void begin(const std::string& name) { now_.emplace(name + "..."); }
  void end(const Run& run) {
    broken();
    std::fprintf(stderr, "detshim: %s: %.1f s, %s\n", run.name.c_str(), run.ended - run.began,
                 run.ending().c_str());
  }
  void broken() { now_.reset(); }

private:
  std::optional<Progress> now_;
};

void make_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0)
    throw UsageError("cannot make the folder " + in_quotes(folder.string()) + ": " +
                     std::generic_category().message(errno));
}

/// Does the runs, one after the other.
class Session {
public:
  explicit Session(const VerifyPlan& plan)
      : plan_(plan), ends_with_us_(plan.folder), search_(plan.rules.outputs, plan.folder),
        claim_(search_.all_patterns(), plan.folder), outputs_(search_, plan.folder) {}

  void run_all(Verification& result) {
    outputs_.put_aside(plan_.folder / "before");
    run_controls(result);
    run_plain(result);
    run_perturbed(result);
    if (plan_.kill_after && !is_over_)
      run_resumed(result);
  }

  /// Outputs are as they were before the first run.
  void finish(Verification& result) {
    const std::size_t late = outputs_.put_back(plan_.folder / "late");
    if (late > 0)
      result.problems.push_back(
          {"late", counted(late, "output") + " written after the run had ended", true});
  }

private:
  static std::string numbered(const char* what, std::size_t index) {
    return what + std::to_string(index + 1);
  }

  void run_controls(Verification& result) {
    if (!plan_.has_control)
      return;
    RunSettings observed;
    observed.mode = Mode::observe;
    for (std::size_t i = 0; i < 2 && !is_over_; ++i)
      run(numbered("control ", i), nullptr, observed, result.controls, result);
  }

  void run_plain(Verification& result) {
    constexpr std::size_t few = 2;
    std::size_t wanted = plan_.runs.value_or(few);
    while (result.runs.size() < wanted && !is_over_) {
      run(numbered("run ", result.runs_before + result.runs.size()), nullptr, {}, result.runs,
          result);
      if (is_over_)
        break;
      if (result.runs.size() == 1) { // what its log says decides how much there is to find out
        result.logs = {judge_log_of(result.runs.front(), plan_)};
        if (result.logs.front().can_differ.empty())
          continue;
        const Run& first = result.runs.front();
        wanted = plan_.runs.value_or(
            wanted_runs(first.ended - first.began, result.logs.front().can_race, plan_.budget_s));
        wait_for_next_second(result.runs.front().began);
      }
      learn_seeds(result);
      if (result.runs.size() < 2)
        continue;
      const bool is_other = differs(result, result.runs.back());
      if (!is_other && !writes_other(result.runs))
        continue;
      if (learn_times(result)) { // and what it wrote is to be written over
        wanted = std::max(wanted, result.runs.size() + 1);
        continue;
      }
      // More runs of a program that takes hours would say the same.
      if (is_other && !plan_.runs)
        break;
    }
    result.plain_runs = result.runs.size();
  }

  /// Where runs differ, or what they wrote, and read clocks: twice more with clocks that go by
  /// steps, which tells what of their prints is a time. A run that was ended where it differed, and
  /// does not any more, is left out then. True if another run is to follow: they may be equal now,
  /// or have files to write over.
  bool learn_times(Verification& result) {
    const Run& first = result.runs.front();
    if (has_tried_stepped_clocks_ || !first.reads_clocks || plan_.until ||
        !has_time_for_three(result))
      return false;
    has_tried_stepped_clocks_ = true;
    constexpr unsigned step_ms = 1250;
    const Run once = run_with_stepped_clocks("clocks by steps", step_ms, first);
    const Run twice = run_with_stepped_clocks("clocks by longer steps", 2 * step_ms, first);
    if (ended_well(once) && ended_well(twice))
      stepped_formats_ = formats_by(first, once, twice);
    for (Run& run : result.runs)
      take_formats(stepped_formats_, run);
    if (differs(result, result.runs.back()))
      return !twice.unnamed_outputs.contents.empty() || !twice.unnamed_outputs.are_all;
    result.remarks.emplace_back(
        "times were told from results by two runs whose clocks went by steps");
    if (!result.runs.back().is_whole()) {
      std::error_code ignored;
      fs::remove_all(result.runs.back().folder, ignored);
      result.runs.pop_back();
    }
    return true;
  }

  /// True if the last two wrote files that differ, and that no --output names.
  bool writes_other(const std::vector<Run>& runs) const {
    const bool are_first = runs.size() == 2;
    return !compare_unnamed_outputs(runs[runs.size() - 2], runs.back(), are_first, plan_.rules)
                .files.empty();
  }

  /// Two with stepped clocks, and one behind them.
  bool has_time_for_three(const Verification& result) const {
    constexpr double longest_s = 120;
    const Run& first = result.runs.front();
    const double usual_s = first.ended - first.began;
    if (!plan_.budget_s)
      return usual_s <= longest_s;
    return result.runs.back().ended - first.began + 3 * usual_s <= *plan_.budget_s;
  }

  /// Of what both have printed and written.
  SteppedFormats formats_by(const Run& first, const Run& once, const Run& twice) const {
    std::vector<SteppedText> texts;
    const auto add = [&](std::string_view usual, std::string_view of_once,
                         std::string_view of_twice) {
      texts.push_back({without_volatile(usual, first, first),
                       without_volatile(of_once, once, first),
                       without_volatile(of_twice, twice, first)});
    };
    for (const PrintedStream stream : both_streams)
      add(MappedFile(first.printed(stream)).bytes(), MappedFile(once.printed(stream)).bytes(),
          MappedFile(twice.printed(stream)).bytes());
    const WrittenTexts of_first = written_texts(first), of_once = written_texts(once),
                       of_twice = written_texts(twice);
    for (const auto& [name, written] : of_first) {
      const auto now = of_once.find(name), later = of_twice.find(name);
      if (now == of_once.end() || later == of_twice.end() || now->second.size() != written.size() ||
          later->second.size() != written.size())
        continue;
      for (std::size_t i = 0; i < written.size(); ++i)
        add(*written[i], *now->second[i], *later->second[i]);
    }
    return find_stepped_formats(texts);
  }

  using WrittenTexts = std::map<std::string, std::vector<const std::string*>>;

  /// By their names without digits, in order: clocks that go by steps give a folder another date.
  static WrittenTexts written_texts(const Run& run) {
    WrittenTexts texts;
    for (const auto& [path, text] : run.unnamed_texts) {
      std::string name = path;
      std::ranges::replace_if(
          name,
          [](unsigned char c) {
            return std::isdigit(c) != 0;
          },
          '0');
      texts[name].push_back(&text);
    }
    return texts;
  }

  static bool ended_well(const Run& run) {
    return !run.was_cut && !run.was_too_long && run.succeeded();
  }

  static void take_formats(const SteppedFormats& formats, Run& run) {
    run.time_formats = formats.times;
    run.rate_formats = formats.rates;
  }

  /// The run's text, with a character in place of what is known to be volatile by `known`.
  std::string without_volatile(std::string_view text, const Run& run, const Run& known) const {
    const VolatileText volatile_text = volatile_text_of(known, plan_.rules);
    const RunFacts facts{run.began, run.ended, run.processes, known.reads_clocks,
                         known.may_show_times};
    std::string result;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view states = text.substr(0, end); // a bar of progress overwrites its line
      const std::string masked = volatile_text.masked(states.substr(states.rfind('\r') + 1), facts);
      for (std::size_t i = 0; i < masked.size(); ++i) {
        const bool is_mask = masked[i] == '\0';
        result += is_mask ? volatile_part : masked[i];
        if (is_mask)
          i = std::min(masked.find('>', i), masked.size());
      }
      result += '\n';
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
  }

  /// As long as four times the first one, and some seconds, at most.
  Run run_with_stepped_clocks(const char* name, unsigned step_ms, const Run& first) {
    constexpr double patience_s = 10;
    const double usual_s = first.ended - first.began;
    RunOnce how{signals_, plan_.run, plan_.timeout_s};
    how.must_end = [most = 4 * usual_s + patience_s](const Run& run) {
      const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
      return now.count() - run.began > most;
    };
    RunSettings settings;
    settings.first_log = first.log().string();
    settings.clock_step_ms = step_ms;
    Run run = run_one(name, how, settings);
    take_what_it_wrote(run);
    return run;
  }

  void run_perturbed(Verification& result) {
    if (plan_.perturbations.empty() || is_over_)
      return;
    if (differs_plainly(result)) {
      result.remarks.emplace_back("nothing was perturbed, since runs differ without it");
      is_over_ = true;
    }
    for (const Perturbation* const perturbation : plan_.perturbations) {
      if (is_over_)
        return;
      const std::string name = std::string("perturb ") + perturbation->name;
      if (const char* const reason = why_left_out(*perturbation, result.logs.front())) {
        result.remarks.push_back(name + ": left out, " + reason);
        continue;
      }
      RunSettings settings;
      settings.first_log = result.runs.front().log().string();
      if (perturbation->turn != nullptr)
        perturbation->turn(settings);
      run(name, perturbation, settings, result.runs, result);
    }
  }

  /// nullptr where it is not left out.
  static const char* why_left_out(const Perturbation& perturbation, const LogVerdict& first_log) {
    if (perturbation.needs_clock_readings && !first_log.reads_clock)
      return "no line reads a clock";
    if (perturbation.is_possible != nullptr && !perturbation.is_possible())
      return "not possible on this machine";
    return nullptr;
  }

  /// From the first.
  bool differs(Verification& result, Run& run) const {
    for (Run* const pair_member : {&result.runs.front(), &run})
      add_logged_facts(*pair_member);
    return compare_runs(result.runs.front(), run, plan_.rules).differs();
  }
  bool differs_plainly(Verification& result) const {
    return std::ranges::any_of(result.runs, [&](Run& run) {
      return differs(result, run);
    });
  }

  /// Runs show which seeds change. With those pinned they begin again; another time where what
  /// changes was the same by chance, or hidden behind another.
  void learn_seeds(Verification& result) {
    constexpr std::size_t most_before = 20, most_looked_at = 5;
    if (!plan_.learn_seeds || result.runs.size() < 2 || result.runs.size() > most_looked_at ||
        result.runs_before >= most_before)
      return;
    // How many seeds a run passed before it was ended is chance.
    if (!result.runs.front().is_whole() || !result.runs.back().is_whole())
      return;
    const SeedsOfCallSites learned =
        plan_.learn_seeds(result.runs.front().log().string(), result.runs.back().log().string());
    if (learned.changing.empty() && learned.constant.empty())
      return;
    for (const std::string& call_site : learned.changing)
      add_once(result.learned_seeds.changing, call_site);
    for (const std::string& call_site : learned.constant)
      add_once(result.learned_seeds.constant, call_site);
    result.runs_before += result.runs.size();
    result.runs.clear();
    result.logs.clear();
  }

  /// Two runs that begin in one second read the same time(): they would be equal by chance.
  static void wait_for_next_second(double began) {
    timespec now = {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    if (now.tv_sec > static_cast<time_t>(began))
      return;
    const timespec rest = {0, 1'000'000'000 - now.tv_nsec};
    ::nanosleep(&rest, nullptr); // a signal ends the wait early
  }

  static std::string describe_full_disk(const Run& run) {
    return "the disk was full after " + run.name + " at '" + run.full_disk->string() + "'";
  }

  static std::string describe_left_alone(const Run& run) {
    return "after " + run.name + ", " + run.left_alone + ": what is behind it was left where it is";
  }

  static std::string describe_not_kept(const Run& run) {
    return "what " + run.name + " printed could not be kept in '" + run.folder.string() +
           "': " + std::generic_category().message(run.not_kept);
  }

  void run(const std::string& name, const Perturbation* perturbation, RunSettings settings,
           std::vector<Run>& runs, Verification& result) {
    RunOnce how{signals_, plan_.run, plan_.timeout_s};
    set_end(how, runs, result);
    // Seeds made of a session's or a parent's id are the same in runs that have one: every other
    // has its own.
    how.has_other_ids = perturbation == nullptr && runs.size() % 2 == 1 && !result.logs.empty() &&
                        !result.logs.front().can_differ.empty();
    if (perturbation != nullptr) {
      how.turn_in_child = perturbation->turn_in_child;
      how.is_loaded = perturbation->is_loaded;
    }
    check_for_late_outputs(name, result);
    Run run = run_one(name, how, std::move(settings));
    run.perturbation = perturbation;
    take_what_it_wrote(run);
    take_formats(stepped_formats_, run);
    look_at(run, result);
    runs.push_back(std::move(run));
  }

  void take_what_it_wrote(Run& run) {
    take_outputs(run);
    constexpr double tick = 0.01; // files have the time of the kernel's last one
    run.unnamed_outputs =
        written_files(run.log(), static_cast<std::int64_t>((run.began - tick) * 1e9));
    keep_unnamed_texts(run);
  }

  /// What ends a run on purpose: the line that was asked for, or a difference from the first run.
  /// With --runs each goes on to its end.
  void set_end(RunOnce& how, std::vector<Run>& runs, Verification& result) const {
    if (plan_.until) {
      end_at_line(how, *plan_.until);
      return;
    }
    if (plan_.runs || &runs != &result.runs || runs.empty() || are_fingerprinted())
      return;
    if (!result.logs.empty() && result.logs.front().has_open_seeds) // of which whole runs say more
      return;
    constexpr int look_ms = 250; // each look reads what was printed since the last
    how.look_ms = look_ms;
    how.ends_at_difference = true;
    add_logged_facts(runs.front());
    how.must_end = [comparison =
                        RunningComparison(runs.front(), plan_.rules, log_of_run(plan_.folder))](
                       const Run& run) mutable {
      return comparison.has_differed(run);
    };
  }

  static void end_at_line(RunOnce& how, const RunEnd& end) {
    constexpr int look_ms = 10; // each further line is one too many
    how.look_ms = look_ms;
    how.must_end = [watch = LineWatch(end)](const Run& run) mutable {
      return watch.has_seen_it(run);
    };
  }

  /// What the killed run wrote stays for the one that takes it up.
  void run_resumed(Verification& result) {
    RunOnce how{signals_, plan_.run, plan_.timeout_s};
    end_at_line(how, *plan_.kill_after);
    check_for_late_outputs("the killed run", result);
    result.killed = run_one("killed", how, {});
    if (result.killed->was_too_long)
      look_at(*result.killed, result);
    if (!result.killed->was_cut) {
      result.problems.push_back({"not_killed",
                                 "the program had ended before a line was seen that matches '" +
                                     plan_.kill_after->pattern()->text() +
                                     "'; it may keep what it prints in a buffer",
                                 false});
      take_outputs(*result.killed);
      result.killed.reset();
      return;
    }
    how.must_end = nullptr;
    result.resumed = run_one("resumed", how, {});
    take_outputs(*result.resumed);
    look_at(*result.resumed, result);
  }

  void check_for_late_outputs(const std::string& name, Verification& result) {
    if (!outputs_.has_any())
      return;
    result.problems.push_back(
        {"late", "before " + name + ", outputs are there again: something still writes", true});
    outputs_.take(plan_.folder / "late" / replaced_blanks(name));
  }

  Run run_one(const std::string& name, const RunOnce& how, RunSettings settings) {
    signals_.check();
    Run run;
    run.name = name;
    run.folder = plan_.folder / replaced_blanks(name);
    make_folder(run.folder);
    const fs::path log =
        log_of_run(plan_.folder); // in each run: a program may look at its environment
    settings.log = log.string();
    std::error_code ignored;
    if (plan_.has_fresh_cache) {
      settings.caches = plan_.folder / "caches";
      fs::remove_all(settings.caches, ignored);
      make_folder(settings.caches);
    }
    lines_.begin(name);
    try {
      run_once(how, settings, run);
    } catch (...) {
      lines_.broken();
      take_outputs(run); // nothing is lost, and what stood there before finds its place
      throw;
    }
    fs::rename(log, run.log(), ignored); // fails where nothing was recorded
    if (plan_.until)
      run.until = end_printed_at(*plan_.until, run);
    lines_.end(run);
    return run;
  }

  void take_outputs(Run& run) {
    run.full_disk = outputs_.full_disk();
    run.outputs = outputs_.take(run.folder / "outputs");
    run.left_alone = outputs_.left_alone();
    if (!run.full_disk && is_full(run.folder))
      run.full_disk = run.folder;
  }

  /// Notes why the run cannot be compared with others.
  void look_at(const Run& run, Verification& result) {
    if (run.full_disk)
      spoil(result, "full", describe_full_disk(run) + ": its outputs may not be whole");
    if (run.not_kept != 0)
      spoil(result, "full", describe_not_kept(run));
    if (!run.left_alone.empty())
      spoil(result, "swapped", describe_left_alone(run));
    if (!run.left_behind.empty())
      spoil(result, "left_behind",
            run.name + " left " + counted(run.left_behind.size(), "process", "processes") +
                " behind: " + joined(run.left_behind) + "; what they write was not compared");
    if (run.was_too_long)
      spoil(result, "timeout",
            run.name + " was ended after " + counted(plan_.timeout_s, "second") + " (--timeout)");
    else if (run.is_whole() && run.was_killed())
      spoil(result, "killed", run.name + " was ended by " + run.ending());
  }

  void spoil(Verification& result, const char* kind, std::string text) {
    result.problems.push_back({kind, std::move(text), true});
    is_over_ = true;
  }

  static std::string replaced_blanks(std::string name) {
    std::ranges::replace(name, ' ', '-');
    return name;
  }

  const VerifyPlan& plan_;
  EndsWithUs ends_with_us_;
  HeldSignals signals_;
  OutputSearch search_;
  OutputClaim claim_;
  Outputs outputs_;
  RunLines lines_;
  bool is_over_ = false;
  bool has_tried_stepped_clocks_ = false;
  SteppedFormats stepped_formats_; ///< of all runs
};

void add_problem(Verification& result, const char* kind, const std::string& text) {
  const auto is_it = [&](const Problem& problem) {
    return problem.text == text;
  };
  if (std::ranges::none_of(result.problems, is_it))
    result.problems.push_back({kind, text, false});
}

void compare_all_fingerprints(Verification& result) {
  for (Comparison& comparison : result.comparisons) {
    if (!result.logs.front().is_there || !result.logs[comparison.other_index].is_there)
      continue;
    note_what_fails(comparison, [&] {
      compare_fingerprints(result.runs.front().log().string(),
                           result.runs[comparison.other_index].log().string(), comparison);
    });
  }
}

void compare_all(const VerifyPlan& plan, Verification& result) {
  if (plan.rules.ignores_out)
    result.remarks.emplace_back("stdout was not compared (--ignore)");
  if (plan.rules.ignores_err)
    result.remarks.emplace_back("stderr was not compared (--ignore)");
  const auto compare = [&](const std::vector<Run>& runs, std::vector<Comparison>& to) {
    for (std::size_t i = 1; i < runs.size(); ++i) {
      to.push_back(compare_runs(runs.front(), runs[i], plan.rules));
      to.back().other_index = i;
    }
  };
  compare(result.controls, result.control_comparisons);
  compare(result.runs, result.comparisons);
  if (are_fingerprinted())
    compare_all_fingerprints(result);
  if (result.resumed)
    result.comparisons.push_back(
        compare_resumed(result.runs.front(), *result.killed, *result.resumed, plan.rules));
  for (const Comparison& comparison : result.comparisons) {
    for (const std::string& text : comparison.uncompared)
      add_problem(result, "not_compared", text);
    for (const std::string& text : comparison.remarks)
      add_once(result.remarks, text);
  }
}

std::string describe_log(const LogVerdict& log) {
  std::string text = "the log's verdict is " + log.level;
  if (!log.reasons.empty())
    text += " - " + log.reasons.front();
  if (log.reasons.size() > 1)
    text += "; " + counted(log.reasons.size() - 1, "reason") + " more";
  return text;
}

/// When the first run began, and the last ended.
void take_times(Verification& result) {
  for (const std::vector<Run>* const runs : {&result.controls, &result.runs})
    for (const Run& run : *runs) {
      if (result.began == 0)
        result.began = run.began;
      result.ended = run.ended;
    }
}

void add_log_problem(Verification& result, const LogVerdict& log) {
  if (!log.passes)
    add_problem(result, "log", describe_log(log));
}

/// The first run's log was judged when it ended: it said how many runs there were to be.
void judge_logs(const VerifyPlan& plan, Verification& result) {
  for (std::size_t i = result.logs.size(); i < result.runs.size(); ++i)
    result.logs.push_back(judge_log_of(result.runs[i], plan));
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    Run& run = result.runs[i];
    const LogVerdict& log = result.logs[i];
    run.processes.insert(log.processes.begin(), log.processes.end());
    const bool is_passed_over = run.perturbation != nullptr && run.perturbation->is_log_passed_over;
    if (!is_passed_over)
      add_log_problem(result, log);
  }
}

void look_at_reach(const VerifyPlan& plan, Verification& result) {
  if (plan.mode == Mode::off)
    add_problem(result, "mode", "mode off: detshim did nothing");
  const auto has_level = [](const LogVerdict& log) {
    return !log.level.empty();
  };
  if (std::ranges::any_of(result.logs, has_level))
    return;
  if (is_out_of_reach(plan.command.front()))
    add_problem(result, "out_of_reach", "the program is linked statically: no preload reaches it");
  else
    result.remarks.emplace_back("nothing was recorded: no draw and no call came to detshim");
}

void judge_runs(const VerifyPlan& plan, Verification& result) {
  take_times(result);
  for (std::vector<Run>* const runs : {&result.controls, &result.runs})
    for (Run& run : *runs)
      add_logged_facts(run);
  judge_logs(plan, result);
  if (result.resumed) // the killed one has no end
    add_log_problem(result, judge_log(result.resumed->log().string(), plan.accepted));
  look_at_reach(plan, result);
}

/// A file that the runs wrote, that differs and was not asked for may be what the user wants to be
/// equal.
void look_at_unnamed_outputs(const VerifyPlan& plan, Verification& result) {
  if (!std::ranges::all_of(result.runs, &Run::is_whole))
    return;
  std::map<std::string, std::string> differ;
  for (std::size_t i = 1; i < result.plain_runs; ++i) {
    const UnnamedDifferences found = compare_unnamed_outputs(
        result.runs[i - 1], result.runs[i], i == 1 && result.runs_before == 0, plan.rules);
    for (const auto& [path, how] : found.files)
      differ.emplace(path, path + " (" + how + ")");
    if (i == 1 && !found.of_times.empty())
      result.remarks.push_back("only times and processes differ in " + some_of(found.of_times));
  }
  std::vector<std::string> texts;
  for (const auto& [path, text] : differ)
    texts.push_back(text);
  if (!texts.empty())
    result.problems.push_back(
        {"unnamed_output",
         "files that no --output names differ from run to run (--ignore FILE: they may): " +
             some_of(texts),
         false});
  else if (plan.rules.outputs.empty() && !std::ranges::all_of(result.runs, [](const Run& run) {
             return run.unnamed_outputs.are_all;
           }))
    add_problem(result, "unnamed_output",
                "the runs used more files than are listed, and may have written more: name what is "
                "to be equal "
                "(--output FILE)");
}

/// Its users look for a fault of their own otherwise.
bool fails_when_enforced_alone(const Verification& result) {
  return !result.controls.empty() && std::ranges::all_of(result.controls, &Run::succeeded) &&
         std::ranges::none_of(result.runs, &Run::succeeded);
}

void look_at_endings(Verification& result) {
  if (fails_when_enforced_alone(result))
    result.problems.insert( // before all others
        result.problems.begin(),
        {"fails_when_enforced",
         "the program fails only under what detshim forces: " + result.runs.front().ending() +
             ", and " + result.controls.front().ending() +
             " without (--control); `--disable LIST` finds the part, and docs/VERIFY.md says what "
             "to report",
         false});
  for (const Run& run : result.runs)
    if (run.is_whole() && !run.succeeded() && !run.was_killed())
      add_problem(result, "failed", run.name + " failed: " + run.ending());
  if (result.resumed && !result.resumed->succeeded())
    add_problem(result, "failed", "the resumed run failed: " + result.resumed->ending());
}

/// What was named (outputs, metrics), else what was printed: that has to differ without
/// enforcement.
void look_at_control(const VerifyPlan& plan, Verification& result) {
  if (!plan.has_control || result.control_comparisons.empty())
    return;
  const Comparison& control = result.control_comparisons.front();
  if (!std::ranges::all_of(result.controls, &Run::succeeded)) {
    add_problem(result, "control", "a run without enforcement failed: it is no control");
    return;
  }
  const bool has_named = !plan.rules.outputs.empty() || !plan.rules.metrics.empty();
  bool differs = false;
  for (const ComparedItem& item : control.items) {
    if (item.is_named() != has_named)
      continue;
    if (control.differs_in(item))
      differs = true;
    else if (item.is_named())
      add_once(result.remarks, std::string(item.kind_name()) + " '" + item.subject +
                                   "' is the same without enforcement: its equality says nothing");
  }
  if (!differs)
    add_problem(result, "control",
                "two runs without enforcement do not differ either: the program repeats by itself, "
                "or too few "
                "runs show it (without --control the question is whether runs are equal)");
}

void look_at_substance(Verification& result) {
  if (result.comparisons.empty()) {
    if (result.problems.empty())
      add_problem(result, "not_compared", "nothing was compared");
    return;
  }
  for (const Comparison& comparison : result.comparisons) {
    if (comparison.differs())
      return;
    const auto holds = [](const ComparedItem& item) {
      return item.holds_something;
    };
    if (std::ranges::none_of(comparison.items, holds))
      add_problem(result, "not_compared",
                  "nothing was compared but the exit status: the program printed nothing, and made "
                  "no output");
  }
}

/// What was seen while a run went on may have been none: nothing is known of its rest.
void look_at_early_ends(Verification& result) {
  for (const Comparison& comparison : result.comparisons) {
    const Run& run = result.runs[comparison.other_index];
    if (run.ended_at_difference && !comparison.differs())
      add_problem(result, "ended_early",
                  run.name + " was ended at a difference that is none (-n N: each run goes on to "
                             "its end)");
  }
}

void note_until(const VerifyPlan& plan, Verification& result) {
  if (!plan.until)
    return;
  const bool is_seen = std::ranges::any_of(result.runs, [](const Run& run) {
    return run.until.has_value();
  });
  const std::optional<Pattern>& asked = plan.until->pattern();
  result.remarks.push_back(
      is_seen ? "each run was ended: nothing was compared behind that, and no file"
              : "no run came so far as to be ended" + (asked ? " ('" + asked->text() + "')" : "") +
                    ": they went on to their ends");
}

void note_budget(const VerifyPlan& plan, Verification& result) {
  const double took =
      result.runs.empty() ? 0 : result.runs.back().ended - result.runs.front().began;
  if (plan.budget_s && took > *plan.budget_s)
    result.remarks.push_back("the runs took " + std::to_string(std::lround(took)) +
                             " s, more than the budget (--budget): fewer would have shown nothing");
}

Answer answer_of(const Verification& result) {
  if (std::ranges::any_of(result.problems, &Problem::spoils_differences))
    return Answer::unverified;
  if (std::ranges::any_of(result.comparisons, &Comparison::differs))
    return Answer::different;
  return result.problems.empty() ? Answer::equal : Answer::unverified;
}

/// How many plain runs equal the first, itself included; 0 if one does not.
std::size_t equal_plain_runs(const Verification& result) {
  for (const Comparison& comparison : result.comparisons)
    if (comparison.is_plain() && comparison.differs())
      return 0;
  return result.plain_runs;
}

} // namespace

const char* answer_name(Answer answer) {
  return answer == Answer::equal       ? "equal"
         : answer == Answer::different ? "different"
                                       : "unverified";
}

double differing_rate_bound(std::size_t runs) {
  return runs < 2 ? 1 : 1 - std::pow(0.05, 1.0 / static_cast<double>(runs - 1));
}

std::size_t runs_for_bound(double rate) {
  return static_cast<std::size_t>(std::ceil(std::log(0.05) / std::log(1 - rate))) + 1;
}

Verification verify_program(const VerifyPlan& plan) {
  Verification result;
  {
    Session session(plan);
    session.run_all(result);
    session.finish(result);
  } // from here on a signal ends us as it usually does
  const Progress progress("comparing what the runs have left");
  judge_runs(plan, result);
  compare_all(plan, result);
  look_at_endings(result);
  look_at_early_ends(result);
  note_until(plan, result);
  note_budget(plan, result);
  look_at_unnamed_outputs(plan, result);
  look_at_control(plan, result);
  look_at_substance(result);
  if (input_waits())
    result.problems.push_back({"stdin", waiting_input, false});
  const auto say_seeds = [&result](const char* what, const std::vector<std::string>& call_sites) {
    if (!call_sites.empty())
      result.remarks.push_back(what + result.runs.front().name + " on: " + joined(call_sites));
  };
  say_seeds("seeds that change from run to run are pinned from ", result.learned_seeds.changing);
  say_seeds("seeds that do not change from run to run are left as they are from ",
            result.learned_seeds.constant);
  result.bound = differing_rate_bound(equal_plain_runs(result));
  result.answer = answer_of(result);
  if (result.killed && result.resumed)
    result.ledger = draw_ledger(result.runs.front(), *result.killed, *result.resumed);
  result.first_cause = find_first_cause(result.comparisons, result.runs, result.logs);
  return result;
}

} // namespace detshim
