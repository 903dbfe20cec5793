// In which blocks schedule(static) hands out a loop whose schedule is dynamic or guided.
//
// The chunk that such a loop asks for is often one iteration, since its schedule evens out what is
// uneven and a chunk costs little. Handed out in turn it costs a call for each iteration. Any
// number of chunks in a row may be one thread's, so a block is several of them: so many that what
// is left uneven is little, and so few that their calls cost nothing beside a loop of short
// iterations (bench/README.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// How a loop hands out its iterations, and how many blocks each thread of the team gets at most,
/// but for a remainder. guided begins with blocks as large as a thread's part of the loop.
enum class Handing : uint64_t { as_dynamic = 256, as_guided = 32 };

/// Iterations of a loop from `first` on by `step`, up to `end` or down to it, that one left out. A
/// loop over signed numbers gives their 64 bits.
struct Iterations {
  uint64_t first, end, step;
  bool goes_up;
  bool is_unsigned;

  uint64_t count() const {
    const uint64_t distance = goes_up ? end - first : first - end;
    const uint64_t by = goes_up ? step : -step;
    if (by == 0 || is_empty())
      return 0;
    return (distance - 1) / by + 1;
  }

private:
  bool is_empty() const {
    const uint64_t sign = is_unsigned ? 0 : uint64_t{1} << 63;
    const uint64_t from = first ^ sign; // ordered as unsigned numbers
    const uint64_t to = end ^ sign;
    return goes_up ? from >= to : from <= to;
  }
};

/// The chunk for schedule(static): a multiple of the one asked for, where the loop is long. One
/// that is not positive is left as it is: the runtime knows what it means there.
inline int64_t block_of(Handing handing, uint64_t iterations, uint64_t threads, int64_t chunk) {
  if (chunk <= 0 || threads == 0)
    return chunk;
  const auto asked = static_cast<uint64_t>(chunk);
  const uint64_t blocks = threads * static_cast<uint64_t>(handing);
  const uint64_t chunks = iterations / blocks / asked;
  return chunks > 1 ? static_cast<int64_t>(chunks * asked) : chunk;
}

} // namespace detshim
