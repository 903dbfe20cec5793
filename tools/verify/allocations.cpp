#include "verify/allocations.h"

#include "support/wording.h"

#include <algorithm>

namespace detshim {
namespace {

/// By which memory is moved: whole pages, of which many bits change, so that a hash of few bits does too.
constexpr std::uint64_t distance = 0x2012'3456'7000, other_distance = 0x1FED'CA98'5000;

struct Stopped {
  std::string why;
};

/// The last of those for which differs(begin) is true, which it is for 0: what is changed begins there.
std::size_t last_that_matters(std::size_t count, const std::function<bool(std::size_t begin)>& differs) {
  std::size_t differing = 0, equal = count;
  while (equal - differing > 1) {
    const std::size_t middle = differing + (equal - differing) / 2;
    (differs(middle) ? differing : equal) = middle;
  }
  return differing;
}

/// Searches for the last allocation that matters, and not for the first: an address may also decide what is
/// allocated later, and where.
class Search {
public:
  Search(AllocationSearch& result, const RunWithHeap& run, const DescribeSites& describe)
      : result_(result), run_(run), describe_(describe) {
    choice_.change = result.knob == "fill" ? HeapChange::fill : HeapChange::move;
    choice_.distance = distance;
  }

  AllocationSearch::Result find() {
    look_at_reference();
    if (!differs_with_all()) return AllocationSearch::Result::elsewhere;
    const bool is_found = find_by_number() || find_by_site();
    choice_.sites_are = HeapSites::listed;
    choice_.chosen.clear();
    if (try_out())
      throw Stopped{
          "after it a run with nothing changed differs from the one before: the program is not repeatable"};
    return is_found ? AllocationSearch::Result::proved : AllocationSearch::Result::together;
  }

private:
  /// True if the run differs.
  bool try_out(bool is_reference = false) {
    ++result_.runs;
    HeapRun run = run_(choice_, is_reference);
    if (!run.cannot_be_used.empty()) throw Stopped{run.cannot_be_used};
    if (run.answer.processes == 0) throw Stopped{"libdetshim_heap.so does not come up in the program"};
    if (run.answer.is_foreign)
      throw Stopped{
          "the program's allocator is not libc's (another one is preloaded): what it allocates is not seen"};
    last_ = std::move(run.answer);
    return run.differs;
  }

  /// Nothing is changed. Where the library alone makes the program another one it must do so each time.
  void look_at_reference() {
    const bool differs_from_first = try_out(true);
    if (last_.longest == 0)
      throw Stopped{"no allocation came to libdetshim_heap.so: the program has an allocator of its own"};
    if (differs_from_first && try_out())
      throw Stopped{"with libdetshim_heap.so in it two runs of the program differ with nothing changed"};
  }

  bool differs_with_all() {
    choice_.sites_are = HeapSites::all_unnamed;
    bool differs = try_out();
    if (!differs && choice_.change == HeapChange::move) { // a hash may be the same by chance
      choice_.distance = other_distance;
      differs = try_out();
    }
    result_.allocations = last_.longest;
    if (!differs && last_.unmoved > 0)
      result_.remark = "; " + counted(last_.unmoved, "allocation") + " found no other place";
    return differs;
  }

  /// By its number in its thread, which is the same in each run of most programs; in others it is near.
  bool find_by_number() {
    const std::uint64_t number = 1 + last_that_matters(last_.longest, [&](std::size_t middle) {
                                   choice_.first = middle + 1;
                                   return try_out();
                                 });
    constexpr std::uint64_t near = 64;
    choice_.refined = every_heap_site;
    bool is_found = false;
    for (const std::uint64_t reach : {std::uint64_t{0}, near}) {
      choice_.first = number - std::min(number - 1, reach);
      choice_.last = number + reach;
      choice_.sites_are = HeapSites::all;
      is_found = try_out() && (reach == 0 ? is_described() : is_one_of_the_sites());
      if (is_found) break;
    }
    choice_.first = 0;
    choice_.last = ~std::uint64_t{0};
    choice_.refined = 0;
    return is_found;
  }

