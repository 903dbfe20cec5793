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

class Search {
public:
  Search(AllocationSearch& result, const RunWithHeap& run) : result_(result), run_(run) {
    choice_.change = result.knob == "fill" ? HeapChange::fill : HeapChange::move;
    choice_.distance = distance;
  }

  /// The site, alone in `choice`; false where there is none, and the result says why.
  bool find() {
    look_at_reference();
    if (!differs_with_all()) return false;
    const std::uint64_t found = first_that_matters();
    choice_.refined = found;
    choice_.first = 0;
    choice_.last = ~std::uint64_t{0};
    if (!try_out()) return needs_others();
    if (sites_.size() < 2) return true;
    const std::uint64_t refined = first_that_matters();
    choice_.first = choice_.last = refined;
    return try_out() || needs_others();
  }

private:
  HeapRun checked(bool is_reference) {
    ++result_.runs;
    HeapRun run = run_(choice_, is_reference);
    if (!run.cannot_be_used.empty()) throw Stopped{run.cannot_be_used};
    if (run.answer.processes == 0) throw Stopped{"libdetshim_heap.so does not come up in the program"};
    if (run.answer.is_foreign)
      throw Stopped{
          "the program's allocator is not libc's (another one is preloaded): what it allocates is not seen"};
    return run;
  }

  /// True if the run differs. The list of sites is what was seen in it.
  bool try_out() {
    const HeapRun run = checked(false);
    sites_ = run.answer.sites;
    unmoved_ = run.answer.unmoved;
    is_list_whole_ = run.answer.unlisted == 0;
    return run.differs;
  }

  /// Nothing is changed. Where the library alone makes the program another one it must do so each time.
  void look_at_reference() {
    choice_.first = 1;
    choice_.last = 0;
    const HeapRun reference = checked(true);
    if (reference.answer.sites.empty())
      throw Stopped{"no allocation came to libdetshim_heap.so: the program has an allocator of its own"};
    if (reference.differs && try_out())
      throw Stopped{"with libdetshim_heap.so in it two runs of the program differ with nothing changed"};
  }

  bool differs_with_all() {
    choice_.first = 0;
    choice_.last = ~std::uint64_t{0};
    bool differs = try_out();
    if (!differs && choice_.change == HeapChange::move) { // a hash may be the same by chance
      choice_.distance = other_distance;
      differs = try_out();
    }
    result_.sites = sites_.size();
    if (differs) return true;
    result_.result = AllocationSearch::Result::elsewhere;
    if (unmoved_ > 0) left_out_ = "; " + counted(unmoved_, "allocation") + " found no other place";
    return false;
  }

  /// The site with which, when all up to it in the list are changed, the result first differs. All are known
  /// to do.
  std::uint64_t first_that_matters() {
    const std::vector<std::uint64_t> sites = sites_;
    const bool is_list_whole = is_list_whole_;
    std::size_t equal = 0, differing = sites.size(); // so many of the list
    while (differing - equal > 1) {
      const std::size_t middle = equal + (differing - equal) / 2;
      choice_.first = 0;
      choice_.last = sites[middle - 1];
      (try_out() ? differing : equal) = middle;
    }
    if (!is_list_whole) left_out_ = "; more sites allocate than were listed";
    return sites[differing - 1];
  }

  bool needs_others() {
    result_.result = AllocationSearch::Result::together;
    return false;
  }

  AllocationSearch& result_;
  const RunWithHeap& run_;
  HeapChoice choice_;
  std::vector<std::uint64_t> sites_;
  std::uint64_t unmoved_ = 0;
  bool is_list_whole_ = true;

public:
  std::string left_out_;
};

std::string proved_text(const AllocationSearch& result) {
  const std::string memory = "memory allocated at " + result.place;
  return (result.knob == "fill" ? memory + " is read before anything wrote it"
                                : "the address of " + memory + " is part of the result") +
         " (" + counted(result.runs, "further run") + ")";
}

std::string elsewhere_text(const AllocationSearch& result) {
  const std::string end = " (" + counted(result.runs, "further run") + ")";
  if (result.knob == "fill")
    return "not what malloc gives: with all that " + counted(result.sites, "place") +
           " got filled the result is the same; what is left is memory that was freed, or a GPU's" + end;
  return "no address of what malloc gives: with all that " + counted(result.sites, "place") +
         " got moved the result is the same; what is left are addresses of the stack, of code and static "
         "data, and of "
         "memory that the program maps itself" +
         end;
}

std::string together_text(const AllocationSearch& result) {
  const std::string what = result.knob == "fill" ? "filled" : "moved";
  return "no single allocation: " + what + " alone, that at " +
         (result.place.empty() ? "the place found" : result.place) +
         " leaves the result as it was, and together with others it does not (" +
         counted(result.runs, "further run") + ")";
}

} // namespace

bool can_search_allocations(const std::string& knob) { return knob == "fill" || knob == "aslr"; }

AllocationSearch search_allocations(const std::string& knob, const RunWithHeap& run,
                                    const std::function<std::vector<HeapSite>()>& describe) {
  using Result = AllocationSearch::Result;
  AllocationSearch result;
  result.knob = knob;
  Search search(result, run);
  try {
    const bool is_proved = search.find();
    if (is_proved || result.result == Result::together)
      if (const std::vector<HeapSite> sites = describe(); sites.size() == 1) {
        result.place = sites.front().place;
        result.size = sites.front().size;
      }
    if (is_proved) result.result = result.place.empty() ? Result::stopped : Result::proved;
  } catch (const Stopped& stopped) {
    result.text = "the allocation was not searched to the end: " + stopped.why + " (" +
                  counted(result.runs, "further run") + ")";
    return result;
  }
  result.text = result.result == Result::proved     ? proved_text(result)
                : result.result == Result::together ? together_text(result)
                : result.result == Result::elsewhere
                    ? elsewhere_text(result)
                    : "the place was not described by the run that it was proved by";
  result.text += search.left_out_;
  return result;
}

} // namespace detshim
