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
  static_assert(same(Spmm::csr_alg3, CUSPARSE_SPMM_CSR_ALG3));
#if CUSPARSE_VERSION >= 12501
  static_assert(same(Spmm::bsr_alg1, CUSPARSE_SPMM_BSR_ALG1));
#endif
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
  static_assert(CalledAlike<Status(abi::libraryProperty, int*), decltype(::cusparseGetProperty)>());
  static_assert(CalledAlike<Status(Matrix), decltype(::cusparseDestroySpMat)>());
  static_assert(CalledAlike<Status(Matrix, Format*), decltype(::cusparseSpMatGetFormat)>());
  static_assert(
      CalledAlike<Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmv, size_t*),
                  decltype(::cusparseSpMV_bufferSize)>());
  using RunVector = Status(Handle, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmv, void*);
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV)>());
#if CUSPARSE_VERSION >= 12301
  static_assert(CalledAlike<RunVector, decltype(::cusparseSpMV_preprocess)>());
#endif
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer, Pointer,
                                   Type, Spmm, size_t*),
                            decltype(::cusparseSpMM_bufferSize)>());
  using RunMatrix =
      Status(Handle, Operation, Operation, Pointer, Matrix, Pointer, Pointer, Pointer, Type, Spmm, void*);
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM)>());
  static_assert(CalledAlike<RunMatrix, decltype(::cusparseSpMM_preprocess)>());
  using ReusePhase =
      Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm, void*, size_t*, void*);
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_workEstimation)>());
  static_assert(CalledAlike<ReusePhase, decltype(::cusparseSpGEMMreuse_copy)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Matrix, Matrix, Matrix, Spgemm, void*,
                                   size_t*, void*, size_t*, void*, size_t*, void*),
                            decltype(::cusparseSpGEMMreuse_nnz)>());
  static_assert(CalledAlike<Status(Handle, Operation, Operation, Pointer, Matrix, Matrix, Pointer, Matrix,
                                   Type, Spgemm, void*),
                            decltype(::cusparseSpGEMMreuse_compute)>());
  static_assert(CalledAlike<Status(Handle, Pointer, Pointer, Pointer, Pointer), decltype(::cusparseAxpby)>());
  static_assert(CalledAlike<Status(Handle, Pointer, Pointer), decltype(::cusparseScatter)>());

  // Of each four, one with plain numbers and one with complex ones.
  using P = Pointer;
  using Data = abi::cudaDataType;
  static_assert(
      CalledAlike<Status(P, Operation, P, P, P, P, Data, int, P), decltype(::cusparseSpSV_solve)>());
  static_assert(CalledAlike<Status(P, Operation, Operation, P, P, P, P, Data, int, P),
                            decltype(::cusparseSpSM_solve)>());
  static_assert(CalledAlike<Status(P, int, int, int, P, P, P, P, P, P, Data, int, int, int, P),
                            decltype(::cusparseCsr2cscEx2)>());
  using Tridiagonal = Status(P, int, int, P, P, P, P, int, P);
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseSgtsv2)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseZgtsv2)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseDgtsv2_nopivot)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseCgtsv2_nopivot)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseSgtsvInterleavedBatch)>());
  static_assert(CalledAlike<Tridiagonal, decltype(::cusparseZgtsvInterleavedBatch)>());
  using Strided = Status(P, int, P, P, P, P, int, int, P);
  static_assert(CalledAlike<Strided, decltype(::cusparseSgtsv2StridedBatch)>());
  static_assert(CalledAlike<Strided, decltype(::cusparseZgtsv2StridedBatch)>());
#if CUSPARSE_VERSION < 13000
  using Factor = Status(P, int, int, P, P, P, P, P, int, P);
  static_assert(CalledAlike<Factor, decltype(::cusparseScsrilu02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseZcsrilu02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseDcsric02)>());
  static_assert(CalledAlike<Factor, decltype(::cusparseCcsric02)>());
  using Blocks = Status(P, int, int, int, P, P, P, P, int, P, int, P);
  static_assert(CalledAlike<Blocks, decltype(::cusparseSbsrilu02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseZbsrilu02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseDbsric02)>());
  static_assert(CalledAlike<Blocks, decltype(::cusparseCbsric02)>());
  using Color = Status(P, int, int, P, P, P, P, P, P, P, P, P);
  static_assert(CalledAlike<Color, decltype(::cusparseScsrcolor)>());
  static_assert(CalledAlike<Color, decltype(::cusparseZcsrcolor)>());
#endif
  using BlockProduct = Status(P, int, Operation, int, int, int, P, P, P, P, P, int, P, P, P);
  static_assert(CalledAlike<BlockProduct, decltype(::cusparseSbsrmv)>());
  static_assert(CalledAlike<BlockProduct, decltype(::cusparseZbsrmv)>());
  using MaskedProduct = Status(P, int, Operation, int, int, int, int, P, P, P, P, P, P, P, int, P, P, P);
  static_assert(CalledAlike<MaskedProduct, decltype(::cusparseSbsrxmv)>());
  static_assert(CalledAlike<MaskedProduct, decltype(::cusparseZbsrxmv)>());
  using BlockMatrixProduct =
      Status(P, int, Operation, Operation, int, int, int, int, P, P, P, P, P, int, P, int, P, P, int);
  static_assert(CalledAlike<BlockMatrixProduct, decltype(::cusparseSbsrmm)>());
  static_assert(CalledAlike<BlockMatrixProduct, decltype(::cusparseZbsrmm)>());
  using BlockSolve = Status(P, int, Operation, int, int, P, P, P, P, P, int, P, P, P, int, P);
  static_assert(CalledAlike<BlockSolve, decltype(::cusparseSbsrsv2_solve)>());
  static_assert(CalledAlike<BlockSolve, decltype(::cusparseZbsrsv2_solve)>());
  using BlockMatrixSolve =
      Status(P, int, Operation, Operation, int, int, int, P, P, P, P, P, int, P, P, int, P, int, int, P);
  static_assert(CalledAlike<BlockMatrixSolve, decltype(::cusparseSbsrsm2_solve)>());
  static_assert(CalledAlike<BlockMatrixSolve, decltype(::cusparseZbsrsm2_solve)>());
#if CUSPARSE_VERSION >= 12703
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P), decltype(::cusparseSpMVOp)>());
#endif
#if CUSPARSE_VERSION >= 12904
  static_assert(CalledAlike<Status(P, P, P, P, P, P, P, Data, P), decltype(::cusparseSpMVGeneric)>());
#endif
  using SparseVector = Status(P, Operation, int, int, P, P, int, int, P, P, P, P, int, P);
  static_assert(CalledAlike<SparseVector, decltype(::cusparseSgemvi)>());
  static_assert(CalledAlike<SparseVector, decltype(::cusparseZgemvi)>());
#else
  GTEST_SKIP() << "cusparse.h was not found when the build was configured";
#endif
}

} // namespace
