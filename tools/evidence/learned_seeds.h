// Seeds that a program passes itself and that change from run to run, told by the logs of two runs.
#pragma once

#include "evidence/program_state.h"
#include "log_reader/log.h"

#include <string>
#include <vector>

namespace detshim {

/// A call site that passes them.
struct LearnedSeeds {
  std::string entry;        ///< for the library: common/run_agreements.h
  std::string name;         ///< "train.py:12"
  bool is_constant = false; ///< what might have changed was the same in both runs
  std::string at;           ///< as records have it, and
  std::vector<std::string> frames;
  PythonFrames python;
};

/// The call sites whose generators were seeded otherwise in one of two runs, and those whose seeds
/// the library replaced because they might have changed, where they did not. Of one with more
/// values than a log holds only where all of them changed.
std::vector<LearnedSeeds> learn_seeds(const Log& one, const Log& other);

/// What generators were seeded with, by call site, as parts of a run's state: another seed is
/// another run.
void add_seeds(const Log& log, ProgramState& state);

} // namespace detshim
