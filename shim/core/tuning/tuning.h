// Recorded tuning, DETSHIM_AUTOTUNE=record:FILE and replay:FILE: what a program chose among timed
// candidates, kept in a file for later runs. Format of FILE: docs/TUNING_FILE.md.
//
// How a hook of a search (cublasLtMatmulAlgoGetHeuristic, a cudnnFind*, a list of engine configs)
// uses it:
//
//   switch (autotune()) {
//   case Autotune::off:    hand on, record `nondeterministic`: the program times them
//   case Autotune::first:  give one candidate, the library's first
//   case Autotune::replay: if (find_tuning(problem, choice, sizeof choice)) give the candidate that
//   `choice`
//                          names, found again in the library's own list; else, or without one, as
//                          `first`
//   case Autotune::record: hand the whole list on; where the program then executes one of its
//   candidates,
//                          keep_tuning(problem, choice): of several the last stays
//   }
//
// A problem is everything that the choice may depend on, and nothing that differs between two runs:
// no address, no time. A choice is whatever names the candidate in the library's list, in any order
// of the list. Neither function draws, and both are for slow paths: they take a lock and look
// through the file's text.
#pragma once

#include "core/policy/options.h"
#include "core/tuning/tuning_file.h"

#include <cstddef>

namespace detshim {

/// What becomes of searches here: options().autotune, where the mode forces algorithms. In the
/// others a program's search is left to it, and its choices may still be recorded.
Autotune autotune();

/// Whether programs are kept from choosing by time: the first candidate serves, or what FILE keeps.
bool gives_one_candidate();

/// The same as autotune() for autotuners that ask CUDA's events, where `inverse` is something else
/// than `first`.
Autotune event_clock();

/// Whether choices are recorded or replayed.
bool keeps_choices();

/// Copies the kept choice for a problem; false if none was kept. The first call of a process reads
/// FILE, and ends the process with one line on stderr and status 2 if FILE is missing (replay),
/// damaged or of another format; so does the first call for a library whose choices in FILE are all
/// from other devices or versions.
bool find_tuning(const TuningProblem& problem, char* choice, size_t size);

/// Keeps a choice, instead of an earlier one for the same problem: it is in FILE when this returns.
/// Reads FILE first as find_tuning(). False where it cannot be kept: the device or the version is
/// not known, the texts are too long, or FILE cannot be written; then one line on stderr warns
/// of it.
bool keep_tuning(const TuningProblem& problem, const char* choice);

} // namespace detshim
