// Instructions that draw random numbers around every library: no preload can intercept an
// instruction.
//
// A quick search of the bytes gives candidates. One counts only if decoding, begun at a place where
// an instruction certainly starts, comes upon that very instruction there: the same bytes inside an
// immediate or a displacement do not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace detshim {

enum class Machine { x86_64, aarch64 };

/// What an instruction draws by.
enum class DrawKind {
  rdrand,    ///< x86-64: 0F C7 /6 with a register
  rdseed,    ///< x86-64: 0F C7 /7 with a register
  rndr,      ///< aarch64: MRS Xt, S3_3_C2_C4_0
  rndrrs,    ///< aarch64: MRS Xt, S3_3_C2_C4_1
  getrandom, ///< a system call with that number, made without libc
  clock,     ///< no draw: RDTSC, RDTSCP; MRS Xt, CNTVCT_EL0
  raw_call,  ///< no draw: another system call, made without libc
  processor, ///< no draw: the processor's number out of the kernel's rseq area, by no instruction
};
inline bool is_draw(DrawKind kind) { return kind < DrawKind::clock; }

/// "rdrand", "raw getrandom system call".
const char* draw_name(DrawKind kind);

struct Draw {
  std::uint64_t address = 0; ///< of the instruction, its prefixes included
  DrawKind kind = DrawKind::rdrand;
  auto operator<=>(const Draw&) const = default;
};

/// Machine code, and the address of its first byte.
struct CodeRange {
  std::uint64_t address = 0;
  std::span<const unsigned char> bytes;
};

struct FoundDraws {
  std::vector<Draw> draws;   ///< by address within a range
  std::size_t undecoded = 0; ///< places that look like one, where decoding lost its way
};

/// Gives for an address the nearest place at or before it where a function starts; 0 if none is
/// known.
using FunctionStart = std::function<std::uint64_t(std::uint64_t)>;

/// The draws in `code`; `with_others`: and what else passes every library. Where `function_start`
/// knows nothing, decoding begins at the first byte of `code`.
FoundDraws find_draws(Machine machine, const CodeRange& code, const FunctionStart& function_start,
                      bool with_others = false);

/// True if the value of the call that returns to `from` is the first argument of the one that
/// returns to `to`, and nothing else between the two: `srand(time(0))`. False too if the first call
/// was given an address, where it may leave the value. `function`: where that begins which holds
/// both, with an address as its own first argument or not.
bool is_result_passed_on(Machine machine, const CodeRange& code, std::uint64_t function,
                         std::uint64_t from, std::uint64_t to, bool begins_with_address);

} // namespace detshim
