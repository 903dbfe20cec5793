// Threads that the user's own Python code starts, and those by which a process fills a queue.
//
// Which thread draws first from a generator that it shares with another, or with the one that
// started it, is a race, and so is which takes which task of a queue, and whose results come first
// out of a queue that several processes fill, and who gets what several take: none of it reaches a
// hook. That there are such threads does, with the line that starts them.
#pragma once

#include "common/reasons.h"
#include "common/text.h"

#include <semaphore.h>

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

/// A process that takes from a queue, of which others may take too.
struct PythonTake {
  /// `caller`: of the function of the semaphore. Looks at each semaphore once in a thread.
  PythonTake(const void* caller, const sem_t* semaphore);

  bool is_there = false; ///< a line of the user's takes, in another process than the run's first
  Text<96> queue;        ///< as above
  Text<256> place;
};

} // namespace detshim
