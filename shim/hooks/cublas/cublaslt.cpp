// cuBLASLt: a program that asks for several algorithms wants to time them. It is given one, or,
// with DETSHIM_AUTOTUNE=record:FILE and replay:FILE, its own choice of an earlier run.
#include "abi/cublaslt.h"
#include "core/base/hash.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/tuning/tuning.h"
#include "hooks/cublas/lt_problem.h"
#include "hooks/cublas/variables.h"
#include "hooks/digests/cublas/lt_product.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;
using Result = cublasLtMatmulHeuristicResult;
using Algo = cublasLtMatmulAlgo;
using GetAttribute = cublasStatus(const void*, int, void*, size_t, size_t*);

// ---- what was listed, and what of it is used: for DETSHIM_AUTOTUNE=record ----

struct ListedAlgorithms {
  Table<4> workspaces = {}; ///< (problem, algorithm) -> its workspace + 1
  Table<4> latest = {};     ///< problem -> the algorithm used last
  uint64_t lock = 0;
  bool has_any = false;
};
constinit ListedAlgorithms listed = {};

void remember_list(LtProblem& problem, const Result* results, int count) {
  const uint64_t key = problem.hash();
  SignalSafeLock guard(listed.lock);
  if (!guard.held())
    return;
  for (int i = 0; i < count; ++i)
    if (results[i].state == cublasStatus::success)
      listed.workspaces.insert(fnv1a(&results[i].algo, sizeof(Algo), key)) =
          results[i].workspace_size + 1;
  __atomic_store_n(&listed.has_any, true, __ATOMIC_RELAXED);
}

/// Keeps an algorithm that was in the product's list and is executed now. The last one that a
/// program executes is what it has chosen.
template <typename Call>
void keep_used(const Call& call, const LtProduct& product, const Algo& algo) {
  if (!__atomic_load_n(&listed.has_any, __ATOMIC_RELAXED))
    return;
  LtProblem problem(call.hook(), product);
  const uint64_t key = problem.hash();
  const uint64_t algo_key = fnv1a(&algo, sizeof algo, key);
  uint64_t workspace = 0;
  {
    SignalSafeLock guard(listed.lock);
    if (!guard.held())
      return;
    const uint64_t* known = listed.workspaces.find(algo_key);
    if (known == nullptr)
      return;
    workspace = *known - 1;
    uint64_t& before = listed.latest.insert(key);
    const bool is_same = before == algo_key;
    before = algo_key;
    if (is_same)
      return;
  }
  Text<tuning_choice_size> choice;
  add_algorithm(choice, algo);
  choice.add("workspace ").add(workspace); // for a person to read
  if (!keep_tuning(problem.names(), choice.c_str()))
    call.record(Action::nondeterministic, Reason::tuning_cannot_keep, {"", ""});
}

// ---- the list's answer ----

/// Leaves one result of a list.
void leave_one(Result* results, int* returned, int chosen) {
  const Result kept = results[chosen];
  for (int i = 0; i < *returned; ++i)
    results[i].state = cublasStatus::not_supported;
  results[0] = kept;
  *returned = 1;
}

int first_success(const Result* results, int count) {
  for (int i = 0; i < count; ++i)
    if (results[i].state == cublasStatus::success)
      return i;
  return -1;
}

/// The first result that the program can use: one that fits the limit in its preference, and that
/// the library still takes when it is asked about that one, by `check(algorithm, result)`. The
/// first that works at all, if no result is so.
template <typename Call, typename AskAgain>
int first_usable(const Call& call, cublasLtMatmulPreference_t preference, const Result* results,
                 int count, AskAgain check) {
  auto* const get = call.template sibling<GetAttribute>("cublasLtMatmulPreferenceGetAttribute");
  uint64_t limit = ~uint64_t{0}, requested = 0;
  size_t written = 0;
  if (preference != nullptr && succeeded(get, preference, cublaslt_preference_max_workspace,
                                         &requested, sizeof requested, &written))
    limit = requested;
  for (int i = 0; i < count; ++i) {
    if (results[i].state != cublasStatus::success || results[i].workspace_size > limit)
      continue;
    Result checked = results[i];
    if (check(&results[i].algo, &checked) && checked.workspace_size <= limit)
      return i;
  }
  return first_success(results, count);
}

