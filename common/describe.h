// What the library says about itself: plain records in named ELF sections of libdetshim.so.
//
// `detshim hooks` and `detshim options` read them out of the very file that would be preloaded, so
// the documentation cannot speak of another version. Nothing here holds a pointer: the bytes in the
// file are the bytes in memory, and no relocation is needed to read them.
#pragma once

#include <cstdint>

namespace detshim {

/// What a hook does with a call. The numbers are part of the log's format (docs/LOG_FORMAT.md).
enum class Action : uint32_t { none, observe, pin, replace, refuse, nondeterministic, uncovered };

/// The names of the actions as the log writes them, indexed by Action.
inline constexpr const char* action_names[] = {"none",   "observe",          "pin",      "replace",
                                               "refuse", "nondeterministic", "uncovered"};
inline constexpr int action_count = 7;

/// Whether a value in a hook's records went into the call, or came out of it.
enum class FieldRole : uint8_t { input, result };

/// One hook, as documented. Section `detshim_hook_info`, an array without gaps.
struct alignas(4) HookInfo {
  char library[12];              ///< library's short name: libc, curand, cudnn
  char name[84];                 ///< exported symbol
  Action action;                 ///< what the hook does at its strongest
  char fields[4][20] = {};       ///< names of the values that its records carry, in order
  FieldRole roles[4] = {};       ///< of each of them
  bool lists_algorithms = false; ///< what it answers is the list that an algorithm is chosen from
  char summary[132];             ///< one sentence for docs/HOOKS.md
};

/// One environment variable that the library accepts. Section `detshim_option_info`, an array
/// without gaps.
struct alignas(64) OptionInfo {
  char name[32];     ///< DETSHIM_SEED
  char accepted[96]; ///< what is accepted, in words, as the error line says it
  char fallback[64]; ///< what holds when it is unset
  char summary[256]; ///< one or two sentences for docs/OPTIONS.md
};
static_assert(sizeof(OptionInfo) % 64 == 0);

/// What becomes of an environment variable that a library or framework reads.
enum class Treatment : uint8_t {
  force,  ///< set, unless the user's own value is a repeatable one
  strict, ///< the same in strict alone: its reader then ends programs that ask for what is not
          ///< repeatable
  append, ///< the same for one that holds flags: they are added behind the user's own
  seed,   ///< set to a number that follows from the seed, where it is unset
  note,   ///< left alone, and written down where it is set
};

/// One such variable. Section `detshim_setting_info`, an array without gaps, which is the library's
/// own table.
struct alignas(64) SettingInfo {
  char name[40];
  char reader[64];  ///< who reads it
  char when[72];    ///< and when
  char source[104]; ///< where that stands
  Treatment treatment = Treatment::note;
  char value[128] = {}; ///< what is set, in words for Treatment::seed
  char good[96] =
      {}; ///< a user's own values that stay, separated by |; a closing star: what begins so
  bool good_unset = false; ///< nothing is set where the user set nothing
  bool any_case = false;   ///< its reader takes capitals and small letters alike
  char library[56] = {};   ///< how the reader's files and wheel are named, see library_version()
  char known[24] =
      {}; ///< the versions in which the value is known good: "2.5..2.32"; empty for all
  char harms[80] = {};      ///< in which version it does what else; empty where none is known
  bool read_before = false; ///< versions before the known ones read it too
  bool read_after = true;   ///< and those after them
};
static_assert(sizeof(SettingInfo) % 64 == 0);

inline constexpr const char* hook_info_section = "detshim_hook_info";
inline constexpr const char* option_info_section = "detshim_option_info";
inline constexpr const char* setting_info_section = "detshim_setting_info";

} // namespace detshim
