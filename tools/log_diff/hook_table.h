// What the library's hooks say of their records: which values went into a call, and which came out.
//
// The rows are those of the libdetshim.so that was built with this command, so that logs can be
// compared on a machine that has no library.
#pragma once

#include "common/describe.h"
#include "log_reader/record.h"

#include <optional>
#include <string_view>

namespace detshim {

/// The hook that the record is of, or nullptr: a record of no hook, or of another version's.
const HookInfo* described_hook(const Call& call);

/// The role of a field in a record. What the hook does not say, the hooks that have a field of that
/// name do, where they agree; nullopt where they do not, or where no hook has it.
std::optional<FieldRole> described_role(const Call& call, std::string_view field);

} // namespace detshim
