// Decides whether a setting that was undone counts as nondeterministic or as only seen. It counts
// as seen where its reader has read it for good before, and where it was given back before anybody
// read it. A record that another undone setting shares is not taken back.
//
// It cannot know what a version outside the known range makes of a setting: the setting's row says
// whether such a version reads it.
#include "core/log/setting_records.h"

#include "common/run_variable.h"
#include "common/text.h"
#include "common/version_range.h"
#include "core/base/generations.h"
#include "core/base/modules.h"
#include "core/log/counts.h"
#include "core/log/line.h"
#include "core/log/log_file.h"
#include "core/log/start.h"
#include "core/policy/setting_versions.h"
#include "core/policy/settings.h"
#include "core/policy/settings_watch.h"
#include "core/policy/switch_readers.h"

namespace detshim {
namespace {

constexpr char fields[4][20] = {"requested", "effective"};
constexpr char version_fields[4][20] = {"version", "known_good"};

/// One value, which was neither asked for nor given by us.
void record_value(const SettingFinding& finding, Action action, Reason why) {
  const char* const value = finding.value != nullptr ? finding.value : "";
  record({"env", finding.name, fields}, action, nullptr, why, {value, value});
}

/// The record of the call by which each setting is undone now.
struct Undone {
  Counter* counter = nullptr; ///< none: not undone
  uint32_t generation = 0;    ///< of the process that counts there
};
constinit Undone undone_by[settings_table::forced_count] = {};

Undone& undone_of(const char* setting) { return undone_by[settings_table::find_forced(setting)]; }

/// True if another setting is undone by a call of the same record.
bool is_shared(const Undone& undone) {
  for (const Undone& other : undone_by)
    if (&other != &undone && other.counter == undone.counter &&
        other.generation == undone.generation)
      return true;
  return false;
}

/// Adds who asked for a variable to a line, which it begins.
void add_reads(const char* name, const void* const* callers, int count, void* data) {
  constexpr size_t room = 3000;
  TextWriter& to = *static_cast<TextWriter*>(data);
  if (to.length() > room)
    return;
  if (to.length() == 0)
    RecordWriter<RecordType::env>(to).begin("read").add('[');
  else
    to.add(',');
  to.add("{\"name\":\"").add_json(name, 64);
  to.add("\",\"by\":[");
  for (int i = 0; i < count; ++i) {
    Module module;
    char path[600] = "";
    if (find_module(callers[i], module))
      module_path(module, path, sizeof path);
    to.add(i == 0 ? "\"" : ",\"").add_json(file_name(path), 100).add('"');
  }
  to.add("]}");
}

} // namespace

void record_undone_setting(const Subject& subject, const void* caller, const char* setting,
                           const char* value) {
  // XLA reads its flags once: what comes later changes nothing, unless a second copy of it is
  // loaded.
  const bool is_late = is_read_for_good(setting);
  Counter* const counter = record(subject, Action::nondeterministic, caller,
                                  is_late            ? Reason::setting_read_before
                                  : value != nullptr ? Reason::not_repeatable_value
                                                     : Reason::setting_unset,
                                  {setting, value != nullptr ? value : ""});
  recount_as(*counter, is_late ? Action::observe : Action::nondeterministic);
  undone_of(setting) = {counter, generation()};
}

void note_settings_of_record(Counter* counter, uint64_t settings) {
  settings_table::each_bit(settings, [&](size_t i) {
    undone_by[i] = {counter, generation()};
  });
}

void record_restored_setting(const Subject& subject, const void* caller, const char* setting,
                             const char* value) {
  Undone& undone = undone_of(setting);
  if (undone.counter != nullptr && undone.generation == generation() && !was_read_undone(setting) &&
      !is_shared(undone))
    recount_as(*undone.counter, Action::observe);
  if (!was_read_undone(setting))
    undone = {}; // else what it shares a record with does not take that back
  record(subject, Action::observe, caller, Reason::repeatable_value,
         {setting, value != nullptr ? value : ""});
}

void record_set_switch(const Subject& subject, const void* caller, const char* name,
                       const char* value) {
  begin_log();
  record(subject, Action::observe, caller,
         was_switch_read(name) ? Reason::setting_read_before : Reason::own_value, {name, value});
}

void record_read_of_undone(size_t setting) {
  const Undone& undone = undone_by[setting];
  if (undone.counter != nullptr && undone.generation == generation())
    recount_as(*undone.counter, Action::nondeterministic);
}

void record_setting_reads() {
  if (!log_file::has_begun())
    return;
  Text<4000> line;
  each_read_setting(add_reads, static_cast<TextWriter*>(&line));
  each_read_switch(add_reads, static_cast<TextWriter*>(&line));
  if (line.length() == 0)
    return;
  line.add("]}");
  record_line(line.c_str(), line.length());
}

void record_replaced_settings() {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  for (int i = 0; i < count; ++i)
    if (changes[i].was != nullptr)
      record({"env", changes[i].name, fields}, Action::replace, nullptr,
             Reason::not_repeatable_value, {changes[i].was, changes[i].now});
  if (const char* name = setting_left_alone()) {
    const char* value = environment_value(name);
    record({"env", name, fields}, Action::nondeterministic, nullptr, Reason::flags_not_added,
           {value, value});
  }
}

void record_other_versions(const char* path, uint64_t& looked_at) {
  using namespace settings_table;
  using namespace settings_watch;
  each_bit(((watch.watched & ~watch.undone) | watch.left) & ~looked_at, [&](size_t i) {
    const SettingInfo& setting = settings[i];
    const bool is_left = (watch.left & bit(i)) != 0;
    if ((watch.held[i] == nullptr && !is_left) || setting.library[0] == 0)
      return;
    Text<32> version;
    library_version(path, setting.library, version);
    if (version.length() == 0)
      return;
    looked_at |= bit(i);
    const bool is_known = version_is_within(version.c_str(), setting.known);
    if (is_known && !is_left)
      return;
    const bool is_before = compare_versions(version.c_str(), setting.known) < 0;
    const bool is_read = is_known || (is_before ? setting.read_before : setting.read_after);
    record({"env", setting.name, version_fields},
           is_left && is_read ? Action::nondeterministic : Action::observe, nullptr,
           is_known ? Reason::left_alone : Reason::other_version, {version.c_str(), setting.known});
  });
}

void record_undone_settings() {
  // Only where there is a log, which Python has in its first breath: most processes end without the
  // loader's lock.
  if (SettingFinding finding; log_file::has_begun() && find_unforced_reader(finding))
    record_value(finding, Action::nondeterministic, Reason::tensorflow_needs_seed);
  each_silent_undoing([](const SettingFinding& finding) {
    if (finding.is_for_others)
      record_value(finding, Action::observe, Reason::own_environment);
    else
      record_value(finding, Action::nondeterministic,
                   finding.value != nullptr ? Reason::setting_overwritten
                                            : Reason::setting_removed);
  });
}

} // namespace detshim
