// The detshim command: reads the command line and calls one verb.
#include "common/modes.h"
#include "help_formatter.h"
#include "run/library_file.h"
#include "run/option_variables.h"
#include "support/small_limits.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <system_error>
#include <type_traits>
#include <utility>

namespace {

using detshim::did_you_mean;
using detshim::is_any_of;
using detshim::joined;
using detshim::printable;

/// Of `verb`, by its name behind `detshim`, and of those below it.
void end_help(CLI::App& verb, const std::string& name) {
  verb.footer(detshim::help_end(name));
  for (CLI::App* below : verb.get_subcommands({}))
    end_help(*below, name + (name.empty() ? "" : " ") + below->get_name());
}

/// How many of the words after `run` are detshim's own. The rest, from the first word that is
/// neither an option nor an option's value, is the program and its arguments; CLI11 must not look
/// into those.
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
void take_command(const CLI::App& run, std::vector<std::string>& words,
                  std::vector<std::string>& command) {
  const std::vector<std::string> after_verb(words.begin() + 1, words.end());
  const std::size_t own = count_own_words(run, after_verb);
  const std::size_t program = own < after_verb.size() && after_verb[own] == "--" ? own + 1 : own;
  command.assign(after_verb.begin() + static_cast<std::ptrdiff_t>(program), after_verb.end());
  words.resize(own + 1);
}

/// Reads words as CLI11 will, and refuses in one line what CLI11 would take, or refuse in words of
/// its own: verbs and options that there are not, values that are missing, and those of options
/// that take none.
class WordCheck {
public:
  explicit WordCheck(const CLI::App& app) : verb_(&app) {}

  /// `words`: without the program's. Returns what the help of the verb is called by.
  std::string run(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (!std::exchange(option_, "").empty())
        continue; // its value
      if (word == "--")
        break;
      if (word.starts_with('-') && word != "-")
        read_option(word);
      else
        read_argument(word);
    }
    if (!option_.empty())
      refuse_missing_value(option_);
    if (verb_->get_require_subcommand_min() > 0 && !asks_for_help_)
      refuse("a verb is missing: " + joined(verbs()));
    return path_;
  }

private:
  /// The parts of "--seed=7"; of "-n2" the option alone.
  struct OptionWord {
    std::string name;
    bool is_long = false, has_equals = false, has_value = false;
  };

  static OptionWord split_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
    return {word.substr(0, end), is_long, is_long && end < word.size(),
            is_long ? end + 1 < word.size() : end < word.size()};
  }

  void read_argument(const std::string& word) {
    const auto next = verb_->get_subcommands([&word](const CLI::App* verb) {
      return verb->get_name() == word;
    });
    if (!next.empty()) {
      verb_ = next.front();
      path_ += ' ' + word;
    } else if (verb_->get_require_subcommand_min() > 0) {
      const std::string meant = did_you_mean(word, verbs());
      refuse("there is no verb '" + word + '\'' + (meant.empty() ? ": " + joined(verbs()) : meant));
    }
  }

  void read_option(const std::string& word) {
    const OptionWord parts = split_option(word);
    const CLI::Option* const option = verb_->get_option_no_throw(parts.name);
    if (option == nullptr)
      refuse(path_ + " has no option " + parts.name + did_you_mean(parts.name, long_options()));
    asks_for_help_ |= is_any_of(parts.name, {"-h", "--help", "--version"});
    if (parts.has_equals && option->get_items_expected_max() == 0)
      throw detshim::UsageError("'" + word + "' is not accepted: " + parts.name +
                                " takes no value");
    if (option->get_items_expected_min() == 0 || parts.has_value)
      return;
    if (parts.has_equals)
      refuse_missing_value(parts.name);
    option_ = parts.name;
  }

  std::vector<std::string> verbs() const {
    std::vector<std::string> names;
    for (const CLI::App* verb : verb_->get_subcommands({}))
      names.push_back(verb->get_name());
    return names;
  }

  std::vector<std::string> long_options() const {
    std::vector<std::string> names;
    for (const CLI::Option* option : verb_->get_options())
      for (const std::string& name : option->get_lnames())
        names.push_back("--" + name);
    return names;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw detshim::UsageError(why + " (see " + path_ + " --help)");
  }

  [[noreturn]] void refuse_missing_value(const std::string& option) const {
    refuse(option + " is given without its " + verb_->get_option_no_throw(option)->get_type_name());
  }

  const CLI::App* verb_;
  std::string path_ = "detshim";
  std::string option_; ///< whose value is the next word
  bool asks_for_help_ = false;
};

