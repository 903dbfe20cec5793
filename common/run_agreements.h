// What `detshim run` and the library in its programs agree on, beside DETSHIM_RUN
// (common/run_variable.h).
#pragma once

#include "common/text.h"

#include <cstdint>

#include <fcntl.h>

namespace detshim {

// What was captured of the environment that a run begins in is handed to the library as a sealed
// file in memory, under a number that is the same in every process. A variable would be seen by the
// program.

/// Away from the low numbers that programs count on, and below 64: the kernel has room for so many
/// from the start.
inline constexpr int environment_descriptor = 61;

/// Nobody changes it on its way (memfd_create(2), F_GET_SEALS in fcntl(2)).
inline constexpr int environment_seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

/// How it begins: a JSON object without its opening brace, so that the library can put the run's
/// name first.
inline constexpr char environment_beginning[] = "\"schema_version\":";

/// At most so many bytes.
inline constexpr long largest_environment_handed_over = 1L << 20;

// DETSHIM_PORTABLE: what `detshim run` sets for the first program of a run, and the library for
// those that it starts.

/// glibc's tunable by which it takes none of the code that it has for newer processors; the names
/// are those of glibc 2.33 and later, and of 2.26 to 2.32. Unknown ones are passed over.
inline constexpr const char* portable_hwcaps =
    "glibc.cpu.hwcaps=-AVX,-AVX2,-FMA,-FMA4,-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-AVX_Usable,-"
    "AVX2_Usable,"
    "-FMA_Usable,-FMA4_Usable,-AVX512F_Usable";

/// The same for the level avx2: none of the code for AVX-512, nor that for AMD's FMA4.
inline constexpr const char* portable_hwcaps_avx2 =
    "glibc.cpu.hwcaps=-FMA4,-AVX512F,-AVX512VL,-AVX512DQ,-AVX512BW,-FMA4_Usable,-AVX512F_Usable";

/// Whether glibc has that tunable here.
#if defined(__x86_64__)
inline constexpr bool has_hwcaps = true;
#else
inline constexpr bool has_hwcaps = false;
#endif

/// The one that DETSHIM_PORTABLE's value asks for; nullptr for another value.
constexpr const char* portable_hwcaps_of(const char* level) {
  const bool is_avx2 = same_text(level, "avx2");
  return is_avx2 ? portable_hwcaps_avx2 : same_text(level, "1") ? portable_hwcaps : nullptr;
}

// What must be set before a program is loaded, where the user has not: by `detshim run`, and by the
// library as it executes the first program of a run again (shim/fixed_layout.cpp).

/// libgomp reads it as it is loaded.
inline constexpr const char* early_dynamic_name = "OMP_DYNAMIC";
inline constexpr const char* early_dynamic = "OMP_DYNAMIC=FALSE";

/// Whether the layout of addresses is fixed, in modes that force.
inline constexpr const char* layout_variable = "DETSHIM_LAYOUT";
enum class Layout : uint8_t { fixed, leave };
inline constexpr const char* layout_names[] = {"fixed", "leave"};

/// In the process that executed its program again: its id, and whether OMP_DYNAMIC is ours.
inline constexpr const char* executed_again_name = "_DETSHIM_AGAIN";
inline constexpr char has_set_dynamic = '+';

/// For how many processors OMP_NUM_THREADS was chosen (own_threads_name). A program that is started
/// on fewer (`taskset`) gets as many threads.
inline constexpr const char* own_processors_name = "_DETSHIM_PROCESSORS";

// The file that `detshim verify` writes beside a project, as the library looks into it.

inline constexpr const char* evidence_file_name = "detshim-evidence.json";

/// The key of its array of strings: a call site whose seeds change from run to run ("train.py:12",
/// "train+0x11b3"), and behind blanks what is known of it: the values that do not change, "=" and
/// the first of the call sites that passed one value, and these words. In "my train.py:12" the
/// blank is a slash.
inline constexpr const char* learned_seeds_key = "learned_seeds";
inline constexpr char blank_in_name = '/';                // which no file's name has
inline constexpr const char* of_all_processes = "all";    // all processes of a run passed the same
inline constexpr const char* of_all_threads = "threads";  // threads passed the same value
inline constexpr const char* in_order_of_seeds = "order"; // replaced by the order in both
inline constexpr const char* unchanging_call_site = "same"; // only what follows was ever passed

} // namespace detshim
