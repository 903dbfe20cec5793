// The instructions of NVIDIA's machine code (SASS) that may make a result differ from run to run,
// sm_70 to sm_121.
#pragma once

#include "gpu_code/code_function.h"

#include <string_view>

namespace detshim {

/// True if instructions of that architecture have 16 bytes and these opcodes: all since Volta
/// (sm_70).
constexpr bool is_decoded(unsigned architecture) {
  return architecture >= 70 && architecture < 130;
}

/// The notes of a function's code, by offset, without places. `architecture`: 90 of sm_90.
std::vector<GpuNote> read_sass(std::string_view code, unsigned architecture);

} // namespace detshim
