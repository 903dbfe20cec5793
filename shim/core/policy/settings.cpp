#include "core/policy/settings.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/hash.h"
#include "core/base/placement.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/options.h"
#include "core/policy/settings_table.h"
#include "core/policy/settings_watch.h"
#include "core/policy/xla_flags.h"

#include <cstdlib>
#include <fcntl.h>
#include <linux/stat.h>
#include <time.h>

extern "C" char** __environ;

namespace detshim {

using namespace settings_table;
using namespace settings_watch;

namespace {

/// What was done, in every process that forces settings.
struct AppliedSettings {
  char python_entry[32];
  SettingChange changes[forced_count + 10];
  int change_count;
  char triton_entry[320];
  char inductor_entry[320];
  const char* left_alone;

  void add(const SettingChange& change) { changes[change_count++] = change; }
};
DETSHIM_STARTUP_DATA constinit AppliedSettings applied = {};

/// Texts that few processes need.
struct SettingTexts {
  char was[2048]; ///< the user's values that were replaced
  size_t was_used;
  char protocol_entry[160];
};
constinit SettingTexts setting_texts = {};

/// A copy that outlives what the program does with the original; cut if it is long.
const char* keep(const char* text) {
  if (text == nullptr)
    return nullptr;
  size_t& used = setting_texts.was_used;
  TextWriter to(setting_texts.was + used, sizeof setting_texts.was - used);
  for (int i = 0; i < 200 && text[i] != 0; ++i)
    to.add(text[i]);
  const char* kept = to.c_str();
  used += to.length() + (used + to.length() + 1 < sizeof setting_texts.was ? 1 : 0);
  return kept;
}

/// The user's flags and ours behind them, or nullptr where nothing can be added.
char* extended_flags(const SettingInfo& setting, const char* value) {
  if (read_xla_flags(value) != XlaFlags::extendable)
    return nullptr;
  const size_t size = text_length(value) + sizeof setting.name + sizeof setting.value;
  auto* room = static_cast<char*>(sys::map(size));
  if (room == nullptr)
    return nullptr;
  TextWriter entry(room, size);
  entry.add(setting.name).add('=').add(value).add(' ').add(setting.value).c_str();
  return room;
}

/// Appends what tells one way of choosing kernels from another: "first", "replay-" with a hash of
/// the file.
void add_tuning_name(TextWriter& to) {
  constexpr const char* names[] = {"off", "first", "record", "replay", "inverse"}; // by Autotune
  to.add(names[static_cast<int>(options().autotune)]);
  if (options().autotune != Autotune::replay)
    return;
  const char* const name = options().tuning_file;
  struct statx of_file = {}; // a file that was recorded anew keeps other choices
  sys::call(SYS_statx, AT_FDCWD, sys::address(name), 0, STATX_SIZE | STATX_MTIME,
            sys::address(&of_file));
  uint64_t key = mix(fnv1a_text(name), of_file.stx_size);
  key = mix(key, static_cast<uint64_t>(of_file.stx_mtime.tv_sec));
  to.add('-').add_hex(mix(key, of_file.stx_mtime.tv_nsec), 16);
}

/// A cache on disk that keeps which candidate was taken, wherever that came from. A run whose
/// kernels are chosen otherwise must not find it, so each way of choosing has a folder of its own,
/// unless the user names one.
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

/// Sets it, or leaves it if the user did. One of our own is of a program that started this one: it
/// stays if its kernels are chosen in the same way.
void set_cache(const ChoiceCache& cache, const char* home, char* room, size_t size) {
  if (home == nullptr || *home != '/' || setting_is_disabled(cache.variable))
    return;
  Text<40> way;
  add_tuning_name(way);
  const char* const set = environment_value(cache.variable);
  if (set != nullptr && (!contains(set, cache.own_folder) || contains(set, way.c_str())))
    return;
  TextWriter entry(room, size);
  entry.add(cache.variable).add('=').add(home).add(cache.own_folder).add(way.c_str());
  // Inductor reads its cache whatever other variables say, and what is to be recorded must be
  // chosen anew.
  if (&cache == &inductor_choices && options().autotune == Autotune::record) {
    timespec now = {};
    sys::call(SYS_clock_gettime, CLOCK_REALTIME, sys::address(&now));
    entry.add('-').add_hex(
        mix(static_cast<uint64_t>(now.tv_sec) << 30 | static_cast<uint64_t>(now.tv_nsec),
            static_cast<uint64_t>(sys::getpid())),
        16);
  }
  entry.c_str();
  if (entry.cut())
    return;
  note_setting_change({cache.variable, set, value_in(room, cache.variable)});
  put_in_environment(room);
}

void set_caches_of_choices() {
  const char* const home = environment_value("HOME");
  const char* const of_triton = environment_value("TRITON_HOME");
  if (!setting_is_disabled(triton_autotuning))
    set_cache(triton_choices, of_triton != nullptr ? of_triton : home, applied.triton_entry,
              sizeof applied.triton_entry);
  set_cache(inductor_choices, home, applied.inductor_entry, sizeof applied.inductor_entry);
}

/// Makes the entry of NCCL_PROTO for an NCCL_ALGO that names functions alone: with ours, which
/// names none, the other collectives would end in an error (nccl_algorithms.h). One that is the
/// same word may be ours, of a program that started this one. nullptr where ours is right, or the
/// user has another.
char* entry_of_named_protocols(size_t i, const char* value) {
  if (!same_text(settings[i].name, "NCCL_PROTO"))
    return nullptr;
  const bool is_own =
      value == nullptr || same_text(value, settings[i].value) || !is_good(settings[i], value);
  const char* const algorithms = environment_value("NCCL_ALGO");
  if (!is_own || algorithms == nullptr)
    return nullptr;
  Text<sizeof setting_texts.protocol_entry - 16> named;
  if (!write_named_protocols(algorithms, named))
    return nullptr;
  TextWriter(setting_texts.protocol_entry, sizeof setting_texts.protocol_entry)
      .add("NCCL_PROTO=")
      .add(named.c_str())
      .c_str();
  return setting_texts.protocol_entry;
}

/// The entry to set for a variable whose value is not repeatable; nullptr where none can be made.
char* entry_for(size_t i, const char* value) {
  if (settings[i].treatment == Treatment::append && value != nullptr && *value != 0)
    return extended_flags(settings[i], value);
  return entries.of[i].text;
}

} // namespace

void note_setting_change(const SettingChange& change) {
  if (applied.change_count < static_cast<int>(sizeof applied.changes / sizeof *applied.changes))
    applied.add({change.name, keep(change.was), change.now});
}

namespace {

/// Notes where in the environment the forced settings stand; the first entry of a name counts.
void find_held(size_t (&place)[forced_count]) {
  for (size_t at = 0; __environ != nullptr && __environ[at] != nullptr; ++at)
    each_bit(forced_by_letter[*__environ[at]], [&](size_t i) {
      if (watch.held[i] != nullptr || value_in(__environ[at], settings[i].name) == nullptr)
        return;
      watch.held[i] = __environ[at];
      place[i] = at;
    });
}

/// What is to be done about a variable.
struct SettingStep {
  enum class What : uint8_t {
    pass_over,
    leave,     ///< its reader is here in a version in which the value is not known good
    watch,     ///< it is good as it is
    set,       ///< to `entry`
    leave_bad, ///< nothing that is good can be set
  } what;
  char* entry = nullptr;
};

bool is_to_be_passed_over(const SettingInfo& setting) {
  if (setting_is_disabled(setting.name))
    return true;
  if (setting.treatment == Treatment::strict && !options().strict())
    return true;
  // What is to be recorded must be chosen anew.
  return options().autotune == Autotune::record && same_text(setting.name, triton_autotuning);
}

SettingStep step_for(size_t i, const char* value) {
  using What = SettingStep::What;
  const SettingInfo& setting = settings[i];
  if (is_to_be_passed_over(setting))
    return {What::pass_over};
  const bool has_good = is_good(setting, value);
  if (!has_good && setting.library[0] != 0 && setting_is_left(setting.name))
    return {What::leave};
  char* const named = entry_of_named_protocols(i, value);
  if (has_good && named == nullptr)
    return {What::watch};
  char* const entry = named != nullptr ? named : entry_for(i, value);
  if (entry == nullptr)
    return {What::leave_bad};
  return {What::set, entry};
}

/// Entries for variables that the environment does not have.
struct AddedEntries {
  char* of[forced_count];
  size_t count = 0;
};

void take(const SettingStep& step, size_t i, size_t place, AddedEntries& added) {
  const char* const value =
      watch.held[i] != nullptr ? watch.held[i] + entries.value_at[i] : nullptr;
  switch (step.what) {
  case SettingStep::What::pass_over:
    return;
  case SettingStep::What::leave:
    watch.left |= bit(i);
    return;
  case SettingStep::What::watch:
    watch.watched |= bit(i);
    return;
  case SettingStep::What::leave_bad:
    watch.watched |= bit(i);
    watch.undone |= bit(i);
    applied.left_alone = settings[i].name;
    return;
  case SettingStep::What::set:
    watch.watched |= bit(i);
    applied.add({settings[i].name, keep(value), step.entry + entries.value_at[i]});
    if (watch.held[i] != nullptr)
      __environ[place] = step.entry;
    else
      added.of[added.count++] = step.entry;
    watch.held[i] = step.entry;
    return;
  }
}

} // namespace

void apply_settings() {
  watch.held_array = __environ;
  if (!options().forces())
    return;
  size_t place[forced_count] = {}; // in the environment
  find_held(place);
  AddedEntries added;
  for (size_t i = 0; i < forced_count; ++i) {
    const char* const value =
        watch.held[i] != nullptr ? watch.held[i] + entries.value_at[i] : nullptr;
    take(step_for(i, value), i, place[i], added);
  }
  add_to_environment(added.of, added.count);
  set_caches_of_choices();
  watch.held_array = __environ;
}

void set_python_hash_seed(uint64_t seed) {
  if (environment_value(python_hash_seed) != nullptr || setting_is_disabled(python_hash_seed))
    return;
  TextWriter(applied.python_entry, sizeof applied.python_entry)
      .add(python_hash_seed)
      .add('=')
      .add(seed & 0xffffffff) // Python takes 0 to 2^32-1
      .c_str();
  applied.add({python_hash_seed, nullptr, value_in(applied.python_entry, python_hash_seed)});
  put_in_environment(applied.python_entry);
  watch.held_array = __environ;
}

void each_kept_setting(void (*visit)(const char* name, const char* value, void* data), void* data) {
  const auto is_changed = [](const char* name) {
    for (int k = 0; k < applied.change_count; ++k)
      if (same_text(applied.changes[k].name, name))
        return true;
    return false;
  };
  each_bit(watch.watched, [&](size_t i) {
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
  if (i == forced_count || (watch.watched & bit(i)) == 0)
    return nullptr;
  const char* value = environment_value(name);
  const char* const named = entry_of_named_protocols(i, value);
  if (is_good(settings[i], value) && named == nullptr)
    return nullptr;
  const char* const right = named != nullptr ? value_in(named, name) : settings[i].value;
  static constinit char was[128] = {};
  static constinit SettingChange latest = {};
  TextWriter copy(was, sizeof was);
  latest = {settings[i].name, value != nullptr ? copy.add(value).c_str() : nullptr, right};
  __atomic_and_fetch(&watch.undone, ~bit(i),
                     __ATOMIC_RELAXED); // the call below is ours, and no news
  return setenv(name, right, 1) == 0 ? &latest : nullptr;
}

const SettingChange* setting_changes(int& count) {
  count = applied.change_count;
  return applied.changes;
}

const char* setting_left_alone() { return applied.left_alone; }

} // namespace detshim
