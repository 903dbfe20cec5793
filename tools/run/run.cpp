#include "run/run.h"

#include "common/cryptography.h"
#include "common/launch.h"
#include "common/modes.h"
#include "common/run_agreements.h"
#include "environment/capture.h"
#include "run/early_settings.h"
#include "run/frozen_places.h"
#include "run/handover.h"
#include "run/left_settings.h"
#include "run/library_file.h"
#include "run/option_variables.h"
#include "run/unreached_log.h"
#include "scanner/preloading.h"
#include "support/exit_status.h"
#include "support/files.h"
#include "support/small_limits.h"
#include "support/variable.h"
#include "support/wording.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <unistd.h>

namespace detshim {

namespace {

void require(bool accepted, const char* option, const std::string& value,
             const std::string& what_is_accepted) {
  if (!accepted)
    throw UsageError(std::string(option) + " '" + printable(value) +
                     "' is not accepted: " + what_is_accepted);
}

void require_one_of(std::span<const char* const> values, const char* option,
                    const std::optional<std::string>& value) {
  if (value)
    require(std::ranges::find(values, *value) != values.end(), option, *value, one_of(values));
}

void set(const char* variable, const std::optional<std::string>& value) {
  if (value)
    ::setenv(variable, value->c_str(), 1);
}

/// LD_PRELOAD with `library` first, once, then `second`, if there is one, and what else was there
/// behind it.
std::string preload_list(const std::string& library) {
  if (library.find_first_of(" :") != std::string::npos)
    throw UsageError(in_quotes(library) +
                     " cannot be preloaded: LD_PRELOAD takes no path with a space or a colon");
  std::vector<std::string> list = other_preloads();
  list.insert(list.begin(), library);
  return joined(list, ":");
}

/// Modes observe and off leave the program as it is.
bool changes_anything() { return !is_any_of(variable("DETSHIM_MODE"), {"observe", "off"}); }

/// Said of a program that is neither the system's own nor an interpreter, once for each user and
/// program: a folder for it in $XDG_STATE_HOME/detshim/told, or ~/.local/state, tells that it was.
/// Where none can be made, it is said each time.
void note_entropy(const std::string& program) {
  namespace fs = std::filesystem;
  if (!changes_anything() || variable("DETSHIM_QUIET") == "1")
    return;
  std::error_code error;
  const fs::path file = fs::canonical(find_executable(program), error);
  const std::string name = base_name(file);
  const bool is_answered = variable("DETSHIM_KEEP_ENTROPY").find(name) != std::string::npos;
  if (error || is_answered || is_secret_program(name.c_str()) || is_interpreter(name.c_str()) ||
      read_file(file, 2) == "#!")
    return;
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/bin/", "/sbin/"})
    if (file.native().starts_with(folder))
      return;
  const fs::path state = variable("XDG_STATE_HOME"), home = variable("HOME");
  const fs::path folder = state.is_absolute()  ? state
                          : home.is_absolute() ? home / ".local/state"
                                               : fs::path();
  if (!folder.empty() &&
      !fs::create_directories(folder / "detshim/told" / file.relative_path(), error) && !error)
    return;
  spdlog::info("note: entropy that {0} draws itself is fixed by the seed; do not make keys or "
               "passwords with it "
               "(DETSHIM_KEEP_ENTROPY={0} leaves it random)",
               printable(name));
}

/// Whether the library comes up in the program. Without it the run would be as if detshim were not
/// there, so an error tells why. What a static program starts has the library again, and that may
/// be all that it does (tini, a launcher).
bool comes_up(const std::vector<std::string>& command, const std::string& library, bool is_quiet) {
  const std::string& program = command.front();
  const PreloadingAnswer answer = ask_preloading(program, library);
  if (answer.is == Preloading::reaches_children) {
    if (!is_quiet)
      spdlog::warn("'{}' is not reached: {}", printable(program), answer.why);
    leave_unreached_log(command, Reason::static_program);
  }
  if (answer.is == Preloading::comes_up)
    note_entropy(program);
  if (answer.is != Preloading::fails)
    return true;
  spdlog::error("'{}' is not run: libdetshim.so does not come up in it: {} (`detshim run "
                "--allow-uncovered` runs "
                "it all the same)",
                printable(program), answer.why);
  return false;
}

/// True if there was none to take: not for a part of a run, nor for modes that draw a seed or need
/// none.
bool take_default_seed() {
  if (std::getenv("DETSHIM_SEED") != nullptr || std::getenv("DETSHIM_RUN") != nullptr ||
      is_any_of(variable("DETSHIM_MODE"), {"record", "observe", "off"}))
    return false;
  set("DETSHIM_SEED", default_seed);
  return true;
}

/// As the program is about to begin; by one rank of a job.
void say_default_seed(const std::string& program) {
  const auto own = [](const char* name, const void*) -> const char* {
    return std::getenv(name);
  };
  std::error_code error;
  if (variable("DETSHIM_QUIET") != "1" && read_launch({own}, 0).rank == 0 &&
      std::filesystem::is_regular_file(find_executable(program), error))
    spdlog::info("seed {}, since none is given (--seed N takes another)", default_seed);
}

/// A run without a log would leave the last one's to be read as its own.
void require_log_folder() {
  namespace fs = std::filesystem;
  const char* const named = std::getenv("DETSHIM_LOG");
  const std::string folder = named == nullptr || *named == 0 ? "detshim-log" : named;
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  while (!fs::exists(there, error) && there.has_relative_path())
    there = there.parent_path();
  const bool is_folder = fs::is_directory(there, error);
  if (std::getenv("DETSHIM_RUN") == nullptr &&
      (!is_folder || ::access(there.c_str(), R_OK | W_OK | X_OK) != 0))
    throw UsageError("cannot write the log in '" + printable(folder) + "': " +
                     std::strerror(is_folder ? errno : ENOTDIR) + " (--log FOLDER takes another)");
}

/// The environment that the program gets: the user's variables, then what detshim makes, then the
/// room.
class ProgramEnvironment {
public:
  explicit ProgramEnvironment(const EnvironmentSize& of_user, bool packs) {
    if (packs)
      pack_options();
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (!is_made_by_detshim(*entry))
        entries_.push_back(*entry);
    for (char** entry = environ; *entry != nullptr; ++entry)
      if (is_made_by_detshim(*entry) && !is_room(*entry))
        entries_.push_back(*entry);
    before_room_ = entries_.size();
    entries_.push_back(nullptr);
    const auto all = [](const char*) {
      return true;
    };
    const EnvironmentSize room = room_for(of_user, size_of_entries(entries_.data(), all));
    texts_.resize(room.bytes);
    entries_.resize(before_room_ + room.variables + 1);
    write_room(room, texts_.data(), entries_.data() + before_room_);
    entries_.back() = nullptr;
  }

