// Runs a program and keeps what it said. The test itself is never preloaded: the library reaches
// only the programs that run() starts with under_shim().
#pragma once

#include "files.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

using Environment = std::map<std::string, std::string>;

struct Result {
  int status = -1; ///< exit status; 128 plus the signal's number if a signal ended the program
  std::string out; ///< what it wrote to stdout
  std::string err; ///< what it wrote to stderr

  bool operator==(const Result&) const = default;
};

/// A program that was started. It must be waited for.
class Running {
public:
  /// As run() does.
  Running(const std::vector<std::string>& arguments, const Environment& environment = {},
          const std::filesystem::path& folder = {});
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  pid_t process() const { return process_; } ///< -1 once it is known to have ended
  /// What it has written to stdout so far.
  std::string out() const;
  bool has_ended();
  Result wait();

private:
  int out_, err_;
  pid_t process_;
  int status_ = -1; ///< of waitpid, once it has ended
};

/// Sends the signal to that process; false where it is not there. A number below 1 names none: that
/// of a program which has ended is -1, and kill(2) would reach every process of the machine.
bool send_signal(pid_t process, int signal);

/// Runs the program named by arguments[0] (searched in PATH), waits for it, and returns the result.
/// Its environment is the test's own without LD_PRELOAD, DETSHIM_ variables and the variables that
/// name a rank, and with `environment`. stdin is /dev/null. A program that cannot be started has
/// status 127.
Result run(const std::vector<std::string>& arguments, const Environment& environment = {},
           const std::filesystem::path& folder = {});

/// Where `program` is in PATH; empty if it is not.
std::string find_program(std::string_view program);

/// The lines of a text, without their newlines.
std::vector<std::string> lines(std::string_view text);

/// What the line counts with which a run closes on stderr; zeros where there is no such line.
struct ClosingCounts {
  uint64_t pinned = 0, processes = 0;

  bool operator==(const ClosingCounts&) const = default;
};
ClosingCounts closing_counts(const std::string& text);

/// The environment that preloads the library, quietly, with its log in scratch.log(). `more` goes
/// last, and a name in it wins: {"DETSHIM_QUIET", "0"}.
Environment under_shim(const TemporaryFolder& scratch, const Environment& more = {});

/// `detshim run` with these options, its log in scratch.log(), and the command. Its note about a
/// program that it does not know counts as said.
std::vector<std::string> detshim_run(const TemporaryFolder& scratch,
                                     const std::vector<std::string>& options,
                                     const std::vector<std::string>& command);
