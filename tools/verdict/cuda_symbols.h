// What a file has to do with CUDA's libraries, and with std::random_device, by its symbols.
#pragma once

#include "scanner/elf_file.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// Functions of a CUDA library that a file defines though it is not that library.
struct LinkedCopy {
  std::string library, first; ///< first: of its functions, by name
  std::size_t functions = 0;
};

struct CudaSymbols {
  std::string file;
  std::string library; ///< that the file is (a part of); empty: none
  std::vector<LinkedCopy> copies;
  std::vector<std::string> unknown; ///< exported by the library, and in no list of known functions
  std::set<std::string> asks_for;   ///< taken from elsewhere, named like a CUDA library's, and in no list
  bool links_kernels = false;       ///< takes functions of nvJitLink, and it is none of CUDA's libraries
  bool has_kernels = false;         ///< code for a GPU, and it is none of NVIDIA's libraries
  bool has_symbol_table = false;    ///< without one, whose code that is cannot be told
  bool names_random_device = false; ///< it may have a copy of std::random_device, by its functions' names

  bool is_empty() const {
    return library.empty() && copies.empty() && asks_for.empty() && !links_kernels && !has_kernels;
  }
};

/// The CUDA library that a file of that name is (a part of), in the hook table's words; empty for any other.
std::string cuda_library_of(const std::string& file);

/// True if a function of that name is, or may be, a part of libstdc++'s std::random_device.
bool is_of_random_device(std::string_view function);

CudaSymbols read_cuda_symbols(const ElfFile& file);

} // namespace detshim
