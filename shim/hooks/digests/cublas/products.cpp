// Products and solutions of cuBLAS that have no algorithm to choose, as frameworks call them. The
// cublasGemmEx family is hooked in hooks/cublas/cublas.cpp.
//
// Symbols: cublas_api.h of CUDA 13.0; those of 64-bit sizes are there since CUDA 12.
#include "hooks/digests/cublas/products.h"

namespace detshim {

using namespace abi;

HashedArea area_of(const BlasMatrix& matrix, int64_t rows, int64_t columns, int64_t batches) {
  if (matrix.element == 0 || rows <= 0 || columns <= 0 || batches <= 0 || matrix.leading < rows)
    return {};
  const auto number = [](int64_t value) {
    return static_cast<uint64_t>(value);
  };
  const HashedArea area = rows_at(matrix.start, number(rows) * matrix.element, number(columns),
                                  number(matrix.leading) * matrix.element);
  if (matrix.pointers != nullptr)
    return batch_by_pointers(area, number(batches), matrix.pointers);
  if (batches == 1)
    return area;
  if (matrix.step >= 0)
    return batch_of(area, number(batches), number(matrix.step) * matrix.element);
  // The last one lies first.
  HashedArea last = area;
  last.start -= number(batches - 1) * number(-matrix.step) * matrix.element;
  return batch_of(last, number(batches), number(-matrix.step) * matrix.element);
}

uint64_t scale_of(cublasComputeType compute, cudaDataType c_type) {
  constexpr struct {
    int first, last; // of cublasComputeType_t, both included
    uint64_t bytes;  // of a real number
    bool may_be_complex;
  } rows[] = {
      {64, 65, 2, true},  // 16F, and pedantic
      {68, 69, 4, true},  // 32F, and pedantic
      {74, 75, 4, true},  // the faster ones
      {77, 78, 4, true},  //
      {70, 71, 8, true},  // 64F, and pedantic
      {79, 79, 8, true},  // by fixed-point numbers
      {72, 73, 4, false}, // 32I, and pedantic
  };
  constexpr int first_complex = 4; // CUDA_C_32F to CUDA_C_8I of cudaDataType_t
  constexpr int last_complex = 7;
  const auto type = static_cast<int>(c_type);
  const bool is_complex = type >= first_complex && type <= last_complex;
  const auto asked = static_cast<int>(compute);
  for (const auto& row : rows)
    if (asked >= row.first && asked <= row.last)
      return is_complex && row.may_be_complex ? 2 * row.bytes : row.bytes;
  return 0;
}

namespace {

/// What a call multiplies by: numbers of the host's go in with the rest, and so does what lies on
/// the GPU. True if what was there before counts too: by beta, nullptr for a call without. Where
/// that lies on the GPU it is not known, and nothing is said of the inputs.
bool add_scales(CallDigest& digest, cublasHandle_t handle, const BlasScales& scales) {
  static constinit SiblingFunction<cublasStatus(cublasHandle_t, int*)> get_mode(
      "cublasGetPointerMode_v2");
  int is_on_device = 1;
  const auto& [alpha, beta, size] = scales;
  if (handle == nullptr || size == 0 || size > 16 ||
      !get_mode.succeeds(digest.hook(), handle, &is_on_device))
    return digest.leave_inputs(), false;
  if (is_on_device != 0) {
    if (beta != nullptr)
      digest.leave_inputs();
    digest.add_input(bytes_at(alpha, size));
    return false;
  }
  digest.add_number(alpha, size);
  if (beta == nullptr)
    return false;
  digest.add_number(beta, size);
  return !is_zero(beta, size);
}

void begin(CallDigest& digest, cublasHandle_t handle) {
  static constinit SiblingFunction<cublasStatus(cublasHandle_t, cudaStream_t*)> get_stream(
      "cublasGetStream_v2");
  cudaStream_t stream = nullptr;
  if (handle != nullptr && get_stream.succeeds(digest.hook(), handle, &stream))
    digest.set_stream(stream);
  else
    digest.leave_outputs(Reason::stream_unknown);
}

} // namespace

void add_product(CallDigest& digest, cublasHandle_t handle, const BlasShape& shape,
                 const BlasScales& scales, const BlasMatrix& a, const BlasMatrix& b,
                 const BlasMatrix& c) {
  const auto& [transposed_a, transposed_b, m, n, k, batches] = shape;
  begin(digest, handle);
  const HashedArea result = area_of(c, m, n, batches);
  if (add_scales(digest, handle, scales))
    digest.add_changed(result);
  digest.add_shape("m", m).add_shape("n", n).add_shape("k", k);
  digest.add_shape("ta", transposed_a).add_shape("tb", transposed_b);
  digest.add_shape("size", c.element).add_shape("ldc", c.leading);
  if (batches != 1)
    digest.add_shape("batches", batches);
  digest.add_input(area_of(a, transposed_a != 0 ? k : m, transposed_a != 0 ? m : k, batches));
  digest.add_input(area_of(b, transposed_b != 0 ? n : k, transposed_b != 0 ? k : n, batches));
  if (a.element == 0 || b.element == 0)
    digest.leave_inputs();
  if (c.element == 0)
    digest.leave_outputs(Reason::type_unknown);
  digest.add_output(result);
}

namespace {

template <uint64_t element, typename Count>
void multiply(CallDigest& digest, cublasHandle_t handle, cublasOperation trans_a,
              cublasOperation trans_b, Count m, Count n, Count k, const void* alpha, const void* a,
              Count lda, const void* b, Count ldb, const void* beta, void* c, Count ldc) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k}, {alpha, beta, element},
              {a, element, lda}, {b, element, ldb}, {c, element, ldc});
}

