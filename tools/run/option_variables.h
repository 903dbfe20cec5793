// The variables of detshim's options, packed into one for programs, and unpacked for this command.
#pragma once

namespace detshim {

/// Moves them into the one (common/packed_options.h), which is of one size whatever is in it.
void pack_options();

/// The reverse, in a command that a program of a run has started. What is set beside the one stays.
void unpack_options();

} // namespace detshim
