// cuSPARSE's products of two sparse matrices whose pattern is used again (SpGEMMreuse): each phase takes the
// deterministic algorithm. What the default is may change with the version: it is replaced too.
#include "abi/cusparse.h"
#include "hooks/support/functions.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// The body of every phase's hook: each gets the same algorithm.
template <typename Call, typename... Arguments>
cusparseStatus reuse(const Call& call, Arguments... arguments) {
  if (call.passes()) return call.real(arguments...);
  record_library_once(call, cusparse_library);
  auto& algorithm = argument_of_type<cusparseSpGEMMAlg>(arguments...);
  const int requested = static_cast<int>(algorithm);
  const bool is_good =
      algorithm != cusparseSpGEMMAlg::by_default && algorithm != cusparseSpGEMMAlg::csr_nondeterminitic;
  if (!is_good && options().forces()) algorithm = cusparseSpGEMMAlg::csr_determinitic;
  const int effective = static_cast<int>(algorithm);
  const cusparseStatus status = call.real(arguments...);
  if (status != cusparseStatus::success) return status;
  if (is_good)
    call.record(Action::observe, Reason::left_alone, {requested, effective});
  else
    call.record(effective == requested ? Action::nondeterministic : Action::replace,
                Reason::adds_in_any_order, {requested, effective});
  return status;
}

constexpr Description replaces = {
    .action = Action::replace,
    .fields = {"requested", "effective"},
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

DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_workEstimation, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithThreeBuffers, cusparseSpGEMMreuse_nnz, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_copy, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithValues, cusparseSpGEMMreuse_compute, reuse, replaces);
