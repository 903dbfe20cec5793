// What a log amounts to: the line with which `detshim log` closes. Made here alone: whoever has a
// Verdict reads it.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "verdict/finding.h"
#include "verdict/loaded_code.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace detshim {

/// True if `name` can name a reason: a kind of docs/VERDICT.md, alone or with a colon and what it
/// is about.
bool is_acceptance(const std::string& name);

/// A reason that the user answers for: its kind, or its kind and what it is about ("kernels",
/// "kernels:libmine.so").
struct Acceptance {
  std::string name;
  std::size_t reasons = 0; ///< so many it has taken back
};

/// What compared runs have shown that bears on this one. tools/evidence fills it in.
struct Evidence {
  enum class Program {
    never_compared, ///< under this seed
    same,           ///< this run is of the program that was compared
    changed,        ///< it is of another: `names` says in what
    unknown,        ///< whether it is the same is not known: `names` says why
  };
  Program program = Program::never_compared;
  bool were_equal = false; ///< the compared runs
  std::size_t runs = 0;
  std::string date;       ///< "2026-11-25"
  std::string difference; ///< where it was first seen: "stdout line 3"
  std::string command;    ///< this run's, as it was typed
  std::vector<std::string> names;
  std::set<std::string> can_differ; ///< keys_of() all reasons of the compared runs
};

/// What of the run's environment the verdict is made of. tools/environment knows it.
struct CarriedState {
  std::vector<std::string> files; ///< that the run read or looked for, and changed
};

/// What is known of a run and does not stand in its log.
struct BesidesLog {
  CarriedState environment;
  Evidence evidence;
};

/// What the comparison of earlier runs says of this one.
struct EvidenceUse {
  enum class Answer {
    none,         ///< this program was never compared under this seed
    holds,        ///< it is the program that was compared, and nothing new can differ
    changed,      ///< it is another than the one that was compared: `names` says in what
    unknown,      ///< whether it is the same is not known: `names` says why
    new_findings, ///< it is the same, and something can differ that was not seen then: `names`
    differed,     ///< it is the same, and its runs were not equal
  };
  Answer answer = Answer::none;
  std::size_t runs = 0;
  std::string date;    ///< "2026-11-25"
  std::string command; ///< this run's, as it was typed
  std::vector<std::string> names;
};

struct Verdict {
  VerdictLevel level = VerdictLevel::covered; ///< the worst of the reasons', or *verified*
  std::vector<VerdictReason> reasons = {};    ///< worst first
  std::vector<VerdictReason> accepted = {};   ///< those that were taken back
  std::vector<Acceptance> acceptances = {};   ///< as they were asked for
  std::vector<std::string> own_kernels = {};  ///< files with code for a GPU that is not CUDA's own
  std::size_t idle_cuda_libraries = 0; ///< CUDA's files that were loaded while no process had a GPU
  std::vector<std::string> shown_times = {}; ///< lines that read clocks and only show them
  EvidenceUse evidence = {};
  bool has_refused = false; ///< calls failed on purpose: covered, but not as the program wanted

  /// True where comparing runs would say what this log leaves open.
  bool can_be_settled() const;

  /// What `log --check` asks for. That the user left the code out of it (--no-scan) is no failure.
  bool passes_check() const;

  /// The same for a run that is one of several equal ones.
  bool passes_if_equal() const;

  /// True if all that is against it is that nothing was drawn, which asks for a comparison.
  bool lacks_draws_alone() const;
};

/// The last step of a judgement, which reads no log: adds the reasons that do not come from the log
/// (`state`, `differed`), takes back what is accepted, sorts, and sets the level.
Verdict conclude(Findings findings, const CarriedState& environment, const Evidence& evidence,
                 const std::vector<std::string>& accepted);

/// A log, summed up and judged. Stays where it is: its parts know each other.
struct JudgedLog {
  /// `accepted`: names of reasons that the user answers for.
  JudgedLog(Log read, Decode decode, const std::vector<std::string>& accepted,
            const BesidesLog& besides = {});
  JudgedLog& operator=(JudgedLog&&) = delete; // neither copied nor moved

  const Log log;
  const Summary summary;
  const LoadedCode code;
  const Verdict verdict;
};

} // namespace detshim
