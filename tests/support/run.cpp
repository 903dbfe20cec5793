#include "run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <regex>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A file in memory takes the output: unlike a pipe it never fills up, and a child of the program
/// that outlives it cannot keep the test waiting. Opened anew by its path: the kernel gives
/// processes that write at once places of their own in what was opened, and not in what
/// memfd_create() gave.
int capture() {
  const int made = memfd_create("captured", MFD_CLOEXEC);
  if (made < 0)
    fail("memfd_create");
  const int file = open(("/proc/self/fd/" + std::to_string(made)).c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    fail("open of a file in memory");
  close(made);
  return file;
}

std::string captured(int file) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    const ssize_t got = pread(file, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (got < 0)
      fail("pread");
    if (got == 0)
      return text;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
}

/// Where `detshim run` keeps of which programs it has said its note.
std::filesystem::path state_home() {
  static const TemporaryFolder folder;
  return folder.path();
}

bool is_inherited(std::string_view name) {
  for (const char* prefix : {"DETSHIM_", "OMPI_", "PMIX_", "PMI_", "SLURM_", "MV2_", "PBS_", "SGE_",
                             "LSB_", "TORCHELASTIC_"})
    if (name.starts_with(prefix))
      return false;
  return name != "LD_PRELOAD" && name != "RANK" && name != "WORLD_SIZE";
}

std::vector<std::string> environment_of_child(const Environment& environment) {
  Environment all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    if (is_inherited(name) && name.size() < text.size())
      all[std::string{name}] = text.substr(name.size() + 1);
  }
  all["XDG_CACHE_HOME"] = "/dev/null"; // a test finds nothing that another one left
  all["XDG_STATE_HOME"] = state_home();
  for (const auto& [name, value] : environment)
    all[name] = value;
  std::vector<std::string> entries;
  for (const auto& [name, value] : all)
    entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts)
    result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

} // namespace

Running::Running(const std::vector<std::string>& arguments, const Environment& environment,
                 const std::filesystem::path& folder)
    : out_(capture()), err_(capture()) {
  const std::string program = find_program(arguments.at(0));
  const std::vector<std::string> entries = environment_of_child(environment);
  const std::vector<char*> argv = pointers(arguments), envp = pointers(entries);

  process_ = fork();
  if (process_ < 0)
    fail("fork");
  if (process_ != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that is stopped leaves nothing behind
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const bool ready = null >= 0 && dup2(null, 0) >= 0 && dup2(out_, 1) >= 0 && dup2(err_, 2) >= 0 &&
                     (folder.empty() || chdir(folder.c_str()) == 0);
  if (ready)
    execve(program.c_str(), argv.data(), envp.data());
  dprintf(2, "%s: %s\n", arguments[0].c_str(), strerror(errno));
  _exit(127);
}

Running::~Running() {
  if (process_ > 0) {
    kill(process_, SIGKILL); // a test that failed has not waited for it
    waitpid(process_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

std::string Running::out() const { return captured(out_); }

bool Running::has_ended() {
  if (process_ > 0 && waitpid(process_, &status_, WNOHANG) == process_)
    process_ = -1;
  return process_ < 0;
}

Result Running::wait() {
  while (process_ > 0) {
    if (waitpid(process_, &status_, 0) == process_)
      process_ = -1;
    else if (errno != EINTR)
      fail("waitpid");
  }
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), captured(out_),
          captured(err_)};
}

bool send_signal(pid_t process, int signal) { return process > 0 && kill(process, signal) == 0; }

Result run(const std::vector<std::string>& arguments, const Environment& environment,
           const std::filesystem::path& folder) {
  return Running(arguments, environment, folder).wait();
}

std::string find_program(std::string_view program) {
  if (program.find('/') != std::string_view::npos)
    return std::string{program};
  const char* const path = getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    const std::string candidate =
        std::string{folder.empty() ? "." : folder} + "/" + std::string{program};
    if (access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return {};
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    result.emplace_back(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return result;
}

ClosingCounts closing_counts(const std::string& text) {
  static const std::regex counts(R"((\d+) pinned in (\d+) process)");
  std::smatch found;
  if (!std::regex_search(text, found, counts))
    return {};
  return {std::stoull(found[1]), std::stoull(found[2])};
}

Environment under_shim(const TemporaryFolder& scratch, const Environment& more) {
  Environment environment = more;
  environment.insert({
      {"LD_PRELOAD", DETSHIM_LIBRARY},
      {"DETSHIM_QUIET", "1"},
      {"DETSHIM_LOG", scratch.log().string()},
  });
  return environment;
}

std::vector<std::string> detshim_run(const TemporaryFolder& scratch,
                                     const std::vector<std::string>& options,
                                     const std::vector<std::string>& command) {
  std::vector<std::string> all = {DETSHIM_COMMAND, "run",   "--library",
                                  DETSHIM_LIBRARY, "--log", scratch.log().string()};
  all.insert(all.end(), options.begin(), options.end());
  all.push_back("--");
  all.insert(all.end(), command.begin(), command.end());
  std::error_code none; // of a program that is not there, nothing is said
  const std::filesystem::path program =
      std::filesystem::canonical(find_program(command.at(0)), none);
  if (!none)
    std::filesystem::create_directories(state_home() / "detshim/told" / program.relative_path(),
                                        none);
  return all;
}
