// cuDNN's convolution search: no timing, deterministic algorithms alone, always in the same order; or, with
// DETSHIM_AUTOTUNE=record:FILE and replay:FILE, in the order of an earlier run's timing.
//
// cudnnFind* runs every algorithm and sorts by measured time, so the first one differs from run to run.
// cudnnGet*_v7 asks a heuristic, which does not, but may rank a nondeterministic algorithm first. Find is
// answered from Get's list, filtered; where an old library has no Get, from its own list, filtered and put in
// order of the algorithm's number.
#include "hooks/cudnn/search_tuning.h"

namespace detshim {
namespace {

using namespace abi;
using Perf = cudnnConvolutionAlgoPerf;

constexpr int algorithm_limit = 32; // cuDNN has at most 8 of a kind; the array's size is the caller's

bool is_usable(const Perf& result) {
  return result.status == cudnnStatus::success && result.determinism == cudnnDeterminism::deterministic;
}

/// Whether a result comes before another one: those that run first, then by the algorithm's number.
bool comes_before(const Perf& a, const Perf& b) {
  const bool runs[] = {a.status == cudnnStatus::success, b.status == cudnnStatus::success};
  if (runs[0] != runs[1]) return runs[0];
  return a.algo != b.algo ? a.algo < b.algo : a.math_type < b.math_type;
}

void sort_by_algorithm(Perf* results, int count) {
  for (int i = 1; i < count; ++i) {
    const Perf moved = results[i];
    int at = i;
    for (; at > 0 && comes_before(moved, results[at - 1]); --at) results[at] = results[at - 1];
    results[at] = moved;
  }
}

/// A search's answer before the caller's array is filled.
struct Candidates {
  int count = 0;
  Perf list[algorithm_limit];
};

/// What a program asked for, and what the library can say.
struct Search {
  int requested;
  int* returned;
  Perf* results;
  size_t workspace; ///< bytes that the caller has, or can have; the largest number where that is not known
};

/// What is recorded of an answer.
struct Outcome {
  Action action;
  Reason why;
};

/// The deterministic candidates that fit go to the caller's array, in their order. Their number, without
/// regard to the array's size.
int fill(const Search& search, const Candidates& candidates) {
  int fitting = 0;
  for (int i = 0; i < candidates.count; ++i)
    if (is_usable(candidates.list[i]) && candidates.list[i].memory <= search.workspace)
      if (++fitting <= search.requested) search.results[fitting - 1] = candidates.list[i];
  if (fitting != 0) *search.returned = fitting < search.requested ? fitting : search.requested;
  return fitting;
}

/// The whole list as it is, as far as the array goes.
void fill_with_all(const Search& search, const Candidates& candidates) {
  *search.returned = candidates.count < search.requested ? candidates.count : search.requested;
  for (int i = 0; i < *search.returned; ++i) search.results[i] = candidates.list[i];
}

template <typename Call>
void record(const Call& call, const Search& search, const Candidates& candidates, Outcome outcome) {
  const int given = *search.returned;
  call.record(outcome.action, outcome.why,
              {static_cast<int64_t>(candidates.count), static_cast<int64_t>(given),
               given > 0 ? static_cast<int64_t>(search.results[0].algo) : int64_t{-1}});
}

/// Why nothing was filled in.
Reason why_nothing_serves(const Candidates& candidates) {
  for (int i = 0; i < candidates.count; ++i)
    if (is_usable(candidates.list[i])) return Reason::workspace_too_small;
  return Reason::no_deterministic_algorithm;
}

template <typename Call>
cudnnStatus refuse(const Call& call, const Search& search, const Candidates& candidates) {
  *search.returned = 0;
  call.record(Action::refuse, why_nothing_serves(candidates),
              {static_cast<int64_t>(candidates.count), 0, ""});
  return cudnn_not_supported(call);
}

/// Gives the algorithms that run times which rise from one to the next, so that a caller that sorts by them
/// keeps the order; the first one's is an estimate, so that callers may compare two searches.
template <typename Problem>
void set_synthetic_times(const Search& search, const Problem& problem, int output) {
  float before = 0;
  for (int i = 0; i < *search.returned; ++i) {
    Perf& result = search.results[i];
    if (result.status != cudnnStatus::success) continue;
    const float estimate = problem.estimate(result, output);
    const float least = before > 0 ? before * 1.001F : 0.001F;
    before = result.time = estimate > least ? estimate : least;
  }
}

/// Bytes of the current device's memory that are free; the largest number where the driver cannot be asked.
/// Source: cuda.h, cuMemGetInfo.
size_t free_memory() {
  using Get = int(size_t*, size_t*);
  auto* const get = reinterpret_cast<Get*>(const_cast<void*>(find_symbol("cuMemGetInfo_v2")));
  size_t available = 0, all = 0;
  return get != nullptr && get(&available, &all) == 0 ? available : ~size_t{0};
}

/// Whether all that a search needs is there. What is not, the library has words for: it is asked itself,
/// because the function that is asked in its place may look at less (cudnnGet…_v7 of 9.19 at no handle).
template <typename... Pointers>
bool is_whole(Pointers... pointers) {
  return ((pointers != nullptr) && ...);
}

bool is_answerable(const Search& search) {
  return search.requested > 0 && search.returned != nullptr && search.results != nullptr;
}

/// Keeps the order of a timed list. What is said of the search.
Reason keep_order(cudnn::ConvolutionProblem problem, const Perf* results, int count) {
  cudnn::KeptOrder order;
  for (int i = 0; i < count; ++i)
    if (is_usable(results[i])) order.add(results[i]);
  if (!problem.is_whole() || !order.is_whole() || *order.text() == 0 ||
      !keep_tuning(problem.names(), order.text()))
    return Reason::tuning_cannot_keep;
  return Reason::tuning_keeps_order;
}

/// Puts candidates in the kept order, where one is kept that fits. What is said of the search.
Reason follow_kept_order(cudnn::ConvolutionProblem problem, size_t workspace, Candidates& candidates) {
  cudnn::KeptOrder order;
  if (!problem.is_whole() || !order.find(problem)) return Reason::not_in_tuning_file;
  Candidates fitting;
  for (int i = 0; i < candidates.count; ++i)
    if (is_usable(candidates.list[i]) && candidates.list[i].memory <= workspace)
      fitting.list[fitting.count++] = candidates.list[i];
  const int kept = order.sort(fitting.list, fitting.count);
  if (kept == 0) return Reason::kept_choice_not_offered;
  fitting.count = kept;
  candidates = fitting;
  return Reason::kept_choice;
}

/// What a direction's searches have in common.
struct Direction {
  const char* operation; ///< as the tuning file names it
  const char* getter;    ///< the heuristic, which a version before cuDNN 7 lacks
  int output;            ///< ConvolutionProblem::estimate's
};
constexpr Direction forward = {"convolution Forward", "cudnnGetConvolutionForwardAlgorithm_v7", 1};
constexpr Direction backward_data = {"convolution BackwardData",
                                     "cudnnGetConvolutionBackwardDataAlgorithm_v7", 0};
constexpr Direction backward_filter = {"convolution BackwardFilter",
                                       "cudnnGetConvolutionBackwardFilterAlgorithm_v7", 1};

/// A Find hook's body. `find(count, returned, results)` calls the library; `whole` tells whether all that it
/// needs is there; `descriptors` are the short form's first arguments, the handle among them.
template <typename Call, typename Find, typename... Descriptors>
cudnnStatus answer_find(const Call& call, const Direction& direction, const Search& search, bool whole,
                        Find find, Descriptors... descriptors) {
  const auto problem = [&] { return cudnn::ConvolutionProblem(call, direction.operation, descriptors...); };
  const auto get = [&](int count, int* number, Perf* list) {
    auto* const heuristic =
        call.template beside<cudnnStatus(Descriptors..., int, int*, Perf*)>(direction.getter);
    return heuristic != nullptr ? heuristic(descriptors..., count, number, list) : cudnnStatus::not_supported;
  };
  if (call.passes() || !is_answerable(search)) return find(search.requested, search.returned, search.results);
  record_cudnn_once(call);
  const Autotune tuning = autotune();
  if (!options().forces() || !whole) {
    const cudnnStatus status = find(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      call.record(Action::unfixed,
                  !whole                       ? Reason::timed_list
                  : tuning == Autotune::record ? keep_order(problem(), search.results, *search.returned)
                                               : Reason::timed_list,
                  {static_cast<int64_t>(*search.returned), static_cast<int64_t>(*search.returned), ""});
    return status;
  }
  Candidates candidates;
  const auto time_all = [&] {
    candidates.count = 0;
    return find(algorithm_limit, &candidates.count, candidates.list);
  };
  if (tuning == Autotune::off || tuning == Autotune::record) {
    if (tuning == Autotune::record) { // a wrong file is refused now, not after the search
      cudnn::KeptOrder before;
      auto named = problem();
      before.find(named);
    }
    const cudnnStatus status = time_all();
    if (status != cudnnStatus::success) return status;
    const Reason why = tuning == Autotune::record ? keep_order(problem(), candidates.list, candidates.count)
                                                  : Reason::timed_list;
    if (fill(search, candidates) != 0) {
      record(call, search, candidates, {Action::unfixed, why});
      return status;
    }
    if (options().strict()) return refuse(call, search, candidates);
    fill_with_all(search, candidates);
    record(call, search, candidates, {Action::unfixed, why_nothing_serves(candidates)});
    return status;
  }
  Reason why = Reason::answered_by_heuristic;
  const bool is_from_heuristic =
      get(algorithm_limit, &candidates.count, candidates.list) == cudnnStatus::success &&
      candidates.count > 0;
  if (!is_from_heuristic) {
    if (const cudnnStatus status = time_all(); status != cudnnStatus::success) return status;
    sort_by_algorithm(candidates.list, candidates.count);
    why = Reason::timed_list_sorted;
  }
  if (tuning == Autotune::replay) why = follow_kept_order(problem(), search.workspace, candidates);
  if (fill(search, candidates) != 0) {
    set_synthetic_times(search, problem(), direction.output);
    record(call, search, candidates, {Action::replace, why});
    return cudnnStatus::success;
  }
  if (options().strict()) return refuse(call, search, candidates);
  // Nothing deterministic serves: the library's own answer, with what it says of those that do not run, but
  // in an order that time does not choose.
  why = why_nothing_serves(candidates);
  if (is_from_heuristic)
    if (const cudnnStatus status = time_all(); status != cudnnStatus::success) return status;
  sort_by_algorithm(candidates.list, candidates.count);
  fill_with_all(search, candidates);
  set_synthetic_times(search, problem(), direction.output);
  record(call, search, candidates, {Action::unfixed, why});
  return cudnnStatus::success;
}

constexpr size_t any_workspace = ~size_t{0};

// The three directions take their descriptors in one order: what comes in, what comes with it, the
// convolution, and what goes out; the long form with the data behind each.

/// The short form of Find: the caller allocates what it takes in the end.
template <const Direction& direction, typename Call, typename A, typename B, typename C>
cudnnStatus find(const Call& call, cudnnHandle_t handle, A a, B b, cudnnConvolutionDescriptor_t convolution,
                 C c, int requested, int* returned, Perf* results) {
  return answer_find(
      call, direction, {requested, returned, results, call.passes() ? any_workspace : free_memory()},
      is_whole(handle, a, b, convolution, c),
      [&](int count, int* number, Perf* list) {
        return call.real(handle, a, b, convolution, c, count, number, list);
      },
      handle, a, b, convolution, c);
}

template <const Direction& direction, typename Call, typename A, typename B, typename C>
cudnnStatus find_ex(const Call& call, cudnnHandle_t handle, A a, const void* a_data, B b, const void* b_data,
                    cudnnConvolutionDescriptor_t convolution, C c, void* c_data, int requested, int* returned,
                    Perf* results, void* workspace, size_t workspace_size) {
  return answer_find(
      call, direction, {requested, returned, results, workspace != nullptr ? workspace_size : 0},
      is_whole(handle, a, a_data, b, b_data, convolution, c, c_data),
      [&](int count, int* number, Perf* list) {
        return call.real(handle, a, a_data, b, b_data, convolution, c, c_data, count, number, list, workspace,
                         workspace_size);
      },
      handle, a, b, convolution, c);
}

template <typename Call, typename A, typename B, typename C>
cudnnStatus get_v7(const Call& call, cudnnHandle_t handle, A a, B b, cudnnConvolutionDescriptor_t convolution,
                   C c, int requested, int* returned, Perf* results) {
  const Search search = {requested, returned, results, any_workspace};
  const auto get = [&](int count, int* number, Perf* list) {
    return call.real(handle, a, b, convolution, c, count, number, list);
  };
  if (call.passes() || !is_answerable(search)) return get(search.requested, search.returned, search.results);
  record_cudnn_once(call);
  if (!options().forces()) {
    const cudnnStatus status = get(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      call.record(Action::unfixed, Reason::may_be_nondeterministic,
                  {static_cast<int64_t>(*search.returned), static_cast<int64_t>(*search.returned), ""});
    return status;
  }
  Candidates candidates;
  const cudnnStatus status = get(algorithm_limit, &candidates.count, candidates.list);
  if (status != cudnnStatus::success) return status;
  if (fill(search, candidates) != 0) {
    record(call, search, candidates, {Action::replace, Reason::deterministic_ones_alone});
    return status;
  }
  if (options().strict()) return refuse(call, search, candidates);
  fill_with_all(search, candidates);
  record(call, search, candidates, {Action::unfixed, why_nothing_serves(candidates)});
  return status;
}

constexpr Description gets_deterministic = {
    .action = Action::replace,
    .fields = {"found", "given", "first"},
    .summary = "Keeps the deterministic algorithms, in the heuristic's order.",
};
constexpr Description finds_without_timing = {
    .action = Action::replace,
    .fields = {"found", "given", "first"},
    .summary = "Answers without timing: the deterministic algorithms in the heuristic's order, at most the "
               "array's size.",
};

template <typename A, typename B, typename C>
using Short =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, A a, B b, cudnnConvolutionDescriptor_t convolution, C c,
                              int requested, int* returned, Perf* results)>;
template <typename A, typename B, typename C>
using Ex =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, A a, const void* a_data, B b, const void* b_data,
                              cudnnConvolutionDescriptor_t convolution, C c, void* c_data, int requested,
                              int* returned, Perf* results, void* workspace, size_t workspace_size)>;
using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using Forward = Short<Tensor, Filter, Tensor>; // x, w, y
using ForwardEx = Ex<Tensor, Filter, Tensor>;
using Data = Short<Filter, Tensor, Tensor>; // w, dy, dx
using DataEx = Ex<Filter, Tensor, Tensor>;
using Weights = Short<Tensor, Tensor, Filter>; // x, dy, dw
using WeightsEx = Ex<Tensor, Tensor, Filter>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, Forward, cudnnGetConvolutionForwardAlgorithm_v7, get_v7, gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Forward, cudnnFindConvolutionForwardAlgorithm, find<forward>,
                      finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, ForwardEx, cudnnFindConvolutionForwardAlgorithmEx, find_ex<forward>,
                      finds_without_timing);

DETSHIM_TEMPLATE_HOOK(cudnn, Data, cudnnGetConvolutionBackwardDataAlgorithm_v7, get_v7, gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Data, cudnnFindConvolutionBackwardDataAlgorithm, find<backward_data>,
                      finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, DataEx, cudnnFindConvolutionBackwardDataAlgorithmEx, find_ex<backward_data>,
                      finds_without_timing);

DETSHIM_TEMPLATE_HOOK(cudnn, Weights, cudnnGetConvolutionBackwardFilterAlgorithm_v7, get_v7,
                      gets_deterministic);
DETSHIM_TEMPLATE_HOOK(cudnn, Weights, cudnnFindConvolutionBackwardFilterAlgorithm, find<backward_filter>,
                      finds_without_timing);
DETSHIM_TEMPLATE_HOOK(cudnn, WeightsEx, cudnnFindConvolutionBackwardFilterAlgorithmEx,
                      find_ex<backward_filter>, finds_without_timing);
