// What this process drew from the kernel follows from DETSHIM_SEED already. A seed that is made of
// the latest words of it, in either order of bytes, repeats as it is.
//
// This cannot know words that were mixed, nor those beyond the last 32 of a thread.
#include "core/seeds/clock_samples.h"
#include "core/seeds/rules/rules.h"

#include <byteswap.h>

namespace detshim {
namespace {

/// The first byte of a word is the lowest, or, as hexadecimal digits are read, the highest.
bool was_given(uint32_t word) {
  bool was = false;
  each_thread_samples([&](const ClockSamples& samples) {
    for (const uint32_t& place : samples.entropy) {
      const uint32_t given = __atomic_load_n(&place, __ATOMIC_RELAXED);
      was |= given == word || bswap_32(given) == word;
    }
  });
  return was;
}

} // namespace

bool rules::entropy(const PassedSeed& seed, Explanation& made) {
  const auto high = static_cast<uint32_t>(seed.value >> 32);
  const bool is_one_word = high == 0 || high == ~0U; // a signed one among them
  if (!(is_one_word || was_given(high)) || !was_given(static_cast<uint32_t>(seed.value)))
    return false;
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
