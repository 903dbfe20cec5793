// The product of a transposed sparse matrix and a vector: cuSPARSE has no deterministic algorithm
// for it, so detshim can only report it. With --deterministic nothing changes.
#include "sparse_matrix.h"

int main(int argc, char** argv) {
  gpu::start(argc, argv);
  const gpu::SparsePattern pattern;
  cusparseHandle_t handle = nullptr;
  CHECK(cusparseCreate(&handle));
  for (const gpu::Format format : {gpu::Format::csr, gpu::Format::coo})
    gpu::multiply_vector<float>(handle, format, pattern, CUSPARSE_OPERATION_TRANSPOSE,
                                CUSPARSE_SPMV_ALG_DEFAULT,
                                std::string(gpu::name(format)) + ".float");
  CHECK(cusparseDestroy(handle));
  return gpu::finish();
}
