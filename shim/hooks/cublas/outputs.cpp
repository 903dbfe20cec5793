// Products, solutions and updates of cuBLAS that have no algorithm to choose: what goes in and what comes out
// is hashed on the GPU if DETSHIM_FINGERPRINT=calls asks for it. The cublasGemmEx family is in cublas.cpp,
// cublasLtMatmul in cublaslt.cpp.
//
// Symbols: cublas_api.h of CUDA 13.0; those of 64-bit sizes are there since CUDA 12.
#include "hooks/cublas/outputs.h"

#include "hooks/support/library_version.h"

namespace detshim {

using namespace abi;

HashedArea area_of(const BlasMatrix& matrix, int64_t rows, int64_t columns, int64_t batches) {
  if (matrix.element == 0 || rows <= 0 || columns <= 0 || batches <= 0 || matrix.leading < rows) return {};
  const auto number = [](int64_t value) { return static_cast<uint64_t>(value); };
  const HashedArea area = rows_at(matrix.start, number(rows) * matrix.element, number(columns),
                                  number(matrix.leading) * matrix.element);
  if (matrix.pointers != nullptr) return batch_by_pointers(area, number(batches), matrix.pointers);
  if (batches == 1) return area;
  if (matrix.step >= 0) return batch_of(area, number(batches), number(matrix.step) * matrix.element);
  // The last one lies first.
  HashedArea last = area;
  last.start -= number(batches - 1) * number(-matrix.step) * matrix.element;
  return batch_of(last, number(batches), number(-matrix.step) * matrix.element);
}

void add_product(CallOutputs& outputs, const BlasProduct& product) {
  const auto add_shape = [&](const char* name, int64_t value) {
    outputs.add_shape(name, static_cast<uint64_t>(value));
  };
  add_shape("m", product.m);
  add_shape("n", product.n);
  add_shape("k", product.k);
  add_shape("ta", product.transposed_a);
  add_shape("tb", product.transposed_b);
  add_shape("size", static_cast<int64_t>(product.c.element));
  add_shape("ldc", product.c.leading);
  if (product.batches != 1) add_shape("batches", product.batches);
  const auto add_input = [&](const BlasMatrix& matrix, bool is_transposed, int64_t rows, int64_t columns) {
    outputs.add_input(
        area_of(matrix, is_transposed ? columns : rows, is_transposed ? rows : columns, product.batches));
    if (matrix.element == 0) outputs.leave_inputs();
  };
  add_input(product.a, product.transposed_a != 0, product.m, product.k);
  add_input(product.b, product.transposed_b != 0, product.k, product.n);
  if (product.c.element == 0) outputs.leave_outputs(Reason::type_unknown);
  outputs.add_output(area_of(product.c, product.m, product.n, product.batches));
}

namespace {

/// Each function is there in two widths of its sizes.
template <typename Count>
using Product =
    OutermostCall<cublasStatus(cublasHandle_t handle, cublasOperation trans_a, cublasOperation trans_b,
                               Count m, Count n, Count k, const void* alpha, const void* a, Count lda,
                               const void* b, Count ldb, const void* beta, void* c, Count ldc)>;
template <typename Count>
using ProductBatched =
    OutermostCall<cublasStatus(cublasHandle_t handle, cublasOperation trans_a, cublasOperation trans_b,
                               Count m, Count n, Count k, const void* alpha, const void* const* a, Count lda,
                               const void* const* b, Count ldb, const void* beta, void* const* c, Count ldc,
                               Count batches)>;
template <typename Count>
using ProductStrided =
    OutermostCall<cublasStatus(cublasHandle_t handle, cublasOperation trans_a, cublasOperation trans_b,
                               Count m, Count n, Count k, const void* alpha, const void* a, Count lda,
                               long long a_step, const void* b, Count ldb, long long b_step, const void* beta,
                               void* c, Count ldc, long long c_step, Count batches)>;
template <typename Count>
using ProductEx =
    OutermostCall<cublasStatus(cublasHandle_t handle, cublasOperation trans_a, cublasOperation trans_b,
                               Count m, Count n, Count k, const void* alpha, const void* a,
                               cudaDataType a_type, Count lda, const void* b, cudaDataType b_type, Count ldb,
                               const void* beta, void* c, cudaDataType c_type, Count ldc)>;
template <typename Count>
using Vector = OutermostCall<cublasStatus(cublasHandle_t handle, cublasOperation trans, Count m, Count n,
                                          const void* alpha, const void* a, Count lda, const void* x,
                                          Count x_step, const void* beta, void* y, Count y_step)>;
template <typename Count>
using RankK = OutermostCall<cublasStatus(cublasHandle_t handle, int fill, cublasOperation trans, Count n,
                                         Count k, const void* alpha, const void* a, Count lda,
                                         const void* beta, void* c, Count ldc)>;
template <typename Count>
using Solve = OutermostCall<cublasStatus(cublasHandle_t handle, int side, int fill, cublasOperation trans,
                                         int diagonal, Count m, Count n, const void* alpha, const void* a,
                                         Count lda, void* b, Count ldb)>;

template <uint64_t element, typename Call, typename Count>
cublasStatus multiply(const Call& call, cublasHandle_t handle, cublasOperation trans_a,
                      cublasOperation trans_b, Count m, Count n, Count k, const void* alpha, const void* a,
                      Count lda, const void* b, Count ldb, const void* beta, void* c, Count ldc) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        describe_product(call, outputs, handle,
                         {trans_a,
                          trans_b,
                          m,
                          n,
                          k,
                          {a, element, lda},
                          {b, element, ldb},
                          {c, element, ldc},
                          1,
                          alpha,
                          beta,
                          element});
      },
      [&] { return call.real(handle, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc); });
}

