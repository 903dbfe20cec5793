// A thread's stream of entropy for one kind of consumer.
#pragma once

#include "loader/draw.h"

namespace detshim {

/// One stream a source: a new consumer of one must not shift another.
struct EntropySource {
  uint32_t generation = 0;
  DrawSites sites;
  Stream stream;

  /// The stream, started for this thread and process if it is new to them.
  Stream& ready(Kind kind) {
    const Thread& thread = this_thread();
    if (generation != thread.generation) {
      stream = Stream(stream_key(thread, kind));
      generation = thread.generation;
    }
    return stream;
  }

  /// The same, without asking when the place drew before in this epoch: it was started then.
  template <typename Draw>
  Stream& ready(Kind kind, const Draw& draw) {
    return __builtin_expect(draw.first, 0) ? ready(kind) : stream;
  }
};

} // namespace detshim
