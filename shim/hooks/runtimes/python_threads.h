// Threads that the user's own Python code starts, and those by which a process fills a queue.
//
// Which thread draws first from a generator that it shares with another, or with the one that
// started it, is a race, and so is which takes which task of a queue, and whose results come first
// out of a queue that several processes fill: none of it reaches a hook. That there are such
// threads does, with the line that starts them.
#pragma once

#include "common/reasons.h"
#include "common/text.h"

namespace detshim {

/// A thread that is about to be made. The line of one of the user's is kept, as in other languages.
struct PythonThread {
  /// `caller`: of pthread_create.
  explicit PythonThread(const void* caller);

  Reason why = Reason::none; ///< to record it: it is of a pool, or fills a queue
  const char* pool = "";     ///< "multiprocessing.Pool"
  Text<96> queue;            ///< the name of one, which tells it from others
  Text<256> place;           ///< "/home/me/train.py:5", what made it; empty where none is known
};

} // namespace detshim
