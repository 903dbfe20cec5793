// The variable XLA_FLAGS: flags of XLA's, of which the last of a name counts.
#pragma once

namespace detshim {

/// What XLA makes of a value of XLA_FLAGS.
enum class XlaFlags {
  repeatable, ///< both flags below have their repeatable values
  extendable, ///< they have not, and what is added behind the value counts
  closed,     ///< nothing can be added: a file's name, an open quote, or words at which XLA stops reading
};

/// The flags that make XLA repeatable on a GPU. An unknown flag ends the program, so there are no others:
/// xla_gpu_exclude_nondeterministic_ops, which the first one implies, is missing in older XLA.
inline constexpr char xla_flag_ops[] = "--xla_gpu_deterministic_ops=true";
inline constexpr char xla_flag_level[] = "--xla_gpu_autotune_level=0";

/// Reads a value as XLA does (xla/parse_flags_from_env.cc, tsl/util/command_line_flags.cc). `lacks_ops` and
/// `lacks_level`: which of the two flags would have to be added.
XlaFlags read_xla_flags(const char* value, bool& lacks_ops, bool& lacks_level);

} // namespace detshim
