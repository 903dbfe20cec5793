// cuDNN's convolution search: no timing, deterministic algorithms alone, always in the same order.
//
// cudnnFind* runs every algorithm and sorts by measured time, so the first one differs from run to
// run. cudnnGet*_v7 asks a heuristic, which does not, but may rank a nondeterministic algorithm
// first. Find is answered from Get's list, filtered; where an old library has no Get, from its own
// list, filtered and put in order of the algorithm's number.
#include "core/tuning/tuning.h"
#include "hooks/cudnn/library.h"
#include "hooks/support/functions.h"

namespace detshim {
namespace {

using namespace abi;
using Perf = cudnnConvolutionAlgoPerf;

constexpr int algorithm_limit =
    32; // cuDNN has at most 8 of a kind; the array's size is the caller's

bool is_usable(const Perf& result) {
  return result.status == cudnnStatus::success &&
         result.determinism == cudnnDeterminism::deterministic;
}

/// A search's answer before the caller's array is filled.
struct Candidates {
  int count = 0;
  Perf list[algorithm_limit];
};

/// Those that run come first, then the lower number.
void sort_by_algorithm(Candidates& candidates) {
  const auto place = [](const Perf& candidate) {
    return (candidate.status != cudnnStatus::success ? 1 << 20 : 0) + candidate.algo * 16 +
           candidate.math_type;
  };
  for (int end = 1; end < candidates.count; ++end)
    for (int i = end; i > 0 && place(candidates.list[i]) < place(candidates.list[i - 1]); --i) {
      const Perf later = candidates.list[i - 1];
      candidates.list[i - 1] = candidates.list[i], candidates.list[i] = later;
    }
}

/// What a program asked for, and what the library can say.
struct Search {
  int requested;
  int* returned;
  Perf* results;
  size_t workspace; ///< bytes that the caller has, or can have; the largest number where that is
                    ///< not known