/// The result that the tuning file keeps for a product.
struct Kept {
  int index = -1; ///< in the list; -1: it is not there
  Reason why;     ///< for the log
};

template <typename Call>
Kept find_kept(const Call& call, const LtProduct& product, const Result* results, int count) {
  LtProblem problem(call.hook(), product);
  char kept[tuning_choice_size];
  if (!find_tuning(problem.names(), kept, sizeof kept))
    return {-1, Reason::not_in_tuning_file};
  for (int i = 0; i < count; ++i) {
    if (results[i].state != cublasStatus::success)
      continue;
    Text<160> algo;
    add_algorithm(algo, results[i].algo);
    if (starts_with(kept, algo.c_str()))
      return {i, Reason::kept_choice};
  }
  return {-1, Reason::kept_choice_not_offered};
}

/// What becomes of a list that the library gave: one algorithm is left of several. `check` is
/// first_usable's.
template <typename Call, typename AskAgain>
void give_one(const Call& call, const LtProduct& product, cublasLtMatmulPreference_t preference,
              int requested, Result* results, int* returned, AskAgain check) {
  if (requested <= 1 || results == nullptr || returned == nullptr || *returned <= 0)
    return;
  const int count = *returned < requested ? *returned : requested;
  const int first = first_success(results, count);
  if (first < 0) {
    call.record(Action::observe, Reason::nothing_works, {count, count});
    return;
  }
  const Autotune tuning = autotune();
  if (tuning == Autotune::off) {
    call.record(Action::nondeterministic, Reason::program_may_time, {count, count});
    return;
  }
  if (tuning == Autotune::record) {
    LtProblem problem(call.hook(), product);
    char kept[tuning_choice_size];
    find_tuning(problem.names(), kept,
                sizeof kept); // refuses a wrong file now, not after the search
    remember_list(problem, results, count);
    call.record(Action::nondeterministic, Reason::tuning_keeps_use, {count, count});
    return;
  }
  Reason why = Reason::one_candidate;
  int chosen = first_usable(call, preference, results, count, check);
  if (tuning == Autotune::replay) {
    const Kept kept = find_kept(call, product, results, count);
    if (kept.index >= 0)
      chosen = kept.index;
    why = kept.why;
  }
  leave_one(results, returned, chosen);
  call.record(Action::replace, why, {count, 1});
}

template <typename... Stream>
using GetHeuristic =
    OutermostCall<cublasStatus(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                               cublasLtMatmulPreference_t preference, int requested,
                               Result* results, int* returned, Stream... stream)>;

template <typename Call, typename... Stream>
cublasStatus give_list(const Call& call, cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                       cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t preference,
                       int requested, Result* results, int* returned, Stream... stream) {
  const cublasStatus status =
      call.real(handle, operation, a, b, c, d, preference, requested, results, returned, stream...);
  if (call.passes() || status != cublasStatus::success)
    return status;
  give_one(
      call, {operation, a, b, c, d}, preference, requested, results, returned,
      [&](const Algo* algo, Result* checked) {
        using Check = cublasStatus(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                   cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                   cublasLtMatrixLayout_t, const Algo*, Result*, Stream...);
        auto* const check = call.template sibling<Check>(sizeof...(Stream) == 0
                                                             ? "cublasLtMatmulAlgoCheck"
                                                             : "cublasLtMatmulAlgoCheckForStream");
        return check == nullptr || check(handle, operation, a, b, c, d, algo, checked, stream...) ==
                                       cublasStatus::success;
      });
  return status;
}

