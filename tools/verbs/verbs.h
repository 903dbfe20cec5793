// The verbs of the command, one file each. main.cpp reads the command line into these options and
// calls one.
#pragma once

#include "run/run.h"
#include "support/exit_status.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

struct EnvCaptureOptions {
  std::optional<std::string> log;    ///< of its run; else of this shell
  std::optional<std::string> output; ///< beside the log, or standard output without one
};

struct EnvDiffOptions {
  std::string a, b; ///< folders or files
  bool json = false;
};

struct EnvShowOptions {
  std::optional<std::string> place;
};

struct DoctorOptions {
  std::optional<std::string> library;
  std::vector<std::string> command; ///< may be empty
};

/// Names of reasons that the user answers for, beside the project; read from the working directory.
inline constexpr const char* acceptance_file = ".detshim-accept";

inline constexpr const char* default_log_folder = "detshim-log/latest";

struct LogOptions {
  std::optional<std::string> folder; ///< default_log_folder if not given
  std::optional<std::string> run;    ///< the newest if not given
  bool json = false, all = false, check = false;
  bool no_scan = false;              ///< the loaded code is not looked into
  std::vector<std::string> accepted; ///< reasons that the user answers for
};

struct LogDiffOptions {
  std::string a, b; ///< log folders, or FOLDER/RUN
  bool json = false;
};

struct VerifyOptions {
  RunOptions run; ///< how each run is to be; its log is the folder for all
  std::optional<std::size_t> runs;
  bool control = false;
  std::optional<std::string> perturb; ///< names of perturbations; empty for all
  std::optional<std::string> resume;  ///< "kill after REGEX"
  std::optional<std::string> until;   ///< REGEX: each run is ended at a line that matches
  std::optional<std::size_t> first;   ///< each run is ended at so many values of a metric
  std::optional<std::string> budget;  ///< a time for all runs, as 10m
  std::vector<std::string> outputs, metrics, volatile_text, ignored;
  double relative_tolerance = 0, absolute_tolerance = 0;
  std::size_t timeout_s = 0;         ///< for each run; 0: none
  bool fresh_cache = false;          ///< each run begins with empty caches
  bool restore = false;              ///< nothing is run
  std::vector<std::string> accepted; ///< reasons that the user answers for
  bool json = false;
  std::optional<std::string> junit, sarif, markdown; ///< files
};

struct PriceOptions {
  VerifyOptions verify;              ///< how a trial is run and compared
  std::optional<std::string> step;   ///< REGEX: its one group is the time of a step
  std::optional<std::string> budget; ///< a time, as 10m
  bool json = false;
};

struct PatchOptions {
  std::optional<std::string> log; ///< default_log_folder if not given
  std::uint32_t seed = 42;
};

struct ReportOptions {
  std::optional<std::string> place;   ///< default_log_folder if not given
  std::string output = "report.html"; ///< "-": standard output
};

struct AttestOptions {
  std::optional<std::string> place; ///< that of default_log_folder if not given
  std::string output = "-";         ///< "-": standard output
};

struct ScanOptions {
  std::vector<std::string> files;
  std::vector<std::string> architectures; ///< of `gpu`; none: all
  bool json = false, all = false, alone = false, gpu = false;
};

struct DescribeOptions {
  std::optional<std::string> library;
  bool markdown = false;
};

/// Runs the program several times and compares what came of it.
int verify(const VerifyOptions& options);

/// Runs the program with each answer of the library left off in turn, and says what each costs.
int price(const PriceOptions& options);

/// Prints what a log holds, worst first.
int log(const LogOptions& options);

/// Runs a program, as run(); where it is to be checked, in a child, whose run's log is then judged.
int run_and_check(const RunOptions& options);

/// Prints what differs between two logs.
int log_diff(const LogDiffOptions& options);

/// What `latest` names; of a log that is a verification's, that as a whole.
std::string latest_place();

/// Prints the smallest change of the user's files with which the program repeats without detshim.
int patch(const PatchOptions& options);

/// Writes an HTML page about a verification or a log.
int report(const ReportOptions& options);

/// Writes an in-toto statement about a verification.
int attest(const AttestOptions& options);

/// Prints what in programs and libraries no preload can intercept.
int doctor(const DoctorOptions& options);
int env_capture(const EnvCaptureOptions& options);
int env_diff(const EnvDiffOptions& options);
int env_show(const EnvShowOptions& options);
int scan(const ScanOptions& options);

/// What stands below the options in the help of a verb ("log diff"; "" for the command): an
/// example, statuses.
std::string help_end(const std::string& verb);

/// Prints what bash, zsh or fish needs to complete the command's words; throws UsageError for
/// another shell.
int completion(const std::string& shell);

/// An option, as the command line declares it.
struct OptionWords {
  std::vector<std::string> names; ///< "--output", "-o"
  std::string what, type;         ///< as the help has them
  bool takes_value = false;
  bool may_lack_value = false; ///< then a value stands behind a = alone
};

/// A verb, as the command line declares it; the command itself has no name.
struct VerbWords {
  std::string name, what;
  std::vector<OptionWords> options;
  std::vector<std::string> arguments; ///< "SHELL"
  std::vector<VerbWords> verbs;
  bool runs_program = false; ///< the words of another program follow
};

/// For the scripts of completion(): prints what the last of `words` may become, a line each, with
/// what it is behind a tab. Lines that begin with a colon say where the shell itself has to look:
/// ":files", ":folders", or ":command N" for the words of a program that begins at the Nth of
/// `words`.
int complete_words(const VerbWords& command, const std::vector<std::string>& words);

/// Prints the library's hooks.
int hooks(const DescribeOptions& options);

/// Prints the environment variables that the library accepts.
int options(const DescribeOptions& options);

} // namespace detshim
