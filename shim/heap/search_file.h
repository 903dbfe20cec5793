// What is to be done with which allocations in this process: the file that _DETSHIM_HEAP names, mapped once.
#pragma once

#include "common/heap_search.h"

namespace detshim {

/// nullptr where there is none; asks at the first call of a process, and not again.
HeapSearch* heap_search();

/// From the first call of this in a forked child on the loader's lock is not waited for: a thread that held
/// it is not there.
void notice_fork();

/// Whether a site is one of those that the file chooses.
bool chooses(const HeapSearch& search, uint64_t name);

/// Adds a site to the list in the file.
void list_site(HeapSearch& search, uint64_t name);

/// Adds a text to those in the file: whole, or not at all.
void list_text(HeapSearch& search, const char* text, size_t length);

inline void count_up(uint64_t& number) { __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED); }

} // namespace detshim
