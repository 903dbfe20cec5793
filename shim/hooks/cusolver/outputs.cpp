// Factorizations, solutions and eigenvalues of cuSOLVER's dense part: what goes in and what comes out is
// hashed on the GPU if DETSHIM_FINGERPRINT=calls asks for it.
//
// Symbols: cusolverDn.h of CUDA 13.0.
#include "hooks/cuda/outputs.h"
#include "abi/cusolver.h"
#include "hooks/support/data_sizes.h"
#include "hooks/support/library_version.h"

namespace detshim {
namespace {

using namespace abi;

uint64_t number(int64_t value) { return value > 0 ? static_cast<uint64_t>(value) : 0; }

/// A matrix by columns.
HashedArea matrix_at(const void* start, uint64_t element, int64_t rows, int64_t columns, int64_t leading) {
  return leading < rows ? HashedArea{}
                        : rows_at(start, number(rows) * element, number(columns), number(leading) * element);
}

constexpr int fill_lower = 0; // CUBLAS_FILL_MODE_LOWER

HashedArea triangle_of(int fill, const void* start, uint64_t element, int64_t order, int64_t leading) {
  return leading < order ? HashedArea{}
                         : triangle_at(start, fill == fill_lower ? Triangle::lower : Triangle::upper, element,
                                       number(order), number(leading) * element);
}

/// Makes a call by run(), with what `describe` adds to the stream and the shape hashed.
template <typename Call, typename Describe, typename Run>
cusolverStatus print_solution(const Call& call, cusolverDnHandle_t handle, int64_t m, int64_t n,
                              uint64_t element, Describe describe, Run run) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cusolver_library);
        static constinit FunctionBeside<cusolverStatus(cusolverDnHandle_t, cudaStream_t*)> get_stream(
            "cusolverDnGetStream");
        auto* const get = get_stream.of(call);
        cudaStream_t stream = nullptr;
        if (handle == nullptr || get == nullptr || get(handle, &stream) != cusolverStatus::success)
          outputs.leave_outputs("its stream is not known");
        outputs.set_stream(stream);
        outputs.add_shape("m", number(m));
        outputs.add_shape("n", number(n));
        outputs.add_shape("size", element);
        describe(outputs);
      },
      run);
}

/// LU: A becomes both factors.
template <uint64_t element, typename Call>
cusolverStatus factorize_lu(const Call& call, cusolverDnHandle_t handle, int m, int n, void* a, int lda,
                            void* workspace, int* pivots, int* info) {
  return print_solution(
      call, handle, m, n, element,
      [&](CallOutputs& outputs) {
        const HashedArea area = matrix_at(a, element, m, n, lda);
        outputs.add_changed(area);
        outputs.add_output(area);
        if (pivots != nullptr) outputs.add_output(bytes_at(pivots, number(m < n ? m : n) * sizeof(int)));
      },
      [&] { return call.real(handle, m, n, a, lda, workspace, pivots, info); });
}

template <uint64_t element, typename Call>
cusolverStatus factorize_qr(const Call& call, cusolverDnHandle_t handle, int m, int n, void* a, int lda,
                            void* tau, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, m, n, element,
      [&](CallOutputs& outputs) {
        const HashedArea area = matrix_at(a, element, m, n, lda);
        outputs.add_changed(area);
        outputs.add_output(area);
        outputs.add_output(bytes_at(tau, number(m < n ? m : n) * element));
      },
      [&] { return call.real(handle, m, n, a, lda, tau, workspace, size, info); });
}

/// Cholesky: a triangle of A becomes the factor.
template <uint64_t element, typename Call>
cusolverStatus factorize_cholesky(const Call& call, cusolverDnHandle_t handle, int fill, int n, void* a,
                                  int lda, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) {
        const HashedArea area = triangle_of(fill, a, element, n, lda);
        outputs.add_changed(area);
        outputs.add_output(area);
      },
      [&] { return call.real(handle, fill, n, a, lda, workspace, size, info); });
}

