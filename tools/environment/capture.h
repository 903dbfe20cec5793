// Captures the environment that this process stands in, or that the run of a log stood in.
//
// Of a run, what is captured once it has begun must be as it was then: what was changed since, or what only
// the start could tell, is not known. Never is today's state written down for that of the run.
#pragma once

#include "environment/environment.h"
#include "log_reader/log.h"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Whether what lies on disk now may stand for what lay there when a run began.
class Since {
public:
  Since() = default; ///< it is about now
  /// Nanoseconds since 1970.
  explicit Since(std::int64_t began) : began_(began) {}

  bool is_now() const { return !began_; }
  /// True if a file that was made then (nanoseconds since 1970, by the kernel's clock, which ticks) may have
  /// been made since.
  bool may_be_later(std::int64_t time) const { return began_ && time + tick > *began_; }
  static constexpr std::int64_t tick =
      10'000'000; ///< ns, at most: of the clock that files have their times of
  /// True if that file or folder itself was changed since, or may have gone since; of a symbolic link, it or
  /// what it leads to. By the time of the last change (ctime), which is not the user's to set.
  bool has_changed(const std::string& path) const;
  /// True if a symbolic link on the way to it was.
  bool has_way_changed(const std::string& path) const;

private:
  std::optional<std::int64_t> began_;
};

/// The reason that is given then.
inline constexpr const char* changed_since = "changed since the run began";

/// The reason that is given for what only a start could tell, of a run that has none: by what the run was
/// started, its log does not say.
std::string no_start();

struct CaptureOptions {
  const Log* log = nullptr;                ///< of the run; without one nothing is known of what was mapped
  const Environment* start = nullptr;      ///< of that run, as `detshim run` captured it
  Since since;                             ///< of that run
  std::string folder = ".";                ///< that it began in; empty where that is not known
  std::string program;                     ///< without a log: what is to be run; empty for none
  std::vector<std::string> known_settings; ///< variables that libdetshim.so sets or notes
  bool deep = false;                       ///< contents too: of caches, and of what wheels have installed
};

/// All that can be told of this process.
Environment capture_environment(const CaptureOptions& options);

/// What can be told in no time of what `command` begins in, by this process, which is about to become it.
Environment capture_start(const std::vector<std::string>& command);

/// Of the run of `log`, beginning with what `start` has, where there is one.
Environment capture_run(const Log& log, const Environment* start, CaptureOptions options);

// One function for each part; each fills sections of its own.

void capture_libraries(const CaptureOptions& options, Environment& to);
/// Of all processes of a run.
std::set<std::string> mapped_files(const Log& log);
/// Those that brought the mapped files.
void capture_packages(const CaptureOptions& options, Environment& to);
void capture_variables(const CaptureOptions& options, Environment& to);
void capture_distributions(const CaptureOptions& options, Environment& to);
/// Python's modules that no distribution brought, with those that `find_module_folders` found.
void capture_modules(const CaptureOptions& options, Environment& to);
/// What of PYTHONPATH is there, kept under `places`: its value may look like a secret's.
void find_module_folders(Environment& to);
/// The same, and which names stand there, in the working folder, and beside the scripts of a command that
/// starts: what has gone since shows by them.
void find_modules(const std::vector<std::string>& command, Environment& to);
inline constexpr const char* module_folders = "PYTHONPATH";
void capture_code(const CaptureOptions& options, Environment& to);
/// Program and arguments, without what may be a secret.
void capture_command(const std::string& program, const std::vector<std::string>& words, Environment& to);
void capture_caches(const CaptureOptions& options, Environment& to);
/// Where uv's lock file of the folder is; that there is none is a fact.
void find_lock(Environment& to);
/// Where they are, and which are not there.
void find_caches(Environment& to);
/// What stays as it is while a machine runs, and which machine this is.
void capture_machine(Environment& to);
/// What a process is allowed, and has; what of the GPUs can be told by reading files.
void capture_session(Environment& to);
/// Said of the driver where there is none.
inline constexpr const char* no_driver = "none of NVIDIA's";

/// What of the GPUs takes long to ask.
void capture_gpu_modes(Environment& to);

/// Which machine this is, or container: another's files say nothing of a run's.
std::string machine_identity();
/// True if a process that wrote `monotonic` (CLOCK_MONOTONIC, nanoseconds) just after `began` (since 1970)
/// did so on this machine since it was last started.
bool is_of_this_boot(std::uint64_t monotonic, std::int64_t began);

/// True for a value that looks drawn: a key or a token, whatever its name. Of such a hash says nothing.
bool looks_drawn(std::string_view value);

/// 64 bits in hexadecimal; for telling apart, not for security.
std::string hash_text(std::string_view bytes);

/// A fact, or why it is none.
struct Told {
  std::string text, problem;
};

struct GitState {
  Told commit, changes, untracked; ///< "1a2b…"; "none" or a hash; "none" or "2 untracked files 8e…"
  std::string text() const;        ///< all of it; empty where something is not known
  std::string problem() const;
};
/// How a program that is asked is held.
struct AskLimits {
  std::chrono::milliseconds time = std::chrono::seconds(10); ///< then it is killed
  std::size_t bytes = 64U << 20;                             ///< of its answer
};

struct Reply {
  std::optional<std::string> text; ///< nothing where `problem` says why
  std::string problem;             ///< "git did not answer within 10 s"; not safe to print
  int status = -1;                 ///< of its exit
};

/// Standard output of a program, without a shell. An exit with another status than 0 is a problem, but has
/// its text. `variables`: its environment, NAME=VALUE; none for this one's.
Reply ask(const std::vector<std::string>& command, const AskLimits& limits = {},
          const std::vector<std::string>* variables = nullptr);

/// The same; nothing where it cannot be run or, unless `may_fail`, fails.
std::optional<std::string> output_of(const std::vector<std::string>& command, bool may_fail = false);

/// What of a git repository is not looked at as it is.
struct GitQuestion {
  Since since;
  std::string commit;     ///< the one that it had when the run began, where that is known
  std::string log_folder; ///< of the run; empty for none
  AskLimits limits;
  bool is_within = false; ///< in another repository: one level is looked into, and no more
};
/// Of the git repository that holds `folder`, with what is in its files that git does not follow; not in
/// those that it ignores, nor in logs. No program that the repository names is run.
GitState git_state(const std::string& folder, const GitQuestion& question);
/// What a folder has for its commit that is in no repository.
inline constexpr const char* no_repository = "in no git repository";
/// True if the folder, or one that it lies in, has a `.git`, or cannot be looked at: git itself looks no
/// further.
bool is_in_repository(const std::string& folder);
/// The commit that is checked out, read without git, and in no time; empty where that is not enough.
std::string read_git_commit(const std::string& folder);

/// At most so many bytes of it; none of what is no regular file, as a device is.
std::string beginning_of_file(const std::string& file, std::size_t most);

/// The first 64 MB of what a regular file holds; empty where it cannot be read.
std::string whole_file(const std::string& file);

/// The hash of all that a regular file holds, at most `most` bytes, or why there is none.
Told hash_of_file(const std::string& file, std::uintmax_t most = std::uintmax_t{16} << 30);

} // namespace detshim
