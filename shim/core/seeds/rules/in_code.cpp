// `srand(1234)`: the number stands in the function that seeds, as an operand. Of a small number
// only the code right before the call counts, as such numbers stand in much code for something
// else.
//
// This cannot know whether the operand went to the seed.
#include "core/seeds/rules/rules.h"

namespace detshim {
namespace {

/// Where the function's code before the call is looked at: all of it, but for so many bytes that
/// the search would take long.
CodeRange code_before(const PassedSeed& seed) {
  // A small number stands in much code for something else.
  const long reach = seed.is_small() ? 40 : 1 << 16;
  const auto* const call = static_cast<const unsigned char*>(seed.caller.address());
  const CodeRange& function = seed.caller.function();
  return {call - function.begin > reach ? call - reach : function.begin, call};
}

#if defined(__x86_64__)

/// True if an immediate operand of 4 or 8 bytes begins with the value's low 4.
bool is_operand(const PassedSeed& seed, const CodeRange& code) {
  const auto low = static_cast<uint32_t>(seed.value);
  for (const auto* at = code.begin; at + sizeof low < code.end; ++at) {
    // A small number is also a distance to data: it counts behind the opcode of `mov` to a register
    // (Intel SDM, volume 2B, B8+ rd) alone.
    const bool is_mov = (*at & 0xF8) == 0xB8;
    if ((is_mov || !seed.is_small()) && __builtin_memcmp(at + 1, &low, sizeof low) == 0)
      return true;
  }
  return false;
}

#else

/// True if both halves of the value's low 4 bytes are moved to a register.
bool is_operand(const PassedSeed& seed, const CodeRange& code) {
  const auto low_half = static_cast<uint32_t>(seed.value & 0xffff);
  const auto high_half = static_cast<uint32_t>(seed.value >> 16 & 0xffff);
  const uint32_t low = 0x52800000 | low_half << 5;   // movz w, #low
  const uint32_t high = 0x72A00000 | high_half << 5; // movk w, #high, lsl 16
  bool has_low = low_half == 0;
  bool has_high = high_half == 0;
  for (const auto* at = code.begin; at < code.end; at += 4) {
    uint32_t word;
    __builtin_memcpy(&word, at, sizeof word);
    has_low |= (word & 0x7fffffe0) == low;
    has_high |= (word & 0x7fffffe0) == high;
  }
  return has_low && has_high;
}

#endif

} // namespace

bool rules::in_code(const PassedSeed& seed, Explanation& made) {
  // Code that has no entry in the unwinder's table: what lies before the call may be no memory.
  const bool has_function = seed.caller.function().begin != nullptr;
  if (!has_function || !is_operand(seed, code_before(seed)))
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
