// cuSPARSE's products of two sparse matrices whose pattern is used again (SpGEMMreuse): each phase takes the
// deterministic algorithm. What the default is may change with the version: it is replaced too.
#include "abi/cusparse.h"
#include "hooks/cusparse/outputs.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// The body of every phase's hook: each gets the same algorithm. `run(algorithm)` calls the
/// library.
template <typename Call, typename Run>
cusparseStatus reuse(const Call& call, cusparseSpGEMMAlg asked, Run run) {
  if (call.passes()) return run(asked);
  record_library_once(call, cusparse_library);
  const bool is_good =
      asked != cusparseSpGEMMAlg::by_default && asked != cusparseSpGEMMAlg::csr_nondeterminitic;
  const auto given = is_good || !options().forces() ? asked : cusparseSpGEMMAlg::csr_determinitic;
  const cusparseStatus status = run(given);
  if (status != cusparseStatus::success) return status;
  const int numbers[] = {static_cast<int>(asked), static_cast<int>(given)};
  if (is_good)
    call.record(Action::observe, Reason::left_alone, {numbers[0], numbers[1]});
  else if (given == asked)
    call.record(Action::unfixed, Reason::adds_in_any_order, {numbers[0], numbers[1]});
  else
    call.record(Action::replace, Reason::adds_in_any_order, {numbers[0], numbers[1]});
  return status;
}

/// The phases that speak of the matrices alone, with their buffers.
template <typename Call, typename... Buffers>
cusparseStatus reuse_matrices(const Call& call, cusparseHandle_t handle, cusparseOperation operation_a,
                              cusparseOperation operation_b, cusparseConstSpMatDescr_t a,
                              cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
                              cusparseSpGEMMAlg algorithm, cusparseSpGEMMDescr_t descriptor,
                              Buffers... buffers) {
  return reuse(call, algorithm, [&](cusparseSpGEMMAlg which) {
    return call.real(handle, operation_a, operation_b, a, b, c, which, descriptor, buffers...);
  });
}

/// The phase that computes.
template <typename Call>
cusparseStatus reuse_values(const Call& call, cusparseHandle_t handle, cusparseOperation operation_a,
                            cusparseOperation operation_b, const void* alpha, cusparseConstSpMatDescr_t a,
                            cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                            cudaDataType type, cusparseSpGEMMAlg algorithm,
                            cusparseSpGEMMDescr_t descriptor) {
  return reuse(call, algorithm, [&](cusparseSpGEMMAlg which) {
    return print_outputs(
        call,
        [&](CallOutputs& outputs) {
          add_matrix_product(call.hook(), outputs, {handle, operation_a, a, alpha, beta, type, operation_b},
                             b, c, true);
        },
        [&] {
          return call.real(handle, operation_a, operation_b, alpha, a, b, beta, c, type, which, descriptor);
        });
  });
}

constexpr Description replaces = {
    .action = Action::replace,
    .fields = {"asked", "given"},
    .summary = "Replaces NONDETERMINITIC and the default by DETERMINITIC.",
};

using WithOneBuffer = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
    cusparseSpGEMMAlg algorithm, cusparseSpGEMMDescr_t descriptor, size_t* size, void* buffer)>;
using WithThreeBuffers = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c,
    cusparseSpGEMMAlg algorithm, cusparseSpGEMMDescr_t descriptor, size_t* size2, void* buffer2,
    size_t* size3, void* buffer3, size_t* size4, void* buffer4)>;
using WithValues = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b, const void* alpha,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
    cudaDataType type, cusparseSpGEMMAlg algorithm, cusparseSpGEMMDescr_t descriptor)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_workEstimation, reuse_matrices, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithThreeBuffers, cusparseSpGEMMreuse_nnz, reuse_matrices, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_copy, reuse_matrices, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithValues, cusparseSpGEMMreuse_compute, reuse_values, replaces);
