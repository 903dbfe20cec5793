// The variable XLA_FLAGS: flags of XLA's, of which the last of a name counts.
#pragma once

namespace detshim {

/// What XLA makes of a value of XLA_FLAGS.
enum class XlaFlags {
  repeatable, ///< both flags below have their repeatable values
  extendable, ///< they have not, and what is added behind the value counts
  closed,     ///< nothing can be added: a file's name, an open quote, or words at which XLA stops
              ///< reading
};

/// The flags that make XLA repeatable on a GPU. An unknown flag ends the program, so there are no
/// others: xla_gpu_exclude_nondeterministic_ops, which the first one implies, is missing in older
/// XLA. The first one also switches on a pass, scatter_determinism_expander, which in jaxlib 0.4.36
/// to 0.7.1 rewrites scatters wrongly (an index of 0, batches), so that our value takes it away:
/// then they become loops, in one order too. Before, there is no such pass, and from 0.7.2 on it is
/// off, so that there the third flag changes nothing. Every XLA knows it, passes over names that it
/// does not know, and adds one list to another.
inline constexpr char xla_flag_ops[] = "--xla_gpu_deterministic_ops=true";
inline constexpr char xla_flag_level[] = "--xla_gpu_autotune_level=0";

/// Reads a value as XLA does (xla/parse_flags_from_env.cc, tsl/util/command_line_flags.cc).
XlaFlags read_xla_flags(const char* value);

} // namespace detshim
