// What is known of a function for a GPU, whether it was read out of machine code or out of PTX.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

/// What an instruction may do to a result. docs/KERNELS.md has the instructions of each.
enum class GpuEffect {
  order_free,     ///< an atomic whose order nobody sees: sums of integers, minima, maxima, bits
  adds_floats,    ///< adds floating-point numbers to memory as threads come
  tensor_sum,     ///< adds what a tensor map says: floats or integers
  swaps_floats,   ///< compare-and-swap with a value that floating-point arithmetic made
  swaps,          ///< compare-and-swap with any other: a lock, a table, a minimum
  exchanges,      ///< the last one's value stays
  old_value_used, ///< an atomic's old value, which says who came first
  shared_read,    ///< a load that asks for what other blocks write meanwhile: volatile, relaxed,
                  ///< acquire
  switch_sum,     ///< several GPUs' floats, added by the switch between them
  clock,          ///< cycles or nanoseconds
  place,          ///< on which processor of the GPU, in which of its slots
  unknown_call,   ///< of a function that is not there, or by its address
  unread,         ///< code for an architecture, or of a kind, that is not decoded
};

struct SourcePlace {
  std::string file; ///< its name alone; empty without a line table
  unsigned line = 0;
  std::string function; ///< as the linker knows it
};

struct GpuNote {
  GpuEffect effect = GpuEffect::order_free;
  std::string instruction;  ///< "REDG.ADD.F32"; of unknown_call: whose
  std::uint64_t offset = 0; ///< in the function's machine code; of PTX: the line of the text
  SourcePlace place;
};

struct CodeFunction {
  std::string name;
  bool is_kernel = false;
  std::vector<GpuNote> notes;
  std::vector<std::size_t> calls; ///< others of the same code
};

struct ArchitectureCode {
  std::string architecture; ///< "sm_90"; of PTX "compute_90"
  std::vector<CodeFunction> functions;
};

/// What the driver brings: none gives a program another result for the threads that are beside it.
inline bool is_of_driver(std::string_view function) {
  return function == "vprintf" || function == "__assertfail" || function == "malloc" ||
         function == "free";
}

} // namespace detshim
