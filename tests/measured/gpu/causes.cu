// Three ways to results that differ from run to run, between products that repeat, for `detshim
// verify`: the first that differs is to be named (the script `causes`). The argument says which:
//   atomics   a kernel of the program's own that adds by atomics: it is one of those before the
//   next product sparse    a transposed sparse product, which is not hashed: the next product is
//   named none      neither of them: the runs are equal cost      what fingerprints cost: products
//   alone, as many and as large as a small training has; prints the
//             time of a product in microseconds
// Exit status: 0 done, 1 a call failed, 2 a wrong argument, 77 no CUDA device.
#include "sparse_matrix.h"

#include <cublas_v2.h>

namespace {

using gpu::Device;

constexpr int size = 512, blocks = 512, threads = 256;

__global__ void contended_sum(const float* values, int count, float* result) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += blocks * threads)
    atomicAdd(&result[i % 16], values[i]);
}

class Products {
public:
  Products() { CHECK(cublasCreate(&handle_)); }
  ~Products() { cublasDestroy(handle_); }
  Products(const Products&) = delete;
  Products& operator=(const Products&) = delete;

  /// c = a b, square.
  void multiply(int order, const float* a, const float* b, float* c) const {
    const float one = 1, zero = 0;
    CHECK(cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, order, order, order, &one, a, order, b,
                      order, &zero, c, order));
  }

private:
  cublasHandle_t handle_ = nullptr;
};

void print_result(const Device<float>& result) {
  std::vector<float> host(result.bytes() / sizeof(float));
  CHECK(cudaMemcpy(host.data(), result.get(), result.bytes(), cudaMemcpyDeviceToHost));
  double sum = 0;
  for (const float value : host)
    sum += value;
  std::printf("result %.17g\n", sum);
}

void hunt(bool with_atomics, bool with_sparse) {
  const Products products;
  const Device<float> a(gpu::fixed<float>(size * size, 1, 12)), b(size * size), c(size * size);
  products.multiply(size, a.get(), a.get(), b.get());
  if (with_atomics) {
    const Device<float> many(gpu::fixed<float>(1 << 22, 3, 12));
    contended_sum<<<blocks, threads>>>(many.get(), 1 << 22, b.get());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }
  if (with_sparse) {
    cusparseHandle_t handle = nullptr;
    CHECK(cusparseCreate(&handle));
    const gpu::SparsePattern pattern;
    const gpu::SparseMatrix<float> matrix(gpu::Format::csr, pattern);
    constexpr int columns = 4;
    const Device<float> x(gpu::fixed<float>(size_t{gpu::sparse_rows} * columns, 2, 8));
    const Device<float> y(size_t{gpu::sparse_columns} * columns);
    cusparseDnMatDescr_t from = nullptr, to = nullptr;
    const float one = 1, zero = 0;
    CHECK(cusparseCreateDnMat(&from, gpu::sparse_rows, columns, gpu::sparse_rows, x.get(),
                              CUDA_R_32F, CUSPARSE_ORDER_COL));
    CHECK(cusparseCreateDnMat(&to, gpu::sparse_columns, columns, gpu::sparse_columns, y.get(),
                              CUDA_R_32F, CUSPARSE_ORDER_COL));
    size_t bytes = 0;
    CHECK(cusparseSpMM_bufferSize(handle, CUSPARSE_OPERATION_TRANSPOSE,
                                  CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix.get(), from, &zero,
                                  to, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, &bytes));
    const Device<char> buffer(bytes);
    CHECK(cusparseSpMM(handle, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &one,
                       matrix.get(), from, &zero, to, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT,
                       buffer.get()));
    CHECK(cudaMemcpy(b.get(), y.get(), 4096, cudaMemcpyDeviceToDevice));
    CHECK(cusparseDestroyDnMat(from));
    CHECK(cusparseDestroyDnMat(to));
    CHECK(cusparseDestroy(handle));
  }
  products.multiply(size, b.get(), a.get(), c.get());
  print_result(c);
}

/// Sums of what was computed are the same with and without fingerprints; the time is printed too.
void measure() {
  const Products products;
  constexpr int order = 2048, repeats = 200, turns = 10;
  const Device<float> a(gpu::fixed<float>(order * order, 1, 2)), c(order * order);
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  for (int i = 0; i < 20; ++i)
    products.multiply(order, a.get(), a.get(), c.get());
  CHECK(cudaDeviceSynchronize());
  for (int turn = 0; turn < turns; ++turn) {
    CHECK(cudaEventRecord(begin));
    for (int i = 0; i < repeats; ++i)
      products.multiply(order, a.get(), a.get(), c.get());
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::printf("microseconds %.3f\n", static_cast<double>(milliseconds) * 1000 / repeats);
  }
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[argc - 1] : "none";
  if (argc > 2 || (what != "atomics" && what != "sparse" && what != "none" && what != "cost")) {
    std::fprintf(stderr,
                 "%s: unknown argument %s: accepted is one of atomics, sparse, none (also without "
                 "one) and cost\n",
                 argv[0], what.c_str());
    return 2;
  }
  gpu::start(1, argv);
  if (what == "cost")
    measure();
  else
    hunt(what == "atomics", what == "sparse");
}
