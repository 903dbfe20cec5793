// Lines of source in a cubin's .debug_line: DWARF 2, as ptxas writes it whatever the compiler
// before it, or 3, as CUDA Tile has it, with an instruction of NVIDIA's that says into which line
// another was inlined. libdw knows neither that nor the relocations of a cubin, by which alone a
// run of rows belongs to a function.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace detshim {

struct LineRow {
  std::uint64_t offset = 0; ///< in the function's code
  std::string_view file, folder;
  unsigned line = 0;
  std::size_t inlined_into = 0; ///< that row of the same run, from 1; 0: none
  std::string_view function;    ///< that was inlined
};

struct LineSequence {
  std::uint64_t address_at = 0; ///< where in the section the address of its first row stands
  std::vector<LineRow> rows;
};

/// What can be read of a damaged table. The views are into `bytes` and `texts` (.debug_str).
std::vector<LineSequence> read_line_table(std::string_view bytes, std::string_view texts);

} // namespace detshim
