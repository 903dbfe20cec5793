// Threads that the user's own Python code starts while another of them runs, and those by which a process
// fills a queue.
//
// Which thread draws first from a generator that they share is a race, and so is which takes which task of a
// queue, and whose results come first out of a queue that several processes fill: none of it reaches a hook.
// That there are such threads does, with the line that starts them.
#pragma once

#include "common/reasons.h"
#include "common/text.h"

namespace detshim {

/// A thread that is about to be made. One of the user's is counted.
struct PythonThread {
  /// `caller`: of pthread_create.
  explicit PythonThread(const void* caller);

  bool is_users = false;     ///< by threading or concurrent.futures, which a line of the user's own called
  Reason why = Reason::none; ///< to record it: another one of the user's was not joined, or it fills a queue
  Text<256> made_by;         ///< "threading.Thread, train.py:5"
};

/// One that was counted did not come into being.
void forget_python_thread();

/// A lock was tried, or waited for: by that a thread is joined, up to Python 3.12.
void note_python_lock(bool is_taken);

} // namespace detshim
