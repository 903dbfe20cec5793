#include "environment/capture.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace detshim {

Environment capture_environment(const CaptureOptions& options) {
  Environment environment;
  for (auto* const capture : {capture_libraries, capture_variables, capture_distributions, capture_code,
                              capture_caches, capture_machine})
    capture(options, environment);
  return environment;
}

bool names_a_secret(std::string_view name) {
  std::string upper(name);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper == "PWD" || upper == "OLDPWD") return false;
  // Those of shim/core/log/variables.cpp.
  constexpr auto words = std::to_array<const char*>(
      {"TOKEN", "KEY", "PASS", "SECRET", "CREDENTIAL", "AUTH", "COOKIE", "PRIVATE", "PWD"});
  return std::ranges::any_of(words,
                             [&upper](const char* word) { return upper.find(word) != std::string::npos; });
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

bool holds_a_password(std::string_view value) {
  const std::size_t scheme = value.find("://");
  return scheme != std::string_view::npos && value.find('@', scheme) != std::string_view::npos;
}

std::string hash_text(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325; // FNV-1a, 64 bits
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  std::string digits(16, '0');
  for (std::size_t i = 16; i > 0; --i, hash >>= 4) digits[i - 1] = "0123456789abcdef"[hash & 15U];
  return digits;
}

std::optional<std::string> output_of(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  int status = -1;
  if (error == 0) {
    char block[65536];
    for (ssize_t size; (size = ::read(ends[0], block, sizeof block)) > 0 || (size < 0 && errno == EINTR);)
      if (size > 0) text.append(block, static_cast<std::size_t>(size));
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  if (error != 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return text;
}

} // namespace detshim
