#include "run/left_settings.h"

#include "common/version_range.h"
#include "run/library_file.h"
#include "support/exit_status.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace detshim {
namespace {

/// "jax_plugins" of Python's Jax-Plugins or conda's jax-plugins, as wheels name their folders (PEP
/// 427); empty for other subjects.
std::string distribution_of(const Subject& subject) {
  if (subject.kind != SubjectKind::python && subject.kind != SubjectKind::conda)
    return {};
  std::string name = subject.name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : std::tolower(c);
  });
  return name;
}

/// True if a reader of it is installed, and none in a known version.
bool is_to_leave(const SettingDescription& setting, const CapturedSection& versions) {
  bool is_installed = false;
  if (setting.library.empty())
    return false;
  for (const auto& [subject, version] : versions.values) {
    if (!version.is_fact() ||
        !is_one_of(distribution_of(subject).c_str(), setting.library.c_str(), false))
      continue;
    if (version_is_within(version.text.c_str(), setting.known.c_str()))
      return false;
    is_installed = true;
  }
  return is_installed;
}

} // namespace

void leave_settings(const Environment& start, const std::string& library) {
  std::string names;
  const CapturedSection& versions = start.of(EnvironmentSection::versions);
  try {
    for (const SettingDescription& setting : read_settings(library))
      if (is_to_leave(setting, versions))
        names += (names.empty() ? "" : ",") + setting.name;
  } catch (
      const UsageError&) { // no libdetshim.so, or an older one: nothing is known of its settings
  }
  ::setenv("DETSHIM_LEAVE", names.c_str(), 0); // none, too: without it the library has a default
}

} // namespace detshim
