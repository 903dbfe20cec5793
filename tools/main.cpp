// The detshim command: reads the command line and calls one verb.
#include "log_reader/printable.h"
#include "run/library_file.h"
#include "verbs/verbs.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <utility>

namespace {

using detshim::printable;

constexpr const char* exit_statuses =
    "Exit status: 0 done; 2 wrong usage, or nothing to read; 3 `log --check`, `doctor` or `scan` found "
    "something.\n"
    "`log diff`, `env diff`: 0 the two are equal, 1 they differ, 2 they cannot be compared, or not all of "
    "them.\n"
    "`verify`, `bisect`: 0 equal, 1 different, 2 unverified, or wrong usage.\n"
    "`run` becomes the program and ends in its status; 126 it cannot be executed, preloaded or trapped, 127 "
    "it is not "
    "there.";

/// How many of the words after `run` are detshim's own. The rest, from the first word that is neither an
/// option nor an option's value, is the program and its arguments; CLI11 must not look into those.
std::size_t count_own_words(const CLI::App& run, const std::vector<std::string>& words) {
  std::size_t own = 0;
  while (own < words.size() && words[own].starts_with('-') && words[own] != "--") {
    const CLI::Option* const option = run.get_option_no_throw(words[own]);
    const bool takes_next_word = option != nullptr && option->get_items_expected_min() > 0;
    own += takes_next_word ? 2 : 1;
  }
  return std::min(own, words.size());
}

/// Moves the program and its arguments from `words` to `command`.
void take_command(const CLI::App& run, std::vector<std::string>& words, std::vector<std::string>& command) {
  const std::vector<std::string> after_verb(words.begin() + 1, words.end());
  const std::size_t own = count_own_words(run, after_verb);
  const std::size_t program = own < after_verb.size() && after_verb[own] == "--" ? own + 1 : own;
  command.assign(after_verb.begin() + static_cast<std::ptrdiff_t>(program), after_verb.end());
  words.resize(own + 1);
}

/// Says so in one line, where CLI11 would take some values and refuse others in words of its own. `words`:
/// without the program's.
void refuse_values_of_flags(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = &app;
  bool is_value = false; // of the option before it
  for (const std::string& word : words) {
    if (std::exchange(is_value, false)) continue;
    if (word == "--") return;
    if (!word.starts_with("--")) {
      const auto next =
          verb->get_subcommands([&word](const CLI::App* one) { return one->get_name() == word; });
      if (!next.empty()) verb = next.front();
      const CLI::Option* const option = word.starts_with('-') ? verb->get_option_no_throw(word) : nullptr;
      is_value = option != nullptr && option->get_items_expected_min() > 0;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CLI::Option* const option = verb->get_option_no_throw(name);
    if (option == nullptr) continue;
    is_value = equals == std::string::npos && option->get_items_expected_min() > 0;
    if (equals != std::string::npos && option->get_items_expected_max() == 0)
      throw detshim::UsageError("'" + word + "' is not accepted: " + name + " takes no value");
  }
}

void add_list(CLI::App& verb, const char* name, std::vector<std::string>& list, const char* what,
              const char* type) {
  verb.add_option(name, list, what)->type_name(type)->allow_extra_args(false);
}

/// What `run`, `verify` and `bisect` have in common.
void add_run_options(CLI::App& verb, detshim::RunOptions& options) {
  // For the help only: take_command() has taken it before CLI11 sees it.
  verb.add_option("PROGRAM", options.command, "the program and its arguments; -- may stand before it")
      ->type_name("");
  verb.add_option("--seed", options.seed, "the one number that the run depends on")->type_name("N");
  verb.add_option("--mode", options.mode, "enforce, record, observe, strict or off")->type_name("M");
  verb.add_option("--policy", options.policy, "the program's own seeds: fixed or keep")->type_name("P");
  verb.add_option("--log", options.log, "folder for the log")->type_name("DIR");
  verb.add_option("--disable", options.disable, "libraries, hooks, env:VARIABLE to leave alone")
      ->type_name("LIST");
  add_list(verb, "--freeze", options.freeze,
           "answer clocks and ids that a line reads by a time that\nfollows from the seed: train.cpp:12, "
           "train.py:7",
           "PLACE");
  verb.add_option("--freeze-from", options.freeze_from, "the same of all lines that a log names")
      ->type_name("LOG");
  verb.add_flag("--keep-aslr", options.keep_aslr, "leave the randomisation of the address-space layout on");
  verb.add_flag(
      "--trap-syscalls", options.trap_syscalls,
      "answer getrandom and random devices for static and Go\nprograms too; their keys become predictable");
  verb.add_option("--library", options.library, "the libdetshim.so to preload")->type_name("PATH");
}

CLI::App& add_run(CLI::App& app, detshim::RunOptions& options) {
  CLI::App& verb = *app.add_subcommand("run", "run a program with libdetshim.so in front of it");
  add_run_options(verb, options);
  verb.add_flag("--quiet", options.quiet, "no lines of the library on standard error");
  verb.add_flag("--allow-uncovered", options.allow_uncovered,
                "run a program too that the library does not come up in");
  // For tools/python, so that what a program gets is said in one place. Not in the help.
  verb.add_flag("--print-environment", options.print_environment)->group("");
  return verb;
}

/// What `verify` and `bisect` have in common: which runs are compared in what.
void add_comparison_options(CLI::App& verb, detshim::VerifyOptions& options) {
  add_run_options(verb, options.run);
  add_list(verb, "--output", options.outputs,
           "files that the program writes, by a glob, or a folder;\nas often as needed", "GLOB");
  add_list(verb, "--metric", options.metrics,
           "a series of numbers in what it prints: the one group\nof REGEX", "REGEX");
  verb.add_option("--rtol", options.relative_tolerance, "for metrics: relative tolerance (0)")
      ->type_name("R");
  verb.add_option("--atol", options.absolute_tolerance, "for metrics: absolute tolerance (0)")
      ->type_name("A");
  add_list(verb, "--volatile", options.volatile_text, "text in lines that may differ, such as durations",
           "REGEX");
  add_list(verb, "--ignore", options.ignored, "stdout or stderr: it is not compared", "STREAM");
  add_list(verb, "--accept", options.accepted, "as `log --check --accept`", "NAME");
}

CLI::App& add_verify(CLI::App& app, detshim::VerifyOptions& options) {
  CLI::App& verb = *app.add_subcommand("verify", "run a program several times under one seed, and compare");
  verb.add_option("-n,--runs", options.runs, "how many runs (2; 5 where something can differ)")
      ->type_name("N");
  verb.add_flag("--control", options.control, "first a pair without enforcement, which has to differ");
  verb.add_option("--perturb", options.perturb,
                  "one more run for each of aslr, fill, load, cores,\nreaddir, workers and events, or for "
                  "those in LIST")
      ->type_name("[=LIST]")
      ->expected(0, 1);
  verb.add_flag("--allocations", options.allocations,
                "where a run under fill or aslr differs, find the allocation\nbehind it, by further runs")
      ->disable_flag_override();
  verb.add_option("--resume", options.resume,
                  "'kill after REGEX': one more run is killed at that line,\nand started again")
      ->type_name("TEXT");
  add_comparison_options(verb, options);
  verb.add_flag("--json", options.json, "print one JSON document");
  verb.add_option("--junit", options.junit, "write a JUnit report")->type_name("FILE");
  return verb;
}

CLI::App& add_bisect(CLI::App& app, detshim::BisectOptions& options) {
  CLI::App& verb =
      *app.add_subcommand("bisect", "find the hooks and settings that a program needs to be repeatable");
  options.verify.runs = 4;
  verb.add_option("-n,--runs", options.verify.runs, "how many runs for each answer (4)")->type_name("N");
  verb.add_option("--most-runs", options.most_runs, "stop after so many runs (300)")->type_name("N");
  add_comparison_options(verb, options.verify);
  verb.add_flag("--json", options.verify.json, "print one JSON document");
  return verb;
}

CLI::App& add_log(CLI::App& app, detshim::LogOptions& options) {
  CLI::App& verb = *app.add_subcommand("log", "print what a log holds, worst first");
  verb.add_option("FOLDER", options.folder,
                  std::string("the log's folder (") + detshim::default_log_folder + ")")
      ->type_name("");
  verb.add_flag("--json", options.json, "print one JSON document");
  verb.add_flag("--all", options.all, "print every value and place, and every record");
  verb.add_flag(
      "--check", options.check,
      "exit 3 unless the verdict is `covered`, and if a call was\nrefused; that --no-scan left the code out "
      "is no failure");
  verb.add_flag("--no-timing", options.no_timing,
                "with --check: exit 3 if anything was chosen by time, whatever\nis accepted");
  verb.add_flag("--no-scan", options.no_scan, "do not decode the code that was loaded");
  verb.add_option(
          "--accept", options.accepted,
          "a reason that you answer for, by its name or kind; as often\nas needed, and a line each in "
          ".detshim-accept here")
      ->type_name("NAME")
      ->allow_extra_args(false); // what follows the name is the folder
  verb.add_flag("--accept-kernels", options.accepts_kernels, "as --accept kernels");
  verb.add_option("--run", options.run, "which run, if the folder holds several (the newest)")
      ->type_name("NAME");
  verb.add_flag("--follow", options.follow,
                "print records while they are written, until the run\nends or is interrupted");
  verb.add_flag("--times", options.times, "with --follow: the time in front of each line");
  return verb;
}

/// A verb of two words. (A folder of that name is ./diff.)
CLI::App& add_log_diff(CLI::App& log, detshim::LogDiffOptions& options) {
  CLI::App& verb =
      *log.add_subcommand("diff", "print what differs between two logs, and what differed first");
  const char* const place = "a log's folder, or FOLDER/RUN where it holds several";
  verb.add_option("A", options.a, place)->type_name("")->required();
  verb.add_option("B", options.b, place)->type_name("")->required();
  verb.add_flag("--json", options.json, "print one JSON document");
  return verb;
}

void check(const detshim::LogOptions& options) {
  if (options.follow && (options.json || options.all || options.check || options.run || options.no_scan ||
                         options.accepts_kernels || !options.accepted.empty()))
    throw detshim::UsageError(
        "--follow takes none of --json, --all, --check, --no-scan, --accept, --accept-kernels and --run");
  if (options.no_timing && !options.check) throw detshim::UsageError("--no-timing needs --check");
  if (options.times && !options.follow) throw detshim::UsageError("--times needs --follow");
}

CLI::App& add_tuning(CLI::App& app, detshim::TuningOptions& options) {
  CLI::App& verb = *app.add_subcommand("tuning", "make one tuning file of several ranks'");
  verb.add_option(
          "FILES", options.files,
          "files of DETSHIM_AUTOTUNE=record:FILE, in the order of their ranks:\nwhat most took is kept, of "
          "equals the first rank's")
      ->type_name("")
      ->required();
  verb.add_option("-o,--output", options.output, "the file to write")->type_name("FILE")->required();
  return verb;
}

CLI::App& add_report(CLI::App& app, detshim::ReportOptions& options) {
  CLI::App& verb = *app.add_subcommand("report", "write one HTML page about a verification or a log");
  verb.add_option("PLACE", options.place,
                  std::string("a folder of `verify`, what `verify --json` printed,\nor a log's folder (") +
                      detshim::default_log_folder + ")")
      ->type_name("");
  verb.add_option("-o,--output", options.output, "the file (report.html); - for standard output")
      ->type_name("FILE");
  return verb;
}

CLI::App& add_scan(CLI::App& app, detshim::ScanOptions& options) {
  CLI::App& verb = *app.add_subcommand("scan", "list what in a program and its libraries no preload sees");
  verb.add_option("FILE", options.files, "programs and shared libraries")->type_name("");
  verb.add_flag("--alone", options.alone, "the files themselves, not the libraries that they need");
  verb.add_flag("--all", options.all, "print every place, and what is left alone on purpose");
  verb.add_flag("--json", options.json, "print one JSON document");
  return verb;
}

CLI::App& add_doctor(CLI::App& app, detshim::DoctorOptions& options) {
  CLI::App& verb =
      *app.add_subcommand("doctor", "say whether a program will work with detshim here, and run nothing");
  // For the help only: take_command() has taken it before CLI11 sees it.
  verb.add_option("program", "the program and its arguments")->type_name("...");
  verb.add_option("--library", options.library, "the libdetshim.so to preload")->type_name("PATH");
  return verb;
}

struct EnvVerbs {
  CLI::App &capture, &diff, &show;
};

EnvVerbs add_env(CLI::App& env, detshim::EnvCaptureOptions& capture, detshim::EnvDiffOptions& diff,
                 detshim::EnvShowOptions& show) {
  env.require_subcommand(1);
  EnvVerbs verbs{*env.add_subcommand("capture", "write down what a run stood on, beside its log"),
                 *env.add_subcommand("diff", "print in what two environments differ, the worst first"),
                 *env.add_subcommand("show", "print one, or what would bring it back")};
  verbs.capture.add_option("LOG", capture.log, "the log folder (detshim-log/latest, or none)")->type_name("");
  verbs.capture.add_option("-o,--output", capture.output, "the file to write")->type_name("FILE");
  verbs.capture.add_flag("--deep", capture.deep, "by contents: of caches too");
  verbs.diff.add_option("A", diff.a, "a log folder, or a file")->type_name("")->required();
  verbs.diff.add_option("B", diff.b, "another one")->type_name("")->required();
  verbs.diff.add_flag("--json", diff.json, "print one JSON document");
  verbs.show.add_option("PLACE", show.place, "a log folder, or a file (detshim-log/latest)")->type_name("");
  verbs.show.add_flag("--shell", show.shell, "as lines of a shell that set its variables");
  verbs.show.add_flag("--pip", show.pip, "as requirements for pip");
  verbs.show.add_flag("--conda", show.conda, "as specifications for conda");
  verbs.show.add_flag("--apt", show.apt, "as packages for apt-get install");
  return verbs;
}

CLI::App& add_describe(CLI::App& app, const char* name, const char* summary, const char* page,
                       detshim::DescribeOptions& options) {
  CLI::App& verb = *app.add_subcommand(name, summary);
  verb.add_flag("--markdown", options.markdown, std::string("print the page ") + page);
  verb.add_option("--library", options.library, "the libdetshim.so to read")->type_name("PATH");
  return verb;
}

int call_verb(std::vector<std::string> words) {
  CLI::App app("Makes an unmodified program repeatable, and says what could not be made so.", "detshim");
  app.set_version_flag("--version", "detshim " DETSHIM_VERSION);
  // For the help only: it stands alone, where CLI11 wants a verb.
  app.add_flag("--lib")->description("print where libdetshim.so is, for LD_PRELOAD");
  app.require_subcommand(1);
  app.get_formatter()->column_width(28);
  app.footer(exit_statuses);

  detshim::RunOptions run_options;
  detshim::VerifyOptions verify_options;
  detshim::BisectOptions bisect_options;
  detshim::LogOptions log_options;
  detshim::LogDiffOptions log_diff_options;
  detshim::ReportOptions report_options;
  detshim::DoctorOptions doctor_options;
  detshim::EnvCaptureOptions env_capture_options;
  detshim::EnvDiffOptions env_diff_options;
  detshim::EnvShowOptions env_show_options;
  detshim::ScanOptions scan_options;
  detshim::TuningOptions tuning_options;
  detshim::DescribeOptions hooks_options, options_options;
  CLI::App& run = add_run(app, run_options);
  CLI::App& verify = add_verify(app, verify_options);
  CLI::App& bisect = add_bisect(app, bisect_options);
  CLI::App& log = add_log(app, log_options);
  CLI::App& log_diff = add_log_diff(log, log_diff_options);
  CLI::App& report = add_report(app, report_options);
  CLI::App& doctor = add_doctor(app, doctor_options);
  CLI::App& env = *app.add_subcommand("env", "capture what a run stood on; compare two; show one");
  const EnvVerbs env_verbs = add_env(env, env_capture_options, env_diff_options, env_show_options);
  CLI::App& scan = add_scan(app, scan_options);
  CLI::App& tuning = add_tuning(app, tuning_options);
  CLI::App& hooks =
      add_describe(app, "hooks", "list what libdetshim.so intercepts", "docs/HOOKS.md", hooks_options);
  CLI::App& options =
      add_describe(app, "options", "list the environment variables that libdetshim.so accepts and sets",
                   "docs/OPTIONS.md", options_options);
  std::string shell;
  CLI::App& completion =
      *app.add_subcommand("completion", "print what a shell needs to complete these words");
  completion.add_option("SHELL", shell, "bash, zsh or fish")->type_name("")->required();
  CLI::App* const verbs[] = {&run, &verify, &bisect, &log,   &report,  &doctor,
                             &env, &scan,   &tuning, &hooks, &options, &completion};
  log_diff.footer(exit_statuses);
  for (CLI::App* const verb : {&env_verbs.capture, &env_verbs.diff, &env_verbs.show})
    verb->footer(exit_statuses);
  for (CLI::App* const verb : verbs) verb->footer(exit_statuses);

  if (words == std::vector<std::string>{"--lib"}) {
    std::cout << detshim::find_library(std::nullopt) << '\n';
    return detshim::done;
  }
  const auto is_first_word = [&words](const CLI::App* verb) { return words[0] == verb->get_name(); };
  if (words.empty() || (!words[0].starts_with('-') && std::ranges::none_of(verbs, is_first_word)))
    throw detshim::UsageError(
        (words.empty() ? "a verb is missing" : "there is no verb '" + words[0] + "'") +
        ": run, verify, bisect, log, report, doctor, env, scan, tuning, hooks, options or "
        "completion (see detshim --help)");
  if (words[0] == "run") take_command(run, words, run_options.command);
  if (words[0] == "verify") take_command(verify, words, verify_options.run.command);
  if (words[0] == "bisect") take_command(bisect, words, bisect_options.verify.run.command);
  if (words[0] == "doctor") take_command(doctor, words, doctor_options.command);
  refuse_values_of_flags(app, words);
  try {
    std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw detshim::UsageError(error.what() + std::string(" (see detshim --help)"));
  }

  check(log_options);
  if (run) return detshim::run(run_options);
  if (log_diff) return detshim::log_diff(log_diff_options);
  if (verify) {
    // Its option is there without a value as well.
    if (verify.count("--perturb") > 0 && !verify_options.perturb) verify_options.perturb.emplace();
    return detshim::verify(verify_options);
  }
  if (bisect) return detshim::bisect(bisect_options);
  if (log) return log_options.follow ? detshim::follow(log_options) : detshim::log(log_options);
  if (report) return detshim::report(report_options);
  if (doctor) return detshim::doctor(doctor_options);
  if (env_verbs.capture) return detshim::env_capture(env_capture_options);
  if (env_verbs.diff) return detshim::env_diff(env_diff_options);
  if (env_verbs.show) return detshim::env_show(env_show_options);
  if (scan) return detshim::scan(scan_options);
  if (tuning) return detshim::tuning(tuning_options);
  if (completion) return detshim::completion(shell);
  if (hooks) return detshim::hooks(hooks_options);
  return detshim::options(options_options);
}

} // namespace

int main(int count, char** arguments) {
  try {
    const int status = call_verb({arguments + (count > 0 ? 1 : 0), arguments + count});
    if (std::cout.flush()) return status;
    std::cerr << "detshim: cannot write the output\n";
  } catch (const std::exception& error) {
    std::cerr << "detshim: " << printable(error.what()) << '\n';
  }
  return detshim::wrong_usage;
}