constexpr Description gives_one_algorithm = {
    .action = Action::replace,
    .fields = {"found"_out, "effective"_out},
    .lists_algorithms = true,
    .summary =
        "Gives one algorithm where several would be timed: the first that works, or the one that "
        "DETSHIM_AUTOTUNE=replay:FILE keeps.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(
    cublaslt, cublasStatus, cublasLtCreate, (cublasLtHandle_t * handle),
    .action = Action::nondeterministic, .fields = {"requested"_in, "effective"_out, "variable"_in},
    .summary = "Records environment variables that ask for emulation or take part in choosing "
               "algorithms.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtCreate);
  const cublasStatus status = call.real(handle);
  if (call.passes())
    return status;
  say_library(call.hook());
  if (status == cublasStatus::success)
    record_cublas_variables(call);
  return status;
}

DETSHIM_TEMPLATE_HOOK(cublaslt, GetHeuristic<>, cublasLtMatmulAlgoGetHeuristic, give_list,
                      gives_one_algorithm);
// Since cuBLAS 13.5: the same for the multiprocessors that a stream's context may use.
DETSHIM_TEMPLATE_HOOK(cublaslt, GetHeuristic<cudaStream_t>, cublasLtMatmulAlgoGetHeuristicForStream,
                      give_list, gives_one_algorithm);

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmul,
             (cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
              cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
              const cublasLtMatmulAlgo* algo, void* workspace, size_t workspace_size,
              cudaStream_t stream),
             .action = Action::replace,
             .fields = {"algorithm"_out, "workspace"_in, "requested"_in, "reduction"_in},
             .summary = "Records the algorithm, and keeps it for DETSHIM_AUTOTUNE=record:FILE.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmul);
  const cublasStatus status = call_digested<describe_lt_product>(
      call, handle, operation, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout,
      algo, workspace, workspace_size, stream);
  if (call.passes() || status != cublasStatus::success)
    return status;
  if (algo == nullptr) {
    call.record(Action::observe, Reason::library_choice, {"", uint64_t{workspace_size}, "", ""});
    return status;
  }
  AlgorithmName name(*algo);
  call.record(
      Action::observe, Reason::program_choice,
      {name.c_str(), uint64_t{workspace_size}, name.c_str(), reduction_of(call.hook(), *algo)});
  if (autotune() == Autotune::record)
    keep_used(call, {operation, a_layout, b_layout, c_layout, d_layout}, *algo);
  return status;
}

// A program that lists algorithms by their numbers, or configures them by itself (NVIDIA's
// LtMatmulCustomFind), may time them. Which of them serves is known only when it runs, so none is
// left out.
DETSHIM_HOOK(
    cublaslt, cublasStatus, cublasLtMatmulAlgoGetIds,
    (cublasLtHandle_t handle, cublasComputeType compute, cudaDataType scale, cudaDataType a,
     cudaDataType b, cudaDataType c, cudaDataType d, int requested, int* ids, int* returned),
    .action = Action::nondeterministic, .fields = {"found"_out},
    .summary = "Recorded: a program that lists algorithms by their numbers may time them.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoGetIds);
  const cublasStatus status =
      call.real(handle, compute, scale, a, b, c, d, requested, ids, returned);
  if (!call.passes() && status == cublasStatus::success && returned != nullptr && *returned > 1)
    call.record(Action::nondeterministic, Reason::program_may_time, {*returned});
  return status;
}

constexpr auto configured = [](const auto& call, Word, int attribute, const void* value,
                               size_t size) {
  uint64_t number = 0;
  if (value != nullptr && size <= sizeof number)
    __builtin_memcpy(&number, value, size);
  call.record(Action::nondeterministic, Reason::program_may_time, {attribute, number});
};
using Configure =
    OutermostCall<cublasStatus(Word algo, int attribute, const void* value, size_t size)>;
DETSHIM_TEMPLATE_HOOK(
    cublaslt, Configure, cublasLtMatmulAlgoConfigSetAttribute, say_after<configured>,
    .action = Action::nondeterministic, .fields = {"attribute"_in, "value"_in},
    .summary = "Recorded: a program that configures algorithms by itself may choose among "
               "them by their times.");
