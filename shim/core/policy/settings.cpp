#include "core/policy/settings.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/hash.h"
#include "core/base/placement.h"
#include "core/policy/options.h"
#include "core/policy/settings_table.h"
#include "core/policy/settings_watch.h"
#include "core/policy/xla_flags.h"

#include <cstdlib>
#include <fcntl.h>
#include <linux/stat.h>
#include <time.h>

extern "C" char** environ;

namespace detshim {

using namespace settings_table;
using namespace settings_watch;

namespace {

DETSHIM_STARTUP_DATA constinit char python_entry[32] = {};
DETSHIM_STARTUP_DATA constinit SettingChange changes[forced_count + 10] = {};
DETSHIM_STARTUP_DATA constinit int change_count = 0;
DETSHIM_STARTUP_DATA constinit char triton_entry[320] = {};
DETSHIM_STARTUP_DATA constinit char inductor_entry[320] = {};
constinit char was_room[2048] = {}; // the user's values that had to give way
constinit size_t was_used = 0;
DETSHIM_STARTUP_DATA constinit const char* left_alone = nullptr;

/// A copy that outlives what the program does with the original; cut if it is long.
const char* keep(const char* text) {
  if (text == nullptr) return nullptr;
  TextWriter to(was_room + was_used, sizeof was_room - was_used);
  for (int i = 0; i < 200 && text[i] != 0; ++i) to.add(text[i]);
  const char* kept = to.c_str();
  was_used += to.length() + (was_used + to.length() + 1 < sizeof was_room ? 1 : 0);
  return kept;
}

/// The user's flags and ours behind them, or nullptr where nothing can be added.
char* extended_flags(const SettingInfo& setting, const char* value) {
  if (read_xla_flags(value) != XlaFlags::extendable) return nullptr;
  const size_t size = text_length(value) + sizeof setting.name + sizeof setting.value;
  auto* room = static_cast<char*>(sys::map(size));
  if (room == nullptr) return nullptr;
  TextWriter entry(room, size);
  entry.add(setting.name).add('=').add(value).add(' ').add(setting.value).c_str();
  return room;
}

/// Appends what tells one way of choosing kernels from another: "first", "replay-" with a hash of the file.
void add_tuning_name(TextWriter& to) {
  constexpr const char* names[] = {"off", "first", "record", "replay", "inverse"}; // by Autotune
  to.add(names[static_cast<int>(options().autotune)]);
  if (options().autotune != Autotune::replay) return;
  const char* const name = options().tuning_file;
  struct statx of_file = {}; // a file that was recorded anew keeps other choices
  sys::call(SYS_statx, AT_FDCWD, sys::address(name), 0, STATX_SIZE | STATX_MTIME, sys::address(&of_file));
  uint64_t key = mix(fnv1a_text(name), of_file.stx_size);
  key = mix(key, static_cast<uint64_t>(of_file.stx_mtime.tv_sec));
  to.add('-').add_hex(mix(key, of_file.stx_mtime.tv_nsec), 16);
}

/// A cache on disk that keeps which candidate was taken, wherever that came from. A run whose kernels are
/// chosen otherwise must not find it, so each way of choosing has a folder of its own, unless the user names
/// one.
struct ChoiceCache {
  const char* variable;
  const char* own_folder; ///< how ours begins, below the user's home
};
constexpr ChoiceCache choice_caches[] = {
    {triton_cache, "/.triton/detshim-"},
    {inductor_cache, "/.cache/torchinductor/detshim-"},
};
constexpr const ChoiceCache& triton_choices = choice_caches[0];
constexpr const ChoiceCache& inductor_choices = choice_caches[1];

/// Sets it, or leaves it if the user did. One of ours is of a program that started this one: it stays if its
/// kernels are chosen in the same way.
void set_cache(const ChoiceCache& cache, const char* home, char* room, size_t size) {
  if (home == nullptr || *home != '/' || setting_is_disabled(cache.variable)) return;
  Text<40> way;
  add_tuning_name(way);
  const char* const set = environment_value(cache.variable);
  if (set != nullptr && (!contains(set, cache.own_folder) || contains(set, way.c_str()))) return;
  TextWriter entry(room, size);
  entry.add(cache.variable).add('=').add(home).add(cache.own_folder).add(way.c_str());
  // Inductor reads its cache whatever other variables say, and what is to be recorded must be chosen anew.
  if (&cache == &inductor_choices && options().autotune == Autotune::record) {
    timespec now = {};
    sys::call(SYS_clock_gettime, CLOCK_REALTIME, sys::address(&now));
    entry.add('-').add_hex(mix(static_cast<uint64_t>(now.tv_sec) << 30 | static_cast<uint64_t>(now.tv_nsec),
                               static_cast<uint64_t>(sys::getpid())),
                           16);
  }
  entry.c_str();
  if (entry.cut()) return;
  note_setting_change({cache.variable, set, value_in(room, cache.variable)});
  put_in_environment(room);
}

void set_caches_of_choices() {
  const char* const home = environment_value("HOME");
  const char* const of_triton = environment_value("TRITON_HOME");
  if (!setting_is_disabled(triton_autotuning))
    set_cache(triton_choices, of_triton != nullptr ? of_triton : home, triton_entry, sizeof triton_entry);
  set_cache(inductor_choices, home, inductor_entry, sizeof inductor_entry);
}

/// What is to stand for a variable that is not repeatable, or nullptr.
char* entry_for(size_t i, const char* value) {
  if (settings[i].treatment == Treatment::append && value != nullptr && *value != 0)
    return extended_flags(settings[i], value);
  return entries.of[i].text;
}

} // namespace

void note_setting_change(const SettingChange& change) {
  if (change_count < static_cast<int>(sizeof changes / sizeof *changes))
    changes[change_count++] = {change.name, keep(change.was), change.now};
}

void apply_settings() {
  held_array = environ;
  if (!options().forces()) return;
  size_t count = 0;
  size_t place[forced_count]; // in the environment
  for (; environ != nullptr && environ[count] != nullptr; ++count)
    each_bit(forced_by_letter[*environ[count]], [&](size_t i) {
      if (held[i] != nullptr || value_in(environ[count], settings[i].name) == nullptr) return;
      held[i] = environ[count];
      place[i] = count;
    });

  char* added[forced_count];
  size_t added_count = 0;
  for (size_t i = 0; i < forced_count; ++i) {
    const SettingInfo& setting = settings[i];
    if (setting_is_disabled(setting.name)) continue;
    if (setting.treatment == Treatment::strict && !options().strict()) continue;
    // What is to be recorded must be chosen anew.
    if (options().autotune == Autotune::record && same_text(setting.name, triton_autotuning)) continue;
    const char* value = held[i] != nullptr ? held[i] + entries.value_at[i] : nullptr;
    const bool has_good = is_good(setting, value);
    if (!has_good && setting.library[0] != 0 && setting_is_left(setting.name)) {
      left |= bit(i);
      continue;
    }
    watched |= bit(i);
    if (has_good) continue;
    char* entry = entry_for(i, value);
    if (entry == nullptr) {
      left_alone = setting.name;
      undone |= bit(i);
      continue;
    }
    changes[change_count++] = {setting.name, keep(value), entry + entries.value_at[i]};
    if (held[i] != nullptr)
      environ[place[i]] = entry;
    else
      added[added_count++] = entry;
    held[i] = entry;
  }
  add_to_environment(added, added_count);
  set_caches_of_choices();
  held_array = environ;
}

void set_python_hash_seed(uint64_t seed) {
  if (environment_value(python_hash_seed) != nullptr || setting_is_disabled(python_hash_seed)) return;
  TextWriter(python_entry, sizeof python_entry)
      .add(python_hash_seed)
      .add('=')
      .add(seed & 0xffffffff) // Python takes 0 to 2^32-1
      .c_str();
  changes[change_count++] = {python_hash_seed, nullptr, value_in(python_entry, python_hash_seed)};
  put_in_environment(python_entry);
  held_array = environ;
}

void each_kept_setting(void (*visit)(const char* name, const char* value, void* data), void* data) {
  const auto is_changed = [](const char* name) {
    for (int k = 0; k < change_count; ++k)
      if (same_text(changes[k].name, name)) return true;
    return false;
  };
  each_bit(watched, [&](size_t i) {
    const char* const value = environment_value(settings[i].name);
    if (value != nullptr && !is_changed(settings[i].name) && is_good(settings[i], value))
      visit(settings[i].name, value, data);
  });
  for (const ChoiceCache& cache : choice_caches) {
    const char* const value = environment_value(cache.variable);
    if (value != nullptr && !is_changed(cache.variable) && contains(value, cache.own_folder))
      visit(cache.variable, value, data);
  }
}

const SettingChange* reapply_setting(const char* name) {
  const size_t i = find_forced(name);
  if (i == forced_count || (watched & bit(i)) == 0) return nullptr;
  const char* value = environment_value(name);
  if (is_good(settings[i], value)) return nullptr;
  static constinit char was[128] = {};
  static constinit SettingChange latest = {};
  TextWriter copy(was, sizeof was);
  latest = {settings[i].name, value != nullptr ? copy.add(value).c_str() : nullptr, settings[i].value};
  __atomic_and_fetch(&undone, ~bit(i), __ATOMIC_RELAXED); // the call below is ours, and no news
  return setenv(name, settings[i].value, 1) == 0 ? &latest : nullptr;
}

const SettingChange* setting_changes(int& count) {
  count = change_count;
  return changes;
}

const char* setting_left_alone() { return left_alone; }

} // namespace detshim
