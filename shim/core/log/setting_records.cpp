#include "core/log/setting_records.h"

#include "core/log/log_file.h"
#include "core/log/records.h"
#include "core/policy/settings.h"
#include "core/policy/settings_watch.h"

#include <cstdlib>

namespace detshim {
namespace {

constexpr char fields[4][20] = {"asked", "given"};

/// One value, which was neither asked for nor given by us.
void record_value(const SettingFinding& found, Action action, const char* why) {
  const char* const value = found.value != nullptr ? found.value : "";
  record({"env", found.name, fields}, action, nullptr, why, {value, value});
}

} // namespace

void record_replaced_settings() {
  int count = 0;
  const SettingChange* changes = setting_changes(count);
  for (int i = 0; i < count; ++i)
    if (changes[i].was != nullptr)
      record({"env", changes[i].name, fields}, Action::replace, nullptr,
             "the value that was set is not a repeatable one", {changes[i].was, changes[i].now});
  if (const char* name = setting_left_alone()) {
    const char* value = getenv(name);
    record({"env", name, fields}, Action::unfixed, nullptr,
           "flags cannot be added to this value: it names a file, or holds what ends the reading of flags",
           {value, value});
  }
}

void record_undone_settings() {
  // Only where there is a log, which Python has in its first breath: most processes end without the loader's
  // lock.
  if (SettingFinding found; log_file::has_begun() && find_unforced_reader(found))
    record_value(found, Action::unfixed,
                 "TensorFlow's own kernels may add in any order; 1 makes them repeatable, in a program that "
                 "sets a seed "
                 "(tf.random.set_seed)");
  each_silent_undoing([](const SettingFinding& found) {
    if (found.is_for_others)
      record_value(found, Action::observe,
                   "the program has an environment of its own, for those that it starts");
    else
      record_value(found, Action::unfixed,
                   found.value != nullptr
                       ? "the program wrote another value into its environment, without a call"
                       : "the program took it out of its environment, without a call");
  });
}

} // namespace detshim
