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
          outputs.leave_outputs(Reason::stream_unknown);
        outputs.set_stream(stream);
        outputs.add_shape("m", number(m));
        outputs.add_shape("n", number(n));
        outputs.add_shape("size", element);
        describe(outputs);
      },
      run);
}

// What the functions read and write, in whichever interface. Elements of 0 bytes are of a type that is not
// known.

/// A matrix or a part of it that becomes the result, next to others.
void add_replaced(CallOutputs& outputs, uint64_t element, const HashedArea& area) {
  if (element == 0) outputs.leave_outputs(Reason::type_unknown);
  outputs.add_changed(area);
  outputs.add_output(area);
}

/// LU: A becomes both factors. `pivot`: bytes of one.
void add_lu(CallOutputs& outputs, uint64_t element, int64_t m, int64_t n, void* a, int64_t lda,
            const void* pivots, uint64_t pivot) {
  add_replaced(outputs, element, matrix_at(a, element, m, n, lda));
  if (pivots != nullptr) outputs.add_output(bytes_at(pivots, number(m < n ? m : n) * pivot));
}

void add_qr(CallOutputs& outputs, uint64_t element, int64_t m, int64_t n, void* a, int64_t lda,
            const void* tau) {
  add_replaced(outputs, element, matrix_at(a, element, m, n, lda));
  outputs.add_output(bytes_at(tau, number(m < n ? m : n) * element));
}

/// Cholesky: a triangle of A becomes the factor.
void add_cholesky(CallOutputs& outputs, uint64_t element, int fill, int64_t n, void* a, int64_t lda) {
  outputs.add_number(&fill, sizeof fill);
  add_replaced(outputs, element, triangle_of(fill, a, element, n, lda));
}

/// By factors: B becomes the solution.
void add_solution(CallOutputs& outputs, uint64_t element, const HashedArea& factors, int64_t n,
                  int64_t columns, void* b, int64_t ldb) {
  outputs.add_input(factors);
  add_replaced(outputs, element, matrix_at(b, element, n, columns, ldb));
}

void add_lu_solution(CallOutputs& outputs, uint64_t element, int trans, int64_t n, int64_t columns,
                     const void* a, int64_t lda, const void* pivots, uint64_t pivot, void* b, int64_t ldb) {
  outputs.add_number(&trans, sizeof trans);
  if (pivots != nullptr) outputs.add_input(bytes_at(pivots, number(n) * pivot));
  add_solution(outputs, element, matrix_at(a, element, n, n, lda), n, columns, b, ldb);
}

/// Eigenvalues, of the type `real` bytes wide, and, if asked for, vectors in the place of A.
void add_eigenvalues(CallOutputs& outputs, uint64_t element, uint64_t real, int what, int fill, int64_t n,
                     void* a, int64_t lda, void* w) {
  outputs.add_number(&what, sizeof what);
  outputs.add_number(&fill, sizeof fill);
  if (element == 0 || real == 0) outputs.leave_outputs(Reason::type_unknown);
  outputs.add_changed(triangle_of(fill, a, element, n, lda));
  outputs.add_output(bytes_at(w, number(n) * real));
  if (what == 1) outputs.add_output(matrix_at(a, element, n, n, lda)); // CUSOLVER_EIG_MODE_VECTOR
}

// ---- A function for each type ----

template <uint64_t element, typename Call>
cusolverStatus factorize_lu(const Call& call, cusolverDnHandle_t handle, int m, int n, void* a, int lda,
                            void* workspace, int* pivots, int* info) {
  return print_solution(
      call, handle, m, n, element,
      [&](CallOutputs& outputs) { add_lu(outputs, element, m, n, a, lda, pivots, sizeof *pivots); },
      [&] { return call.real(handle, m, n, a, lda, workspace, pivots, info); });
}

template <uint64_t element, typename Call>
cusolverStatus factorize_qr(const Call& call, cusolverDnHandle_t handle, int m, int n, void* a, int lda,
                            void* tau, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, m, n, element, [&](CallOutputs& outputs) { add_qr(outputs, element, m, n, a, lda, tau); },
      [&] { return call.real(handle, m, n, a, lda, tau, workspace, size, info); });
}

template <uint64_t element, typename Call>
cusolverStatus factorize_cholesky(const Call& call, cusolverDnHandle_t handle, int fill, int n, void* a,
                                  int lda, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) { add_cholesky(outputs, element, fill, n, a, lda); },
      [&] { return call.real(handle, fill, n, a, lda, workspace, size, info); });
}

template <uint64_t element, typename Call>
cusolverStatus solve_by_lu(const Call& call, cusolverDnHandle_t handle, int trans, int n, int columns,
                           const void* a, int lda, const int* pivots, void* b, int ldb, int* info) {
  return print_solution(
      call, handle, n, columns, element,
      [&](CallOutputs& outputs) {
        add_lu_solution(outputs, element, trans, n, columns, a, lda, pivots, sizeof *pivots, b, ldb);
      },
      [&] { return call.real(handle, trans, n, columns, a, lda, pivots, b, ldb, info); });
}

template <uint64_t element, uint64_t real, typename Call>
cusolverStatus find_eigenvalues(const Call& call, cusolverDnHandle_t handle, int what, int fill, int n,
                                void* a, int lda, void* w, void* workspace, int size, int* info) {
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) { add_eigenvalues(outputs, element, real, what, fill, n, a, lda, w); },
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

// ---- The 64-bit interface: a function for all types; `others` are its workspaces and where it says how it
// went ----

