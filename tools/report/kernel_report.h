// What `detshim scan --gpu` prints, and the words for what a kernel does.
#pragma once

#include "gpu_code/kernels.h"

#include <string>
#include <vector>

namespace detshim {

/// The kernels of a file.
struct FileKernels {
  std::string file;
  KernelScan scan;
};

/// For people. Of each answer the first few kernels, unless `all`.
void print_kernels_text(const std::vector<FileKernels>& files, bool all);

/// For programs: docs/schemas/kernels.schema.json. With what cannot matter, if `all`.
void print_kernels_json(const std::vector<FileKernels>& files, bool all);

} // namespace detshim
