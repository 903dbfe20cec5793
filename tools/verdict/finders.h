// What looks for findings in a log: a file for each family. Each finder reads the log and what was
// found in the files that it names, and writes down reasons; none reads what another has found but
// where it reports it.
#pragma once

#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "support/lists.h"
#include "support/reason_texts.h"
#include "verdict/finding.h"
#include "verdict/loaded_code.h"

#include <algorithm>
#include <initializer_list>
#include <string>

namespace detshim {

struct VerdictInputs {
  const Log& log;
  const Summary& summary;
  const LoadedCode& code;
};

/// True if a record of the symbol has one of those reasons.
inline bool has_reason(const SymbolSummary& symbol, std::initializer_list<Reason> reasons) {
  return std::ranges::any_of(symbol.reasons, [&](const std::string& code) {
    return contains(reasons, reason_of(code));
  });
}

/// The file of "/usr/bin/train+0x11b9".
inline std::string file_of_place(const std::string& at) { return at.substr(0, at.rfind("+0x")); }

// call_findings.cpp

/// Calls that can differ, or whose records are lost.
void find_calls(const VerdictInputs& inputs, Findings& findings);

// pool_findings.cpp

/// Workers that take tasks as they are free, threads that share something, processes that fill one
/// queue.
void find_pools(const VerdictInputs& inputs, Findings& findings);

// user_line_findings.cpp

/// Where the user's code reads clocks or what no seed pins, starts threads, or processes run at the
/// same time.
void find_users_lines(const VerdictInputs& inputs, Findings& findings);

/// Call sites of seeds that may be the program's own, or a hash of a clock. Reads which clocks
/// find_users_lines() found.
void find_seeds_that_may_change(const VerdictInputs& inputs, Findings& findings);

// script_findings.cpp

/// What of a shell's script differs in each run.
void find_shell_words(const VerdictInputs& inputs, Findings& findings);

// run_findings.cpp

/// Instructions in loaded files that draw around every hook, and files that could not be read.
void find_code(const VerdictInputs& inputs, Findings& findings);

/// Runtimes that seed themselves where no hook sees it.
void find_runtimes(const VerdictInputs& inputs, Findings& findings);

/// How detshim was set for the run.
void find_settings(const VerdictInputs& inputs, Findings& findings);

/// Processes whose end, start, libraries or log are missing.
void find_processes(const VerdictInputs& inputs, Findings& findings);

/// Ranks that a launcher started, as it told the others, and that no library was in.
void find_ranks(const VerdictInputs& inputs, Findings& findings);

/// Parts of the log that cannot be read.
void find_damage(const VerdictInputs& inputs, Findings& findings);

/// A run in which nothing happened that detshim looks for. Reads what the others found: asked last.
void find_no_draw(const VerdictInputs& inputs, Findings& findings);

/// Calls that failed on purpose, in mode strict.
void count_refused(const VerdictInputs& inputs, Findings& findings);

// cuda_findings.cpp

/// Copies of CUDA's libraries that are linked into other files, kernels and who brings them.
void find_kernels(const VerdictInputs& inputs, Findings& findings);

/// Functions of CUDA's libraries that have no hook and were used, or may have been.
void find_unhooked_functions(const VerdictInputs& inputs, Findings& findings);

/// Libraries whose hooks were not in front, and versions that this detshim does not know. Reads
/// what find_unhooked_functions() found.
void find_libraries(const VerdictInputs& inputs, Findings& findings);

/// Counts CUDA's files in a run that had no GPU.
void count_idle_libraries(const VerdictInputs& inputs, Findings& findings);

} // namespace detshim
