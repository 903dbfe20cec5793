// Names the allocation behind a difference that a perturbation has shown: further runs with
// libdetshim_heap.so change what fewer and fewer places allocate, until one is left.
#pragma once

#include "verify/heap_file.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace detshim {

/// What the search after one perturbation came to.
struct AllocationSearch {
  enum class Result {
    proved,    ///< one place is enough, and without it the result is as before, each time
    together,  ///< it takes several places
    elsewhere, ///< all that is allocated can be changed: it is not that
    stopped,   ///< it could not be searched
  };
  std::string perturbation; ///< "fill", "fill-negative" or "aslr"
  Result result = Result::stopped;
  std::string place;             ///< of the allocation, safe to print; empty where none was found
  std::uint64_t size = 0;        ///< of the first allocation there, in bytes
  std::size_t runs = 0;          ///< further ones
  std::uint64_t allocations = 0; ///< of the thread that has most
  std::string why;               ///< it was stopped; safe to print
  std::string remark;            ///< what may have been missed
  std::string text;              ///< all of it in a sentence, safe to print
};

inline constexpr const char* allocation_results[] = {"proved", "together", "elsewhere", "stopped"};

/// What a further run came to.
struct HeapRun {
  bool differs = false;            ///< from the first run of the search, or, of that, from the first of all
  bool differs_from_alone = false; ///< from the first HeapRole::alone
  std::string cannot_be_used;      ///< why it says nothing; safe to print
  HeapAnswer answer;
};

enum class HeapRole {
  usual,
  reference, ///< the later ones are compared with it
  alone,     ///< with what was found changed alone: these are compared with each other too
};

/// Does one further run.
using RunWithHeap = std::function<HeapRun(const HeapChoice& choice, HeapRole role)>;

/// The sites that the last run described.
using DescribeSites = std::function<std::vector<HeapSite>()>;

AllocationSearch search_allocations(const std::string& perturbation, const RunWithHeap& run,
                                    const DescribeSites& describe_sites);

/// True for the perturbations whose differences can be searched.
bool can_search_allocations(const std::string& perturbation);

} // namespace detshim