template <uint64_t element, typename Call, typename Count>
cublasStatus multiply_batched(const Call& call, cublasHandle_t handle, cublasOperation trans_a,
                              cublasOperation trans_b, Count m, Count n, Count k, const void* alpha,
                              const void* const* a, Count lda, const void* const* b, Count ldb,
                              const void* beta, void* const* c, Count ldc, Count batches) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        describe_product(call, outputs, handle,
                         {trans_a,
                          trans_b,
                          m,
                          n,
                          k,
                          {nullptr, element, lda, 0, a},
                          {nullptr, element, ldb, 0, b},
                          {nullptr, element, ldc, 0, c},
                          batches,
                          alpha,
                          beta,
                          element});
      },
      [&] {
        return call.real(handle, trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, batches);
      });
}

template <uint64_t element, typename Call, typename Count>
cublasStatus multiply_strided(const Call& call, cublasHandle_t handle, cublasOperation trans_a,
                              cublasOperation trans_b, Count m, Count n, Count k, const void* alpha,
                              const void* a, Count lda, long long a_step, const void* b, Count ldb,
                              long long b_step, const void* beta, void* c, Count ldc, long long c_step,
                              Count batches) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        describe_product(call, outputs, handle,
                         {trans_a,
                          trans_b,
                          m,
                          n,
                          k,
                          {a, element, lda, a_step},
                          {b, element, ldb, b_step},
                          {c, element, ldc, c_step},
                          batches,
                          alpha,
                          beta,
                          element});
      },
      [&] {
        return call.real(handle, trans_a, trans_b, m, n, k, alpha, a, lda, a_step, b, ldb, b_step, beta, c,
                         ldc, c_step, batches);
      });
}

/// Other types than that of the scales.
template <uint64_t scale, typename Call, typename Count>
cublasStatus multiply_ex(const Call& call, cublasHandle_t handle, cublasOperation trans_a,
                         cublasOperation trans_b, Count m, Count n, Count k, const void* alpha, const void* a,
                         cudaDataType a_type, Count lda, const void* b, cudaDataType b_type, Count ldb,
                         const void* beta, void* c, cudaDataType c_type, Count ldc) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        describe_product(call, outputs, handle,
                         {trans_a,
                          trans_b,
                          m,
                          n,
                          k,
                          {a, size_of_type(a_type), lda},
                          {b, size_of_type(b_type), ldb},
                          {c, size_of_type(c_type), ldc},
                          1,
                          alpha,
                          beta,
                          scale});
      },
      [&] {
        return call.real(handle, trans_a, trans_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                         c_type, ldc);
      });
}