  bool fits(const Perf& result) const { return is_usable(result) && result.memory <= workspace; }
};

/// What is recorded of an answer.
struct Outcome {
  Action action;
  Reason why;
};

/// The deterministic candidates that fit go to the caller's array, in their order. How many went
/// there.
int fill(const Search& search, const Candidates& candidates) {
  int& count = *search.returned;
  count = 0;
  for (int i = 0; i < candidates.count && count < search.requested; ++i)
    if (search.fits(candidates.list[i]))
      search.results[count++] = candidates.list[i];
  return count;
}

/// The whole list as it is, as far as the array goes.
void fill_with_all(const Search& search, const Candidates& candidates) {
  *search.returned = candidates.count < search.requested ? candidates.count : search.requested;
  for (int i = 0; i < *search.returned; ++i)
    search.results[i] = candidates.list[i];
}

/// Why nothing was filled in.
Reason why_nothing_serves(const Candidates& candidates) {
  for (int i = 0; i < candidates.count; ++i)
    if (is_usable(candidates.list[i]))
      return Reason::workspace_too_small;
  return Reason::no_deterministic_algorithm;
}

/// Fills the caller's array and records it as `outcome` says; where nothing deterministic serves,
/// strict refuses and else the whole list goes there.
template <typename Call>
cudnnStatus answer(const Call& call, const Search& search, const Candidates& candidates,
                   Outcome outcome) {
  if (fill(search, candidates) == 0 && options().strict()) {
    call.record(Action::refuse, why_nothing_serves(candidates),
                {static_cast<int64_t>(candidates.count), 0, ""});
    return cudnn_not_supported(call.hook());
  }
  if (*search.returned == 0) {
    fill_with_all(search, candidates);
    outcome = {Action::nondeterministic, why_nothing_serves(candidates)};
  }
  const int effective = *search.returned;
  call.record(outcome.action, outcome.why,
              {static_cast<int64_t>(candidates.count), static_cast<int64_t>(effective),
               effective > 0 ? static_cast<int64_t>(search.results[0].algo) : int64_t{-1}});
  return cudnnStatus::success;
}

/// The library's answer as it is.
template <typename Call>
void record_unchanged(const Call& call, const Search& search, Reason why) {
  const int64_t count = *search.returned;
  call.record(Action::nondeterministic, why, {count, count, ""});
}

/// Gives the algorithms that run times which rise from one to the next, so that a caller that sorts
/// by them keeps the order. They are the same in every run and for every problem.
void set_synthetic_times(const Search& search) {
  float before = 0;
  for (int i = 0; i < *search.returned; ++i)
    if (search.results[i].status == cudnnStatus::success)
      before = search.results[i].time = before + 0.001F;
}

/// Bytes of the current device's memory that are free; the largest number where the driver cannot
/// be asked. Source: cuda.h, cuMemGetInfo.
size_t free_memory() {
  using Get = int(size_t*, size_t*);
  auto* const get = reinterpret_cast<Get*>(const_cast<void*>(find_symbol("cuMemGetInfo_v2")));
  size_t available = 0, all = 0;
  return get != nullptr && get(&available, &all) == 0 ? available : ~size_t{0};
}

bool is_answerable(const Search& search) {
  return search.requested > 0 && search.returned != nullptr && search.results != nullptr;
}

/// A Find hook's body. `find(count, returned, results)` calls the library; `whole` tells whether
/// all that it needs is there: what is not, the library has words for, and the heuristic may look
/// at less (cudnnGet…_v7 of 9.19 at no handle); `getter` is the heuristic, which a version before
/// cuDNN 7 lacks; `descriptors` are its first arguments, the handle among them.
template <typename Call, typename Find, typename... Descriptors>
cudnnStatus answer_find(const Call& call, const char* getter, const Search& search, bool whole,
                        Find find, Descriptors... descriptors) {
  if (call.passes() || !is_answerable(search))
    return find(search.requested, search.returned, search.results);
  const Autotune tuning = autotune();
  if (!options().forces() || !whole) {
    const cudnnStatus status = find(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      record_unchanged(call, search, Reason::timed_list);
    return status;
  }
  Candidates candidates;
  const auto time_all = [&] {
    candidates.count = 0;
    return find(algorithm_limit, &candidates.count, candidates.list);
  };
  if (tuning == Autotune::off || tuning == Autotune::record) {
    if (const cudnnStatus status = time_all(); status != cudnnStatus::success)
      return status;
    return answer(call, search, candidates,
                  {Action::nondeterministic,
                   tuning == Autotune::off ? Reason::timed_list : Reason::choice_cannot_be_kept});
  }
  Reason why = Reason::answered_by_heuristic;
  const bool is_from_heuristic =
      ask_cudnn(call.hook(), getter, descriptors..., algorithm_limit, &candidates.count,
                +candidates.list) == cudnnStatus::success &&
      candidates.count > 0;
  // Where nothing deterministic serves: the library's own answer, with what it says of those that
  // do not run, but in an order that time does not choose.
  if (!is_from_heuristic || (fill(search, candidates) == 0 && !options().strict())) {
    if (const cudnnStatus status = time_all(); status != cudnnStatus::success)
      return status;
    sort_by_algorithm(candidates);
    why = Reason::timed_list_sorted;
  }
  const cudnnStatus status = answer(call, search, candidates, {Action::replace, why});
  set_synthetic_times(search);
  return status;
}

constexpr size_t any_workspace = ~size_t{0};

constexpr char forward[] = "cudnnGetConvolutionForwardAlgorithm_v7";
constexpr char backward_data[] = "cudnnGetConvolutionBackwardDataAlgorithm_v7";
constexpr char backward_filter[] = "cudnnGetConvolutionBackwardFilterAlgorithm_v7";

// The three directions take their descriptors in one order: what comes in, what comes with it, the
// convolution, and what goes out; the long form with the data behind each.

/// The short form of Find: the caller allocates what it takes in the end.
template <const auto& getter, typename Call>
cudnnStatus find(const Call& call, Word handle, Word a, Word b, Word convolution, Word c,
                 int requested, int* returned, Perf* results) {
  return answer_find(
      call, getter, {requested, returned, results, call.passes() ? any_workspace : free_memory()},
      are_there(handle, a, b, convolution, c),
      [&](int count, int* number, Perf* list) {
        return call.real(handle, a, b, convolution, c, count, number, list);
      },
      handle, a, b, convolution, c);
}

template <const auto& getter, typename Call>
cudnnStatus find_ex(const Call& call, Word handle, Word a, Word a_data, Word b, Word b_data,
                    Word convolution, Word c, Word c_data, int requested, int* returned,
                    Perf* results, void* workspace, size_t workspace_size) {
  return answer_find(
      call, getter, {requested, returned, results, workspace != nullptr ? workspace_size : 0},
      are_there(handle, a, a_data, b, b_data, convolution, c, c_data),
      [&](int count, int* number, Perf* list) {
        return call.real(handle, a, a_data, b, b_data, convolution, c, c_data, count, number, list,
                         workspace, workspace_size);
      },
      handle, a, b, convolution, c);
}

template <typename Call>
cudnnStatus get_v7(const Call& call, Word handle, Word a, Word b, Word convolution, Word c,
                   int requested, int* returned, Perf* results) {
  const Search search = {requested, returned, results, any_workspace};
  const auto get = [&](int count, int* number, Perf* list) {
    return call.real(handle, a, b, convolution, c, count, number, list);
  };
  if (call.passes() || !is_answerable(search))
    return get(search.requested, search.returned, search.results);
  if (!options().forces()) {
    const cudnnStatus status = get(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      record_unchanged(call, search, Reason::may_be_nondeterministic);
    return status;
  }
  Candidates candidates;
  if (const cudnnStatus status = get(algorithm_limit, &candidates.count, candidates.list);
      status != cudnnStatus::success)
    return status;
  return answer(call, search, candidates, {Action::replace, Reason::deterministic_ones_alone});
}

constexpr Description gets_deterministic = {
    .action = Action::replace,
    .fields = {"found"_out, "effective"_out, "first"_out},
    .lists_algorithms = true,
    .summary = "Keeps the deterministic algorithms, in the heuristic's order.",
};
constexpr Description finds_without_timing = {
    .action = Action::replace,
    .fields = {"found"_out, "effective"_out, "first"_out},
    .lists_algorithms = true,
    .summary = "Answers without timing: the deterministic algorithms in the heuristic's order, at "
               "most the "
               "array's size.",
};

using Short =
    OutermostCall<cudnnStatus(Word, Word, Word, Word, Word, int requested, int* returned, Perf*)>;
using Ex = OutermostCall<cudnnStatus(Word, Word, Word, Word, Word, Word, Word, Word, int requested,
                                     int* returned, Perf*, void* workspace, size_t workspace_size)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnGetConvolutionForwardAlgorithm_v7, get_v7,
                      gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnFindConvolutionForwardAlgorithm, find<forward>,
                      finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, Ex, cudnnFindConvolutionForwardAlgorithmEx, find_ex<forward>,
                      finds_without_timing);

DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnGetConvolutionBackwardDataAlgorithm_v7, get_v7,
                      gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnFindConvolutionBackwardDataAlgorithm, find<backward_data>,
                      finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, Ex, cudnnFindConvolutionBackwardDataAlgorithmEx,
                      find_ex<backward_data>, finds_without_timing);

DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnGetConvolutionBackwardFilterAlgorithm_v7, get_v7,
                      gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Short, cudnnFindConvolutionBackwardFilterAlgorithm,
                      find<backward_filter>, finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, Ex, cudnnFindConvolutionBackwardFilterAlgorithmEx,
                      find_ex<backward_filter>, finds_without_timing);
