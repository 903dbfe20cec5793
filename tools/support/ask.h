// Asks another program, and does not wait for ever.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace detshim {

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

/// Standard output of a program, without a shell. An exit with another status than 0 is a problem,
/// but has its text. `variables`: its environment, NAME=VALUE; none for this one's. `has_errors`:
/// with its standard error.
Reply ask(const std::vector<std::string>& command, const AskLimits& limits = {},
          const std::vector<std::string>* variables = nullptr, bool has_errors = false);

} // namespace detshim
