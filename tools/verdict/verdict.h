// What a log amounts to: the line with which `detshim log` closes.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "verdict/loaded_code.h"

#include <string>
#include <vector>

namespace detshim {

enum class VerdictLevel {
  covered,    ///< nothing that detshim looks for passed it
  unverified, ///< not enough is known
  partly,     ///< something that is named passed it
};

/// "covered", "unverified", "partly".
const char* level_name(VerdictLevel level);

/// Why a log is not covered. Texts are as they stand in the log: not safe to print.
struct Reason {
  VerdictLevel level = VerdictLevel::unverified;
  const char* kind = ""; ///< one of those in docs/VERDICT.md
  std::string text;
  std::string remedy; ///< what to do; empty if there is nothing
  std::string library, function, file;
};

struct Verdict {
  VerdictLevel level = VerdictLevel::covered; ///< the worst of the reasons'
  std::vector<Reason> reasons;                ///< worst first
  std::vector<std::string> own_kernels;       ///< files with code for a GPU that is not CUDA's own
  bool has_refused = false; ///< calls failed on purpose: covered, but not as the program wanted

  /// What `log --check` asks for. That the user left the code out of it (--no-scan) is no failure.
  bool passes_check() const;
};

/// `accepts_kernels`: the user knows that kernels of the program's own are deterministic (--accept-kernels).
Verdict make_verdict(const Log& log, const Summary& summary, const LoadedCode& code, bool accepts_kernels);

} // namespace detshim
