// DETSHIM_PORTABLE: libraries that choose their code by the processor are told which to take, so
// that another processor of the same kind gives the same bits.
#pragma once

namespace detshim {

/// Sets the variables, in modes that force, and only if the option asks for it. A user's own value
/// stays if it names one code too. From the constructor only, and before apply_settings().
void apply_portable_settings();

} // namespace detshim
