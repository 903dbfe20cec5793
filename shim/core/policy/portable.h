// DETSHIM_PORTABLE: libraries that choose their code by the processor are told which to take, so that another
// processor of the same kind gives the same bits.
#pragma once

#include "common/text.h"

namespace detshim {

/// Sets the variables, in modes that force, and only if the option asks for it. A user's own value stays if
/// it names one code too. From the constructor only, and before apply_settings().
void apply_portable_settings();

/// Adds what tells this processor from another: who made it, its family, model and stepping, and a hash of
/// what it can do. As the processor itself says it: under an emulator, the emulated one.
void add_processor(TextWriter& to);

} // namespace detshim
