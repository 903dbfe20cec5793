// What stands in the files that a log names, out of the cache where it is known: a framework's libraries hold
// a gigabyte, which takes seconds to decode.
#pragma once

#include "scanner/scan.h"
#include "support/file_cache.h"
#include "verdict/cuda_symbols.h"

namespace detshim {

class CodeCache {
public:
  CodeCache();

  /// read_cuda_symbols(file)
  CudaSymbols cuda_symbols(const ElfFile& file) const;
  /// scan_code(file)
  FileScan code(const ElfFile& file) const;

private:
  FileCache cache_;
};

} // namespace detshim
