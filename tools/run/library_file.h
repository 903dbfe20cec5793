// libdetshim.so as a file: where it is, and what it says about itself.
#pragma once

#include "common/describe.h"

#include <optional>
#include <string>
#include <vector>

namespace detshim {

/// A hook, as the library describes it (HookInfo in common/describe.h).
struct HookDescription {
  std::string library, name, action;
  std::vector<std::string> inputs, results; ///< names of the values that its records carry
  std::string summary;
};

/// An environment variable, as the library describes it (OptionInfo in common/describe.h).
struct OptionDescription {
  std::string name, accepted, fallback, summary;
};

/// A variable of other libraries' that it sets or writes down (SettingInfo in common/describe.h).
struct SettingDescription {
  std::string name, value, good, reader, when, source, library, known, harms;
  Treatment treatment;
  bool good_unset;
};

/// The absolute path of libdetshim.so: the one asked for, else beside this command, else where an
/// installation puts it. Throws UsageError if it is in none of these places.
std::string find_library(const std::optional<std::string>& asked_for);

/// All hooks in the library file, by library and name. Throws UsageError if the file is no
/// libdetshim.so.
std::vector<HookDescription> read_hooks(const std::string& library);

/// All options in the library file, in its order. Throws UsageError if the file is no
/// libdetshim.so.
std::vector<OptionDescription> read_options(const std::string& library);

/// All variables that the library sets or writes down, in its order. Throws UsageError likewise.
std::vector<SettingDescription> read_settings(const std::string& library);

/// `text` for a cell of a Markdown table.
std::string markdown_cell(const std::string& text);

} // namespace detshim
