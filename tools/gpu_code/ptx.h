// PTX, the assembly that the driver compiles for the GPU that it finds: the same questions as to
// machine code.
#pragma once

#include "gpu_code/code_function.h"

#include <string_view>

namespace detshim {

/// What the text's functions do, by the PTX ISA's names of instructions ("atom.global.add.f32").
ArchitectureCode read_ptx(std::string_view text);

} // namespace detshim