  char** entries() { return entries_.data(); }
  /// For a command line that leaves no place for it.
  void leave_room() { entries_[before_room_] = nullptr; }

private:
  std::vector<char*> entries_;
  std::vector<char> texts_; // of the room
  std::size_t before_room_ = 0;
};

/// Becomes the program. Returns, with errno, if that fails.
void become(const std::vector<std::string>& command, const EnvironmentSize& of_user, bool packs) {
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  heed_size_limit();
  if (variable("DETSHIM_MODE") == "off") {
    ::execvp(arguments[0], arguments.data());
    return;
  }
  ProgramEnvironment environment(of_user, packs);
  ::execvpe(arguments[0], arguments.data(), environment.entries());
  if (errno != E2BIG)
    return;
  environment.leave_room();
  ::execvpe(arguments[0], arguments.data(), environment.entries());
}

/// Of the lines that are named, and of those that a log names.
void set_frozen_places(const RunOptions& options) {
  std::vector<std::string> places = options.freeze;
  if (options.freeze_from)
    for (std::string& place : clock_places_of(*options.freeze_from))
      places.push_back(std::move(place));
  if (places.empty())
    return;
  const std::string frozen = frozen_places(places, options.command.front());
  const std::string step =
      options.clock_step_ms == 0 ? "" : "@" + std::to_string(options.clock_step_ms) + ",";
  ::setenv("DETSHIM_FREEZE", (step + frozen).c_str(), 1);
}

/// What the options say, as the library reads it.
void set_variables(const RunOptions& options) {
  set("DETSHIM_SEED", options.seed);
  set("DETSHIM_MODE", options.mode);
  set("DETSHIM_SEED_POLICY", options.policy);
  set("DETSHIM_LOG", options.log);
  set("DETSHIM_DISABLE", options.disable);
  set_frozen_places(options);
  if (::access(evidence_file_name, R_OK) == 0) // for what the program starts in other folders, too
    ::setenv("DETSHIM_LEARNED_SEEDS", std::filesystem::absolute(evidence_file_name).c_str(), 0);
  if (options.quiet)
    set("DETSHIM_QUIET", "1");
}

/// As `env -0` does.
void print_variables() {
  for (char** entry = environ; *entry != nullptr; ++entry)
    std::cout << *entry << '\0';
}

/// Keeps what the run stands on. A part of a run leaves that to the run.
void hand_over_start(const std::vector<std::string>& command, const std::string& library) {
  if (std::getenv("DETSHIM_RUN") != nullptr)
    return;
  const Environment start = capture_start(command);
  leave_settings(start, library);
  hand_over_environment(start);
}

/// Says why the program could not be run, and returns the status for that.
int say_not_run(const std::string& program, const std::string& library, int error) {
  std::string why = std::strerror(error);
  if (error == ENOENT && !find_executable(program).empty()) // what is missing is another file
    if (const PreloadingAnswer answer = ask_preloading(program, library); !answer.why.empty())
      why = answer.why;
  spdlog::error("cannot run '{}': {}{}", printable(program), why, hint_for(program));
  return error == ENOENT ? program_missing : cannot_execute;
}

} // namespace

std::string one_of(std::span<const char* const> values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i)
    text += std::string(i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") += values[i];
  return text;
}

void check_run(const RunOptions& options) {
  for (const std::string& place : options.freeze)
    require(std::ranges::all_of(split(place, ','), is_place) && !place.empty(), "--freeze", place,
            "a line, such as train.cpp:12 or train.py:7, or libfoo.so+0x1234");
  if (options.seed)
    require(read_seed(*options.seed).has_value(), "--seed", *options.seed,
            "a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x");
  require_one_of(mode_names, "--mode", options.mode);
  require_one_of(policy_names, "--policy", options.policy);
  if (options.log)
    require(!options.log->empty(), "--log", *options.log, "a folder, made when it is missing");
  if (options.command.empty())
    throw UsageError("no program to run: [options] -- program [arguments]");
}

std::string hint_for(const std::string& program) {
  std::error_code error;
  const bool is_script =
      program.ends_with(".py") && std::filesystem::is_regular_file(program, error);
  return is_script ? "; python3 " + printable(program) + " runs it" : "";
}

EnvironmentSize size_of_users_variables() {
  return size_of_entries(environ, [](const char* entry) {
    return !is_made_by_detshim(entry);
  });
}

int run(const RunOptions& options) {
  check_run(options);
  const std::string library = find_library(options.library);
  const std::string preload = preload_list(library);
  set_variables(options);
  const bool is_default_seed = take_default_seed();
  set("LD_PRELOAD", preload);
  if (changes_anything())
    apply_early_settings(options.keep_aslr, options.command);
  if (options.print_environment) {
    print_variables();
    return done;
  }
  std::vector<std::string> command = options.command;
  if (variable("DETSHIM_MODE") != "off") {
    hand_over(command, options.quiet);
    hand_over_start(options.command, library);
    if (!options.allow_uncovered && !comes_up(command, library, options.quiet))
      return cannot_execute;
    require_log_folder();
  }
  if (is_default_seed)
    say_default_seed(command[0]);
  // A launcher hands variables on by their names.
  become(command, options.users.value_or(size_of_users_variables()), !is_launcher(command));
  return say_not_run(command[0], library, errno);
}

} // namespace detshim
