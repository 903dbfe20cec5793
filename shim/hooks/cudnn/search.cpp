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

void sort_by_algorithm(Perf* results, int count) {
  for (int i = 1; i < count; ++i) {
    const Perf moved = results[i];
    int at = i;
    for (; at > 0 && (results[at - 1].algo > moved.algo ||
                      (results[at - 1].algo == moved.algo && results[at - 1].math_type > moved.math_type));
         --at)
      results[at] = results[at - 1];
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
  size_t workspace; ///< bytes that the caller has; the largest number where it gave none
};

enum class Times : uint8_t {
  made_up, ///< rising, so that a caller that sorts by them keeps the order
  measured,
};

/// What is said of an answer.
struct Reason {
  Action action;
  const char* why;
  Times times = Times::made_up;
};

/// Gives the caller the deterministic candidates that fit, in their order. Its own status is the caller's
/// answer.
template <typename Call>
cudnnStatus give(const Call& call, const Search& search, const Candidates& candidates, Reason reason) {
  int usable = 0;
  int fitting = 0;
  int given = 0;
  for (int i = 0; i < candidates.count; ++i) {
    if (!is_usable(candidates.list[i])) continue;
    ++usable;
    if (candidates.list[i].memory > search.workspace) continue;
    ++fitting;
    if (given >= search.requested) continue;
    search.results[given] = candidates.list[i];
    if (reason.times == Times::made_up) search.results[given].time = static_cast<float>(given + 1);
    ++given;
  }
  if (fitting != 0) {
    *search.returned = given;
    call.record(reason.action, reason.why,
                {static_cast<int64_t>(candidates.count), static_cast<int64_t>(given),
                 given > 0 ? static_cast<int64_t>(search.results[0].algo) : int64_t{-1}});
    return cudnnStatus::success;
  }
  // Nothing deterministic serves: the library's own list stays as it is, or the call fails (strict).
  const char* const why =
      usable == 0 ? "every algorithm is nondeterministic" : "no deterministic algorithm fits the workspace";
  if (options().strict()) {
    *search.returned = 0;
    call.record(Action::refuse, why, {static_cast<int64_t>(candidates.count), 0, ""});
    return cudnn_not_supported(call);
  }
  for (int i = 0; i < candidates.count && given < search.requested; ++i)
    if (candidates.list[i].memory <= search.workspace) search.results[given++] = candidates.list[i];
  *search.returned = given;
  call.record(Action::unfixed, why,
              {static_cast<int64_t>(candidates.count), static_cast<int64_t>(given),
               given > 0 ? static_cast<int64_t>(search.results[0].algo) : int64_t{-1}});
  return cudnnStatus::success;
}

bool is_answerable(const Search& search) {
  return search.requested > 0 && search.returned != nullptr && search.results != nullptr;
}

/// Keeps the order of a timed list. What is said of the search.
const char* keep_order(cudnn::ConvolutionProblem problem, const Perf* results, int count) {
  cudnn::KeptOrder order;
  for (int i = 0; i < count; ++i)
    if (is_usable(results[i])) order.add(results[i]);
  if (!problem.is_whole() || !order.is_whole() || *order.text() == 0 ||
      !keep_tuning(problem.names(), order.text()))
    return "sorted by measured time; the tuning file cannot keep this search";
  return "sorted by measured time; the tuning file keeps the order";
}

/// Puts candidates in the kept order, where one is kept that fits. What is said of the search.
const char* follow_kept_order(cudnn::ConvolutionProblem problem, size_t workspace, Candidates& candidates) {
  cudnn::KeptOrder order;
  if (!problem.is_whole() || !order.find(problem))
    return "not in the tuning file: answered from the heuristic";
  Candidates fitting;
  for (int i = 0; i < candidates.count; ++i)
    if (is_usable(candidates.list[i]) && candidates.list[i].memory <= workspace)
      fitting.list[fitting.count++] = candidates.list[i];
  const int kept = order.sort(fitting.list, fitting.count);
  if (kept == 0) return "the library does not offer what the tuning file keeps: answered from the heuristic";
  fitting.count = kept;
  candidates = fitting;
  return "in the order that the tuning file keeps";
}

/// A Find hook's body. `find(count, returned, results)` and `get(…)` call the library; `get` answers -1 where
/// it has none. `problem()` names the search.
template <typename Call, typename Find, typename Get, typename Problem>
cudnnStatus answer_find(const Call& call, const Search& search, Find find, Get get, Problem problem) {
  if (call.passes() || !is_answerable(search)) return find(search.requested, search.returned, search.results);
  record_cudnn_once(call);
  const Autotune tuning = autotune();
  Candidates candidates;
  if (!options().forces()) {
    const cudnnStatus status = find(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      call.record(Action::unfixed,
                  tuning == Autotune::record ? keep_order(problem(), search.results, *search.returned)
                                             : "sorted by measured time; this mode leaves algorithms alone",
                  {static_cast<int64_t>(*search.returned), static_cast<int64_t>(*search.returned), ""});
    return status;
  }
  if (tuning == Autotune::off || tuning == Autotune::record) {
    if (tuning == Autotune::record) { // a wrong file is refused now, not after the search
      cudnn::KeptOrder before;
      auto named = problem();
      before.find(named);
    }
    const cudnnStatus status = find(algorithm_limit, &candidates.count, candidates.list);
    if (status != cudnnStatus::success) return status;
    const char* const why = tuning == Autotune::record
                                ? keep_order(problem(), candidates.list, candidates.count)
                                : "sorted by measured time, as DETSHIM_AUTOTUNE=off says";
    return give(call, search, candidates, {Action::unfixed, why, Times::measured});
  }
  const char* why = "answered from the heuristic, nothing timed, deterministic ones alone";
  if (get(algorithm_limit, &candidates.count, candidates.list) != cudnnStatus::success ||
      candidates.count <= 0) {
    candidates.count = 0;
    const cudnnStatus status = find(algorithm_limit, &candidates.count, candidates.list);
    if (status != cudnnStatus::success) return status;
    sort_by_algorithm(candidates.list, candidates.count);
    why = "timed list put in order of the algorithm, deterministic ones alone";
  }
  if (tuning == Autotune::replay) why = follow_kept_order(problem(), search.workspace, candidates);
  return give(call, search, candidates, {Action::replace, why});
}

/// A Get_v7 hook's body.
template <typename Call, typename Get>
cudnnStatus answer_get(const Call& call, const Search& search, Get get) {
  if (call.passes() || !is_answerable(search)) return get(search.requested, search.returned, search.results);
  record_cudnn_once(call);
  if (!options().forces()) {
    const cudnnStatus status = get(search.requested, search.returned, search.results);
    if (status == cudnnStatus::success)
      call.record(Action::unfixed, "may name a nondeterministic one; this mode leaves algorithms alone",
                  {static_cast<int64_t>(*search.returned), static_cast<int64_t>(*search.returned), ""});
    return status;
  }
  Candidates candidates;
  const cudnnStatus status = get(algorithm_limit, &candidates.count, candidates.list);
  if (status != cudnnStatus::success) return status;
  return give(call, search, candidates,
              {Action::replace, "deterministic ones alone, in the heuristic's order"});
}

constexpr size_t any_workspace = ~size_t{0};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

#define DETSHIM_SEARCH .action = Action::replace, .fields = {"found", "given", "first"}
#define DETSHIM_FIND_SUMMARY                                                                                 \
  "Answers without timing: the deterministic algorithms in the heuristic's order, at most the array's size."

// One block a direction. DESCRIPTORS names the four descriptors of the short forms in their order; EX_PARAMS
// and EX_ARGUMENTS are those of the Ex form with the data pointers in between.
#define DETSHIM_CONVOLUTION_SEARCH(DIRECTION, PARAMS, DESCRIPTORS, EX_PARAMS, EX_ARGUMENTS)                  \
  DETSHIM_HOOK(cudnn, cudnnStatus, cudnnGetConvolution##DIRECTION##Algorithm_v7,                             \
               (DETSHIM_LIST PARAMS, int requested, int* returned, cudnnConvolutionAlgoPerf* results),       \
               DETSHIM_SEARCH, .summary = "Keeps the deterministic algorithms, in the heuristic's order.") { \
    DETSHIM_ENTER_OUTERMOST(cudnnGetConvolution##DIRECTION##Algorithm_v7);                                   \
    return answer_get(call, {requested, returned, results, any_workspace},                                   \
                      [&](int count, int* number, cudnnConvolutionAlgoPerf* list) {                          \
                        return call.real(DETSHIM_LIST DESCRIPTORS, count, number, list);                     \
                      });                                                                                    \
  }                                                                                                          \
  DETSHIM_HOOK(cudnn, cudnnStatus, cudnnFindConvolution##DIRECTION##Algorithm,                               \
               (DETSHIM_LIST PARAMS, int requested, int* returned, cudnnConvolutionAlgoPerf* results),       \
               DETSHIM_SEARCH, .summary = DETSHIM_FIND_SUMMARY) {                                            \
    DETSHIM_ENTER_OUTERMOST(cudnnFindConvolution##DIRECTION##Algorithm);                                     \
    auto* get = call.beside<hooks::cudnnGetConvolution##DIRECTION##Algorithm_v7_signature>(                  \
        "cudnnGetConvolution" #DIRECTION "Algorithm_v7");                                                    \
    return answer_find(                                                                                      \
        call, {requested, returned, results, any_workspace},                                                 \
        [&](int count, int* number, cudnnConvolutionAlgoPerf* list) {                                        \
          return call.real(DETSHIM_LIST DESCRIPTORS, count, number, list);                                   \
        },                                                                                                   \
        [&](int count, int* number, cudnnConvolutionAlgoPerf* list) {                                        \
          return get != nullptr ? get(DETSHIM_LIST DESCRIPTORS, count, number, list)                         \
                                : cudnnStatus::not_supported;                                                \
        },                                                                                                   \
        [&] {                                                                                                \
          return cudnn::ConvolutionProblem(call, "convolution " #DIRECTION, DETSHIM_LIST DESCRIPTORS);       \
        });                                                                                                  \
  }                                                                                                          \
  DETSHIM_HOOK(cudnn, cudnnStatus, cudnnFindConvolution##DIRECTION##AlgorithmEx,                             \
               (DETSHIM_LIST EX_PARAMS, int requested, int* returned, cudnnConvolutionAlgoPerf* results,     \
                void* workspace, size_t workspace_size),                                                     \
               DETSHIM_SEARCH, .summary = DETSHIM_FIND_SUMMARY) {                                            \
    DETSHIM_ENTER_OUTERMOST(cudnnFindConvolution##DIRECTION##AlgorithmEx);                                   \
    auto* get = call.beside<hooks::cudnnGetConvolution##DIRECTION##Algorithm_v7_signature>(                  \
        "cudnnGetConvolution" #DIRECTION "Algorithm_v7");                                                    \
    return answer_find(                                                                                      \
        call, {requested, returned, results, workspace_size},                                                \
        [&](int count, int* number, cudnnConvolutionAlgoPerf* list) {                                        \
          return call.real(DETSHIM_LIST EX_ARGUMENTS, count, number, list, workspace, workspace_size);       \
        },                                                                                                   \
        [&](int count, int* number, cudnnConvolutionAlgoPerf* list) {                                        \
          return get != nullptr ? get(DETSHIM_LIST DESCRIPTORS, count, number, list)                         \
                                : cudnnStatus::not_supported;                                                \
        },                                                                                                   \
        [&] {                                                                                                \
          return cudnn::ConvolutionProblem(call, "convolution " #DIRECTION, DETSHIM_LIST DESCRIPTORS);       \
        });                                                                                                  \
  }

DETSHIM_CONVOLUTION_SEARCH(Forward,
                           (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                            cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y),
                           (handle, x, w, convolution, y),
                           (cudnnHandle_t handle, cudnnTensorDescriptor_t x, const void* x_data,
                            cudnnFilterDescriptor_t w, const void* w_data,
                            cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t y,
                            void* y_data),
                           (handle, x, x_data, w, w_data, convolution, y, y_data))

DETSHIM_CONVOLUTION_SEARCH(BackwardData,
                           (cudnnHandle_t handle, cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t dy,
                            cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx),
                           (handle, w, dy, convolution, dx),
                           (cudnnHandle_t handle, cudnnFilterDescriptor_t w, const void* w_data,
                            cudnnTensorDescriptor_t dy, const void* dy_data,
                            cudnnConvolutionDescriptor_t convolution, cudnnTensorDescriptor_t dx,
                            void* dx_data),
                           (handle, w, w_data, dy, dy_data, convolution, dx, dx_data))

DETSHIM_CONVOLUTION_SEARCH(BackwardFilter,
                           (cudnnHandle_t handle, cudnnTensorDescriptor_t x, cudnnTensorDescriptor_t dy,
                            cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw),
                           (handle, x, dy, convolution, dw),
                           (cudnnHandle_t handle, cudnnTensorDescriptor_t x, const void* x_data,
                            cudnnTensorDescriptor_t dy, const void* dy_data,
                            cudnnConvolutionDescriptor_t convolution, cudnnFilterDescriptor_t dw,
                            void* dw_data),
                           (handle, x, x_data, dy, dy_data, convolution, dw, dw_data))
