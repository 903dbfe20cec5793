// Which values that a program passes as a seed change from run to run.
//
// A program that seeds itself from a clock passes another value in each run. Whether a value is one
// of those is told by what the program has read (core/seeds/clock_samples.h). Nearness to the
// present would decide by chance.
//
// A rule is a function in a file of its own here. rules.cpp has them in a table, whose order is the
// policy.
#pragma once

#include "core/seeds/explanation.h"
#include "core/seeds/passed_seed.h"

#include <cstdint>

namespace detshim {

/// Whose code passes a seed.
enum class SeedingCode : uint8_t {
  program,
  interpreter, ///< it reads clocks and ids all the time
};

/// What the first rule says that knows the seed.
Explanation explain(const PassedSeed& seed, SeedingCode code);

/// What a Python program's seed is by the rules that hold before its readings.
Explanation explain_python(const PassedSeed& seed);

// Each rule is true, with what it knows in `made`, if it tells where the seed comes from.
namespace rules {

/// A comparison of runs saw this call site pass other values (core/seeds/learned_seeds.h), and the
/// user named no such number.
bool learned(const PassedSeed& seed, Explanation& made);

/// Below 2^24: a number that an interpreter's program fixes may be the low end of a clock by
/// chance, in one run of many.
bool low_number(const PassedSeed& seed, Explanation& made);

/// The function that seeds holds the number.
bool in_code(const PassedSeed& seed, Explanation& made);

/// The file of the program, or of the library, that seeds holds the number: among its constants, as
/// what a variable begins with, or in another function.
bool in_file(const PassedSeed& seed, Explanation& made);

/// A clock or an id that was read.
bool reading(const PassedSeed& seed, Explanation& made);

/// An address of the thread itself, of the stack, of the heap, or of the calling object.
bool address(const PassedSeed& seed, Explanation& made);

/// Below small_limit: an index, a task's number, or what the program fixes.
bool small_number(const PassedSeed& seed, Explanation& made);

/// The program has read no clock and no id: the value comes from what is its own.
bool nothing_read(const PassedSeed& seed, Explanation& made);

/// A fabric's library passes it, for itself.
bool infrastructure(const PassedSeed& seed, Explanation& made);

/// Words of entropy that this process was given.
bool entropy(const PassedSeed& seed, Explanation& made);

/// The command line or the environment holds the number, or one near to it.
bool user(const PassedSeed& seed, Explanation& made);

/// None of the others: the value's place in the order of the seeds, where that is fixed.
bool order(const PassedSeed& seed, Explanation& made);

} // namespace rules

} // namespace detshim
