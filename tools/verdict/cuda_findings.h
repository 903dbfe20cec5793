// Findings about CUDA's libraries and about code for a GPU.
#pragma once

#include "verdict/finding.h"
#include "verdict/verdict_inputs.h"

namespace detshim {

/// Copies of CUDA's libraries that are linked into other files, kernels and who brings them.
void find_kernels(const VerdictInputs& inputs, Verdict& verdict);

/// Functions of CUDA's libraries that have no hook and were used, or may have been.
void find_unhooked_functions(const VerdictInputs& inputs, Verdict& verdict);

/// Libraries whose hooks were not in front, and versions that this detshim does not know.
void find_libraries(const VerdictInputs& inputs, Verdict& verdict);

/// Counts CUDA's files in a run that had no GPU.
void count_idle_libraries(const VerdictInputs& inputs, Verdict& verdict);

/// True if a function of that library may have decided something in the process.
bool may_have_used(const Process& process, const std::string& library);

/// True of a library that chooses among algorithms. The runtime and the driver decide nothing by themselves.
bool has_algorithms(const std::string& library);

} // namespace detshim
