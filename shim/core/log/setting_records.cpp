#include "core/log/setting_records.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/log/counts.h"
#include "core/log/log_file.h"
#include "core/log/records.h"
#include "core/policy/options.h"
#include "core/policy/settings.h"
#include "core/policy/settings_reads.h"
#include "core/policy/settings_watch.h"

#include <fcntl.h>

namespace detshim {
namespace {

constexpr char fields[4][20] = {"asked", "given"};

/// One value, which was neither asked for nor given by us.
void record_value(const SettingFinding& found, Action action, Reason why) {
  const char* const value = found.value != nullptr ? found.value : "";
  record({"env", found.name, fields}, action, nullptr, why, {value, value});
}

/// The record of the call by which each setting is undone now.
struct Undone {
  Counter* counter = nullptr; ///< none: not undone
  uint32_t generation = 0;    ///< of the process that counts there
};
constinit Undone undone_by[settings_table::forced_count] = {};
constinit bool is_answered[settings_table::answered_count] = {};

Undone& undone_of(const char* setting) {
  return undone_by[settings_table::find_forced(setting, text_length(setting))];
}

/// True if another setting is undone by a call of the same record.
bool is_shared(const Undone& one) {
  for (const Undone& other : undone_by)
    if (&other != &one && other.counter == one.counter && other.generation == one.generation) return true;
  return false;
}

/// What is in a folder, in whichever order it says it: the number of names and a hash of them.
struct Names {
  uint64_t count = 0, hash = 0;
};

/// Adds those of a folder; `below` adds those in its folders, too.
void add_names_in(int parent, const char* folder, bool below, Names& names) {
  const int descriptor = sys::openat(parent, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  // linux/dirent.h: two numbers of 8 bytes, the record's length in 2, a type in 1, the name.
  constexpr size_t length_at = 16, type_at = 18, name_at = 19;
  constexpr char is_folder = 4;
  alignas(8) char entries[2048];
  constexpr uint64_t limit = 100'000;
  while (names.count < limit) {
    const long size = sys::call(SYS_getdents64, descriptor, sys::address(entries), sizeof entries);
    if (sys::failed(size) || size == 0) break;
    for (long at = 0; at < size;) {
      const char* const entry = entries + at;
      uint16_t length;
      __builtin_memcpy(&length, entry + length_at, sizeof length);
      at += length;
      const char* const name = entry + name_at;
      if (*name == '.') continue;
      ++names.count;
      names.hash += fnv1a_text(name);
      if (below && entry[type_at] == is_folder) add_names_in(descriptor, name, false, names);
    }
  }
  sys::close(descriptor);
}

/// Writes what a cache of choices holds: cold, or warm with a hash of the names.
void record_cache(const char* name, const char* folder, bool below) {
  Names names;
  add_names_in(AT_FDCWD, folder, below, names);
  Text<1400> line;
  line.add("{\"t\":\"env\",\"noted\":[{\"name\":\"").add(name).add("\",\"value\":\"");
  line.add(names.count == 0 ? "cold" : "warm, ");
  if (names.count != 0)
    line.add(names.count).add(names.count == 1 ? " name, " : " names, ").add_hex(names.hash, 16);
  line.add(": ").add_json(folder, 900).add("\"}]}");
  record_line(line.c_str(), line.length());
}

} // namespace

void record_undone_setting(const Subject& subject, const void* caller, const char* setting,
                           const char* value) {
  // XLA reads its flags once: what comes later changes nothing, unless a second copy of it is loaded.
  const bool is_late = is_read_for_good(setting);
  Counter* const counter = record(subject, Action::unfixed, caller,
                                  is_late            ? Reason::setting_read_before
                                  : value != nullptr ? Reason::not_repeatable_value
                                                     : Reason::setting_unset,
                                  {setting, value != nullptr ? value : ""});
  recount_as(*counter, is_late ? Action::observe : Action::unfixed);
  undone_of(setting) = {counter, generation()};
}

void record_restored_setting(const Subject& subject, const void* caller, const char* setting,
                             const char* value) {
  Undone& undone = undone_of(setting);
  if (undone.counter != nullptr && undone.generation == generation() && !was_read_undone(setting) &&
      !is_shared(undone))
    recount_as(*undone.counter, Action::observe);
  undone = {};
  record(subject, Action::observe, caller, Reason::repeatable_value,
         {setting, value != nullptr ? value : ""});
}

void record_read_of_undone(size_t setting) {
  const Undone& undone = undone_by[setting];
  if (undone.counter != nullptr && undone.generation == generation())
    recount_as(*undone.counter, Action::unfixed);
}

void record_answered_setting(size_t setting, const char* value) {
  bool& is_said = is_answered[setting - settings_table::first_answered];
  if (__atomic_exchange_n(&is_said, true, __ATOMIC_RELAXED)) return;
  const SettingInfo& info = settings_table::settings[setting];
  if (value != nullptr) {
    record({"env", info.name, fields}, Action::replace, nullptr, Reason::not_repeatable_value,
           {value, info.value});
    return;
  }
  Text<300> line;
  line.add("{\"t\":\"env\",\"env\":[{\"name\":\"").add(info.name);
  line.add("\",\"was\":null,\"now\":\"").add(info.value).add("\"}]}");
  record_line(line.c_str(), line.length(), true);
}

void record_triton_cache() {
  static constinit bool is_done = false;
  if (!log_file::has_begun() || __atomic_exchange_n(&is_done, true, __ATOMIC_RELAXED)) return;
  Text<1000> folder;
  if (const char* named = environment_value(settings_table::triton_cache))
    folder.add(named);
  else if (const char* home = environment_value("HOME"))
    folder.add(home).add("/.triton/cache");
  record_cache("cache of Triton", folder.c_str(), false);
}

void record_inductor_cache() {
  if (const char* const folder = environment_value(settings_table::inductor_cache))
    record_cache("cache of Inductor", folder, true);
}

void record_setting_reads() {
  if (!log_file::has_begun()) return;
  Text<4000> line;
  each_read_setting(
      [](const char* name, const void* const* callers, int count, void* data) {
        TextWriter& to = *static_cast<TextWriter*>(data);
        if (to.length() > 3000) return;
        to.add(to.length() == 0 ? "{\"t\":\"env\",\"read\":[" : ",").add("{\"name\":\"").add(name);
        to.add("\",\"by\":[");
        const void* said[8] = {};
        int files = 0;
        for (int i = 0; i < count; ++i) {
          Module module;
          if (!find_module(callers[i], module)) continue;
          bool is_said = false;
          for (int k = 0; k < files; ++k) is_said |= said[k] == module.dynamic;
          if (is_said) continue;
          said[files++] = module.dynamic;
          char path[600];
          module_path(module, path, sizeof path);
          to.add(files == 1 ? "\"" : ",\"").add_json(file_name(path), 100).add('"');
        }
        to.add("]}");
      },
      static_cast<TextWriter*>(&line));
  if (line.length() == 0) return;
  line.add("]}");
  record_line(line.c_str(), line.length());
}

void record_replaced_settings() {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  for (int i = 0; i < count; ++i)
    if (changes[i].was != nullptr)
      record({"env", changes[i].name, fields}, Action::replace, nullptr, Reason::not_repeatable_value,
             {changes[i].was, changes[i].now});
  if (const char* name = setting_left_alone()) {
    const char* value = environment_value(name);
    record({"env", name, fields}, Action::unfixed, nullptr, Reason::flags_not_added, {value, value});
  }
}

void record_undone_settings() {
  // Only where there is a log, which Python has in its first breath: most processes end without the loader's
  // lock.
  if (SettingFinding found; log_file::has_begun() && find_unforced_reader(found))
    record_value(found, Action::unfixed, Reason::tensorflow_needs_seed);
  each_silent_undoing([](const SettingFinding& found) {
    if (found.is_for_others)
      record_value(found, Action::observe, Reason::own_environment);
    else
      record_value(found, Action::unfixed,
                   found.value != nullptr ? Reason::setting_overwritten : Reason::setting_removed);
  });
}

} // namespace detshim
