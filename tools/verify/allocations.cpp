#include "verify/allocations.h"

#include "support/wording.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <stdexcept>

namespace detshim {
namespace {

/// By which memory is moved: whole pages, of which many bits change, so that a hash of few bits does too.
/// Each of the three lowest bits changes for certain with one of them, the others by what lies below them.
constexpr std::uint64_t distances[] = {0x2012'3456'7000, 0x1FED'CA98'5000, 0x1955'AA33'E000,
                                       0x26AA'55CC'C000};

/// Of allocations with such numbers alone: of two neighbours one is moved, and of most pairs.
constexpr std::uint64_t halves[] = {1, 0xAAAA'AAAA'AAAA'AAAA, 0xCCCC'CCCC'CCCC'CCCC};

/// So often each side of what is found is run: a program that differs at random does as foretold in few of
/// two to the power of twice as many searches.
constexpr int repetitions = 5;

constexpr std::size_t most_runs = 200;

std::string why_foreign(ForeignAllocator foreign) {
  return std::string(foreign == ForeignAllocator::preloaded
                         ? "the program's allocator is not libc's (another one is preloaded)"
                     : foreign == ForeignAllocator::linked
                         ? "the program's allocator is not libc's (it is linked with another one)"
                         : "the program has a malloc of its own") +
         ": what it allocates is not seen";
}

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
    nothing_.change = result.perturbation == "aslr" ? HeapChange::move : HeapChange::fill;
    nothing_.distance = result.perturbation == "aslr"   ? distances[0]
                        : result.perturbation == "fill" ? positive_filling
                                                        : negative_filling;
    choice_ = nothing_;
  }

  AllocationSearch::Result find() {
    look_at_reference();
    if (!differs_with_all()) return AllocationSearch::Result::elsewhere;
    const bool is_found = find_by_number() || find_by_site();
    for (int i = 0; i < (is_found ? repetitions : 1); ++i) {
      if (is_found) expect_alone();
      expect_nothing();
    }
    return is_found ? AllocationSearch::Result::proved : AllocationSearch::Result::together;
  }

private:
  /// True if the run differs.
  bool try_out(HeapRole role = HeapRole::usual) {
    if (result_.runs == most_runs) throw Stopped{"that was not enough"};
    ++result_.runs;
    HeapRun run = run_(choice_, role);
    if (!run.cannot_be_used.empty()) throw Stopped{run.cannot_be_used};
    if (run.answer.processes == 0) throw Stopped{"libdetshim_heap.so does not come up in the program"};
    // A child may be another program.
    const bool is_of_a_child = run.answer.foreign == ForeignAllocator::its_own && run.answer.longest > 0;
    if (run.answer.foreign != ForeignAllocator::none && !is_of_a_child)
      throw Stopped{why_foreign(run.answer.foreign)};
    if (is_of_a_child)
      result_.remark = "; one of its programs has a malloc of its own, which was not searched";
    last_ = std::move(run.answer);
    differs_from_alone_ = run.differs_from_alone;
    return run.differs;
  }

  void expect_alone() {
    choice_ = alone_;
    if (!try_out(HeapRole::alone))
      throw Stopped{"once more, what was changed alone did not change the result: the program is not "
                    "repeatable, or threads race to allocate"};
    if (differs_from_alone_)
      throw Stopped{"what was changed alone changed the result otherwise than before: the program is not "
                    "repeatable"};
  }

  void expect_nothing() {
    choice_ = nothing_;
    if (try_out())
      throw Stopped{
          "after it a run with nothing changed differs from the one before: the program is not repeatable"};
  }

  /// Nothing is changed. Where the library alone makes the program another one it must do so each time.
  void look_at_reference() {
    const bool differs_from_first = try_out(HeapRole::reference);
    if (last_.longest == 0)
      throw Stopped{"no allocation came to libdetshim_heap.so: the program has an allocator of its own"};
    if (differs_from_first && try_out())
      throw Stopped{"with libdetshim_heap.so in it two runs of the program differ with nothing changed"};
  }

  bool differs_with_all() {
    choice_.sites_are = HeapSites::all_unnamed;
    bool differs = try_out();
    result_.allocations = last_.longest;
    if (choice_.change == HeapChange::move && !differs) differs = differs_moved_otherwise();
    if (!differs && last_.unmoved > 0)
      result_.remark = "; " + counted(last_.unmoved, "allocation") + " found no other place";
    return differs;
  }

  /// A hash may be the same by chance, and a distance between two blocks is the same where both are moved.
  bool differs_moved_otherwise() {
    for (const std::uint64_t distance : std::span(distances).subspan(1)) {
      choice_.distance = distance;
      if (try_out()) return true;
    }
    for (const std::uint64_t half : halves) {
      choice_.mask = half;
      if (try_out()) return true;
    }
    return false;
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
    choice_.mask = 0;
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
    alone_ = choice_;
    return true;
  }

  AllocationSearch& result_;
  const RunWithHeap& run_;
  const DescribeSites& describe_;
  HeapChoice choice_, nothing_;
  HeapChoice alone_; ///< what was found
  HeapAnswer last_;  ///< of the last run
  bool differs_from_alone_ = false;
};

std::string after(const AllocationSearch& result) {
  return " (" + counted(result.runs, "further run") + ")" + result.remark;
}

std::string describe(const AllocationSearch& result) {
  const bool is_fill = result.perturbation != "aslr";
  const std::string memory = "memory allocated at " + result.place;
  const std::string all = "with all allocations" + std::string(is_fill ? " filled" : " moved");
  switch (result.result) {
  case AllocationSearch::Result::proved:
    return memory +
           (is_fill ? ": filling it alone changes the result; usually it is read before anything wrote it"
                    : ": moving it alone changes the result; usually its address is part of that") +
           after(result);
  case AllocationSearch::Result::elsewhere:
    return (is_fill ? "it was not found among what malloc gives: " + all +
                          " what differed is the same. What is left is memory that was freed, that of a GPU, "
                          "and what is allocated past malloc"
                    : "it was not found among the addresses that malloc gives: " + all + " by each of " +
                          std::to_string(std::size(distances)) + " distances, and with " +
                          std::to_string(std::size(halves)) +
                          " halves of them moved away from the rest, what differed is the same. What is left "
                          "are addresses of the stack, of code and static data, of memory that the program "
                          "maps itself or allocates past malloc, and single bits or distances of addresses "
                          "that all of these left as they were") +
           after(result);
  case AllocationSearch::Result::together:
    return "no single allocation was found: " + all +
           " the result differs, and with none of them alone. Several may matter together, or threads race "
           "to allocate" +
           after(result);
  case AllocationSearch::Result::stopped:
    break;
  }
  return "stopped: " + result.why + after(result);
}

} // namespace

bool can_search_allocations(const std::string& perturbation) {
  return perturbation.starts_with("fill") || perturbation == "aslr";
}

AllocationSearch search_allocations(const std::string& perturbation, const RunWithHeap& run,
                                    const DescribeSites& describe_sites) {
  AllocationSearch result;
  result.perturbation = perturbation;
  try {
    result.result = Search(result, run, describe_sites).find();
  } catch (const Stopped& stopped) {
    result.why = stopped.why;
  } catch (const std::runtime_error& error) { // of what the last run described
    result.why = printable(error.what());
  }
  if (result.result == AllocationSearch::Result::stopped) {
    result.place.clear();
    result.size = 0;
  }
  result.text = describe(result);
  return result;
}

} // namespace detshim
