// What findings are made of; and those about CUDA's libraries and about code for a GPU.
#pragma once

#include "gpu_code/kernels.h"
#include "log_reader/log.h"
#include "log_reader/summary.h"
#include "support/lists.h"
#include "support/reason_texts.h"
#include "verdict/finding.h"
#include "verdict/loaded_code.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace detshim {

struct VerdictInputs {
  const Log& log;
  const Summary& summary;
  const LoadedCode& code;
};

/// True if a record of the symbol has one of those reasons.
inline bool has_reason(const SymbolSummary& symbol, std::initializer_list<Reason> reasons) {
  return std::ranges::any_of(symbol.reasons,
                             [&](const std::string& code) { return contains(reasons, reason_of(code)); });
}

/// The file of "/usr/bin/train+0x11b9".
inline std::string file_of_place(const std::string& at) { return at.substr(0, at.rfind("+0x")); }

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

/// "block_sum<float>": a kernel's name, without parameters.
std::string kernel_name(const std::string& symbol);

/// "reduce.cu:41"; empty where it is not known.
std::string place_text(const SourcePlace& place);

/// Looks each launched kernel up in the `files` that hold code for a GPU, and in what the log has kept of
/// code that was loaded at run time. Launches by files that others answer for (`is_spoken_for`) do not count.
/// Returns false where the log has no launch at all: nothing is said then.
bool judge_launched_kernels(const VerdictInputs& inputs, const std::vector<std::string>& files,
                            const std::function<bool(const std::string& file)>& is_spoken_for,
                            Verdict& verdict);

} // namespace detshim
