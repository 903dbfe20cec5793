// How a process is named that reads the variable of another one.
//
// Ranks that no process of the run has started are one run all the same: they know each other by
// the name that their launcher gave the job, and agree on the run's name by a link in the folder of
// their logs.
#pragma once

#include "common/run_variable.h"
#include "common/text.h"

#include <cstdint>

namespace detshim {

// Labels of derivation, apart from all ordinals.
inline constexpr uint64_t label_wrapper = 0x7772617000000000;
inline constexpr uint64_t label_exec = 0x6578656300000000;
inline constexpr uint64_t label_unannounced = 0x756E616E00000000;
inline constexpr uint64_t label_hidden = 0x6869646400000000;
inline constexpr uint64_t label_rest = 0x7265737400000000; ///< a thread that draws at its very end
inline constexpr uint64_t label_child = 0x6368696C00000000;
inline constexpr uint64_t label_command = 0x636F6D6D00000000;  ///< of a command line
inline constexpr uint64_t label_launcher = 0x6C61756E00000000; ///< a launcher that is a rank itself
inline constexpr uint64_t label_drawn_seed =
    0x6472617700000000; ///< of a job, where the user gave none

/// Appends to a path; a long one is cut and closed with its key, which tells it apart all the same.
inline void extend_path(PathText& path, const char* separator, uint64_t ordinal, uint64_t key) {
  Text<sizeof(PathText) + 24> text;
  for (const char* c = path; *c != 0 && *c != '~'; ++c)
    text.add(*c);
  text.add(separator);
  if (ordinal != 0)
    text.add(ordinal);
  if (text.length() > 40 || contains(path, "~")) {
    text.shorten(40);
    text.add('~').add_hex(key, 16);
  }
  __builtin_memcpy(path, text.c_str(), text.length() + 1);
}

/// What the process that reads a variable is to the one that wrote it.
enum class Arrival : uint8_t {
  begins,   ///< the first of a rank, of a task, or of a seed of its own: its path starts anew
  named,    ///< the variable was written for it
  executed, ///< the writer itself, which turned into another program behind our back
  unnamed, ///< a child that nobody had a name for: popen's, or one of a program that the library is
           ///< not in
};

/// Turns what the process `pid` has read into its own. `run.seed` is its seed already.
Arrival arrive(RunVariable& run, const Launch& launch, int pid, bool has_own_seed);

/// The path starts here: the first process of the run, or of a rank. A launcher without a rank and
/// its rank 0 have streams of their own; both begin with the seed's native sequences.
void begin_path(RunVariable& run, uint64_t rank_plus_1);

/// The job of a rank that a launcher starts, or of the first process, as far as the environment
/// says it.
void enter_job(RunVariable& run, const Launch& launch);

using RunName = char[32];

struct JobName {
  uint64_t key = 0;             ///< names it; 0: it has no name, or there is one process alone
  bool repeats = false;         ///< the next job may have that name as well
  bool has_other_ranks = false; ///< or may have
};

/// The job of the calling process, which a launcher started.
JobName job_name_of(const Launch& launch);

/// The first rank to come names the run, the others take that name over: `run` is this one's
/// choice, and what was agreed on. Of jobs that have one name each has every rank once: what finds
/// its own number taken is of the next. Where no link can be made, this rank is a run of its own.
/// `begun`: as in RunVariable, of all the time at which the link was made.
void agree_on_run(const JobName& job, const char* folder, uint64_t rank, RunName& run,
                  uint64_t& begun);

/// The seed of a job where the user gave none, the same in all its ranks. Below 2^53, for every
/// tool that reads it.
uint64_t drawn_seed(const JobName& job, const RunName& run);

} // namespace detshim
