// Functions of cuSPARSE of which NVIDIA documents neither that they repeat nor that they do not. They go
// ahead in strict mode too: to refuse what may be repeatable would break programs.
//
// In the signatures, enumerations are numbers, and what differs with the type (float, double, their complex
// forms) is void: both are only handed on.
#include "hooks/cusparse/library.h"

namespace detshim {
namespace {

using namespace abi;

/// Calls the library, and records a call that succeeds.
template <typename Call, typename... Arguments>
cusparseStatus forward(const Call& call, Arguments... arguments) {
  const cusparseStatus status = call.real(arguments...);
  if (call.passes() || status != cusparseStatus::success) return status;
  record_cusparse_once(call);
  call.record(Action::unfixed, "NVIDIA does not say whether it is repeatable", {});
  return status;
}

constexpr Description undocumented = {
    .action = Action::unfixed,
    .summary = "Recorded: NVIDIA does not say whether it is repeatable.",
};

using SpSV = cusparseStatus(cusparseHandle_t handle, cusparseOperation operation, const void* alpha,
                            cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x,
                            cusparseDnVecDescr_t y, cudaDataType type, int algorithm, void* descriptor);
using SpSM = cusparseStatus(cusparseHandle_t handle, cusparseOperation operation,
                            cusparseOperation operation_b, const void* alpha,
                            cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b,
                            cusparseDnMatDescr_t c, cudaDataType type, int algorithm, void* descriptor);
using Csr2csc = cusparseStatus(cusparseHandle_t handle, int m, int n, int count, const void* values,
                               const int* offsets, const int* columns, void* csc_values, int* csc_offsets,
                               int* csc_rows, cudaDataType type, int what, int base, int algorithm,
                               void* buffer);

using Gtsv = cusparseStatus(cusparseHandle_t handle, int m, int n, const void* lower, const void* diagonal,
                            const void* upper, void* b, int leading, void* buffer);
using GtsvStrided = cusparseStatus(cusparseHandle_t handle, int m, const void* lower, const void* diagonal,
                                   const void* upper, void* x, int batches, int step, void* buffer);
using GtsvInterleaved = cusparseStatus(cusparseHandle_t handle, int algorithm, int m, void* lower,
                                       void* diagonal, void* upper, void* x, int batches, void* buffer);

// Incomplete factorizations. `info` is of a type for each.
using CsrFactor = cusparseStatus(cusparseHandle_t handle, int m, int count, const void* matrix, void* values,
                                 const int* offsets, const int* columns, void* info, int policy,
                                 void* buffer);
using BsrFactor = cusparseStatus(cusparseHandle_t handle, int direction, int m, int count, const void* matrix,
                                 void* values, const int* offsets, const int* columns, int block, void* info,
                                 int policy, void* buffer);

using Color = cusparseStatus(cusparseHandle_t handle, int m, int count, const void* matrix,
                             const void* values, const int* offsets, const int* columns, const void* fraction,
                             int* colors, int* coloring, int* reordering, const void* info);
using Gemvi = cusparseStatus(cusparseHandle_t handle, cusparseOperation operation, int m, int n,
                             const void* alpha, const void* a, int leading, int count, const void* x,
                             const int* indices, const void* beta, void* y, int base, void* buffer);

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusparse, SpSV, cusparseSpSV_solve, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, SpSM, cusparseSpSM_solve, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Csr2csc, cusparseCsr2cscEx2, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseSgtsv2, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseDgtsv2, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseCgtsv2, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseZgtsv2, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseSgtsv2_nopivot, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseDgtsv2_nopivot, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseCgtsv2_nopivot, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseZgtsv2_nopivot, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseSgtsv2StridedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseDgtsv2StridedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseCgtsv2StridedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseZgtsv2StridedBatch, OutermostCall, forward,
                      undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseSgtsvInterleavedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseDgtsvInterleavedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseCgtsvInterleavedBatch, OutermostCall, forward,
                      undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseZgtsvInterleavedBatch, OutermostCall, forward,
                      undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseScsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseDcsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseCcsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseZcsrilu02, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseScsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseDcsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseCcsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseZcsric02, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseSbsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseDbsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseCbsrilu02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseZbsrilu02, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseSbsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseDbsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseCbsric02, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseZbsric02, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseScsrcolor, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseDcsrcolor, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseCcsrcolor, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseZcsrcolor, OutermostCall, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseSgemvi, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseDgemvi, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseCgemvi, OutermostCall, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseZgemvi, OutermostCall, forward, undocumented);
