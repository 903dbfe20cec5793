// Functions of cuSPARSE of which NVIDIA documents neither that they repeat nor that they do not. They go
// ahead in strict mode too: to refuse what may be repeatable would break programs.
//
// In the signatures, enumerations are numbers, and what differs with the type (float, double, their complex
// forms) is void: both are only handed on.
#include "abi/cusparse.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// Calls the library, and records a call that succeeds.
template <typename Call, typename... Arguments>
cusparseStatus forward(const Call& call, Arguments... arguments) {
  const cusparseStatus status = call.real(arguments...);
  if (call.passes() || status != cusparseStatus::success) return status;
  record_library_once(call, cusparse_library);
  call.record(Action::unfixed, Reason::undocumented, {});
  return status;
}

constexpr Description undocumented = {
    .action = Action::unfixed,
    .summary = "Recorded: NVIDIA does not say whether it is repeatable.",
};

using SpSV = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, const void* alpha, cusparseConstSpMatDescr_t matrix,
    cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType type, int algorithm, void* descriptor)>;
using SpSM = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, cusparseOperation operation_b, const void* alpha,
    cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType type,
    int algorithm, void* descriptor)>;
using Csr2csc = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int m, int n, int count, const void* values, const int* offsets,
    const int* columns, void* csc_values, int* csc_offsets, int* csc_rows, cudaDataType type, int what,
    int base, int algorithm, void* buffer)>;

using Gtsv = OutermostCall<cusparseStatus(cusparseHandle_t handle, int m, int n, const void* lower,
                                          const void* diagonal, const void* upper, void* b, int leading,
                                          void* buffer)>;
using GtsvStrided =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, int m, const void* lower, const void* diagonal,
                                 const void* upper, void* x, int batches, int step, void* buffer)>;
using GtsvInterleaved =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, int algorithm, int m, void* lower, void* diagonal,
                                 void* upper, void* x, int batches, void* buffer)>;

// Incomplete factorizations. `info` is of a type for each.
using CsrFactor = OutermostCall<cusparseStatus(cusparseHandle_t handle, int m, int count, const void* matrix,
                                               void* values, const int* offsets, const int* columns,
                                               void* info, int policy, void* buffer)>;
using BsrFactor = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, int m, int count, const void* matrix, void* values,
    const int* offsets, const int* columns, int block, void* info, int policy, void* buffer)>;

// Products and solves of block matrices. `info` is of a type for each.
using BsrProduct = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, cusparseOperation operation, int m, int n, int count,
    const void* alpha, const void* matrix, const void* values, const int* offsets, const int* columns,
    int block, const void* x, const void* beta, void* y)>;
using MaskedBsrProduct = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, cusparseOperation operation, int mask_size, int m, int n,
    int count, const void* alpha, const void* matrix, const void* values, const int* mask, const int* offsets,
    const int* ends, const int* columns, int block, const void* x, const void* beta, void* y)>;
using BsrProductOfMatrix = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, cusparseOperation operation, cusparseOperation operation_b, int m,
    int n, int k, int count, const void* alpha, const void* matrix, const void* values, const int* offsets,
    const int* columns, int block, const void* b, int ldb, const void* beta, void* c, int ldc)>;
using BsrSolve = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, cusparseOperation operation, int m, int count, const void* alpha,
    const void* matrix, const void* values, const int* offsets, const int* columns, int block, void* info,
    const void* f, void* x, int policy, void* buffer)>;
using BsrSolveOfMatrix = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int direction, cusparseOperation operation, cusparseOperation operation_x, int m,
    int n, int count, const void* alpha, const void* matrix, const void* values, const int* offsets,
    const int* columns, int block, void* info, const void* b, int ldb, void* x, int ldx, int policy,
    void* buffer)>;

// Products past cusparseSpMV, whose algorithms are not documented (cusparse.h, since 12.9 and 12.7).
using SpMVGeneric =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, const void* alpha, cusparseConstSpMatDescr_t matrix,
                                 cusparseConstDnVecDescr_t x, const void* beta, cusparseConstDnVecDescr_t y,
                                 cusparseDnVecDescr_t z, cudaDataType type, void* descriptor)>;
using SpMVOp = OutermostCall<cusparseStatus(cusparseHandle_t handle, void* plan, const void* alpha,
                                            const void* beta, cusparseConstDnVecDescr_t x,
                                            cusparseConstDnVecDescr_t y, cusparseDnVecDescr_t z)>;

using Color = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, int m, int count, const void* matrix, const void* values, const int* offsets,
    const int* columns, const void* fraction, int* colors, int* coloring, int* reordering, const void* info)>;
using Gemvi =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, cusparseOperation operation, int m, int n,
                                 const void* alpha, const void* a, int leading, int count, const void* x,
                                 const int* indices, const void* beta, void* y, int base, void* buffer)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusparse, SpSV, cusparseSpSV_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, SpSM, cusparseSpSM_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Csr2csc, cusparseCsr2cscEx2, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseSgtsv2, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseDgtsv2, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseCgtsv2, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseZgtsv2, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseSgtsv2_nopivot, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseDgtsv2_nopivot, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseCgtsv2_nopivot, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gtsv, cusparseZgtsv2_nopivot, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseSgtsv2StridedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseDgtsv2StridedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseCgtsv2StridedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvStrided, cusparseZgtsv2StridedBatch, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseSgtsvInterleavedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseDgtsvInterleavedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseCgtsvInterleavedBatch, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, GtsvInterleaved, cusparseZgtsvInterleavedBatch, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseScsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseDcsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseCcsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseZcsrilu02, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseScsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseDcsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseCcsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, CsrFactor, cusparseZcsric02, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseSbsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseDbsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseCbsrilu02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseZbsrilu02, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseSbsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseDbsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseCbsric02, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrFactor, cusparseZbsric02, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrProduct, cusparseSbsrmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProduct, cusparseDbsrmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProduct, cusparseCbsrmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProduct, cusparseZbsrmv, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, MaskedBsrProduct, cusparseSbsrxmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, MaskedBsrProduct, cusparseDbsrxmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, MaskedBsrProduct, cusparseCbsrxmv, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, MaskedBsrProduct, cusparseZbsrxmv, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrProductOfMatrix, cusparseSbsrmm, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProductOfMatrix, cusparseDbsrmm, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProductOfMatrix, cusparseCbsrmm, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrProductOfMatrix, cusparseZbsrmm, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolve, cusparseSbsrsv2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolve, cusparseDbsrsv2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolve, cusparseCbsrsv2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolve, cusparseZbsrsv2_solve, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolveOfMatrix, cusparseSbsrsm2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolveOfMatrix, cusparseDbsrsm2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolveOfMatrix, cusparseCbsrsm2_solve, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, BsrSolveOfMatrix, cusparseZbsrsm2_solve, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, SpMVGeneric, cusparseSpMVGeneric, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, SpMVOp, cusparseSpMVOp, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseScsrcolor, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseDcsrcolor, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseCcsrcolor, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Color, cusparseZcsrcolor, forward, undocumented);

DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseSgemvi, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseDgemvi, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseCgemvi, forward, undocumented);
DETSHIM_TEMPLATE_HOOK(cusparse, Gemvi, cusparseZgemvi, forward, undocumented);