/// An option with a value, or an argument. `type`: what represents the value in the help.
template <typename Value>
CLI::Option* add_value(CLI::App& verb, const char* name, Value& value, const std::string& what,
                       const char* type) {
  return verb.add_option(name, value, what)->type_name(type);
}

/// A number in a range; `accepted` says which.
template <typename Value>
void add_number(CLI::App& verb, const char* name, Value& value, const char* what, const char* type,
                double least, double most, const char* accepted) {
  const auto check = [=](const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    const bool is_whole =
        std::is_same_v<Value, double> || text.find_first_not_of("0123456789") == text.npos;
    const bool is_good =
        *end == 0 && is_whole && number >= least && number <= most; // NaN is neither
    return is_good ? "" : "'" + text + "' is not accepted: " + accepted;
  };
  add_value(verb, name, value, what, type)->check(check);
}

constexpr double most_runs = 100'000;
constexpr const char* number_of_runs = "a number of runs from 2 to 100000";

void add_list(CLI::App& verb, const char* name, std::vector<std::string>& list, const char* what,
              const char* type) {
  add_value(verb, name, list, what, type)->allow_extra_args(false); // the program may follow
}

/// What `run` and `verify` have in common.
void add_run_options(CLI::App& verb, detshim::RunOptions& options) {
  // For the help only: take_command() has taken it before CLI11 sees it.
  add_value(verb, "PROGRAM", options.command,
            "the program and its arguments; -- may stand before it", "");
  add_value(verb, "--seed", options.seed,
            "the one number that the run depends on (DETSHIM_SEED's, else 42)", "N");
  add_value(verb, "--mode", options.mode, detshim::one_of(detshim::mode_names), "M");
  add_value(verb, "--policy", options.policy,
            "the program's own seeds: " + detshim::one_of(detshim::policy_names), "P");
  add_value(verb, "--log", options.log, "folder for the log", "DIR");
  add_value(verb, "--disable", options.disable, "libraries, hooks, env:VARIABLE to leave alone",
            "LIST");
  add_list(verb, "--freeze", options.freeze,
           "answer clocks and ids that a line reads by a time that follows from the seed: "
           "train.cpp:12, "
           "train.py:7",
           "PLACE");
  add_value(verb, "--freeze-from", options.freeze_from, "the same of all lines that a log names",
            "LOG");
  verb.add_flag("--keep-aslr", options.keep_aslr,
                "leave the randomisation of the address-space layout on");
  add_value(verb, "--library", options.library, "the libdetshim.so to preload", "PATH");
}

void add_run(CLI::App& verb, detshim::RunOptions& options) {
  add_run_options(verb, options);
  verb.add_flag("--quiet", options.quiet, "no lines of the library on standard error");
  verb.add_flag("--check", options.check,
                "then judge this run as `log --check` does, on standard error: status 3 in place "
                "of the program's 0");
  verb.add_flag("--allow-uncovered", options.allow_uncovered,
                "run a program too that the library does not come up in");
  // For tools/python, so that what a program gets is said in one place. Not in the help.
  verb.add_flag("--print-environment", options.print_environment)->group("");
}

