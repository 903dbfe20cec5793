// The library's options: environment variables, read once, checked before anything else happens.
//
// Declared in one place, the list in options.cpp; docs/OPTIONS.md is generated from it.
#pragma once

#include "common/modes.h"

#include <cstdint>

namespace detshim {

/// What becomes of a program's own search for the fastest algorithm.
enum class Autotune : uint8_t { off, first, record, replay, inverse };
/// What device memory holds when it was allocated.
enum class Fill : uint8_t { off, zero, nan };
/// In which order threads and children of a process begin.
enum class WorkerOrder : uint8_t { started, reversed };
/// What becomes of draws by which packages name things.
enum class Names : uint8_t { random, pinned };
/// In which order a folder's entries are read.
enum class FolderOrder : uint8_t { off, sorted, reversed };

/// Which processors' code libraries take: their own, that of the oldest ones, that of those with
/// AVX2 and FMA.
enum class PortableLevel : uint8_t { off, oldest, avx2 };

struct Options {
  Mode mode = Mode::off;
  SeedPolicy policy = SeedPolicy::fixed;
  bool has_seed = false;            ///< DETSHIM_SEED was given here, or a parent had a seed
  bool seed_drawn = false;          ///< that parent had drawn it
  bool is_of_secret_script = false; ///< that parent has it so (common/run_variable.h)
  bool quiet = false;
  uint64_t seed = 0;             ///< meaningful when has_seed
  const char* log = "";          ///< DETSHIM_LOG, empty when unset
  const char* disable = "";      ///< DETSHIM_DISABLE, empty when unset
  const char* keep_entropy = ""; ///< DETSHIM_KEEP_ENTROPY, empty when unset
  /// DETSHIM_LEAVE. Without `detshim run`, which knows what is installed, those whose later
  /// versions end programs.
  const char* leave = "NVTE_ALLOW_NONDETERMINISTIC_ALGO";
  const char* learned_seeds = ""; ///< DETSHIM_LEARNED_SEEDS, empty when unset
  const char* freeze = "";        ///< DETSHIM_FREEZE, empty when unset

  const char* tuning_file = ""; ///< of DETSHIM_AUTOTUNE=record:FILE or replay:FILE, else empty
  Autotune autotune = Autotune::off;
  Fill fill = Fill::off;
  FolderOrder folders = FolderOrder::off;
  WorkerOrder workers = WorkerOrder::started;
  Names names = Names::random;
  PortableLevel portable = PortableLevel::off;
  bool fingerprint = false; ///< DETSHIM_FINGERPRINT=host, or calls
  bool fingerprint_calls = false;

  bool off() const { return mode == Mode::off; }
  /// Seeds and entropy are replaced.
  bool pins() const {
    return mode == Mode::enforce || mode == Mode::record || mode == Mode::strict;
  }
  /// Deterministic algorithms and settings are forced.
  bool forces() const { return mode == Mode::enforce || mode == Mode::strict; }
  bool strict() const { return mode == Mode::strict; }
};

/// The options of this process: its environment's, and what it does not say, its parent's in the
/// same run. The first call reads them; a variable with a wrong value, or an unknown DETSHIM_
/// variable, ends the process there with one line on stderr and exit status 2.
inline const Options& options();

/// The same as options().fingerprint, but false until the options were read: for what draws
/// millions of times.
inline bool takes_fingerprints();

/// True if DETSHIM_DISABLE lists `env:<name>`.
bool setting_is_disabled(const char* name);

/// True if DETSHIM_LEAVE names it: what reads it is here in a version in which the value is not
/// known good.
bool setting_is_left(const char* name);

/// True if DETSHIM_KEEP_ENTROPY names the file or the Python module, by the start of its name.
bool keeps_entropy(const char* name);

/// True if it names the file with a - before it: pinned, whatever is in it.
bool gives_up_entropy(const char* file_name);

/// True if the purpose of this program, or script, is a secret (common/cryptography.h): its entropy
/// and its seeds stay its own, unless DETSHIM_KEEP_ENTROPY names it with a - before it. Told by the
/// name by which it was executed.
bool makes_secrets();

/// True if it is a script, or was started by one: what it starts makes its secrets.
bool is_secret_script();

/// Reads a seed: decimal, or hexadecimal after 0x; 0 to 2^64-1; nothing else around it.
bool parse_seed(const char* text, uint64_t& seed);

namespace detail {
struct OptionsOfProcess {
  Options values;
  bool are_read = false;
  uint64_t reading = 0; ///< a lock, of whoever reads them
};
extern OptionsOfProcess options_of_process;
const Options& read_options();
} // namespace detail

inline const Options& options() {
  const bool is_read = __atomic_load_n(&detail::options_of_process.are_read, __ATOMIC_ACQUIRE);
  return __builtin_expect(is_read, 1) ? detail::options_of_process.values : detail::read_options();
}

inline bool takes_fingerprints() {
  return __builtin_expect(detail::options_of_process.values.fingerprint, 0);
}

} // namespace detshim