/// A vector, as a matrix of one row; one that runs backwards begins at its end.
HashedArea vector_at(const void* start, uint64_t element, int64_t count, int64_t step) {
  return area_of({start, element, step < 0 ? -step : step}, 1, count);
}

template <uint64_t element, typename Call, typename Count>
cublasStatus multiply_vector(const Call& call, cublasHandle_t handle, cublasOperation trans, Count m, Count n,
                             const void* alpha, const void* a, Count lda, const void* x, Count x_step,
                             const void* beta, void* y, Count y_step) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        add_stream(call, outputs, handle);
        outputs.add_shape("m", static_cast<uint64_t>(m));
        outputs.add_shape("n", static_cast<uint64_t>(n));
        outputs.add_shape("ta", static_cast<uint64_t>(trans));
        outputs.add_shape("size", element);
        const HashedArea result = vector_at(y, element, trans != 0 ? n : m, y_step);
        if (add_scales(call, outputs, handle, element, alpha, beta)) outputs.add_changed(result);
        outputs.add_input(area_of({a, element, lda}, m, n));
        outputs.add_input(vector_at(x, element, trans != 0 ? m : n, x_step));
        outputs.add_output(result);
      },
      [&] { return call.real(handle, trans, m, n, alpha, a, lda, x, x_step, beta, y, y_step); });
}

constexpr int fill_lower = 0; // CUBLAS_FILL_MODE_LOWER
constexpr int side_left = 0;  // CUBLAS_SIDE_LEFT

/// Only a triangle of C is read and written.
template <uint64_t element, uint64_t scale, typename Call, typename Count>
cublasStatus update(const Call& call, cublasHandle_t handle, int fill, cublasOperation trans, Count n,
                    Count k, const void* alpha, const void* a, Count lda, const void* beta, void* c,
                    Count ldc) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        add_stream(call, outputs, handle);
        outputs.add_shape("n", static_cast<uint64_t>(n));
        outputs.add_shape("k", static_cast<uint64_t>(k));
        outputs.add_shape("ta", static_cast<uint64_t>(trans));
        outputs.add_shape("size", element);
        HashedArea result = {};
        if (n > 0 && ldc >= n)
          result = triangle_at(c, fill == fill_lower ? Triangle::lower : Triangle::upper, element,
                               static_cast<uint64_t>(n), static_cast<uint64_t>(ldc) * element);
        if (add_scales(call, outputs, handle, scale, alpha, beta)) outputs.add_changed(result);
        outputs.add_input(area_of({a, element, lda}, trans != 0 ? k : n, trans != 0 ? n : k));
        outputs.add_output(result);
      },
      [&] { return call.real(handle, fill, trans, n, k, alpha, a, lda, beta, c, ldc); });
}

template <uint64_t element, typename Call, typename... Arguments>
cublasStatus update_symmetric(const Call& call, Arguments... arguments) {
  return update<element, element>(call, arguments...);
}
/// Its scales are real numbers.
template <uint64_t element, typename Call, typename... Arguments>
cublasStatus update_hermitian(const Call& call, Arguments... arguments) {
  return update<element, element / 2>(call, arguments...);
}

