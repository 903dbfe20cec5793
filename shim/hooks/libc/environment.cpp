// Variables that were set to repeatable values, and a program that sets them otherwise: said, with the line.
//
// The program's will is done: its value may be right for a reader that has read already, or that never will.
// cuBLAS's and NCCL's own hooks set theirs again before they are read.
#include "core/policy/settings_watch.h"
#include "loader/hook.h"

#include <cstdlib>

namespace detshim {
namespace {

/// After a call that may have changed the variable of that name.
template <typename Signature>
void look_after(const Call<Signature>& call, const char* name, size_t length) {
  const char* setting = nullptr;
  const char* value = nullptr;
  switch (look_at_setting(name, length, setting, value)) {
  case Undoing::nothing:
    return;
  case Undoing::restored:
    return void(
        call.record(Action::observe, "a repeatable value again", {setting, value != nullptr ? value : ""}));
  case Undoing::undone:
    call.record(Action::unfixed,
                value != nullptr
                    ? "not a repeatable value; whatever reads the variable from now on may differ"
                    : "unset, which is not repeatable; whatever reads the variable from now on may "
                      "differ",
                {setting, value != nullptr ? value : ""});
  }
}

size_t name_length(const char* entry) {
  size_t length = 0;
  while (entry[length] != 0 && entry[length] != '=') ++length;
  return length;
}

constexpr Description may_undo_setting = {
    .action = Action::unfixed,
    .fields = {"variable", "value"},
    .summary = "Recorded where it undoes a variable that the library has set (OPTIONS.md).",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, setenv, (const char* name, const char* value, int overwrite), may_undo_setting) {
  DETSHIM_ENTER(setenv);
  const bool does_nothing = name != nullptr && overwrite == 0 && getenv(name) != nullptr;
  const int status = call.real(name, value, overwrite);
  if (status == 0 && !does_nothing && !call.passes()) look_after(call, name, text_length(name));
  return status;
}

DETSHIM_HOOK(libc, int, putenv, (char* entry), may_undo_setting) {
  DETSHIM_ENTER(putenv);
  const int status = call.real(entry);
  if (status == 0 && !call.passes()) look_after(call, entry, name_length(entry));
  return status;
}

DETSHIM_HOOK(libc, int, unsetenv, (const char* name), may_undo_setting) {
  DETSHIM_ENTER(unsetenv);
  const bool does_nothing = name == nullptr || *name == 0 || getenv(name) == nullptr;
  const int status = call.real(name);
  if (status == 0 && !does_nothing && !call.passes()) look_after(call, name, text_length(name));
  return status;
}

DETSHIM_HOOK(libc, int, clearenv, (), may_undo_setting) {
  DETSHIM_ENTER(clearenv);
  const int status = call.real();
  if (!call.passes() && look_at_emptied_environment())
    call.record(Action::unfixed, "every variable is gone, and with them those that were set", {"all", ""});
  return status;
}
