#include "environment/capture.h"

#include "common/environment_handover.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <future>
#include <initializer_list>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

namespace detshim {

bool Since::has_changed(const std::string& path) const {
  if (!began_) return false;
  std::filesystem::path there = path;
  struct stat state;
  constexpr int most_links = 40; // of the kernel's: path_resolution(7)
  for (int links = 0; links <= most_links; ++links) {
    // What is not there may have gone since: the folder that it was in says so.
    while (::lstat(there.c_str(), &state) != 0) {
      if (!there.has_relative_path()) return true;
      there = there.parent_path();
    }
    constexpr std::int64_t second = 1'000'000'000;
    if (state.st_ctim.tv_sec * second + state.st_ctim.tv_nsec > *began_) return true;
    if (!S_ISLNK(state.st_mode)) return false;
    std::error_code error;
    there = there.parent_path() / std::filesystem::read_symlink(there, error);
    if (error) return true;
  }
  return true;
}

bool Since::has_way_changed(const std::string& path) const {
  std::error_code error;
  std::filesystem::path at;
  for (const std::filesystem::path& part : std::filesystem::absolute(path, error)) {
    at /= part;
    if (std::filesystem::is_symlink(at, error) && has_changed(at)) return true;
  }
  return false;
}

namespace {

std::string host_name() {
  utsname names;
  return ::uname(&names) == 0 ? names.nodename : "";
}

/// No file that was written before has a later time. One that is written within a tick of the kernel's clock
/// (10 ms at most) may have an earlier one: the program has not begun to read by then.
std::int64_t now() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The process that the run began with, if it has a log.
const Process* first_process(const Log& log) {
  for (const Process& process : log.processes)
    if (!process.starts.empty() && is_first_process(process.rank, process.path)) return &process;
  return nullptr;
}

/// A fact stands before what is not known.
void add(const Environment& more, Environment& to) {
  for (std::size_t i = 0; i < environment_sections; ++i) {
    for (const auto& [subject, text] : more.sections[i].facts) {
      to.sections[i].facts.emplace(subject, text);
      to.sections[i].unknown.erase(subject);
    }
    for (const auto& [subject, why] : more.sections[i].unknown)
      if (!to.sections[i].facts.contains(subject)) to.sections[i].unknown.emplace(subject, why);
  }
}

void set_unknown(Environment& to, std::initializer_list<EnvironmentSection> sections,
                 const std::string& why) {
  for (const EnvironmentSection section : sections) to.of(section).unknown[""] = why;
}

} // namespace

std::string no_start() {
  return "nothing was captured as the run began: it was started without `detshim run`, or with descriptor " +
         std::to_string(environment_descriptor) + " taken or beyond the limit of open files";
}

Environment capture_environment(const CaptureOptions& options) {
  Environment environment;
  environment.host = host_name();
  environment.began = now();
  environment.is_complete = true;
  capture_libraries(options, environment);
  capture_variables(environment);
  capture_distributions(options, environment);
  capture_modules({}, environment);
  capture_code(options.limits, environment);
  capture_caches(options.deep, environment);
  capture_machine(environment);
  capture_session(environment);
  capture_gpu_modes(environment);
  if (!options.program.empty()) environment.places["program"] = options.program;
  environment.of(EnvironmentSection::code).unknown["program"] = "no run, but the place for one";
  return environment;
}

Environment capture_start(const std::vector<std::string>& command) {
  Environment environment;
  environment.host = host_name();
  environment.began = now();
  std::error_code error;
  environment.places["folder"] = std::filesystem::current_path(error).string();
  environment.places["machine"] = machine_identity();
  const char* const home = std::getenv("HOME");
  environment.places["home"] = home == nullptr ? "" : home;
  capture_variables(environment);
  const std::string file = find_executable(command.front());
  const std::filesystem::path program = std::filesystem::canonical(file, error);
  capture_command(error ? file : program.string(), command, environment);
  CaptureOptions options;
  options.limits.time = std::chrono::seconds(1);
  options.program = command.front();
  Environment code; // the program waits: git takes most of the time, and is asked beside the rest
  auto git = std::async(std::launch::async, [&] { capture_code(options.limits, code); });
  capture_sources(options, environment);
  capture_modules(command, environment);
  capture_caches(false, environment);
  git.get();
  add(code, environment);
  capture_machine(environment);
  capture_session(environment);
  const char* const later = "not captured yet: `detshim log` and `detshim env capture` do";
  set_unknown(environment,
              {EnvironmentSection::libraries, EnvironmentSection::versions, EnvironmentSection::packages},
              later);
  for (const char* subject : {"detshim", "seed"})
    environment.of(EnvironmentSection::settings).unknown[subject] = later;
  return environment;
}

Environment capture_run(const Log& log, const Environment* start, CaptureOptions options) {
  Environment to = start == nullptr ? Environment{} : *start;
  const bool is_again = to.is_complete;
  if (is_again) to.of(EnvironmentSection::versions).facts.clear();
  to.run = log.run;
  to.is_complete = true;
  for (CapturedSection& section : to.sections)
    std::erase_if(section.unknown,
                  [](const auto& one) { return one.second.starts_with("not captured yet"); });
  options.log = &log;
  options.since = Since(to.began); // where it is not known, everything was changed since
  capture_libraries(options, to);
  capture_own_settings(log, to);
  using enum EnvironmentSection;
  if (start == nullptr) {
    if (const Process* const first = first_process(log))
      capture_command(first->starts.front().program, first->starts.front().args, to);
    set_unknown(to, {driver, loader, settings, versions, code, caches, machine, packages, session, others},
                no_start());
    return to;
  }
  // A stranger's log does not name a folder here: it knows no machine's identity.
  const auto identity = to.places.find("machine");
  if (to.began > now()) {
    set_unknown(to, {packages, versions},
                "by this machine's clock the run has not begun yet: what changed since cannot be told");
  } else if (identity == to.places.end() || identity->second != machine_identity()) {
    set_unknown(to, {packages, versions},
                "this is another machine than the run's, or another container: what lies here says nothing "
                "of what lay there");
  } else {
    capture_packages(options, to);
    capture_distributions(options, to);
  }
  check_modules(log, to);
  if (to.of(driver).facts["driver"] != no_driver)
    to.of(driver).unknown["modes and clocks"] = "they take too long to ask as a program starts: "
                                                "`detshim env capture` before a run has them";
  if (is_again) { // what an earlier capture of the same run could still tell
    Environment earlier = *start;
    for (CapturedSection& section : earlier.sections) section.unknown.clear();
    add(earlier, to);
  }
  return to;
}

bool looks_drawn(std::string_view value) {
  constexpr std::size_t shortest = 16;
  constexpr double least_bits = 3; // of a character, in 16 that are drawn from 64: 3.6 on average
  // Each stretch without the marks that paths, lists and addresses have.
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find_first_of(" /:;,.=@&?\t\n", begin), value.size());
    const std::string_view part = value.substr(begin, end - begin);
    begin = end + 1;
    if (part.size() < shortest) continue;
    std::array<double, 256> counts{};
    bool has_digit = false, has_letter = false;
    for (const char c : part) {
      counts[static_cast<unsigned char>(c)] += 1;
      has_digit |= std::isdigit(static_cast<unsigned char>(c)) != 0;
      has_letter |= std::isalpha(static_cast<unsigned char>(c)) != 0;
    }
    double bits = 0;
    const auto length = static_cast<double>(part.size());
    for (const double count : counts)
      if (count > 0) bits -= count / length * std::log2(count / length);
    if (has_digit && has_letter && bits > least_bits) return true;
  }
  return false;
}

