// A thread's stream of entropy for one kind of consumer.
#pragma once

#include "common/sys.h"
#include "core/fingerprint/output_digests.h"
#include "core/seeds/clock_samples.h"
#include "loader/draw.h"

namespace detshim {

/// One stream a source: a new consumer of one must not shift another.
template <typename Stream>
struct EntropySource {
  uint32_t generation = 0;
  CallSites call_sites;
  Stream stream;

  /// The k-th stream of a kind, started for this thread and process if it is new to them.
  Stream& ready(Kind kind, uint64_t k = 0) {
    const Thread& thread = this_thread();
    if (generation != thread.generation)
      start(thread, kind, k);
    return stream;
  }

  /// The same, without asking when the call site drew before in this epoch: it was started then.
  template <typename Draw>
  Stream& ready(Kind kind, const Draw& draw, uint64_t k = 0) {
    return __builtin_expect(draw.first, 0) ? ready(kind, k) : stream;
  }

private:
  /// In one piece: a signal handler that draws from it meanwhile would have its bytes given again.
  void start(const Thread& thread, Kind kind, uint64_t k) {
    const sys::SignalsBlocked no_signals;
    if (generation == thread.generation)
      return;
    stream = Stream(stream_key(thread, kind, k));
    generation = thread.generation;
  }
};

/// Takes note of what a source has given, for digests and for seeds.
inline void note_given(const void* data, size_t size) {
  note_drawn(data, size);
  note_entropy(data, size);
}
inline uint32_t given(uint32_t word) {
  note_given(&word, sizeof word);
  return word;
}

} // namespace detshim
