// The counts file beside a process's records: how often each record happened.
#pragma once

#include "core/describe.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace detshim {

struct CountEntry {
  std::uint64_t calls = 0;
  Action action = Action::none;
  bool is_exact = true; ///< false: the process may have counted a little further
};

/// All entries of a counts file; nothing if the file is missing or does not start as one. A cut last entry
/// is left out.
std::optional<std::vector<CountEntry>> read_counts(const std::filesystem::path& file);

} // namespace detshim
