// Pools of Python's worker processes: which worker takes which task is a race. Nothing specifies
// it, so a fixed order is an answer too. With it each worker has the same tasks in each run,
// whatever they draw from its generators and keep in its memory.
//
// The workers of multiprocessing.Pool, concurrent.futures.ProcessPoolExecutor and joblib's loky
// take tasks out of one pipe, under one semaphore, and put results into another, under another.
// They get both in turn: the first worker the first task, the next one the next, and so with
// results. A worker that is ready early waits for those before it, which is what this costs
// (docs/LIMITS.md).
//
// The turns lie behind the first semaphore, in its page, which all of them map (sem_open(3)): the
// pool's own process says there how many workers it has, and each worker enters itself.
#pragma once

#include <cstdint>
#include <ctime>
#include <semaphore.h>

namespace detshim {

/// In the pool's own process: that many workers take tasks under the semaphore, which is given as a
/// number in decimal digits. True if they will get them in turn: not one alone, nor more than there
/// is room for.
bool deal_tasks(const char* semaphore, uint32_t workers);

enum class Turn : uint8_t {
  none,        ///< it is nobody's, or of no pool whose tasks are dealt
  own,         ///< this worker's: once it has the semaphore, pass_turn()
  others,      ///< another worker's
  interrupted, ///< by a signal's handler
  expired,     ///< the time is over
  given_up,    ///< as none, and from now on: some worker has ended, is new, or keeps all others
               ///< waiting
};

/// Whose turn it is, for a semaphore that Python asks for without waiting, and with its lock held.
Turn look_at_turn(const sem_t* semaphore);

/// Waits for this worker's turn, where the thread was told before that it is another's; until
/// `time` on that clock, or without nullptr.
Turn wait_for_turn(const sem_t* semaphore, clockid_t clock, const timespec* time);

/// This worker has had its turn.
void pass_turn(const sem_t* semaphore);

/// True if the calling thread is where joblib asks the time by which it will size its batches, in a
/// process that has such a pool.
bool is_clock_of_batches();

} // namespace detshim
