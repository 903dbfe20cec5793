// cuSPARSE's product of a sparse matrix and a vector with CUSPARSE_SPMV_ALG_DEFAULT, which may give
// slightly different results from run to run. With --deterministic: CSR_ALG2 and COO_ALG2, which
// the documentation calls deterministic.
#include "sparse_matrix.h"

int main(int argc, char** argv) {
  const bool deterministic = gpu::start(argc, argv).deterministic;
  const gpu::SparsePattern pattern;
  cusparseHandle_t handle = nullptr;
  CHECK(cusparseCreate(&handle));
  for (const gpu::Format format : {gpu::Format::csr, gpu::Format::coo}) {
    const cusparseSpMVAlg_t algorithm = !deterministic               ? CUSPARSE_SPMV_ALG_DEFAULT
                                        : format == gpu::Format::csr ? CUSPARSE_SPMV_CSR_ALG2
                                                                     : CUSPARSE_SPMV_COO_ALG2;
    const std::string name = gpu::name(format);
    gpu::multiply_vector<float>(handle, format, pattern, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                algorithm, name + ".float");
    gpu::multiply_vector<double>(handle, format, pattern, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 algorithm, name + ".double");
  }
  CHECK(cusparseDestroy(handle));
  return gpu::finish();
}
