// Libraries that draw for themselves, besides the program: which of them are there is a matter of
// the machine and of settings (another fabric, another component), and must not change what the
// program draws. No result depends on what they draw, nor on the clocks of their programs.
#pragma once

#include "core/base/modules.h"

namespace detshim {

/// True for a library of MPI's, PMIx's, a fabric's, the driver's, NCCL's.
bool is_of_infrastructure(const Module& module);

/// True for a file of that name that is such a library, or a program that such a library brings:
/// which starts the ranks of one machine, as mpiexec has told it.
bool is_infrastructure_file(const char* name);

} // namespace detshim
