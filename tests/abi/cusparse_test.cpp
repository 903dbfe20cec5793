// shim/abi of cuSPARSE against its headers.
#include "abi_test.h"

#include "abi/cusparse.h"

#if DETSHIM_TEST_HAVE_cusparse
#define CUSPARSE_ENABLE_EXPERIMENTAL_API // cusparseSpMVOp and cusparseSpMVGeneric
#include <cusparse.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Cusparse) {
#if DETSHIM_TEST_HAVE_cusparse
  using Status = abi::cusparseStatus;
  static_assert(same(Status::success, CUSPARSE_STATUS_SUCCESS));
  static_assert(same(Status::not_supported, CUSPARSE_STATUS_NOT_SUPPORTED));
  using Operation = abi::cusparseOperation;
  static_assert(same(Operation::non_transpose, CUSPARSE_OPERATION_NON_TRANSPOSE));
  static_assert(same(Operation::transpose, CUSPARSE_OPERATION_TRANSPOSE));
  static_assert(same(Operation::conjugate_transpose, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE));
  using Format = abi::cusparseFormat;
  static_assert(same(Format::csr, CUSPARSE_FORMAT_CSR));
  static_assert(same(Format::csc, CUSPARSE_FORMAT_CSC));
  static_assert(same(Format::coo, CUSPARSE_FORMAT_COO));
  static_assert(same(Format::blocked_ell, CUSPARSE_FORMAT_BLOCKED_ELL));
#if CUSPARSE_VERSION >= 12100
  static_assert(same(Format::bsr, CUSPARSE_FORMAT_BSR));
  static_assert(same(Format::sliced_ell, CUSPARSE_FORMAT_SLICED_ELLPACK));
#endif
  using Spmv = abi::cusparseSpMVAlg;
  static_assert(same(Spmv::by_default, CUSPARSE_SPMV_ALG_DEFAULT));
  static_assert(same(Spmv::csr_alg2, CUSPARSE_SPMV_CSR_ALG2));
  static_assert(same(Spmv::coo_alg2, CUSPARSE_SPMV_COO_ALG2));
#if CUSPARSE_VERSION >= 12100
  static_assert(same(Spmv::sell_alg1, CUSPARSE_SPMV_SELL_ALG1));
#endif
#if CUSPARSE_VERSION >= 12600
  static_assert(same(Spmv::bsr_alg1, CUSPARSE_SPMV_BSR_ALG1));
#endif
  using Spmm = abi::cusparseSpMMAlg;
  static_assert(same(Spmm::by_default, CUSPARSE_SPMM_ALG_DEFAULT));
  static_assert(same(Spmm::coo_alg2, CUSPARSE_SPMM_COO_ALG2));
#if CUSPARSE_VERSION >= 12501
  static_assert(same(Spmm::bsr_alg1, CUSPARSE_SPMM_BSR_ALG1));
