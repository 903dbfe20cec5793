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
struct VerdictReason {
  VerdictLevel level = VerdictLevel::unverified;
  const char* kind = ""; ///< one of those in docs/VERDICT.md
  std::string text;
  std::string remedy; ///< what to do; empty if there is nothing
  std::string library, function, file;
};

/// A reason that the user answers for: its kind, or its kind and what it is about ("kernels",
/// "kernels:libmine.so").
struct Acceptance {
  std::string name;
  std::size_t reasons = 0; ///< so many it has taken back
};

struct Verdict {
  VerdictLevel level = VerdictLevel::covered; ///< the worst of the reasons'
  std::vector<VerdictReason> reasons;         ///< worst first
  std::vector<VerdictReason> accepted;        ///< those that were taken back
  std::vector<Acceptance> acceptances;        ///< as they were asked for
  std::vector<std::string> own_kernels;       ///< files with code for a GPU that is not CUDA's own
  std::size_t idle_cuda_libraries =
      0;                    ///< files of CUDA's libraries that were loaded while no process had a GPU
  bool has_refused = false; ///< calls failed on purpose: covered, but not as the program wanted

  /// What `log --check` asks for. That the user left the code out of it (--no-scan) is no failure.
  bool passes_check() const;
};

/// What a reason is about, in a word: a function, else a file's name, else a library. Empty if it is about
/// the run.
std::string subject_of(const VerdictReason& reason);

/// True if `name` can name a reason: a kind of docs/VERDICT.md, alone or with a colon and what it is about.
bool is_acceptance(const std::string& name);

/// `accepted`: names of reasons that the user answers for.
Verdict make_verdict(const Log& log, const Summary& summary, const LoadedCode& code,
                     const std::vector<std::string>& accepted);

} // namespace detshim
