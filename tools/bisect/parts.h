// What of libdetshim.so a program used, in parts that can be left out one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace detshim {

struct UsedPart {
  std::string name;        ///< "getrandom", "env:PYTHONHASHSEED", "address-space layout"
  std::string disables;    ///< as DETSHIM_DISABLE takes it; empty for the layout, which has an option
  std::uint64_t calls = 0; ///< of a hook, in the run that was looked at
  bool is_unread = false;  ///< a variable that nobody was seen to ask for
};

/// The hooks that changed what a call gave in the runs of that log folder by name; then the
/// variables, those that were asked for first; then the layout, where it was fixed. `variables`: those that
/// the library may set.
std::vector<UsedPart> used_parts(const std::string& folder, const std::vector<std::string>& variables);

} // namespace detshim
