// cuSPARSE's product of a sparse matrix and a dense one with CUSPARSE_SPMM_ALG_DEFAULT, which may
// give slightly different results from run to run. With --deterministic: CSR_ALG3 and COO_ALG2,
// which the documentation calls deterministic.
#include "sparse_matrix.h"

namespace {

using gpu::Device;

constexpr int repeats = 10;
constexpr int width = 32; // columns of the dense matrix

template <class T>
void multiply(cusparseHandle_t handle, gpu::Format format, const gpu::SparsePattern& pattern,
              cusparseOrder_t order, bool deterministic) {
  const std::string variant = std::string(gpu::name(format)) + "." + gpu::CusparseType<T>::name +
                              (order == CUSPARSE_ORDER_COL ? ".columns" : ".rows");
  const cusparseSpMMAlg_t algorithm = !deterministic               ? CUSPARSE_SPMM_ALG_DEFAULT
                                      : format == gpu::Format::csr ? CUSPARSE_SPMM_CSR_ALG3
                                                                   : CUSPARSE_SPMM_COO_ALG2;
  const cudaDataType type = gpu::CusparseType<T>::value;
  const gpu::SparseMatrix<T> a(format, pattern);
  const Device<T> b(gpu::fixed<T>(static_cast<size_t>(gpu::sparse_columns) * width, 2, 8));
  const Device<T> c(static_cast<size_t>(gpu::sparse_rows) * width);
  const T one = 1, zero = 0;
  const bool by_columns = order == CUSPARSE_ORDER_COL;
  cusparseDnMatDescr_t b_matrix = nullptr, c_matrix = nullptr;
  CHECK(cusparseCreateDnMat(&b_matrix, gpu::sparse_columns, width,
                            by_columns ? gpu::sparse_columns : width, b.get(), type, order));
  CHECK(cusparseCreateDnMat(&c_matrix, gpu::sparse_rows, width,
                            by_columns ? gpu::sparse_rows : width, c.get(), type, order));
  const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
  gpu::attempt(variant, [&] {
    size_t bytes = 0;
    CHECK(cusparseSpMM_bufferSize(handle, none, none, &one, a.get(), b_matrix, &zero, c_matrix,
                                  type, algorithm, &bytes));
    const Device<char> buffer(bytes);
    gpu::work(repeats, [&] {
      CHECK(cusparseSpMM(handle, none, none, &one, a.get(), b_matrix, &zero, c_matrix, type,
                         algorithm, buffer.get()));
    });
    gpu::print(variant, c);
  });
  CHECK(cusparseDestroyDnMat(b_matrix));
  CHECK(cusparseDestroyDnMat(c_matrix));
}

} // namespace

int main(int argc, char** argv) {
  const bool deterministic = gpu::start(argc, argv).deterministic;
  const gpu::SparsePattern pattern;
  cusparseHandle_t handle = nullptr;
  CHECK(cusparseCreate(&handle));
  for (const gpu::Format format : {gpu::Format::csr, gpu::Format::coo})
    for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
      multiply<float>(handle, format, pattern, order, deterministic);
      multiply<double>(handle, format, pattern, order, deterministic);
    }
  CHECK(cusparseDestroy(handle));
  return gpu::finish();
}
