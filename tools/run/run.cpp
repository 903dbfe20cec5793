#include "run/run.h"

#include "common/cryptography.h"
#include "log_reader/printable.h"
#include "run/early_settings.h"
#include "run/environment_handover.h"
#include "run/handover.h"
#include "run/library_file.h"
#include "run/unreached_log.h"
#include "scanner/preloading.h"
#include "support/exit_status.h"
#include "support/interpreters.h"
#include "support/wording.h"

#ifdef DETSHIM_HAS_SUPERVISOR
#include "supervisor/trapped_run.h"
#endif

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace detshim {

bool is_seed(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed, is_hexadecimal ? 16 : 10);
  return error == std::errc() && stop == end;
}

namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

void require(bool accepted, const char* option, const std::string& value, const char* what_is_accepted) {
  if (!accepted)
    throw UsageError(std::string(option) + " '" + printable(value) +
                     "' is not accepted: " + what_is_accepted);
}

} // namespace

void check_run(const RunOptions& options) {
  if (options.seed)
    require(is_seed(*options.seed), "--seed", *options.seed,
            "a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x");
  if (options.mode)
    require(is_one_of(*options.mode, {"enforce", "record", "observe", "strict", "off"}), "--mode",
            *options.mode, "enforce, record, observe, strict or off");
  if (options.policy)
    require(is_one_of(*options.policy, {"fixed", "order", "mix", "keep"}), "--policy", *options.policy,
            "fixed, order, mix or keep");
  if (options.log) require(!options.log->empty(), "--log", *options.log, "a folder, made when it is missing");
#ifndef DETSHIM_HAS_SUPERVISOR
  if (options.trap_syscalls)
    throw UsageError("--trap-syscalls is not in this build: it was made with DETSHIM_BUILD_SUPERVISOR=OFF");
#endif
  if (options.command.empty())
    throw UsageError("no program to run: detshim run [options] -- program [args...]");
}

namespace {

/// LD_PRELOAD with `library` first, once, then `second`, if there is one, and what else was there behind it.
std::string preload_list(const std::string& library, const std::optional<std::string>& second) {
  std::string list = library;
  if (list.find_first_of(" :") != std::string::npos)
    throw UsageError("'" + printable(list) +
                     "' cannot be preloaded: LD_PRELOAD takes no path with a space or a colon");
  if (second) list.append(":").append(*second);
  const char* const variable = std::getenv("LD_PRELOAD");
  std::string_view rest = variable == nullptr ? "" : variable;
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find_first_of(" :"));
    rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
    const bool is_detshim = base_name(std::string(entry)) == base_name(library);
    if (!entry.empty() && !is_detshim) list.append(":").append(entry);
  }
  return list;
}

/// Modes observe and off leave the program as it is.
bool changes_anything() {
  const char* const mode = std::getenv("DETSHIM_MODE");
  return mode == nullptr || !is_one_of(mode, {"observe", "off"});
}

bool is_script(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return stream.get() == '#' && stream.get() == '!';
}

/// Said of a program that is neither the system's own nor an interpreter, once for each user and program: a
/// folder for it in $XDG_STATE_HOME/detshim/told, or ~/.local/state, tells that it was. Where none can be
/// made, it is said each time.
void note_entropy(const std::string& program) {
  namespace fs = std::filesystem;
  const char* const quiet = std::getenv("DETSHIM_QUIET");
  if (!changes_anything() || (quiet != nullptr && std::string_view(quiet) == "1")) return;
  std::error_code error;
  const fs::path file = fs::canonical(find_executable(program), error);
  const std::string name = base_name(file);
  const char* const keeps = std::getenv("DETSHIM_KEEP_ENTROPY");
  const bool is_answered = keeps != nullptr && std::string_view(keeps).find(name) != std::string_view::npos;
  if (error || is_answered || is_secret_program(name.c_str()) || is_interpreter(name) || is_script(file))
    return;
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/bin/", "/sbin/"})
    if (file.native().starts_with(folder)) return;
  const char* const state = std::getenv("XDG_STATE_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path folder = state != nullptr && *state == '/' ? fs::path(state)
                          : home != nullptr && *home == '/' ? fs::path(home) / ".local/state"
                                                            : fs::path();
  if (!folder.empty() && !fs::create_directories(folder / "detshim/told" / file.relative_path(), error) &&
      !error)
    return;
  std::cerr
      << "detshim: note: entropy that " << printable(name)
      << " draws itself is fixed by the seed; do not make keys or passwords with it (DETSHIM_KEEP_ENTROPY="
      << printable(name) << " leaves it random)\n";
}

/// Says so where the library does not: the run would be as if detshim were not there. What a static program
/// starts is covered, and that may be all that it does (tini, a launcher).
bool comes_up(const std::vector<std::string>& command, const std::string& library, bool is_quiet) {
  const std::string& program = command.front();
  const PreloadingAnswer answer = ask_preloading(program, library);
  if (answer.is == Preloading::reaches_children) {
    if (!is_quiet)
      std::cerr << "detshim: '" << printable(program) << "' is not covered: " << answer.why << '\n';
    leave_unreached_log(command, Reason::static_program);
  }
  if (answer.is == Preloading::comes_up) note_entropy(program);
  if (answer.is != Preloading::fails) return true;
  std::cerr << "detshim: '" << printable(program)
            << "' is not run: libdetshim.so does not come up in it: " << answer.why
            << " (`detshim run --allow-uncovered` runs it all the same)\n";
  return false;
}

/// As `env -0` does: a zero after each.
void print_environment() {
  for (char** entry = environ; *entry != nullptr; ++entry) std::cout << *entry << '\0';
}

void set(const char* variable, const std::optional<std::string>& value) {
  if (value) ::setenv(variable, value->c_str(), 1);
}

} // namespace

int run(const RunOptions& options) {
  check_run(options);
  const std::string library = find_library(options.library);
  const std::string preload = preload_list(library, options.heap_library);
  set("DETSHIM_SEED", options.seed);
  set("DETSHIM_MODE", options.mode);
  set("DETSHIM_SEED_POLICY", options.policy);
  set("DETSHIM_LOG", options.log);
  set("DETSHIM_DISABLE", options.disable);
  if (options.quiet) set("DETSHIM_QUIET", "1");
  set("LD_PRELOAD", preload);
  if (changes_anything()) apply_early_settings(options.keep_aslr, options.command);
  if (options.print_environment) {
    print_environment();
    return done;
  }
  std::vector<std::string> command = options.command;
  const char* const mode = std::getenv("DETSHIM_MODE");
  const bool is_on = mode == nullptr || std::string_view(mode) != "off";
  if (is_on) hand_over(command, options.trap_syscalls, options.quiet);
  if (is_on) hand_over_environment(options.command);
#ifdef DETSHIM_HAS_SUPERVISOR
  if (options.trap_syscalls) {
    note_entropy(command[0]);
    return run_trapped(command);
  }
#endif
  if (is_on && !options.allow_uncovered && !comes_up(command, library, options.quiet)) return cannot_execute;

  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  std::string why = std::strerror(error);
  if (error == ENOENT && !find_executable(command[0]).empty()) // what is missing is another file
    if (const PreloadingAnswer answer = ask_preloading(command[0], library); !answer.why.empty())
      why = answer.why;
  std::cerr << "detshim: cannot run '" << printable(command[0]) << "': " << why << '\n';
  return error == ENOENT ? program_missing : cannot_execute;
}

} // namespace detshim
