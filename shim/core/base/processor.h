// What the processor says of itself. Under an emulator, what the emulated one says.
#pragma once

#include "common/text.h"

namespace detshim {

/// Whether it has AVX2 and FMA, and the kernel keeps their registers. No other architecture has.
bool processor_has_avx2();

/// Adds what tells this processor from another: who made it, its family, model and stepping, and a
/// hash of what it can do.
void add_processor(TextWriter& to);

} // namespace detshim
