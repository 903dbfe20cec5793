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

/// Goes with the first flag where that is ours: it switches this pass on, which from jaxlib 0.4.36 on
/// rewrites scatters, and wrongly (an index of 0, batches). Without the pass they become loops, in one order
/// too. Every XLA knows the flag, passes over names that it does not know, and adds one list to the other.
inline constexpr char xla_flag_scatter[] = "--xla_disable_hlo_passes=scatter_determinism_expander";

/// What would have to be added to a value.
struct XlaFlagsLacking {
  bool ops;
  bool level;
  bool scatter; ///< true only with `ops`: what the user chose for himself stays, and so does the pass where
                ///< he asks for it by name
};

/// Reads a value as XLA does (xla/parse_flags_from_env.cc, tsl/util/command_line_flags.cc).
XlaFlags read_xla_flags(const char* value, XlaFlagsLacking& lacking);

} // namespace detshim