template <uint64_t element, typename Count>
void multiply_batched(CallDigest& digest, cublasHandle_t handle, cublasOperation trans_a,
                      cublasOperation trans_b, Count m, Count n, Count k, const void* alpha,
                      const void* const* a, Count lda, const void* const* b, Count ldb,
                      const void* beta, void* const* c, Count ldc, Count batches) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k, batches}, {alpha, beta, element},
              {nullptr, element, lda, 0, a}, {nullptr, element, ldb, 0, b},
              {nullptr, element, ldc, 0, c});
}

template <uint64_t element, typename Count>
void multiply_strided(CallDigest& digest, cublasHandle_t handle, cublasOperation trans_a,
                      cublasOperation trans_b, Count m, Count n, Count k, const void* alpha,
                      const void* a, Count lda, long long a_step, const void* b, Count ldb,
                      long long b_step, const void* beta, void* c, Count ldc, long long c_step,
                      Count batches) {
  add_product(digest, handle, {trans_a, trans_b, m, n, k, batches}, {alpha, beta, element},
              {a, element, lda, a_step}, {b, element, ldb, b_step}, {c, element, ldc, c_step});
}

/// A vector, as a matrix of one row; one that runs backwards begins at its end.
HashedArea vector_at(const void* start, uint64_t element, int64_t count, int64_t step) {
  return area_of({start, element, step < 0 ? -step : step}, 1, count);
}

template <uint64_t element, typename Count>
void multiply_vector(CallDigest& digest, cublasHandle_t handle, cublasOperation trans, Count m,
                     Count n, const void* alpha, const void* a, Count lda, const void* x,
                     Count x_step, const void* beta, void* y, Count y_step) {
  begin(digest, handle);
  digest.add_shape("m", m).add_shape("n", n).add_shape("ta", trans).add_shape("size", element);
  const HashedArea result = vector_at(y, element, trans != 0 ? n : m, y_step);
  if (add_scales(digest, handle, {alpha, beta, element}))
    digest.add_changed(result);
  digest.add_input(area_of({a, element, lda}, m, n));
  digest.add_input(vector_at(x, element, trans != 0 ? m : n, x_step));
  digest.add_output(result);
}

constexpr int side_left = 0; // CUBLAS_SIDE_LEFT

/// B becomes the solution.
template <uint64_t element, typename Count>
void solve(CallDigest& digest, cublasHandle_t handle, int side, int fill, cublasOperation trans,
           int, Count m, Count n, const void* alpha, const void* a, Count lda, void* b, Count ldb) {
  begin(digest, handle);
  digest.add_shape("m", m).add_shape("n", n).add_shape("left", side == side_left ? 1 : 0);
  digest.add_shape("ta", trans).add_shape("size", element);
  const HashedArea result = area_of({b, element, ldb}, m, n);
  add_scales(digest, handle, {alpha, nullptr, element});
  digest.add_changed(result);
  digest.add_input(triangle_of(fill, a, element, side == side_left ? m : n, lda));
  digest.add_output(result);
}

} // namespace
} // namespace detshim

using namespace detshim;

// A function in its two widths, NAME and NAME_64. After NAME: its template without the width.
#define BOTH_WIDTHS(NAME, DESCRIBE, ...)                                                           \
  DETSHIM_DIGEST_HOOK(cublas, cublasStatus, NAME, DESCRIBE<__VA_ARGS__, int>);                     \
  DETSHIM_DIGEST_HOOK(cublas, cublasStatus, NAME##_64, DESCRIBE<__VA_ARGS__, int64_t>)
// Those of float, double, and their complex numbers: cublasS…, D…, C…, Z….
#define FOUR_TYPES(NAME, DESCRIBE)                                                                 \
  BOTH_WIDTHS(cublasS##NAME, DESCRIBE, 4);                                                         \
  BOTH_WIDTHS(cublasD##NAME, DESCRIBE, 8);                                                         \
  BOTH_WIDTHS(cublasC##NAME, DESCRIBE, 8);                                                         \
  BOTH_WIDTHS(cublasZ##NAME, DESCRIBE, 16)

FOUR_TYPES(gemm_v2, multiply);
FOUR_TYPES(gemmBatched, multiply_batched);
FOUR_TYPES(gemmStridedBatched, multiply_strided);
FOUR_TYPES(gemv_v2, multiply_vector);
FOUR_TYPES(trsm_v2, solve);
