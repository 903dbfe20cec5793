// The file that `detshim verify` writes beside a project, as the library looks into it.
#pragma once

namespace detshim {

inline constexpr const char* evidence_file_name = "detshim-evidence.json";

/// The key of its array of strings: a call site whose seeds change from run to run ("train.py:12",
/// "train+0x11b3"), and behind blanks what is known of it: the values that do not change, "=" and the first
/// of the call sites that passed one value, and these words.
inline constexpr const char* learned_seeds_key = "learned_seeds";
inline constexpr const char* of_all_processes = "all";   // all processes of a run passed the same
inline constexpr const char* of_all_threads = "threads"; // threads passed the same value

} // namespace detshim
