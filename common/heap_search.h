// The file by which `detshim verify --allocations` tells libdetshim_heap.so what to do with which
// allocations, and learns which there are. It is mapped by every process of a run; the environment has its
// path alone, so that a program's environment and with it its stack are the same in all runs of a search.
#pragma once

#include <cstddef>
#include <cstdint>

namespace detshim {

/// Holds the path of the file.
inline constexpr const char* heap_search_variable = "_DETSHIM_HEAP";

/// What is done to memory that is chosen.
enum class HeapChange : uint32_t {
  fill = 1, ///< its bytes are other than they were
  move,     ///< it lies elsewhere
};

/// 3e38 as a float, 1e306 as a double, NaN of 16 bits; -2e38 and -5e303: no sum hides them, nor do both a
/// maximum, a minimum or a comparison with 0.
inline constexpr uint8_t positive_filling = 0x7F, negative_filling = 0xFE;

/// Which sites are chosen. A site is named by a hash of its callers: the same number in each run of the same
/// files.
enum class HeapSites : uint32_t {
  listed = 0,
  all,
  all_unnamed, ///< and none is listed, which takes far less time
};

/// Why nothing was done: the program's allocator is not libc's.
enum class ForeignAllocator : uint64_t {
  none = 0,
  preloaded, ///< another one is
  linked,    ///< an object of the program asks for the library that it is in
  its_own,   ///< the program's file has it in itself
};

inline constexpr uint64_t every_heap_site = ~uint64_t{0};

struct HeapSearch {
  uint64_t magic; ///< is_heap_search
  HeapChange change;
  HeapSites sites_are;
  uint64_t chosen;      ///< entries in the list of chosen sites
  uint64_t first, last; ///< of these allocations, counted from 1 in each thread, and of no others
  uint64_t refined;  ///< of this site alone, or every_heap_site, told apart by all that is known of callers;
                     ///< 0: of all, by few callers
  uint64_t distance; ///< by which memory is moved, in bytes: whole pages; or the byte that fills it
  uint64_t mask;     ///< of allocations whose number has an odd count of these bits alone; 0: of all

  // What the processes say.
  uint64_t processes;       ///< in which it came up
  ForeignAllocator foreign; ///< of one of them; nothing was done there
  uint64_t longest;         ///< allocations of the thread that has most
  uint64_t changed;         ///< allocations that were filled or moved
  uint64_t unmoved;         ///< that were to be moved, and found no place
  uint64_t sites;           ///< entries in their list; more than it has room for are not in it
  uint64_t unlisted;        ///< allocations at sites that a process had no room for in its own table
  uint64_t text_length;     ///< of the texts; what found no room is not there
};

inline constexpr uint64_t is_heap_search = 0x3130504145485344; // "DSHEAP01"
inline constexpr size_t most_heap_sites = size_t{1} << 20;
/// In the file: an array of 64-bit names, as they were first seen.
inline constexpr size_t heap_sites_at = 4096;
/// The chosen ones, sorted.
inline constexpr size_t heap_chosen_at = heap_sites_at + most_heap_sites * sizeof(uint64_t);
/// A line each: a site's name in 16 hexadecimal digits, the size of its first allocation, and a record of
/// type `call` (docs/LOG_FORMAT.md).
inline constexpr size_t heap_texts_at = heap_chosen_at + most_heap_sites * sizeof(uint64_t);
inline constexpr size_t heap_texts_size = size_t{4} << 20;
inline constexpr size_t heap_search_size = heap_texts_at + heap_texts_size;

} // namespace detshim