/// What `verify` and `price` have in common.
void add_comparison_options(CLI::App& verb, detshim::VerifyOptions& options) {
  add_list(verb, "--output", options.outputs,
           "files that the program writes, by a glob, or a folder;\nas often as needed", "GLOB");
  add_list(verb, "--metric", options.metrics,
           "a series of numbers in what it prints: the one group of REGEX", "REGEX");
  constexpr double most = std::numeric_limits<double>::max();
  const char* const accepted = "a number that is not negative";
  add_number(verb, "--rtol", options.relative_tolerance, "for metrics: relative tolerance (0)", "R",
             0, most, accepted);
  add_number(verb, "--atol", options.absolute_tolerance, "for metrics: absolute tolerance (0)", "A",
             0, most, accepted);
  add_list(verb, "--volatile", options.volatile_text,
           "text in lines that may differ, such as durations", "REGEX");
  add_list(verb, "--ignore", options.ignored, "stdout, stderr or files by a glob: not compared",
           "WHAT");
  verb.add_flag("--fresh-cache", options.fresh_cache,
                "begin each run with empty caches (XDG_CACHE_HOME and others)");
  add_number(verb, "--timeout", options.timeout_s, "end a run after so many seconds (never)", "S",
             0, 1'000'000'000, "a whole number of seconds up to 10^9; 0 is never");
}

void add_verify(CLI::App& verb, detshim::VerifyOptions& options) {
  add_number(verb, "-n,--runs", options.runs, "how many runs (2; 5 where something can differ)",
             "N", 2, most_runs, number_of_runs);
  verb.add_flag("--control", options.control,
                "first a pair without enforcement, which has to differ");
  add_value(
      verb, "--perturb", options.perturb,
      "one more run for each of aslr, fill, fill-negative, load, cores, readdir, workers, events, "
      "zone, locale, umask and host, or for those in LIST, which may have clock too",
      "[=LIST]")
      ->expected(0, 1);
  verb.parse_complete_callback([&verb, &options] { // it is there without a value as well
    if (verb.count("--perturb") > 0 && !options.perturb)
      options.perturb.emplace();
  });
  add_value(verb, "--resume", options.resume,
            "'kill after REGEX': one more run is killed at that line, and started again", "TEXT");
  add_value(verb, "--until", options.until,
            "end each run at the first line that matches, and compare what was printed until then",
            "REGEX");
  add_number(verb, "--first", options.first,
             "end each run at the Nth value of --metric, else of any result that it prints", "N", 1,
             1'000'000'000, "a whole number from 1 to 10^9");
  add_value(verb, "--budget", options.budget, "as many runs as fit in this time (2m): 90s, 10m, 2h",
            "TIME");
  add_run_options(verb, options.run);
  add_comparison_options(verb, options);
  add_list(verb, "--accept", options.accepted, "as `log --check --accept`", "NAME");
  verb.add_flag("--restore", options.restore,
                "only put back what a `verify` that was killed had set aside");
  verb.add_flag("--json", options.json, "print one JSON document");
  add_value(verb, "--junit", options.junit, "write a JUnit report", "FILE");
  add_value(verb, "--markdown", options.markdown, "write a table in Markdown: $GITHUB_STEP_SUMMARY",
            "FILE");
  add_value(verb, "--sarif", options.sarif, "write a SARIF report: what differed, at its line",
            "FILE");
}

void add_price(CLI::App& verb, detshim::PriceOptions& options) {
  add_value(verb, "--budget", options.budget, "stop where this time is up: 90s, 10m, 2h", "TIME");
  add_value(
      verb, "--step", options.step,
      "time steps, by a number that it prints: the one group of\nREGEX, instead of whole runs",
      "REGEX");
  add_run_options(verb, options.verify.run);
  add_comparison_options(verb, options.verify);
  verb.add_flag("--json", options.json, "print one JSON document");
}

void add_log(CLI::App& verb, detshim::LogOptions& options) {
  add_value(verb, "FOLDER", options.folder,
            std::string("the log's folder (") + detshim::default_log_folder + ")", "");
  verb.add_flag("--json", options.json, "print one JSON document");
  verb.add_flag("--all", options.all, "print every value and place, and every record");
  verb.add_flag("--check", options.check,
                "exit 3 unless the verdict is `covered` or `verified`, and if a call was refused; "
                "that --no-scan "
                "left the code out is no failure");
  verb.add_flag("--no-scan", options.no_scan, "do not decode the code that was loaded");
  add_value(
      verb, "--accept", options.accepted,
      "a reason that you answer for, by its name or kind; as often as needed, and a line each in "
      ".detshim-accept here",
      "NAME")
      ->allow_extra_args(false); // what follows the name is the folder
  add_value(verb, "--run", options.run, "which run, if the folder holds several (the newest)",
            "NAME");
}

void add_log_diff(CLI::App& verb, detshim::LogDiffOptions& options) {
  const char* const place = "a log's folder, or FOLDER/RUN where it holds several";
  add_value(verb, "A", options.a, place, "")->required();
  add_value(verb, "B", options.b, place, "")->required();
  verb.add_flag("--json", options.json, "print one JSON document");
}

void add_patch(CLI::App& verb, detshim::PatchOptions& options) {
  add_value(verb, "LOG", options.log,
            std::string("the log's folder (") + detshim::default_log_folder + ")", "");
  add_number(verb, "--seed", options.seed, "the first seed that it puts in (42)", "N", 0,
             0xFFFFFFFF, "a whole number below 2^32");
}

void add_report(CLI::App& verb, detshim::ReportOptions& options) {
  add_value(verb, "PLACE", options.place,
            std::string("a folder of `verify`, what `verify --json` printed, or a log's folder (") +
                detshim::default_log_folder + ")",
            "");
  add_value(verb, "-o,--output", options.output, "the file (report.html); - for standard output",
            "FILE");
}

void add_attest(CLI::App& verb, detshim::AttestOptions& options) {
  add_value(verb, "VERIFICATION", options.place,
            "a folder of `verify`, or what `verify --json` printed (that of detshim-log/latest)",
            "");
  add_value(verb, "-o,--output", options.output, "the file; - for standard output (-)", "FILE");
}

void add_scan(CLI::App& verb, detshim::ScanOptions& options) {
  add_value(verb, "FILE", options.files, "programs and shared libraries", "");
  CLI::Option* const gpu = verb.add_flag("--gpu", options.gpu,
                                         "list which kernels add floating-point numbers in a race");
  add_value(verb, "--arch", options.architectures,
            "with --gpu: for these architectures alone (sm_90)", "ARCH")
      ->delimiter(',')
      ->needs(gpu)
      ->allow_extra_args(false);
  verb.add_flag("--alone", options.alone, "the files themselves, not the libraries that they need");
  verb.add_flag("--all", options.all, "print every place, and what is left alone on purpose");
  verb.add_flag("--json", options.json, "print one JSON document");
}

void add_doctor(CLI::App& verb, detshim::DoctorOptions& options) {
  // For the help only: take_command() has taken it before CLI11 sees it.
  verb.add_option("program", "the program and its arguments")->type_name("...");
  add_value(verb, "--library", options.library, "the libdetshim.so to preload", "PATH");
}

void add_env_capture(CLI::App& verb, detshim::EnvCaptureOptions& options) {
  add_value(verb, "LOG", options.log, "a log folder: what its run stood on; else this shell", "");
  add_value(verb, "-o,--output", options.output, "the file to write", "FILE");
}

void add_env_diff(CLI::App& verb, detshim::EnvDiffOptions& options) {
  add_value(verb, "A", options.a, "a log folder, or a file", "")->required();
  add_value(verb, "B", options.b, "another one", "")->required();
  verb.add_flag("--json", options.json, "print one JSON document");
}

void add_env_show(CLI::App& verb, detshim::EnvShowOptions& options) {
  add_value(verb, "PLACE", options.place, "a log folder, or a file (detshim-log/latest)", "");
}

void add_describe(CLI::App& verb, detshim::DescribeOptions& options, const char* page) {
  verb.add_flag("--markdown", options.markdown, std::string("print the page ") + page);
  add_value(verb, "--library", options.library, "the libdetshim.so to read", "PATH");
}
void add_hooks(CLI::App& verb, detshim::DescribeOptions& options) {
  add_describe(verb, options, "docs/HOOKS.md");
}
void add_options(CLI::App& verb, detshim::DescribeOptions& options) {
  add_describe(verb, options, "docs/OPTIONS.md");
}

void add_completion(CLI::App& verb, std::string& shell) {
  add_value(verb, "SHELL", shell, "bash, zsh or fish", "")->required();
}

struct Verb {
  CLI::App* app;
  std::function<int()> call;
  std::vector<std::string>* command; ///< the program and its arguments; nullptr where it takes none
};

std::vector<std::string>* command_in(detshim::RunOptions& options) { return &options.command; }
std::vector<std::string>* command_in(detshim::VerifyOptions& options) {
  return &options.run.command;
}
std::vector<std::string>* command_in(detshim::DoctorOptions& options) { return &options.command; }
std::vector<std::string>* command_in(auto&) { return nullptr; }

template <typename Options>
Verb add_verb(CLI::App& to, const char* name, const char* what,
              void (*add_its_options)(CLI::App&, Options&), int (*call)(const Options&)) {
  const auto options = std::make_shared<Options>();
  CLI::App* const app = to.add_subcommand(name, what);
  add_its_options(*app, *options);
  return {app,
          [options, call] {
            return call(*options);
          },
          command_in(*options)};
}

/// The names of an option as they are typed, the long ones first.
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_lnames())
    names.push_back("--" + name);
  for (const std::string& name : option.get_snames())
    names.push_back("-" + name);
  return names;
}

