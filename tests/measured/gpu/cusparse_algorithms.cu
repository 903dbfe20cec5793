// How many different results each algorithm of cuSPARSE's sparse products with matrices gives in
// one process: not a row of `run`. What it printed on a GPU is why a matrix in rows is given as
// coordinates (docs/evidence).
#include "sparse_matrix.h"

#include <set>

namespace {

using gpu::Device;

constexpr int repeats = 12;

struct Algorithm {
  const char* name;
  gpu::Format format;
  cusparseSpMMAlg_t number;
};
constexpr Algorithm algorithms[] = {{"CSR_ALG1", gpu::Format::csr, CUSPARSE_SPMM_CSR_ALG1},
                                    {"CSR_ALG2", gpu::Format::csr, CUSPARSE_SPMM_CSR_ALG2},
                                    {"CSR_ALG3", gpu::Format::csr, CUSPARSE_SPMM_CSR_ALG3},
                                    {"COO_ALG1", gpu::Format::coo, CUSPARSE_SPMM_COO_ALG1},
                                    {"COO_ALG2", gpu::Format::coo, CUSPARSE_SPMM_COO_ALG2},
                                    {"COO_ALG3", gpu::Format::coo, CUSPARSE_SPMM_COO_ALG3},
                                    {"COO_ALG4", gpu::Format::coo, CUSPARSE_SPMM_COO_ALG4}};

/// Every row as long as the others.
gpu::SparsePattern even_pattern() {
  gpu::SparsePattern pattern;
  pattern.offsets = {0};
  pattern.rows.clear();
  pattern.columns.clear();
  for (int row = 0; row < gpu::sparse_rows; ++row) {
    for (int i = 0; i < 64; ++i) {
      pattern.rows.push_back(row);
      pattern.columns.push_back(i * 1024 + row % 1024);
    }
    pattern.offsets.push_back(static_cast<int>(pattern.columns.size()));
  }
  return pattern;
}

size_t distinct_results(cusparseHandle_t handle, const Algorithm& algorithm,
                        const gpu::SparsePattern& pattern, cusparseOrder_t order, int width) {
  const gpu::SparseMatrix<float> a(algorithm.format, pattern);
  const Device<float> b(gpu::fixed<float>(static_cast<size_t>(gpu::sparse_columns) * width, 2, 8));
  const Device<float> c(static_cast<size_t>(gpu::sparse_rows) * width);
  const float one = 1, zero = 0;
  const bool by_columns = order == CUSPARSE_ORDER_COL;
  cusparseDnMatDescr_t b_matrix = nullptr, c_matrix = nullptr;
  CHECK(cusparseCreateDnMat(&b_matrix, gpu::sparse_columns, width,
                            by_columns ? gpu::sparse_columns : width, b.get(), CUDA_R_32F, order));
  CHECK(cusparseCreateDnMat(&c_matrix, gpu::sparse_rows, width,
                            by_columns ? gpu::sparse_rows : width, c.get(), CUDA_R_32F, order));
  const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
  size_t bytes = 0;
  CHECK(cusparseSpMM_bufferSize(handle, none, none, &one, a.get(), b_matrix, &zero, c_matrix,
                                CUDA_R_32F, algorithm.number, &bytes));
  const Device<char> buffer(bytes);
  std::set<std::vector<float>> results;
  for (int i = 0; i < repeats; ++i) {
    CHECK(cusparseSpMM(handle, none, none, &one, a.get(), b_matrix, &zero, c_matrix, CUDA_R_32F,
                       algorithm.number, buffer.get()));
    std::vector<float> result(static_cast<size_t>(gpu::sparse_rows) * width);
    CHECK(
        cudaMemcpy(result.data(), c.get(), result.size() * sizeof(float), cudaMemcpyDeviceToHost));
    results.insert(result);
  }
  CHECK(cusparseDestroyDnMat(b_matrix));
  CHECK(cusparseDestroyDnMat(c_matrix));
  return results.size();
}

} // namespace

int main(int argc, char** argv) {
  gpu::start(argc, argv);
  cusparseHandle_t handle = nullptr;
  CHECK(cusparseCreate(&handle));
  const gpu::SparsePattern uneven, even = even_pattern();
  for (const Algorithm& algorithm : algorithms)
    for (const int width : {1, 32, 64})
      for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW})
        std::printf("%s %d columns, by %s: %zu of %d with some long rows, %zu with even ones\n",
                    algorithm.name, width, order == CUSPARSE_ORDER_COL ? "columns" : "rows",
                    distinct_results(handle, algorithm, uneven, order, width), repeats,
                    distinct_results(handle, algorithm, even, order, width));
  CHECK(cusparseDestroy(handle));
}
