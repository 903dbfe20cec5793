#include "hooks/runtimes/python_clocks.h"

#include "common/text.h"
#include "core/base/modules.h"
#include "core/log/places.h"
#include "hooks/libc/user_places.h"

namespace detshim {
namespace {

/// Of the time, or of an id; of other clocks; while modules are imported, which reads some thousands of times
/// for a large framework.
enum Budget { of_time, of_other_clocks, of_imports, budget_count };
constexpr int budgets[budget_count] = {1000, 1000, 20000};

struct Readings {
  const void* caller = nullptr; // the last one that was looked at
  bool is_pythons = false;
  int looked_at[budget_count] = {};

  bool has_spent(Budget budget) const { return looked_at[budget] >= budgets[budget]; }
};
thread_local constinit Readings readings;

/// True if the thread imports a module at this moment: what that reads is not the line's that imports.
bool is_importing() {
  bool imports = false;
  each_python_frame(
      1,
      [](const PythonFrame& frame, void* data) {
        *static_cast<bool*>(data) = starts_with(frame.file, "<frozen importlib");
      },
      &imports);
  return imports;
}

} // namespace

bool is_reading_of_users_python(const void* caller, bool is_of_time, PythonPlace& place) {
  Readings& mine = readings;
  const Budget budget = is_of_time ? of_time : of_other_clocks;
  if (mine.has_spent(budget)) return false;
  if (mine.caller != caller) {
    Module module;
    mine.is_pythons = find_module(caller, module) && is_python(module);
    mine.caller = caller;
    ++mine.looked_at[budget]; // which costs more than the rest
  }
  if (!mine.is_pythons) return false;
  if (!mine.has_spent(of_imports) && is_importing()) {
    ++mine.looked_at[of_imports];
    return false;
  }
  ++mine.looked_at[budget];
  find_python_place(place, PythonDetail::all, true);
  return place.user == 0;
}

void keep_early_reading(const void* caller, const PythonPlace& place) {
  Text<1600> text; // the frames' texts may go with their code
  add_python(text, place, 1600);
  keep_clock_of_python(caller, text.c_str(), text.length());
}

} // namespace detshim