/// What is declared of a verb and of those below it, for completion.
detshim::VerbWords declared_words(const CLI::App& app, const std::vector<Verb>& verbs) {
  detshim::VerbWords words;
  words.name = app.get_name();
  words.what = app.get_description();
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty())
      continue; // hidden
    if (option->get_positional())
      words.arguments.push_back(option->get_name());
    else
      words.options.push_back({names_of(*option), option->get_description(),
                               option->get_type_name(), option->get_items_expected_max() > 0,
                               option->get_items_expected_min() == 0});
  }
  for (const CLI::App* below : app.get_subcommands({}))
    words.verbs.push_back(declared_words(*below, verbs));
  words.runs_program = std::ranges::any_of(verbs, [&app](const Verb& verb) {
    return verb.app == &app && verb.command != nullptr;
  });
  return words;
}

/// Declares all verbs, in the order in which the help lists them.
std::vector<Verb> declare_verbs(CLI::App& app) {
  std::vector<Verb> verbs;
  const auto add = [&verbs](CLI::App& to, const auto&... declaration) {
    verbs.push_back(add_verb(to, declaration...));
  };
  add(app, "run", "run a program with libdetshim.so in front of it", add_run,
      detshim::run_and_check);
  add(app, "verify", "run a program several times under one seed, and compare", add_verify,
      detshim::verify);
  add(app, "price", "try what each answer of the library costs, and which are needed", add_price,
      detshim::price);
  add(app, "log", "print what a log holds, worst first", add_log, detshim::log);
  // A verb of two words. (A folder of that name is ./diff.)
  add(*verbs.back().app, "diff", "print what differs between two logs, and what differed first",
      add_log_diff, detshim::log_diff);
  add(app, "patch", "print a diff with which a script repeats without detshim", add_patch,
      detshim::patch);
  add(app, "report", "write one HTML page about a verification or a log", add_report,
      detshim::report);
  add(app, "attest", "write an in-toto statement about a verification, for you to sign", add_attest,
      detshim::attest);
  add(app, "doctor", "say whether a program will work with detshim here, and run nothing",
      add_doctor, detshim::doctor);
  CLI::App& env = *app.add_subcommand("env", "capture what a run stood on; compare two; show one");
  env.require_subcommand(1);
  add(env, "capture", "write down what a run stood on, beside its log", add_env_capture,
      detshim::env_capture);
  add(env, "diff", "print in what two environments differ, the worst first", add_env_diff,
      detshim::env_diff);
  add(env, "show", "print one, or what would bring it back", add_env_show, detshim::env_show);
  add(app, "scan", "list what in a program and its libraries no preload sees", add_scan,
      detshim::scan);
  add(app, "hooks", "list what libdetshim.so intercepts", add_hooks, detshim::hooks);
  add(app, "options", "list the environment variables that libdetshim.so accepts and sets",
      add_options, detshim::options);
  add(app, "completion", "print what a shell needs to complete these words", add_completion,
      detshim::completion);
  return verbs;
}

