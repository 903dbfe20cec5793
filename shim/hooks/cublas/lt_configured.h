// Algorithms of cuBLASLt's that a program puts together by itself (NVIDIA's LtMatmulCustomFind): it lists
// their numbers, configures hundreds of them, and times those that cublasLtMatmulAlgoCheck takes. Which of
// these serves is known only when it runs, so nothing is left out of its lists: the first of them that runs
// for a product runs in the place of the others, and what it times are equals.
#pragma once

#include "core/tuning/tuning.h"
#include "hooks/cublas/lt_problem.h"

namespace detshim {

bool is_configured(const abi::cublasLtMatmulAlgo& algorithm);

/// The algorithm that serves a product of a thread in the place of `requested`: the first that ran there. By
/// thread, or which is first would be a race. False if there is none, or if it is this very one.
bool find_first(uint64_t product, const abi::cublasLtMatmulAlgo& requested, abi::cublasLtMatmulAlgo& first);
/// Keeps the first; false where there is no room.
bool keep_first(uint64_t product, const abi::cublasLtMatmulAlgo& algorithm);

/// Runs a product with an algorithm that the program has configured. `run(algorithm)` calls the library.
template <typename Call, typename Run>
abi::cublasStatus run_configured(const Call& call, const LtProduct& product,
                                 const abi::cublasLtMatmulAlgo& requested, size_t workspace, Run run) {
  using abi::cublasStatus;
  LtProblem problem(call.hook(), product);
  const uint64_t key = (problem.hash() ^ this_thread().key) | 1;
  const auto record = [&](Action action, Reason why, const abi::cublasLtMatmulAlgo& effective) {
    call.record(action, why,
                {AlgorithmName(effective).c_str(), uint64_t{workspace}, AlgorithmName(requested).c_str(),
                 reduction_of(call.hook(), effective)});
  };
  abi::cublasLtMatmulAlgo first;
  const bool is_other = find_first(key, requested, first);
  if (is_other) {
    const cublasStatus status = run(first);
    if (status == cublasStatus::success) record(Action::replace, Reason::first_that_ran, first);
    // The library may not have taken the arguments, so that nothing was launched.
    if (status != cublasStatus::invalid_value && status != cublasStatus::arch_mismatch &&
        status != cublasStatus::not_supported)
      return status;
  }
  const cublasStatus status = run(requested);
  if (status != cublasStatus::success) return status;
  if (is_other)
    record(Action::nondeterministic, Reason::first_does_not_run, requested);
  else if (keep_first(key, requested))
    record(Action::observe, Reason::first_that_ran, requested);
  else
    record(Action::nondeterministic, Reason::too_many_products, requested);
  return status;
}

} // namespace detshim
