// One line of a log, as a plain struct. The format: docs/LOG_FORMAT.md.
#pragma once

#include "common/describe.h"
#include "common/reasons.h"
#include "common/record_schema.h"

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace detshim {

/// A number of calls for each Action.
using ActionCounts = std::array<std::uint64_t, action_count>;

/// Who asked for a variable that the library sets: one file.
struct SettingReader {
  std::string name;
  std::string file;
  auto operator<=>(const SettingReader&) const = default;
};

struct EnvironmentChange {
  std::string name;
  std::optional<std::string> was; ///< nothing: the variable was unset
  std::string now;
  auto operator<=>(const EnvironmentChange&) const = default;
};

/// A variable that the library leaves alone, and writes down where it is set.
struct NotedVariable {
  std::string name, value;
  auto operator<=>(const NotedVariable&) const = default;
};

struct Start {
  std::uint64_t format = 0; ///< where it is not log_format, nothing else is filled in
  std::string detshim, run;
  std::uint64_t begun = 0; ///< when the run began, in microseconds since 1970
  std::int64_t pid = 0, rank = 0;
  std::string path, program;
  std::string job;               ///< the job, where a run has several; empty for the first
  std::string node;              ///< the machine, of a rank
  std::string working_directory; ///< empty where it is not known
  std::vector<std::string> args;
  bool are_args_cut = false;
  std::optional<std::string> args_hash; ///< of all, where they are cut and nothing is hidden
  std::string mode, policy;
  std::optional<std::string> seed, seed_from, disabled;
  std::optional<std::string> processor; ///< where DETSHIM_PORTABLE asked for it
  std::optional<std::string> layout;    ///< of the address space: fixed or random
  std::optional<std::string> outputs;   ///< what standard output and standard error were
  std::optional<std::uint64_t> time;    ///< of the machine's monotonic clock, in nanoseconds
  std::vector<EnvironmentChange> environment;
  std::vector<NotedVariable> noted;
  std::vector<SettingReader> readers;
};

/// What follows a start record: more of its variables.
struct MoreEnvironment {
  std::vector<EnvironmentChange> changes;
  std::vector<NotedVariable> noted;
  std::vector<SettingReader> readers;
};

struct Library {
  std::string name, file;
  std::optional<std::string> version;
};

/// A value that a call record carries: one of its symbol's own fields.
struct Field {
  std::string name, value;
  auto operator<=>(const Field&) const = default;
};

/// Where a call was in Python code.
struct PythonFrames {
  std::vector<std::string> frames; ///< "train.py:12 main", innermost first
  std::optional<std::size_t> user; ///< the index of the innermost one that is the user's code

  bool empty() const { return frames.empty(); }
  auto operator<=>(const PythonFrames&) const = default;
};

struct Call {
  std::uint64_t number = 0;
  std::string thread, library, function;
  Action action = Action::none;
  std::vector<Field> fields;
  std::string why;              ///< as the log has it: a newer detshim may know more reasons
  Reason reason = Reason::none; ///< what `why` says; none where this reader does not know it
  std::string at;
  std::string rule; ///< that told what a seed is (docs/SEEDS.md); empty in most records
  std::vector<std::string>
      frames; ///< who called the code at `at`, innermost first, each as in `at`
  PythonFrames python;
  std::optional<std::uint64_t> counter; ///< index into the counts file
  bool is_digest = false; ///< no call: an output digest, of what left the program there
};

/// Files that were loaded when the process ended; several records where one line could not hold
/// all.
struct Modules {
  std::vector<std::string> files;
  std::vector<std::string>
      builds;      ///< the build id of each, in hexadecimal; empty where it has none
  std::string set; ///< by which other processes in the same file refer to them; else empty
};

/// Which build of a file a call came from, before the process's first such record.
struct Build {
  std::string file, id;
};

/// Functions of a CUDA library that have no hook, and that an object is bound to or has looked up.
struct Bound {
  std::string library, by; ///< by: the file that uses them; empty for one that is not known
  bool is_lookup = false;  ///< dlsym, else the loader
  std::vector<std::string> functions;
};

/// A runtime that was loaded when the process ended, and that seeds itself where no hook sees it.
struct Runtime {
  std::string file, why;
};

/// Where the user's own machine code does what leaves no record: reads a clock, starts threads,
/// forks; and where anybody made a child while another had not been waited for.
struct UserPlace {
  RecordType kind = RecordType::any; ///< clock, threads, forks, children or input
  std::string what;                  ///< of an input: "network"
  std::string at;
  std::vector<std::string> frames; ///< who called the code there, innermost first, each as in `at`
  PythonFrames python;             ///< of a clock that Python code read before there was a log
};

/// Variables of the environment with which a program began, and hashes of their values.
struct VariableHashes {
  std::vector<std::pair<std::string, std::string>> hashes; ///< without a hash: a secret
};

/// What a framework answered when it was asked whether its operators are to be deterministic.
struct Framework {
  std::string name, file;
  bool is_deterministic = false;
};

/// A CUDA library that was loaded when the process ended.
struct Coverage {
  std::string library;
  std::vector<std::string> files;
  std::uint64_t hooks = 0; ///< so many of its hooks stand in front of a function of these files
  std::vector<std::string> missing; ///< hooks that do not
};

/// The process took another user's rights, or another root: what it executes may not be able to
/// write a log.
struct Rights {
  std::string function;
};

/// A process that could not write a log of its own, named in that of another.
struct Lost {
  std::int64_t pid = 0;
  std::string path, program, why;
};

/// The process ended another one, by SIGTERM or SIGKILL.
struct Killed {
  std::int64_t pid = 0;
};

/// A thread was about to turn its process into another program, or could not.
struct Exec {
  std::string thread, program;
  bool has_failed = false;
  std::optional<std::uint64_t> time; ///< as of Start
  std::string module_set;            ///< as of End
  bool is_awaited = false;           ///< the program leaves a log, if it ends
  bool is_followed = true;           ///< false where it should have left one, and did not
};

struct End {
  ActionCounts counts{};
  std::optional<std::uint64_t> time; ///< as of Start
  std::string module_set;   ///< what was loaded is as another process's Modules of that set say
  std::uint64_t failed = 0; ///< the exit status, where names may be a run's before it; else 0
};

/// A rank that a launcher started, or a launcher, as the library in it has said at its start.
struct RankMark {
  std::string run;
  std::string job, job_key; ///< the job, for a reader and exactly
  std::string
      launcher; ///< the one before it, or itself; the same for all that start one job together
  std::string node, program; ///< program: the launcher; empty for a rank
  std::int64_t rank = 0, size = 0, pid = 0;
};

/// A record of a kind that this reader does not know.
struct OtherRecord {};

using Record = std::variant<OtherRecord, Start, MoreEnvironment, Library, Call, Build, Bound,
                            Coverage, Modules, Rights, Lost, Runtime, UserPlace, VariableHashes,
                            Framework, Killed, Exec, End, RankMark>;

struct Line {
  Record record;
  std::uint64_t process =
      0; ///< which further process in the file wrote it; 0: the one that the file is named after
};

/// Visits a Record by functions, one for each kind.
template <typename... Functions>
struct RecordVisitor : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
RecordVisitor(Functions...) -> RecordVisitor<Functions...>;

/// Parses lines. Keep one for many: it owns the buffers of the JSON parser.
class RecordParser {
public:
  RecordParser();
  ~RecordParser();
  RecordParser& operator=(RecordParser&&) = delete; // neither copied nor moved

  /// Nothing if the line is damaged.
  std::optional<Line> parse(std::string_view line);

private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

/// The value of the field of that name, or nullptr.
const std::string* find_field(const std::vector<Field>& fields, std::string_view name);

/// a + b, or the largest number: a hostile log must not make a sum wrap.
std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b);

} // namespace detshim
