// Which states rand_r, erand48 and their like left in variables of the caller's.
//
// Those functions keep their state where the caller says. What one of them left there is a state to
// go on from; anything else may be a seed that the program has put in. States are known by their
// value, not by their address: a program may copy them about, and hand them from thread to thread.
#pragma once

#include "core/base/hash.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// `family` keeps states of 32 and 48 bits apart. An entry is one word, so a signal handler that
/// draws meanwhile, or another thread that asks, sees the old one or the new one.
class RandRCache {
public:
  explicit RandRCache(uint64_t family) : mark_(family << 48) {}

  /// True if this thread left that state lately: among its last few thousand.
  bool holds(uint64_t state) const {
    return own != nullptr && own->entries[slot(state)] == (mark_ | state);
  }
  /// The same of any thread, ended ones among them.
  bool any_thread_holds(uint64_t state) const;
  /// True if this thread left that state last, and draws from it as libc does: most programs draw
  /// from one state.
  bool is_last(uint64_t state) const { return last == (mark_ | state); }
  /// Adds a state from which libc's own function goes on.
  void add_native(uint64_t state) {
    add(state);
    last = mark_ | state;
  }
  void add(uint64_t state) {
    if (own == nullptr && (own = take_table()) == nullptr)
      return;
    own->entries[slot(state)] = mark_ | state;
  }

private:
  static constexpr size_t entry_count = 8191;

  struct Table {
    Table* next;
    Table* next_unused;
    uint64_t entries[entry_count];
  };

  static size_t slot(uint64_t state) { return (spread(state) >> 32) % entry_count; }
  static Table* take_table();

  static thread_local constinit Table* own;
  static thread_local constinit uint64_t last; ///< with its mark, which is not 0

  uint64_t mark_;
  friend void leave_rand_r_cache();
};

/// The calling thread ends: another may go on with its table.
void leave_rand_r_cache();

} // namespace detshim
