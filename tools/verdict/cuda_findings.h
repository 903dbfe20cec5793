// What findings about CUDA's libraries and about code for a GPU have in common.
#pragma once

#include "gpu_code/kernels.h"
#include "verdict/finders.h"

#include <functional>
#include <string>
#include <vector>

namespace detshim {

/// True if a function of that library may have decided something in the process.
bool may_have_used(const Process& process, const std::string& library);

/// True of a library that chooses among algorithms. The runtime and the driver decide nothing by
/// themselves.
bool has_algorithms(const std::string& library);

/// "block_sum<float>": a kernel's name, without parameters.
std::string kernel_name(const std::string& symbol);

/// "reduce.cu:41"; empty where it is not known.
std::string place_text(const SourcePlace& place);

/// Looks each launched kernel up in the `files` that hold code for a GPU, and in what the log has
/// kept of code that was loaded at run time. Launches by files that others answer for
/// (`is_spoken_for`) do not count. Returns false where the log has no launch at all: nothing is
/// said then.
bool judge_launched_kernels(const VerdictInputs& inputs, const std::vector<std::string>& files,
                            const std::function<bool(const std::string& file)>& is_spoken_for,
                            Findings& findings);

} // namespace detshim