/// `help verify` is `verify --help`, and `version`, -V and -v are --version.
std::vector<std::string> as_options(std::vector<std::string> words) {
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (words.size() == 1 && is_any_of(words[0], {"version", "-V", "-v"}))
    words[0] = "--version";
  return words;
}

int call_verb(std::vector<std::string> words) {
  CLI::App app("Makes an unmodified program repeatable, and says what could not be made so.",
               "detshim");
  app.set_version_flag("--version", "detshim " DETSHIM_VERSION);
  // For the help only: it stands alone, where CLI11 wants a verb.
  app.add_flag("--lib")->description("print where libdetshim.so is, for LD_PRELOAD");
  app.require_subcommand(1);
  app.formatter(std::make_shared<detshim::HelpFormatter>());

  const std::vector<Verb> verbs = declare_verbs(app);
  end_help(app, "");

  words = as_options(std::move(words));
  if (words.size() > 1 && words[0] == "completion" && words[1] == "--words") // asked by a shell
    return detshim::complete_words(declared_words(app, verbs), {words.begin() + 2, words.end()});
  if (words == std::vector<std::string>{"--lib"}) {
    std::cout << detshim::find_library(std::nullopt) << '\n';
    return detshim::done;
  }
  for (const Verb& verb : verbs)
    if (verb.command != nullptr && !words.empty() && words[0] == verb.app->get_name())
      take_command(*verb.app, words, *verb.command);
  const std::string path = WordCheck(app).run(words);
  try {
    std::reverse(words.begin(), words.end()); // CLI11 takes them from the back
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    if (error.get_name() == "ValidationError")
      throw detshim::UsageError(error.what());
    throw detshim::UsageError(error.what() + (" (see " + path) + " --help)");
  }

  // Of `log diff` both words are verbs.
  const auto used = std::find_if(verbs.rbegin(), verbs.rend(), [](const Verb& verb) {
    return verb.app->parsed();
  });
  return used->call();
}

/// Of the words behind the command's name.
int run_command(const std::vector<std::string>& words) {
  const auto logger = spdlog::stderr_logger_mt("detshim"); // for what is said beside an answer
  logger->set_pattern("detshim: %v");
  spdlog::set_default_logger(logger);
  try {
    const int status = call_verb(words);
    if (std::cout.flush())
      return status;
    spdlog::error("cannot write the output");
  } catch (const std::bad_alloc&) {
    spdlog::error("{}{}", std::strerror(ENOMEM), detshim::limit_behind(ENOMEM));
  } catch (const std::system_error& error) {
    spdlog::error("{}{}", printable(error.what()), detshim::limit_behind(error.code().value()));
  } catch (const std::exception& error) {
    spdlog::error("{}", printable(error.what()));
  }
  return detshim::wrong_usage;
}

} // namespace

int main(int count, char** arguments) {
  detshim::outlive_size_limit();
  detshim::unpack_options();
  const std::vector<std::string> words(arguments + (count > 0 ? 1 : 0), arguments + count);
  return detshim::with_enough_stack([&words] {
    return run_command(words);
  });
}