template <typename Call, typename... Others>
cusolverStatus factorize_lu_64(const Call& call, cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                               int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda, int64_t* pivots,
                               Others... others) {
  const uint64_t element = size_of_type(type);
  return print_solution(
      call, handle, m, n, element,
      [&](CallOutputs& outputs) { add_lu(outputs, element, m, n, a, lda, pivots, sizeof *pivots); },
      [&] { return call.real(handle, parameters, m, n, type, a, lda, pivots, others...); });
}

template <typename Call, typename... Others>
cusolverStatus factorize_qr_64(const Call& call, cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                               int64_t m, int64_t n, cudaDataType type, void* a, int64_t lda,
                               cudaDataType type_of_tau, void* tau, Others... others) {
  const uint64_t element = size_of_type(type);
  return print_solution(
      call, handle, m, n, element, [&](CallOutputs& outputs) { add_qr(outputs, element, m, n, a, lda, tau); },
      [&] { return call.real(handle, parameters, m, n, type, a, lda, type_of_tau, tau, others...); });
}

template <typename Call, typename... Others>
cusolverStatus factorize_cholesky_64(const Call& call, cusolverDnHandle_t handle,
                                     cusolverDnParams_t parameters, int fill, int64_t n, cudaDataType type,
                                     void* a, int64_t lda, Others... others) {
  const uint64_t element = size_of_type(type);
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) { add_cholesky(outputs, element, fill, n, a, lda); },
      [&] { return call.real(handle, parameters, fill, n, type, a, lda, others...); });
}

template <typename Call>
cusolverStatus solve_by_lu_64(const Call& call, cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                              int trans, int64_t n, int64_t columns, cudaDataType type, const void* a,
                              int64_t lda, const int64_t* pivots, cudaDataType type_of_b, void* b,
                              int64_t ldb, int* info) {
  const uint64_t element = size_of_type(type);
  return print_solution(
      call, handle, n, columns, element,
      [&](CallOutputs& outputs) {
        add_lu_solution(outputs, element, trans, n, columns, a, lda, pivots, sizeof *pivots, b, ldb);
      },
      [&] {
        return call.real(handle, parameters, trans, n, columns, type, a, lda, pivots, type_of_b, b, ldb,
                         info);
      });
}

template <typename Call>
cusolverStatus solve_by_cholesky_64(const Call& call, cusolverDnHandle_t handle,
                                    cusolverDnParams_t parameters, int fill, int64_t n, int64_t columns,
                                    cudaDataType type, const void* a, int64_t lda, cudaDataType type_of_b,
                                    void* b, int64_t ldb, int* info) {
  const uint64_t element = size_of_type(type);
  return print_solution(
      call, handle, n, columns, element,
      [&](CallOutputs& outputs) {
        outputs.add_number(&fill, sizeof fill);
        add_solution(outputs, element, triangle_of(fill, a, element, n, lda), n, columns, b, ldb);
      },
      [&] { return call.real(handle, parameters, fill, n, columns, type, a, lda, type_of_b, b, ldb, info); });
}

template <typename Call, typename... Others>
cusolverStatus find_eigenvalues_64(const Call& call, cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                                   int what, int fill, int64_t n, cudaDataType type, void* a, int64_t lda,
                                   cudaDataType type_of_w, void* w, Others... others) {
  const uint64_t element = size_of_type(type), real = size_of_type(type_of_w);
  return print_solution(
      call, handle, n, n, element,
      [&](CallOutputs& outputs) { add_eigenvalues(outputs, element, real, what, fill, n, a, lda, w); },
      [&] { return call.real(handle, parameters, what, fill, n, type, a, lda, type_of_w, w, others...); });
}

using Lu64 = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m,
                                          int64_t n, cudaDataType type, void* a, int64_t lda, int64_t* pivots,
                                          cudaDataType compute, void* workspace, size_t size,
                                          void* host_workspace, size_t host_size, int* info)>;
using Qr64 = OutermostCall<cusolverStatus(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int64_t m, int64_t n, cudaDataType type,
    void* a, int64_t lda, cudaDataType type_of_tau, void* tau, cudaDataType compute, void* workspace,
    size_t size, void* host_workspace, size_t host_size, int* info)>;
using Cholesky64 = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                                                int fill, int64_t n, cudaDataType type, void* a, int64_t lda,
                                                cudaDataType compute, void* workspace, size_t size,
                                                void* host_workspace, size_t host_size, int* info)>;
using SolveLu64 = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, cusolverDnParams_t parameters,
                                               int trans, int64_t n, int64_t columns, cudaDataType type,
                                               const void* a, int64_t lda, const int64_t* pivots,
                                               cudaDataType type_of_b, void* b, int64_t ldb, int* info)>;
using SolveCholesky64 = OutermostCall<cusolverStatus(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int fill, int64_t n, int64_t columns,
    cudaDataType type, const void* a, int64_t lda, cudaDataType type_of_b, void* b, int64_t ldb, int* info)>;
using Eigenvalues64 = OutermostCall<cusolverStatus(
    cusolverDnHandle_t handle, cusolverDnParams_t parameters, int what, int fill, int64_t n,
    cudaDataType type, void* a, int64_t lda, cudaDataType type_of_w, void* w, cudaDataType compute,
    void* workspace, size_t size, void* host_workspace, size_t host_size, int* info)>;

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
DETSHIM_TEMPLATE_HOOK(cusolver, Lu64, cusolverDnXgetrf, factorize_lu_64, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveLu64, cusolverDnXgetrs, solve_by_lu_64, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Qr64, cusolverDnXgeqrf, factorize_qr_64, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Cholesky64, cusolverDnXpotrf, factorize_cholesky_64, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, SolveCholesky64, cusolverDnXpotrs, solve_by_cholesky_64, hashed);
DETSHIM_TEMPLATE_HOOK(cusolver, Eigenvalues64, cusolverDnXsyevd, find_eigenvalues_64, hashed);