/// B becomes the solution.
template <uint64_t element, typename Call, typename Count>
cublasStatus solve(const Call& call, cublasHandle_t handle, int side, int fill, cublasOperation trans,
                   int diagonal, Count m, Count n, const void* alpha, const void* a, Count lda, void* b,
                   Count ldb) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cublas_library);
        add_stream(call, outputs, handle);
        outputs.add_shape("m", static_cast<uint64_t>(m));
        outputs.add_shape("n", static_cast<uint64_t>(n));
        outputs.add_shape("left", side == side_left ? 1 : 0);
        outputs.add_shape("ta", static_cast<uint64_t>(trans));
        outputs.add_shape("size", element);
        const Count order = side == side_left ? m : n;
        const HashedArea result = area_of({b, element, ldb}, m, n);
        add_scales(call, outputs, handle, element, alpha, nullptr);
        outputs.add_changed(result);
        if (order > 0 && lda >= order)
          outputs.add_input(triangle_at(a, fill == fill_lower ? Triangle::lower : Triangle::upper, element,
                                        static_cast<uint64_t>(order), static_cast<uint64_t>(lda) * element));
        outputs.add_output(result);
      },
      [&] { return call.real(handle, side, fill, trans, diagonal, m, n, alpha, a, lda, b, ldb); });
}

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasSgemm_v2, multiply<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasSgemm_v2_64, multiply<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasDgemm_v2, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasDgemm_v2_64, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasCgemm_v2, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasCgemm_v2_64, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasZgemm_v2, multiply<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasZgemm_v2_64, multiply<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasHgemm, multiply<2>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasHgemm_64, multiply<2>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasCgemm3m, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasCgemm3m_64, multiply<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int>, cublasZgemm3m, multiply<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Product<int64_t>, cublasZgemm3m_64, multiply<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int>, cublasSgemmBatched, multiply_batched<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int64_t>, cublasSgemmBatched_64, multiply_batched<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int>, cublasDgemmBatched, multiply_batched<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int64_t>, cublasDgemmBatched_64, multiply_batched<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int>, cublasCgemmBatched, multiply_batched<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int64_t>, cublasCgemmBatched_64, multiply_batched<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int>, cublasZgemmBatched, multiply_batched<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int64_t>, cublasZgemmBatched_64, multiply_batched<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int>, cublasHgemmBatched, multiply_batched<2>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductBatched<int64_t>, cublasHgemmBatched_64, multiply_batched<2>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasSgemmStridedBatched, multiply_strided<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasSgemmStridedBatched_64, multiply_strided<4>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasDgemmStridedBatched, multiply_strided<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasDgemmStridedBatched_64, multiply_strided<8>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasCgemmStridedBatched, multiply_strided<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasCgemmStridedBatched_64, multiply_strided<8>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasZgemmStridedBatched, multiply_strided<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasZgemmStridedBatched_64, multiply_strided<16>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasHgemmStridedBatched, multiply_strided<2>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasHgemmStridedBatched_64, multiply_strided<2>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int>, cublasCgemm3mStridedBatched, multiply_strided<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductStrided<int64_t>, cublasCgemm3mStridedBatched_64, multiply_strided<8>,
                      hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductEx<int>, cublasSgemmEx, multiply_ex<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductEx<int64_t>, cublasSgemmEx_64, multiply_ex<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductEx<int>, cublasCgemmEx, multiply_ex<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, ProductEx<int64_t>, cublasCgemmEx_64, multiply_ex<8>, hashed);

DETSHIM_TEMPLATE_HOOK(cublas, Vector<int>, cublasSgemv_v2, multiply_vector<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int64_t>, cublasSgemv_v2_64, multiply_vector<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int>, cublasDgemv_v2, multiply_vector<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int64_t>, cublasDgemv_v2_64, multiply_vector<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int>, cublasCgemv_v2, multiply_vector<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int64_t>, cublasCgemv_v2_64, multiply_vector<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int>, cublasZgemv_v2, multiply_vector<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Vector<int64_t>, cublasZgemv_v2_64, multiply_vector<16>, hashed);

DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasSsyrk_v2, update_symmetric<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasSsyrk_v2_64, update_symmetric<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasDsyrk_v2, update_symmetric<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasDsyrk_v2_64, update_symmetric<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasCsyrk_v2, update_symmetric<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasCsyrk_v2_64, update_symmetric<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasZsyrk_v2, update_symmetric<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasZsyrk_v2_64, update_symmetric<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasCherk_v2, update_hermitian<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasCherk_v2_64, update_hermitian<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int>, cublasZherk_v2, update_hermitian<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, RankK<int64_t>, cublasZherk_v2_64, update_hermitian<16>, hashed);

DETSHIM_TEMPLATE_HOOK(cublas, Solve<int>, cublasStrsm_v2, solve<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int64_t>, cublasStrsm_v2_64, solve<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int>, cublasDtrsm_v2, solve<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int64_t>, cublasDtrsm_v2_64, solve<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int>, cublasCtrsm_v2, solve<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int64_t>, cublasCtrsm_v2_64, solve<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int>, cublasZtrsm_v2, solve<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cublas, Solve<int64_t>, cublasZtrsm_v2_64, solve<16>, hashed);