#endif
  using Index = abi::cusparseIndexType;
  static_assert(same(Index::int32, CUSPARSE_INDEX_32I));
  using Spgemm = abi::cusparseSpGEMMAlg;
  static_assert(same(Spgemm::by_default, CUSPARSE_SPGEMM_DEFAULT));
  static_assert(same(Spgemm::csr_determinitic, CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC));
  static_assert(same(Spgemm::csr_nondeterminitic, CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC));

  using Handle = abi::cusparseHandle_t;
  using Matrix = abi::cusparseConstSpMatDescr_t;
  using Type = abi::cudaDataType;
  using Pointer = const void*;
  static_assert(sizeof(Type) == sizeof(::cudaDataType));
  static_assert(CalledAlike<Status(Handle*), decltype(::cusparseCreate)>());
  static_assert(CalledAlike<Status(int, int*), decltype(::cusparseGetProperty)>());
  static_assert(CalledAlike<Status(Matrix), decltype(::cusparseDestroySpMat)>());
  static_assert(CalledAlike<Status(Matrix, Format*), decltype(::cusparseSpMatGetFormat)>());
  static_assert(CalledAlike<Status(Matrix, int64_t*, int64_t*, int64_t*, void**, void**, void**,
                                   Index*, Index*, int*, Type*),
                            decltype(::cusparseCsrGet)>());
  static_assert(CalledAlike<Status(Matrix, int*), decltype(::cusparseSpMatGetStridedBatch)>());
  static_assert(
      CalledAlike<Status(Matrix*, int64_t, int64_t, int64_t, void*, void*, void*, Index, int, Type),
                  decltype(::cusparseCreateCoo)>());
  static_assert(
      CalledAlike<Status(Handle, Pointer, int, int, void*, int), decltype(::cusparseXcsr2coo)>());
  static_assert(CalledAlike<Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer,
                                   Type, Spmv, size_t*),
                            decltype(::cusparseSpMV_bufferSize)>());
  using RunVector =
      Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmv, void*);
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV)>());
#if CUSPARSE_VERSION >= 12301
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV_preprocess)>());
#endif
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer,
                                   Pointer, Type, Spmm, size_t*),
                            decltype(::cusparseSpMM_bufferSize)>());
  using RunMatrix = Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer, Pointer,
                           Type, Spmm, void*);
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM)>());
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM_preprocess)>());
  using ReusePhase =
      Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm, void*, size_t*, void*);
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_workEstimation)>());
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_copy)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm,
                                   void*, size_t*, void*, size_t*, void*, size_t*, void*),
                            decltype(::cusparseSpGEMMreuse_nnz)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Matrix, Pointer,
                                   Matrix, Type, Spgemm, void*),
                            decltype(::cusparseSpGEMMreuse_compute)>());

  // Of each four, one with plain numbers and one with complex ones.
  static_assert(TakesWords<9, decltype(::cusparseSpSV_solve)>());
  static_assert(TakesWords<10, decltype(::cusparseSpSM_solve)>());
  static_assert(TakesWords<15, decltype(::cusparseCsr2cscEx2)>());
  static_assert(TakesWords<9, decltype(::cusparseSgtsv2)>());
  static_assert(TakesWords<9, decltype(::cusparseZgtsv2)>());
  static_assert(TakesWords<9, decltype(::cusparseDgtsv2_nopivot)>());
  static_assert(TakesWords<9, decltype(::cusparseCgtsv2_nopivot)>());
  static_assert(TakesWords<9, decltype(::cusparseSgtsvInterleavedBatch)>());
  static_assert(TakesWords<9, decltype(::cusparseZgtsvInterleavedBatch)>());
  static_assert(TakesWords<9, decltype(::cusparseSgtsv2StridedBatch)>());
  static_assert(TakesWords<9, decltype(::cusparseZgtsv2StridedBatch)>());
#if CUSPARSE_VERSION < 13000
  static_assert(TakesWords<12, decltype(::cusparseScsrcolor)>());
  static_assert(TakesWords<12, decltype(::cusparseZcsrcolor)>());
#endif
  static_assert(TakesWords<15, decltype(::cusparseSbsrmv)>());
  static_assert(TakesWords<15, decltype(::cusparseZbsrmv)>());
  static_assert(TakesWords<18, decltype(::cusparseSbsrxmv)>());
  static_assert(TakesWords<18, decltype(::cusparseZbsrxmv)>());
  static_assert(TakesWords<19, decltype(::cusparseSbsrmm)>());
  static_assert(TakesWords<19, decltype(::cusparseZbsrmm)>());
  static_assert(TakesWords<16, decltype(::cusparseSbsrsv2_solve)>());
  static_assert(TakesWords<16, decltype(::cusparseZbsrsv2_solve)>());
  static_assert(TakesWords<20, decltype(::cusparseSbsrsm2_solve)>());
  static_assert(TakesWords<20, decltype(::cusparseZbsrsm2_solve)>());
#if CUSPARSE_VERSION >= 12703
  static_assert(TakesWords<7, decltype(::cusparseSpMVOp)>());
#endif
#if CUSPARSE_VERSION >= 12904
  static_assert(TakesWords<9, decltype(::cusparseSpMVGeneric)>());
#endif
  static_assert(TakesWords<14, decltype(::cusparseSgemvi)>());
  static_assert(TakesWords<14, decltype(::cusparseZgemvi)>());
#else
  GTEST_SKIP() << "cusparse.h was not found when the build was configured";
#endif
}

} // namespace