namespace {

constexpr std::uint64_t first_hash = 0xcbf29ce484222325; // FNV-1a

std::uint64_t hash_on(std::uint64_t hash, std::string_view bytes) {
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string digits_of(std::uint64_t hash) {
  std::string digits(16, '0');
  for (std::size_t i = 16; i > 0; --i, hash >>= 4) digits[i - 1] = "0123456789abcdef"[hash & 15U];
  return digits;
}

} // namespace

std::string hash_text(std::string_view bytes) { return digits_of(hash_on(first_hash, bytes)); }

namespace {

/// A program and those that it starts, which end together.
class Asked {
public:
  Asked(const std::vector<std::string>& command, const std::vector<std::string>* variables) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    answer_ = ends[0];
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    const auto pointers = [](const std::vector<std::string>& texts) {
      std::vector<char*> list;
      for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
      list.push_back(nullptr);
      return list;
    };
    const std::vector<char*> arguments = pointers(command);
    const std::vector<char*> own = variables == nullptr ? std::vector<char*>{} : pointers(*variables);
    if (::posix_spawnp(&process_, arguments[0], &actions, &attributes, arguments.data(),
                       variables == nullptr ? environ : own.data()) != 0)
      process_ = -1;
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
  }
  ~Asked() {
    if (answer_ >= 0) ::close(answer_);
    wait(SIGKILL);
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  bool is_started() const { return process_ > 0; }
  pid_t process() const { return process_; }
  int answer() const { return answer_; }

  /// Its status as waitpid has it, after that signal to all of them; 0 for none.
  int wait(int signal) {
    if (process_ <= 0) return status_;
    if (signal != 0) ::kill(-process_, signal);
    while (::waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    return status_;
  }

private:
  int answer_ = -1, status_ = -1;
  pid_t process_ = -1;
};

} // namespace

Reply ask(const std::vector<std::string>& command, const AskLimits& limits,
          const std::vector<std::string>* variables) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + limits.time;
  Asked asked(command, variables);
  const std::string& name = command.front();
  if (!asked.is_started()) return {std::nullopt, name + " is not here, or cannot be run"};
  const std::string late =
      name + " did not answer within " +
      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(limits.time).count()) + " s";
  std::string text;
  std::array<char, 65536> block;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return {std::nullopt, late};
    pollfd one{asked.answer(), POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(left));
    if (ready <= 0) continue;
    const ssize_t size = ::read(asked.answer(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block.data(), static_cast<std::size_t>(size));
    if (text.size() > limits.bytes)
      return {std::nullopt, name + " answers with more than " + std::to_string(limits.bytes >> 20) + " MB"};
  }
  // One that has closed its output may still run.
  for (;;) {
    siginfo_t state{};
    if (::waitid(P_PID, static_cast<id_t>(asked.process()), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        state.si_pid != 0)
      break;
    if (Clock::now() >= end) return {std::nullopt, late};
    ::poll(nullptr, 0, 1);
  }
  const int status = asked.wait(0);
  if (!WIFEXITED(status)) return {std::nullopt, name + " was ended by a signal"};
  return {text, WEXITSTATUS(status) == 0 ? "" : name + " fails", WEXITSTATUS(status)};
}

std::optional<std::string> output_of(const std::vector<std::string>& command, bool may_fail) {
  Reply answer = ask(command);
  return answer.problem.empty() || may_fail ? std::move(answer.text) : std::nullopt;
}

namespace {

/// A regular file, open; others are not opened, since that alone makes some devices do something.
int open_regular(const std::string& file) {
  struct stat state;
  if (::stat(file.c_str(), &state) != 0 || !S_ISREG(state.st_mode)) return -1;
  const int input = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (input >= 0 && (::fstat(input, &state) != 0 || !S_ISREG(state.st_mode))) {
    ::close(input);
    return -1;
  }
  return input;
}

} // namespace

std::string whole_file(const std::string& file) {
  constexpr std::size_t most = 64U << 20;
  return beginning_of_file(file, most);
}

std::string beginning_of_file(const std::string& file, std::size_t most) {
  // Not by a stream: a run that begins waits for it.
  const int input = open_regular(file);
  std::string text;
  char block[16384];
  for (ssize_t size; input >= 0 && text.size() < most;) {
    size = ::read(input, block, std::min(sizeof block, most - text.size()));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(block, static_cast<std::size_t>(size));
  }
  if (input >= 0) ::close(input);
  return text;
}

Told hash_of_file(const std::string& file, std::uintmax_t most) {
  const int input = open_regular(file);
  if (input < 0) return {"", "it is no regular file, or cannot be read"};
  std::array<char, 65536> block;
  std::uint64_t hash = first_hash;
  std::uintmax_t read = 0;
  ssize_t size = 0;
  while (read <= most &&
         ((size = ::read(input, block.data(), block.size())) > 0 || (size < 0 && errno == EINTR)))
    if (size > 0) {
      hash = hash_on(hash, std::string_view(block.data(), static_cast<std::size_t>(size)));
      read += static_cast<std::uintmax_t>(size);
    }
  ::close(input);
  if (size < 0) return {"", "it cannot be read"};
  if (read > most) return {"", "it holds more than " + std::to_string(most >> 20) + " MB"};
  return {digits_of(hash), ""};
}

} // namespace detshim