  /// Of several threads and processes each has an allocation of that number.
  bool is_described() {
    const std::vector<HeapSite> sites = describe_();
    constexpr std::size_t most = 8;
    if (sites.size() == 1) return take(sites.front());
    choice_.sites_are = HeapSites::listed;
    for (std::size_t i = 0; i < std::min(most, sites.size()); ++i) {
      choice_.chosen = {sites[i].name};
      if (try_out()) return take(sites[i]);
    }
    return false;
  }

  /// By who allocates: of all sites, told apart by few callers, and then of those that are one so.
  bool find_by_site() {
    choice_.sites_are = HeapSites::all;
    if (!try_out()) return false;
    choice_.refined = search_sites();
    choice_.sites_are = HeapSites::all;
    return try_out() && is_one_of_the_sites();
  }

  /// Of those that the last run listed, alone.
  bool is_one_of_the_sites() {
    if (last_.sites.size() > 1) {
      choice_.chosen = {search_sites()};
      if (!try_out()) return false;
    }
    const std::vector<HeapSite> sites = describe_();
    return !sites.empty() && take(sites.front());
  }

  /// One of those that the last run listed.
  std::uint64_t search_sites() {
    const std::vector<std::uint64_t> sites = last_.sites;
    if (last_.unlisted > 0) result_.remark = "; more places allocate than could be listed";
    choice_.sites_are = HeapSites::listed;
    return sites[last_that_matters(sites.size(), [&](std::size_t middle) {
      choice_.chosen.assign(sites.begin() + static_cast<std::ptrdiff_t>(middle), sites.end());
      return try_out();
    })];
  }

  bool take(const HeapSite& site) {
    result_.place = site.place;
    result_.size = site.size;
    return true;
  }

  AllocationSearch& result_;
  const RunWithHeap& run_;
  const DescribeSites& describe_;
  HeapChoice choice_;
  HeapAnswer last_; ///< of the last run
};

std::string after(const AllocationSearch& result) {
  return " (" + counted(result.runs, "further run") + ")" + result.remark;
}

std::string describe(const AllocationSearch& result) {
  const bool is_fill = result.knob == "fill";
  const std::string memory = "memory allocated at " + result.place;
  const std::string all = "with all allocations" + std::string(is_fill ? " filled" : " moved");
  switch (result.result) {
  case AllocationSearch::Result::proved:
    return (is_fill ? memory + " is read before anything wrote it"
                    : "the address of " + memory + " is part of the result") +
           after(result);
  case AllocationSearch::Result::elsewhere:
    return (is_fill ? "it is not what malloc gives: " + all +
                          " the result is the same. What is left is memory that was freed, or a GPU's"
                    : "it is no address of what malloc gives: " + all +
                          " the result is the same. What is left are addresses of the stack, of code and "
                          "static data, "
                          "and of memory that the program maps itself") +
           after(result);
  case AllocationSearch::Result::together:
    return "no single allocation was found: " + all +
           " the result differs, and with none of them alone. Several may matter together, or threads race "
           "to allocate" +
           after(result);
  case AllocationSearch::Result::stopped:
    break;
  }
  return "the allocation was not searched to the end: " + result.why + after(result);
}

} // namespace

bool can_search_allocations(const std::string& knob) { return knob == "fill" || knob == "aslr"; }

AllocationSearch search_allocations(const std::string& knob, const RunWithHeap& run,
                                    const DescribeSites& describe_sites) {
  AllocationSearch result;
  result.knob = knob;
  try {
    result.result = Search(result, run, describe_sites).find();
  } catch (const Stopped& stopped) {
    result.why = stopped.why;
    result.place.clear();
    result.size = 0;
  }
  result.text = describe(result);
  return result;
}

} // namespace detshim