/// By LU: B becomes the solution.
template <uint64_t element, typename Call>
cusolverStatus solve_by_lu(const Call& call, cusolverDnHandle_t handle, int trans, int n, int columns,
                           const void* a, int lda, const int* pivots, void* b, int ldb, int* info) {
  return print_solution(
      call, handle, n, columns, element,
      [&](CallOutputs& outputs) {
        const HashedArea area = matrix_at(b, element, n, columns, ldb);
        outputs.add_changed(area);
        outputs.add_input(matrix_at(a, element, n, n, lda));
        outputs.add_input(bytes_at(pivots, number(n) * sizeof(int)));
        outputs.add_output(area);
      },
      [&] { return call.real(handle, trans, n, columns, a, lda, pivots, b, ldb, info); });
}

/// Eigenvalues, of the type `real` bytes wide, and, if asked for, vectors in the place of A.
template <uint64_t element, uint64_t real, typename Call>
cusolverStatus find_eigenvalues(const Call& call, cusolverDnHandle_t handle, int what, int fill, int n,
                                void* a, int lda, void* w, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) {
        outputs.add_changed(triangle_of(fill, a, element, n, lda));
        outputs.add_output(bytes_at(w, number(n) * real));
        if (what == 1) outputs.add_output(matrix_at(a, element, n, n, lda)); // CUSOLVER_EIG_MODE_VECTOR
      },
      [&] { return call.real(handle, what, fill, n, a, lda, w, workspace, size, info); });
}
template <uint64_t element, typename Call, typename... Arguments>
cusolverStatus find_symmetric(const Call& call, Arguments... arguments) {
  return find_eigenvalues<element, element>(call, arguments...);
}
template <uint64_t element, typename Call, typename... Arguments>
cusolverStatus find_hermitian(const Call& call, Arguments... arguments) {
  return find_eigenvalues<element, element / 2>(call, arguments...);
}

using Lu = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int m, int n, void* a, int lda,
                                        void* workspace, int* pivots, int* info)>;
using Qr = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int m, int n, void* a, int lda, void* tau,
                                        void* workspace, int size, int* info)>;
using Cholesky = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int fill, int n, void* a, int lda,
                                              void* workspace, int size, int* info)>;
using SolveLu =
    OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int trans, int n, int columns, const void* a,
                                 int lda, const int* pivots, void* b, int ldb, int* info)>;
using Eigenvalues =
    OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int what, int fill, int n, void* a, int lda,
                                 void* w, void* workspace, int size, int* info)>;

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusolver, Lu, cusolverDnSgetrf, factorize_lu<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Lu, cusolverDnDgetrf, factorize_lu<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Lu, cusolverDnCgetrf, factorize_lu<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Lu, cusolverDnZgetrf, factorize_lu<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveLu, cusolverDnSgetrs, solve_by_lu<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveLu, cusolverDnDgetrs, solve_by_lu<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveLu, cusolverDnCgetrs, solve_by_lu<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveLu, cusolverDnZgetrs, solve_by_lu<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Qr, cusolverDnSgeqrf, factorize_qr<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Qr, cusolverDnDgeqrf, factorize_qr<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Qr, cusolverDnCgeqrf, factorize_qr<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Qr, cusolverDnZgeqrf, factorize_qr<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Cholesky, cusolverDnSpotrf, factorize_cholesky<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Cholesky, cusolverDnDpotrf, factorize_cholesky<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Cholesky, cusolverDnCpotrf, factorize_cholesky<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Cholesky, cusolverDnZpotrf, factorize_cholesky<16>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Eigenvalues, cusolverDnSsyevd, find_symmetric<4>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Eigenvalues, cusolverDnDsyevd, find_symmetric<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Eigenvalues, cusolverDnCheevd, find_hermitian<8>, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Eigenvalues, cusolverDnZheevd, find_hermitian<16>, hashed);
