// Variables that were set to repeatable values, and a program that sets them otherwise: said, with
// the line.
//
// The program's will is done: its value may be right for a reader that has read already, or that
// never will. cuBLAS's and NCCL's own hooks set theirs again before they are read. What is undone
// for a while, and given back before anybody has asked for it, is no undoing.
#include "common/run_variable.h"
#include "core/log/setting_records.h"
#include "core/policy/settings_watch.h"
#include "core/policy/switch_readers.h"
#include "loader/hook.h"

#include <cstdlib>

namespace detshim {
namespace {

template <typename Signature>
Subject subject_of(const Call<Signature>& call) {
  return {call.hook().info().library, call.hook().info().name, call.hook().info().fields};
}

/// After a call that may have changed the variable of that name, or entry.
template <typename Signature>
void look_after(const Call<Signature>& call, const char* text) {
  const char* setting = nullptr;
  const char* value = nullptr;
  switch (look_at_setting(text, setting, value)) {
  case Undoing::nothing:
    return;
  case Undoing::restored:
    return record_restored_setting(subject_of(call), call.caller(), setting, value);
  case Undoing::undone:
    record_undone_setting(subject_of(call), call.caller(), setting, value);
  }
}

/// Records where the program sets a switch of its own.
template <typename Signature>
void note_switch_set(const Call<Signature>& call, const char* name, const char* value) {
  if (is_switch(name) && settings_table::find_forced(name) == settings_table::forced_count)
    record_set_switch(subject_of(call), call.caller(), name, value);
}

/// The same of NAME=value.
template <typename Signature>
void note_switch_entry(const Call<Signature>& call, const char* entry) {
  Text<64> name;
  size_t length = 0;
  while (entry[length] != 0 && entry[length] != '=')
    ++length;
  if (entry[length] == '=' && is_switch(entry))
    note_switch_set(call, name.add(entry, length).c_str(), entry + length + 1);
}

/// Notes who reads a variable that the library sets, or a switch.
template <typename Call>
char* read_variable(const Call& call, const char* name) {
  char* const value = call.real(name);
  if (name == nullptr || call.passes())
    return value;
  const size_t setting = settings_table::find_forced(name);
  if (setting == settings_table::forced_count) {
    if (is_switch(name))
      note_switch_read(name, call.caller());
    return value;
  }
  if (note_setting_read(setting, call.caller()))
    record_read_of_undone(setting);
  return value;
}

using Read = Call<char*(const char* name)>;
constexpr Description may_undo_setting = {
    .action = Action::nondeterministic,
    .fields = {"variable"_in, "value"_in},
    .summary =
        "Recorded where it undoes a variable that the library has set, or sets one whose name "
        "speaks of determinism (OPTIONS.md).",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, setenv, (const char* name, const char* value, int overwrite),
             may_undo_setting) {
  DETSHIM_ENTER(setenv);
  const bool does_nothing = name != nullptr && overwrite == 0 && environment_value(name) != nullptr;
  const int status = call.real(name, value, overwrite);
  if (status == 0 && !does_nothing && !call.passes()) {
    look_after(call, name);
    note_switch_set(call, name, value);
  }
  return status;
}

DETSHIM_HOOK(libc, int, putenv, (char* entry), may_undo_setting) {
  DETSHIM_ENTER(putenv);
  const int status = call.real(entry);
  if (status == 0 && !call.passes()) {
    look_after(call, entry);
    note_switch_entry(call, entry);
  }
  return status;
}

DETSHIM_HOOK(libc, int, unsetenv, (const char* name), may_undo_setting) {
  DETSHIM_ENTER(unsetenv);
  const bool does_nothing = name == nullptr || *name == 0 || environment_value(name) == nullptr;
  const int status = call.real(name);
  if (status == 0 && !does_nothing && !call.passes())
    look_after(call, name);
  return status;
}

DETSHIM_HOOK(libc, int, clearenv, (), may_undo_setting) {
  DETSHIM_ENTER(clearenv);
  const int status = call.real();
  const uint64_t undone = call.passes() ? 0 : look_at_emptied_environment();
  if (undone != 0)
    note_settings_of_record(
        call.counter_of(Action::nondeterministic, Reason::environment_cleared, {"all", ""}),
        undone);
  return status;
}

DETSHIM_TEMPLATE_HOOKS(
    libc, Read, getenv, secure_getenv, read_variable, .action = Action::observe,
    .summary = "Notes who reads a variable that the library sets, or one whose name speaks of "
               "determinism (OPTIONS.md).");
