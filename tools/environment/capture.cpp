// Decides of what moment an environment is known. What is captured as a run begins is of then. What
// its log alone can say is not known before there is one, and where nothing was captured at the
// start, all else is not known either. Packages and files that were used are looked at later on the
// run's own machine only.
//
// A text counts as drawn if a stretch of 16 characters or more has letters, digits and more than
// three bits a character. It cannot know whether such a text is a secret, nor whether a short one
// is.
#include "environment/capture.h"

#include "common/run_agreements.h"
#include "environment/kept_environments.h"
#include "scanner/preloading.h"
#include "support/beside.h"
#include "support/hash.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <initializer_list>

#include <unistd.h>

namespace detshim {

namespace {

/// No file that was written before has a later time. One that is written within a tick of the
/// kernel's clock (10 ms at most) may have an earlier one: the program has not begun to read by
/// then.
std::int64_t now() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// The process that the run began with, if it has a log.
const Process* first_process(const Log& log) {
  for (const Process& process : log.processes)
    if (!process.starts.empty() && is_first_process(process.rank, process.path))
      return &process;
  return nullptr;
}

/// A fact stands before what is not known.
void add(const Environment& more, Environment& to) {
  for (std::size_t i = 0; i < environment_sections; ++i)
    for (const auto& [subject, value] : more.sections[i].values) {
      const auto [there, is_new] = to.sections[i].values.emplace(subject, value);
      if (!is_new && !there->second.is_fact() && value.is_fact())
        there->second = value;
    }
}

void set_unknown(Environment& to, std::initializer_list<EnvironmentSection> sections,
                 const std::string& why) {
  for (const EnvironmentSection section : sections)
    to.of(section).set_unknown(whole_section, why);
}

const Value no_log_yet = {ValueState::unknown,
                          "no log of a run: it is known once the program has run"};
const Value of_no_run = {ValueState::of_no_run, ""};

/// Of what a log alone says.
void leave_to_log(Environment& to, const Value& value) {
  to.of(EnvironmentSection::libraries).values[whole_section] = value;
  to.of(EnvironmentSection::packages).values[packages_of_files] = value;
}

} // namespace

std::string no_start() {
  return "nothing was captured as the run began: it was started without `detshim run`, or with "
         "descriptor " +
         std::to_string(environment_descriptor) + " taken or beyond the limit of open files";
}

Environment capture_environment(const CaptureOptions& options) {
  Environment environment;
  environment.host = host_name();
  environment.began = now();
  environment.is_complete = true;
  leave_to_log(environment, of_no_run);
  capture_variables(environment);
  capture_distributions(options, environment);
  capture_code(options.limits, environment);
  capture_caches(environment);
  capture_machine(environment);
  capture_session(environment);
  if (!options.program.empty())
    environment.places["program"] = options.program;
  environment.of(EnvironmentSection::code).values["program"] = of_no_run;
  return environment;
}

Environment capture_start(const std::vector<std::string>& command) {
  Environment environment;
  environment.host = host_name();
  environment.began = now();
  std::error_code error;
  environment.places["folder"] = std::filesystem::current_path(error).string();
  environment.places["machine"] = machine_identity();
  leave_to_log(environment, no_log_yet);
  for (const char* subject : {"detshim", "seed"})
    environment.of(EnvironmentSection::settings).values[subject] = no_log_yet;
  capture_variables(environment);
  const std::string file = find_executable(command.front());
  const std::filesystem::path program = std::filesystem::canonical(file, error);
  capture_command(error ? file : program.string(), command, environment);
  capture_likely_files(command, false, environment);
  CaptureOptions options;
  options.limits.time = std::chrono::seconds(1);
  const auto python = std::ranges::find_if(command, [](const std::string& word) {
    return std::filesystem::path(word).filename().string().starts_with("python");
  });
  options.program = python == command.end() ? command.front() : *python;
  // The program waits: git and the distributions take most of the time, and are captured side by
  // side.
  Environment code, distributions;
  auto git = beside([&] {
    capture_code(options.limits, code);
  });
  auto versions = beside([&] {
    capture_distributions(options, distributions);
  });
  capture_caches(environment);
  capture_machine(environment);
  capture_session(environment);
  git.get();
  versions.get();
  add(code, environment);
  add(distributions, environment);
  environment.places.merge(distributions.places);
  return environment;
}

Environment capture_run(const Log& log, const Environment* start) {
  Environment to = start == nullptr ? Environment{} : *start;
  to.run = log.run;
  to.is_complete = true;
  for (const char* subject : {"detshim", "seed"})
    to.of(EnvironmentSection::settings).forget_unknown(subject);
  capture_libraries(log, to);
  capture_own_settings(log, to);
  using enum EnvironmentSection;
  if (start == nullptr) {
    if (const Process* const first = first_process(log))
      capture_command(first->starts.front().program, first->starts.front().args, to);
    set_unknown(
        to, {driver, loader, settings, versions, code, caches, machine, packages, session, others},
        no_start());
    return to;
  }
  // A stranger's log does not name a folder here: it knows no machine's identity.
  const bool is_here = was_captured_at_start(to) && to.place("machine") == machine_identity();
  if (!is_here)
    set_unknown(to, {packages}, "this is another machine than the run's, or another container");
  else
    capture_packages(log, to);
  check_distributions(log, is_here, to);
  capture_used_files(log, is_here, to);
  return to;
}

void CapturedSection::add(const Subject& subject, const Known& known) {
  const auto there = values.find(subject);
  if (there == values.end() || !known.problem.empty())
    set(subject, known);
  else if (there->second.is_fact() && there->second.text != known.text)
    there->second.text += "; and " + known.text;
}

bool looks_drawn(std::string_view value) {
  constexpr std::size_t shortest = 16;
  constexpr double least_bits = 3; // of a character, in 16 that are drawn from 64: 3.6 on average
  // Each stretch without the marks that paths, lists and addresses have.
  for (std::size_t begin = 0; begin < value.size();) {
    const std::size_t end = std::min(value.find_first_of(" /:;,.=@&?\t\n", begin), value.size());
    const std::string_view part = value.substr(begin, end - begin);
    begin = end + 1;
    if (part.size() < shortest)
      continue;
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
      if (count > 0)
        bits -= count / length * std::log2(count / length);
    if (has_digit && has_letter && bits > least_bits)
      return true;
  }
  return false;
}

bool is_python(const std::string& program) {
  return base_name(program).find("python") != std::string::npos;
}

std::string without_login(std::string address) {
  address.resize(std::min(address.find_first_of("?#"), address.size()));
  std::string digest;
  if (const std::size_t at = address.rfind("@sha"); at != std::string::npos) {
    digest = address.substr(at);
    address.resize(at);
  }
  const std::size_t scheme = address.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  if (const std::size_t at = address.rfind('@'); at != std::string::npos && at >= begin)
    address.erase(begin, at + 1 - begin);
  return (looks_drawn(address) ? "an address, hash " + hash_text(address) : address) + digest;
}

std::string hash_text(std::string_view bytes) { return hash_digits(hash_of(bytes)); }

Known hash_of_file(const std::string& file, std::uintmax_t most) {
  const OwnedDescriptor input = open_regular(file);
  if (!input)
    return {"", "it is no regular file, or cannot be read"};
  std::array<char, 65536> block;
  std::uint64_t hash = first_hash;
  std::uintmax_t read = 0;
  ssize_t size = 0;
  while (read <= most && ((size = ::read(input.number(), block.data(), block.size())) > 0 ||
                          (size < 0 && errno == EINTR)))
    if (size > 0) {
      hash = hash_of(std::string_view(block.data(), static_cast<std::size_t>(size)), hash);
      read += static_cast<std::uintmax_t>(size);
    }
  if (size < 0)
    return {"", "it cannot be read"};
  if (read > most)
    return {"", "it holds more than " + std::to_string(most >> 20) + " MB"};
  return {hash_digits(hash), ""};
}

} // namespace detshim
