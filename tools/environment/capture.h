// Captures the environment that this process stands in, or that the run of a log stood in.
//
// Of a run, most is captured as it begins. What is looked at later must be as it was then: what was changed
// since is not known. Never is today's state written down for that of the run.
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

/// How a program that is asked is held.
struct AskLimits {
  std::chrono::milliseconds time = std::chrono::seconds(10); ///< then it is killed
  std::size_t bytes = 64U << 20;                             ///< of its answer
};

struct CaptureOptions {
  const Log* log = nullptr; ///< of the run; without one nothing is known of what was mapped
  Since since;              ///< of that run
  std::string program;      ///< without a log: what is to be run; empty for none
  bool deep = false;        ///< contents too: of caches, and of what wheels have installed
  AskLimits limits;         ///< of git
};

/// All that can be told of this process.
Environment capture_environment(const CaptureOptions& options);

/// Of what `command` begins in, by this process, which is about to become it: all but what takes long and can
/// be told later (distributions, packages), and what the run itself will say (libraries).
Environment capture_start(const std::vector<std::string>& command);

/// What is still to be told of the run of `log`, added to `start`. Without that little is known: the log's
/// libraries, its program, and detshim's own settings.
Environment capture_run(const Log& log, const Environment* start, CaptureOptions options);

// One function for each part; each fills sections of its own.

void capture_libraries(const CaptureOptions& options, Environment& to);
/// Of all processes of a run.
std::set<std::string> mapped_files(const Log& log);
/// Those that brought the mapped files.
void capture_packages(const CaptureOptions& options, Environment& to);
void capture_variables(Environment& to);
/// Version, mode and seed, which the log has.
void capture_own_settings(const Log& log, Environment& to);
void capture_distributions(const CaptureOptions& options, Environment& to);
/// The git states of the folders that editable distributions stand for.
void capture_sources(const CaptureOptions& options, Environment& to);
/// Python's modules that no distribution brought: where `command` will look first, and in PYTHONPATH, whose
/// folders are kept under `places`, since its value may look like a secret's.
void capture_modules(const std::vector<std::string>& command, Environment& to);
/// Says of what Pythons the run had after all, and where they looked.
void check_modules(const Log& log, Environment& to);
inline constexpr const char* module_folders = "PYTHONPATH";
inline constexpr const char* looked_into = "modules"; ///< under `places`: the folders, a colon behind each
/// The git repository of this folder, and uv's lock file.
void capture_code(const AskLimits& limits, Environment& to);
/// Program and arguments, without what may be a secret.
void capture_command(const std::string& program, const std::vector<std::string>& words, Environment& to);
void capture_caches(bool deep, Environment& to);
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

struct GitQuestion {
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
/// At most so many bytes of it; none of what is no regular file, as a device is.
std::string beginning_of_file(const std::string& file, std::size_t most);

/// The first 64 MB of what a regular file holds; empty where it cannot be read.
std::string whole_file(const std::string& file);

/// The hash of all that a regular file holds, at most `most` bytes, or why there is none.
Told hash_of_file(const std::string& file, std::uintmax_t most = std::uintmax_t{16} << 30);

} // namespace detshim
