// A cubin: the machine code of kernels and device functions for one architecture. An ELF file whose
// own parts are NVIDIA's; what is read of them was found with nvdisasm and readelf (README.md).
#pragma once

#include "gpu_code/line_table.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// A function within the code of another: what the compiler put there to be called.
struct CodePart {
  std::uint64_t offset = 0, size = 0;
  std::string_view name;
};

/// A kernel, or a function for the device that stands alone.
struct GpuFunction {
  std::string_view name; ///< as the linker knows it
  bool is_kernel = false;
  std::string_view code;
  std::vector<std::size_t> calls;        ///< others of the same cubin
  std::vector<std::string_view> unknown; ///< what it calls that is elsewhere, or cannot be told
  std::vector<CodePart> parts;
  std::vector<LineRow> lines; ///< by offset; empty without -lineinfo

  /// The name of the part that holds `offset`, or its own.
  std::string_view function_at(std::uint64_t offset) const;
};

struct Cubin {
  unsigned architecture = 0; ///< 90 of sm_90
  std::vector<GpuFunction> functions;
};

/// The views are into `bytes`. Nothing in it where they are no cubin.
Cubin read_cubin(std::string_view bytes);

} // namespace detshim
