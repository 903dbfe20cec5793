// The file by which a run with libdetshim_heap.so is told what to do, and says what there was
// (common/heap_search.h).
#pragma once

#include "common/heap_search.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace detshim {

/// Which allocations are changed, and how; see HeapSearch. None, as it is made.
struct HeapChoice {
  HeapChange change = HeapChange::fill;
  HeapSites sites_are = HeapSites::listed;
  std::vector<std::uint64_t> chosen; ///< names of sites, where they are listed
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  std::uint64_t refined = 0;
  std::uint64_t distance = 0; ///< in bytes, whole pages; or the byte that fills
  std::uint64_t mask = 0;     ///< 0, or of allocations alone whose number has an odd count of these bits
};

/// A site as its run described it.
struct HeapSite {
  std::uint64_t name = 0, size = 0; ///< size: of its first allocation, in bytes
  std::string place;                ///< for people, safe to print
};

/// What a run said.
struct HeapAnswer {
  std::uint64_t processes = 0;                       ///< in which the library came up
  ForeignAllocator foreign = ForeignAllocator::none; ///< of one of them
  std::uint64_t longest = 0;                         ///< allocations of the thread that has most
  std::uint64_t changed = 0, unmoved = 0, unlisted = 0;
  std::vector<std::uint64_t> sites; ///< as they were first seen, each once
};

/// Throws UsageError where the file cannot be written.
void write_heap_file(const std::filesystem::path& file, const HeapChoice& choice);

/// Throws UsageError where it cannot be read.
HeapAnswer read_heap_answer(const std::filesystem::path& file);

/// The sites that were described: those chosen of a refined one. Damaged lines are passed over.
std::vector<HeapSite> read_heap_sites(const std::filesystem::path& file);

} // namespace detshim
