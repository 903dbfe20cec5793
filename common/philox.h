// Philox4x32-10, the counter-based generator behind every stream that has no native sequence to
// follow.
//
// Algorithm: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel Random Numbers: As Easy
// as 1, 2, 3", SC'11, section 3.3 and table 2; the constants are the paper's.
// tests/unit/philox_test.cpp holds it to the authors' published known-answer vectors.
//
// Why counter-based: block n of a stream is a function of (key, n) alone, so any stream starts
// anywhere at once, a forked child needs nothing from its parent, and no state is shared between
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace detshim {

struct PhiloxBlock {
  uint32_t word[4];
};

/// The 128-bit block that Philox4x32-10 gives for a 128-bit counter under a 64-bit key.
inline PhiloxBlock philox(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
#if defined(__x86_64__)
  // Both halves of a round at once, in the lanes 0 and 2: the same numbers in half the
  // instructions.
  const auto lanes = [](uint32_t first, uint32_t second) {
    return _mm_set_epi32(0, static_cast<int>(second), 0, static_cast<int>(first));
  };
  __m128i factors = lanes(counter.word[0], counter.word[2]);
  __m128i key = lanes(key0, key1);
  __m128i others =
      _mm_xor_si128(lanes(counter.word[1], counter.word[3]), key); // for the next round already
  for (int round = 0; round < 10; ++round) {
    const __m128i products = _mm_mul_epu32(factors, lanes(0xD2511F53, 0xCD9E8D57));
    factors = _mm_xor_si128(_mm_shuffle_epi32(products, 0x13), others);
    key = _mm_add_epi32(key, lanes(0x9E3779B9, 0xBB67AE85));
    others = _mm_xor_si128(_mm_shuffle_epi32(products, 0x02), key);
  }
  others = _mm_xor_si128(others, key);
  const __m128i low = _mm_unpacklo_epi32(factors, others),
                high = _mm_unpackhi_epi32(factors, others);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(counter.word), _mm_unpacklo_epi64(low, high));
#else
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter.word[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter.word[2];
    counter = {{static_cast<uint32_t>(product1 >> 32) ^ counter.word[1] ^ key0,
                static_cast<uint32_t>(product1),
                static_cast<uint32_t>(product0 >> 32) ^ counter.word[3] ^ key1,
                static_cast<uint32_t>(product0)}};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
#endif
  return counter;
}

/// Block `index` of the stream that `key` names.
inline PhiloxBlock stream_block(uint64_t key, uint64_t index) {
  return philox({{static_cast<uint32_t>(index), static_cast<uint32_t>(index >> 32), 0, 0}},
                static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
}

/// The key of a child stream: a pseudo-random function of the parent's key and the child's label.
/// The fourth counter word keeps it apart from every block of the parent's own stream.
inline uint64_t derive(uint64_t parent, uint64_t label) {
  const PhiloxBlock block =
      philox({{static_cast<uint32_t>(label), static_cast<uint32_t>(label >> 32), 0, 0x64657473}},
             static_cast<uint32_t>(parent), static_cast<uint32_t>(parent >> 32));
  return uint64_t{block.word[1]} << 32 | block.word[0];
}

/// Adds to a number that one thread and its signal handlers count in, and gives what it was: no
/// handler comes in between. On x86-64 an instruction without a lock's cost; on others a handler
/// makes the store fail.
inline uint64_t count_on(uint64_t& number, uint64_t more) {
#if defined(__x86_64__)
  __asm__ volatile("xaddq %0, %1" : "+r"(more), "+m"(number) : : "cc");
  return more;
#else
  return __atomic_fetch_add(&number, more, __ATOMIC_RELAXED);
#endif
}

/// A stream of bytes with its place in it. Every call to fill() starts a fresh block, so what one
/// call gets never depends on the size of the call before it. A signal handler may draw at any
/// moment from the stream that it interrupted: no block is given twice, and nobody waits.
class Stream {
public:
  constexpr Stream() = default;
  explicit constexpr Stream(uint64_t key) : key_(key) {}

  /// Writes `size` bytes.
  void fill(void* data, size_t size) {
    auto* out = static_cast<unsigned char*>(data);
    uint64_t at = count_on(next_, (size + sizeof(PhiloxBlock) - 1) / sizeof(PhiloxBlock));
    for (; size >= sizeof(PhiloxBlock); size -= sizeof(PhiloxBlock), out += sizeof(PhiloxBlock)) {
      const PhiloxBlock block = stream_block(key_, at++);
      __builtin_memcpy(out, &block, sizeof block); // of a size that the compiler knows
    }
    if (size == 0)
      return;
    const PhiloxBlock block = stream_block(key_, at);
    __builtin_memcpy(out, &block, size);
  }

private:
  uint64_t key_ = 0;
  uint64_t next_ = 0; // block
};

/// A stream of 32-bit words, four to a block, under a key that no Stream has. As safe as that one.
class WordStream {
public:
  constexpr WordStream() = default;
  explicit constexpr WordStream(uint64_t key) : key_(key) {}

  uint32_t word() {
    const uint64_t next = count_on(next_, 1);
    const uint64_t block = next / 4;
    const unsigned at = next % 4;
    // Kept with its block's number in one word of memory: a handler may have put its own there.
    const uint64_t mark = (block + 1) << 32;
    if (const uint64_t kept = __atomic_load_n(&words_[at], __ATOMIC_RELAXED);
        kept >> 32 == mark >> 32)
      return static_cast<uint32_t>(kept);
    const PhiloxBlock fresh = stream_block(key_, block);
    for (unsigned i = at + 1; i < 4; ++i)
      __atomic_store_n(&words_[i], mark | fresh.word[i], __ATOMIC_RELAXED);
    return fresh.word[at];
  }

private:
  uint64_t key_ = 0;
  uint64_t next_ = 0;
  uint64_t words_[4] = {}; // of the last block, each behind the block's number plus 1
};

} // namespace detshim
