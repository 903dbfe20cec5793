// Captures the environment that this process stands in, or that the run of a log stood in.
//
// Of a run, all is captured as it begins but what only its log can say: the files that it mapped,
// and the packages that brought them.
#pragma once

#include "common/secrets.h"
#include "environment/environment.h"
#include "log_reader/log.h"
#include "support/ask.h"
#include "support/files.h"
#include "support/variable.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <sys/stat.h>

namespace detshim {

/// The reason that is given for what only a start could tell, of a run that has none: by what the
/// run was started, its log does not say.
std::string no_start();

struct CaptureOptions {
  std::string program; ///< what is to be run; empty for none
  bool asks = false;   ///< a script in PATH that starts a Python (pyenv) is asked for which
  std::int64_t began =
      0;            ///< what was changed since is not of then (was_changed_since()); 0: of now
  AskLimits limits; ///< of git
};

/// All that can be told of this process.
Environment capture_environment(const CaptureOptions& options);

/// Of what `command` begins in, by this process, which is about to become it: all but what the run
/// itself will say (libraries), and the packages that brought them.
Environment capture_start(const std::vector<std::string>& command);

/// What the log of a run says, added to what was captured at its `start`. Without that little is
/// known: the log's libraries, its program, and detshim's own settings.
Environment capture_run(const Log& log, const Environment* start);

// One function for each part; each fills sections of its own.

/// Files that the processes of a run mapped, by their builds.
void capture_libraries(const Log& log, Environment& to);
/// Of all processes of a run.
std::set<std::string> mapped_files(const Log& log);
/// Those that brought the mapped files, unless some were installed since the run began.
void capture_packages(const Log& log, Environment& to);
/// True if the file itself, not what a link leads to, was changed since `began` (nanoseconds since
/// 1970), or is gone. By the time of its last change (ctime), which is not the user's to set.
bool was_changed_since(const std::string& file, std::int64_t began);
bool was_changed_since(const struct stat& state, std::int64_t began);
/// Where caches are: what is in them is no part of a program's state.
inline constexpr auto cache_variables = {
    "XDG_CACHE_HOME",      "CUDA_CACHE_PATH",         "MPLCONFIGDIR",    "NUMBA_CACHE_DIR",
    "PYTHONPYCACHEPREFIX", "TORCHINDUCTOR_CACHE_DIR", "TRITON_CACHE_DIR"};
void capture_variables(Environment& to);
/// Version, mode and seed, which the log has.
void capture_own_settings(const Log& log, Environment& to);
/// Of the Python that is the program or, if the program is not one, of the first in VIRTUAL_ENV,
/// CONDA_PREFIX and PATH; with the git states of the folders that editable ones point to.
void capture_distributions(const CaptureOptions& options, Environment& to);
/// Looks into the folders of distributions, and at the interpreter, that the run had after all: as
/// they were when it began, or they are not known. `is_here`: this is the run's machine.
void check_distributions(const Log& log, bool is_here, Environment& to);
/// Of the words of a command that are files, what they hold as the run begins; `with_folder`: and
/// of the files in this folder, for a program that no hook sees.
void capture_likely_files(const std::vector<std::string>& words, bool with_folder, Environment& to);
/// Under `places`: the folders of distributions that were looked into, a line each.
inline constexpr const char* distribution_places = "python folders";
/// Under `places`: files that the run read as they were before and then changed, a line each.
inline constexpr const char* carried_state = "carried";
/// True for the log of a program that the library cannot come up in (tools/run/unreached_log.h).
bool is_unreached(const Log& log);
/// What the files hold that the processes of a run used, by the run's own list. `is_here`: this is
/// its machine.
void capture_used_files(const Log& log, bool is_here, Environment& to);
/// Files of that name that the run read, by its list.
std::set<std::string> files_read(const Log& log, const std::string& name);
/// Files and links that a run has written and left, below this folder or in none for temporary
/// ones.
struct WrittenFiles {
  std::map<std::string, std::string> contents; ///< what they hold now, by their paths
  std::set<std::string> links;                 ///< those that are links: the contents hold where to
  bool are_all = true;                         ///< false: the run used more files than a list holds
};
/// Of the run whose log lies there, which began then (nanoseconds since 1970).
WrittenFiles written_files(const std::string& log, std::int64_t began);
/// The git repository of this folder, and uv's lock file.
void capture_code(const AskLimits& limits, Environment& to);
/// A command's words without what may be a secret; what is long ends in "…".
std::vector<std::string> shown_words(const std::vector<std::string>& words,
                                     DrawnParts drawn = DrawnParts::hidden);
/// Program and arguments, without what may be a secret; parts that look drawn are hashed.
void capture_command(const std::string& program, const std::vector<std::string>& words,
                     Environment& to);
void capture_caches(Environment& to);
/// True for a file of compiled kernels, or of what timing chose, which a library keeps for later
/// runs.
bool is_in_cache_of_kernels(const std::string& path);
/// What stays as it is while a machine runs, and which machine this is.
void capture_machine(Environment& to);
/// What a process is allowed, and has; what of the GPUs can be told by reading files.
void capture_session(Environment& to);
/// Of the repository: somebody's notes or a program's output, which a comparison may leave out.
inline const Subject untracked_files = {SubjectKind::git, "untracked files"};
/// The packages of mapped files, where they are not known.
inline const Subject packages_of_files = {SubjectKind::debian, ""};
/// Which machine this is, or container: another's files say nothing of a run's.
std::string machine_identity();
/// True for a value that looks drawn: a key or a token, whatever its name. Of such a hash says
/// nothing.
bool looks_drawn(std::string_view value);
/// An address without who asks for it: userinfo (RFC 3986), query and fragment. An image's digest
/// stays. One that still looks drawn is a hash.
std::string without_login(std::string address);

/// True for a program that is a Python by its name.
bool is_python(const std::string& program);

/// 64 bits in hexadecimal; for telling apart, not for security.
std::string hash_text(std::string_view bytes);

struct GitState {
  Known commit, changes,
      untracked;            ///< "1a2b…"; "none" or a hash; "none" or "2 untracked files 8e…"
  std::string text() const; ///< all of it; empty where something is not known
  std::string problem() const;
};
struct GitQuestion {
  AskLimits limits;
  bool is_within = false; ///< in another repository: one level is looked into, and no more
};
/// Of the git repository that holds `folder`, with what is in its files that git does not follow;
/// not in those that it ignores, nor in logs. No program that the repository names is run.
GitState git_state(const std::string& folder, const GitQuestion& question);
/// What a folder has for its commit that is in no repository.
inline constexpr const char* no_repository = "in no git repository";
/// True if the folder, or one that it lies in, has a `.git`, or cannot be looked at: git itself
/// looks no further.
bool is_in_repository(const std::string& folder);
/// The hash of all that a regular file holds, at most `most` bytes, or why there is none.
Known hash_of_file(const std::string& file, std::uintmax_t most = std::uintmax_t{16} << 30);

} // namespace detshim
