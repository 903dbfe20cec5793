// Code for GPUs in the containers that it comes in: programs, libraries, objects and archives of
// them, fat binaries, cubins, PTX.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace detshim {

enum class GpuCodeKind {
  machine_code, ///< a cubin
  ptx,
  unread, ///< an intermediate language of the linker's (LTO), or bytes that could not be unpacked
};

/// Code of one kind for one architecture.
struct GpuCode {
  GpuCodeKind kind = GpuCodeKind::unread;
  unsigned architecture = 0; ///< 90 of sm_90; 0: the code itself says
  std::string_view bytes;    ///< unpacked
  std::string problem;       ///< of `unread`
};

using VisitGpuCode = std::function<void(const GpuCode&)>;

/// Nothing is unpacked for an architecture that it refuses. The first is the one that the code is
/// for.
using WantsArchitecture = std::function<bool(unsigned architecture)>;

/// Visits all code for GPUs in the bytes of a file. Returns false where it is no file that could
/// hold such. `progress` is called between pieces.
bool each_gpu_code(
    std::string_view file, const WantsArchitecture& wants, const VisitGpuCode& visit,
    const std::function<void()>& progress = [] {});

} // namespace detshim
