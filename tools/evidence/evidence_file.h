// What comparisons of runs have shown, kept beside the project: `detshim verify` writes it, `log`
// reads it. docs/VERDICT.md has the file's form.
#pragma once

#include "common/run_agreements.h" // the file's name, in the working directory of the runs
#include "evidence/program_state.h"
#include "verdict/verdict.h"

#include <set>
#include <string>
#include <vector>

namespace detshim {

/// One program under one seed, as it was compared.
struct EvidenceEntry {
  ProgramState state;
  bool is_equal = false;
  std::size_t runs = 0;                   ///< with nothing turned
  std::vector<std::string> perturbations; ///< of further runs
  std::vector<std::string> compared;      ///< "exit status", "stdout", "output 'w.npz'"
  std::string date;                       ///< "2026-11-25", UTC
  std::string difference;                 ///< where it was first seen: "stdout line 3"
  std::set<std::string> can_differ;       ///< keys_of() all reasons of all runs
};

/// Those of a file; none where there is no file. Throws UsageError for what is no such file.
std::vector<EvidenceEntry> read_evidence(const std::string& file);

/// Puts `entry` in the place of one for the same command, seed and state. Of a program that was
/// changed, the newest few entries are kept. Throws UsageError if it cannot be written.
void keep_evidence(const std::string& file, EvidenceEntry entry);

/// Keeps the call sites of seeds that change, in the place of what was known of the same ones.
/// Throws UsageError.
void keep_learned_seeds(const std::string& file, const std::vector<std::string>& entries);

/// What the entries show that bears on a run of that state, for judge() to weigh.
Evidence evidence_of(const std::vector<EvidenceEntry>& entries, const ProgramState& state);

} // namespace detshim
