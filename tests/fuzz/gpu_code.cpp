// libFuzzer's target for code of GPUs: bytes as a program, an archive, a fat binary, a cubin or
// PTX. Whatever they hold, the scan ends, within bounds of memory, and no kernel's answer is worse
// than its notes.
#include "gpu_code/kernels.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace detshim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  KernelScan scan;
  scan_kernels(
      {reinterpret_cast<const char*>(data), size},
      [](unsigned) {
        return true;
      },
      scan);
  for (const auto& [name, kernel] : scan.kernels) {
    KernelAnswer worst = KernelAnswer::none;
    for (const auto& [architecture, notes] : kernel.notes)
      for (const GpuNote& note : notes)
        worst = std::max(worst, answer_of(note.effect));
    if (worst < kernel.answer || kernel.causes().empty() != (kernel.answer == KernelAnswer::none))
      std::abort();
  }
  return 0;
}
