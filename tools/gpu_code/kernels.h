// Which kernels add floating-point numbers in a race, as their code says. docs/KERNELS.md: how it
// is told.
#pragma once

#include "gpu_code/code_function.h"
#include "gpu_code/fat_binary.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// What the code of a kernel, and of all that it calls, says of its result; the later, the worse.
enum class KernelAnswer {
  none, ///< nothing in it depends on the order of threads, as far as single instructions tell
  may,  ///< something does, and whether the result shows it cannot be told
  adds, ///< adds floating-point numbers in the order in which threads come
};

KernelAnswer answer_of(GpuEffect effect);

/// One kernel, with what was found for each architecture.
struct Kernel {
  std::string name; ///< as the linker knows it
  KernelAnswer answer = KernelAnswer::none;
  std::map<std::string, std::vector<GpuNote>> notes; ///< by architecture: "sm_90", "compute_90"

  /// Draws the answer from the notes. Where the kernel's code for some architecture was read, that
  /// which was not does not count: both are of one source.
  void judge();

  /// The worst notes of each architecture, each place once.
  std::vector<GpuNote> causes() const;
};

struct KernelScan {
  std::map<std::string, Kernel> kernels; ///< by name
  std::set<std::string> architectures;
  std::map<std::string, std::size_t>
      problems; ///< pieces of code that were not read: why, and how many
};

/// Adds what is in a file's bytes to `scan`. Returns false where it is no file that holds code for
/// GPUs.
bool scan_kernels(
    std::string_view file, const WantsArchitecture& wants, KernelScan& scan,
    const std::function<void()>& progress = [] {});

} // namespace detshim
