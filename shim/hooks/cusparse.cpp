// cuSPARSE: products with a sparse matrix take the algorithm of the matrix's format that gives the same bits
// in every run.
//
// A product has three phases: the question how large a buffer it needs, an optional preparation, and the call
// itself. All three must speak of one algorithm. A buffer is told from nothing but the matrix that its size
// was asked for, so what was answered is remembered for each matrix, and the answer serves both algorithms,
// the program's and ours: whichever runs then fits. Where the deterministic one would need more than was ever
// answered for its matrix, the program's own stays.
#include "abi/cusparse.h"
#include "core/base/lock.h"
#include "core/base/table.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constinit uint32_t library_said = 0;

template <typename Call>
void say_library(const Call& call) {
  record_library_once(call.hook(), library_said,
                      [&](auto& text) { add_version_parts(call, "cusparseGetProperty", text); });
}

// ---- Sizes of buffers ----

// By matrix and kind of product: the largest size that was answered. Descriptors are aligned, so the lowest
// bit is free for the kind.
constinit Table<64> sizes;
constinit uint64_t lock = 0;

uint64_t key_of(const void* matrix, cusparseSpMVAlg) { return reinterpret_cast<uint64_t>(matrix); }
uint64_t key_of(const void* matrix, cusparseSpMMAlg) { return reinterpret_cast<uint64_t>(matrix) | 1; }

void remember_size(uint64_t key, size_t size) {
  if (size == 0) return;
  Lock guard(lock);
  if (!guard.held()) return;
  uint64_t& known = sizes.insert(key);
  if (known < size) known = size;
}

/// 0 where none was answered.
size_t remembered_size(uint64_t key) {
  Lock guard(lock);
  const uint64_t* known = guard.held() ? sizes.find(key) : nullptr;
  return known != nullptr ? *known : 0;
}

void forget_sizes(const void* matrix) {
  Lock guard(lock);
  if (!guard.held()) return;
  for (const uint64_t key : {key_of(matrix, cusparseSpMVAlg{}), key_of(matrix, cusparseSpMMAlg{})})
    if (uint64_t* known = sizes.find(key)) *known = 0;
}

// ---- The choice ----

/// What the format's documented deterministic algorithm is, and whether the format has no other.
template <typename Alg>
struct Deterministic {
  bool exists = false;
  Alg algorithm = Alg::by_default;
  bool is_only_one = false;
};

// "Provides deterministic (bit-wise) results for each run" (cuSPARSE documentation, the tables of
// algorithms). Of a matrix in columns nothing is said: its product is a transposed one in disguise.
Deterministic<cusparseSpMVAlg> deterministic(cusparseFormat format, cusparseSpMVAlg) {
  switch (format) {
  case cusparseFormat::csr:
    return {true, cusparseSpMVAlg::csr_alg2};
  case cusparseFormat::coo:
    return {true, cusparseSpMVAlg::coo_alg2};
  case cusparseFormat::bsr:
    return {true, cusparseSpMVAlg::bsr_alg1, true};
  case cusparseFormat::sliced_ell:
    return {true, cusparseSpMVAlg::sell_alg1, true};
  default:
    return {};
  }
}

Deterministic<cusparseSpMMAlg> deterministic(cusparseFormat format, cusparseSpMMAlg) {
  switch (format) {
  case cusparseFormat::csr:
    return {true, cusparseSpMMAlg::csr_alg3};
  case cusparseFormat::coo:
    return {true, cusparseSpMMAlg::coo_alg2};
  case cusparseFormat::bsr:
    return {true, cusparseSpMMAlg::bsr_alg1, true};
  default:
    return {};
  }
}

/// What a phase of a product asks for.
template <typename Alg>
struct Product {
  cusparseConstSpMatDescr_t matrix;
  cusparseOperation operation; ///< on the sparse matrix
  Alg asked;

  uint64_t key() const { return key_of(matrix, asked); }
};

/// What becomes of it.
template <typename Alg>
struct Choice {
  Action action;
  Alg given;
  const char* why;
  int format = 0;
  size_t needed = 0; ///< bytes of buffer for `given`, where it replaces
};

/// `size_of(algorithm, size)` asks the library.
template <typename Call, typename Alg, typename SizeOf>
Choice<Alg> choose(const Call& call, const Product<Alg>& product, SizeOf size_of) {
  cusparseFormat format{};
  auto* get_format = call.template beside<cusparseStatus(cusparseConstSpMatDescr_t, cusparseFormat*)>(
      "cusparseSpMatGetFormat");
  if (get_format == nullptr || get_format(product.matrix, &format) != cusparseStatus::success) format = {};
  const int number = static_cast<int>(format);
  Deterministic<Alg> good = deterministic(format, product.asked);
  if (product.operation != cusparseOperation::non_transpose) good.exists = false;

  if (good.exists && (good.is_only_one || product.asked == good.algorithm))
    return {Action::observe, product.asked, "the same bits in every run", number};
  if (!options().forces())
    return {Action::unfixed, product.asked, "may add in any order; this mode leaves algorithms alone",
            number};
  if (product.operation != cusparseOperation::non_transpose)
    return {Action::unfixed, product.asked, "no algorithm is deterministic for a transposed matrix", number};
  if (!good.exists)
    return {Action::unfixed, product.asked, "no algorithm is said to be deterministic for this format",
            number};
  size_t needed = 0;
  if (size_of(good.algorithm, &needed) != cusparseStatus::success)
    return {Action::unfixed, product.asked, "the deterministic algorithm does not serve this product",
            number};
  return {Action::replace, good.algorithm, "the format's deterministic algorithm", number, needed};
}

template <typename Call, typename Alg>
void record_choice(const Call& call, Action action, const Product<Alg>& product, const Choice<Alg>& choice) {
  call.record(action, choice.why,
              {choice.format, static_cast<int>(product.operation), static_cast<int>(product.asked),
               static_cast<int>(choice.given)});
}

/// Whether the call is to fail instead of giving another result in each run; records that.
template <typename Call, typename Alg>
bool refused(const Call& call, const Product<Alg>& product, const Choice<Alg>& choice) {
  if (choice.action != Action::unfixed || !options().strict()) return false;
  record_choice(call, Action::refuse, product, choice);
  return true;
}

/// The body of a bufferSize hook.
template <typename Call, typename Alg, typename SizeOf>
cusparseStatus answer_size(const Call& call, const Product<Alg>& product, size_t* size, SizeOf size_of) {
  if (call.passes() || size == nullptr) return size_of(product.asked, size);
  say_library(call);
  const cusparseStatus status = size_of(product.asked, size);
  if (status != cusparseStatus::success) return status;
  const Choice<Alg> choice = choose(call, product, size_of);
  if (refused(call, product, choice)) return cusparseStatus::not_supported;
  if (choice.action == Action::unfixed) return status; // the product itself will say so
  if (choice.action == Action::replace) {
    if (*size < choice.needed) *size = choice.needed;
    record_choice(call, choice.action, product, choice);
  }
  remember_size(product.key(), *size);
  return status;
}

/// The body of the other phases' hooks. `run(algorithm)` calls the library.
template <typename Call, typename Alg, typename SizeOf, typename Run>
cusparseStatus answer_run(const Call& call, const Product<Alg>& product, const void* buffer, SizeOf size_of,
                          Run run) {
  if (call.passes()) return run(product.asked);
  say_library(call);
  Choice<Alg> choice = choose(call, product, size_of);
  if (choice.action == Action::replace && choice.needed != 0 &&
      (buffer == nullptr || remembered_size(product.key()) < choice.needed))
    choice = {Action::unfixed, product.asked, "the buffer was not sized for the deterministic algorithm",
              choice.format};
  if (choice.action == Action::replace) {
    const cusparseStatus status = run(choice.given);
    if (status == cusparseStatus::success) record_choice(call, choice.action, product, choice);
    if (status != cusparseStatus::not_supported) return status;
    choice = {Action::unfixed, product.asked, "the library refused the deterministic algorithm",
              choice.format};
  }
  // A call that the library would not take fails as it does there: it is asked for a size, which it answers
  // for the arguments that it takes alone.
  size_t unused = 0;
  if (choice.action == Action::unfixed && options().strict() && product.matrix != nullptr &&
      size_of(product.asked, &unused) == cusparseStatus::success && refused(call, product, choice))
    return cusparseStatus::not_supported;
  const cusparseStatus status = run(product.asked);
  if (status == cusparseStatus::success) record_choice(call, choice.action, product, choice);
  return status;
}

/// The body of the hooks of SpGEMMreuse: each phase gets the same algorithm. `run(algorithm)` calls the
/// library.
template <typename Call, typename Run>
cusparseStatus reuse(const Call& call, cusparseSpGEMMAlg asked, Run run) {
  if (call.passes()) return run(asked);
  say_library(call);
  const bool is_good =
      asked != cusparseSpGEMMAlg::by_default && asked != cusparseSpGEMMAlg::csr_nondeterminitic;
  const auto given = is_good || !options().forces() ? asked : cusparseSpGEMMAlg::csr_determinitic;
  const cusparseStatus status = run(given);
  if (status != cusparseStatus::success) return status;
  const int numbers[] = {static_cast<int>(asked), static_cast<int>(given)};
  if (is_good)
    call.record(Action::observe, "left alone", {numbers[0], numbers[1]});
  else if (given == asked)
    call.record(Action::unfixed, "adds in any order; this mode leaves algorithms alone",
                {numbers[0], numbers[1]});
  else
    call.record(Action::replace, "adds in any order", {numbers[0], numbers[1]});
  return status;
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseCreate, (cusparseHandle_t * handle), .action = Action::observe,
             .summary = "Says which cuSPARSE answers.") {
  DETSHIM_ENTER_OUTERMOST(cusparseCreate);
  if (!call.passes()) say_library(call);
  return call.real(handle);
}

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseDestroySpMat, (cusparseConstSpMatDescr_t matrix),
             .action = Action::observe,
             .summary = "Forgets the matrix's buffer sizes: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cusparseDestroySpMat);
  if (!call.passes()) forget_sizes(matrix);
  return call.real(matrix);
}

// One block a kind of product, with its three phases. PARAMS are those before the algorithm, the same in
// each.
#define DETSHIM_SPARSE_PRODUCT(NAME, PARAMS, ARGUMENTS)                                                      \
  DETSHIM_HOOK(cusparse, cusparseStatus, cusparse##NAME##_bufferSize,                                        \
               (DETSHIM_LIST PARAMS, cusparse##NAME##Alg algorithm, size_t * size),                          \
               .action = Action::replace, .fields = {"format", "operation", "asked", "given"},               \
               .summary = "Answers a size for the deterministic algorithm of the matrix's format too.") {    \
    DETSHIM_ENTER_OUTERMOST(cusparse##NAME##_bufferSize);                                                    \
    return answer_size(call, Product<cusparse##NAME##Alg>{matrix, operation, algorithm}, size,               \
                       [&](cusparse##NAME##Alg which, size_t* bytes) {                                       \
                         return call.real(DETSHIM_LIST ARGUMENTS, which, bytes);                             \
                       });                                                                                   \
  }                                                                                                          \
  DETSHIM_SPARSE_PHASE(NAME, NAME##_preprocess,                                                              \
                       "Prepares for the algorithm that will run: the deterministic one of the format.",     \
                       PARAMS, ARGUMENTS)                                                                    \
  DETSHIM_SPARSE_PHASE(NAME, NAME,                                                                           \
                       "Takes the deterministic algorithm of the matrix's format where there is one.",       \
                       PARAMS, ARGUMENTS)

#define DETSHIM_SPARSE_PHASE(NAME, PHASE, SUMMARY, PARAMS, ARGUMENTS)                                        \
  DETSHIM_HOOK(cusparse, cusparseStatus, cusparse##PHASE,                                                    \
               (DETSHIM_LIST PARAMS, cusparse##NAME##Alg algorithm, void* buffer),                           \
               .action = Action::replace, .fields = {"format", "operation", "asked", "given"},               \
               .summary = SUMMARY) {                                                                         \
    DETSHIM_ENTER_OUTERMOST(cusparse##PHASE);                                                                \
    return answer_run(                                                                                       \
        call, Product<cusparse##NAME##Alg>{matrix, operation, algorithm}, buffer,                            \
        [&](cusparse##NAME##Alg which, size_t* bytes) {                                                      \
          auto* size =                                                                                       \
              call.beside<hooks::cusparse##NAME##_bufferSize_signature>("cusparse" #NAME "_bufferSize");     \
          return size != nullptr ? size(DETSHIM_LIST ARGUMENTS, which, bytes)                                \
                                 : cusparseStatus::not_supported;                                            \
        },                                                                                                   \
        [&](cusparse##NAME##Alg which) { return call.real(DETSHIM_LIST ARGUMENTS, which, buffer); });        \
  }

DETSHIM_SPARSE_PRODUCT(SpMV,
                       (cusparseHandle_t handle, cusparseOperation operation, const void* alpha,
                        cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x, const void* beta,
                        cusparseDnVecDescr_t y, cudaDataType type),
                       (handle, operation, alpha, matrix, x, beta, y, type))

DETSHIM_SPARSE_PRODUCT(SpMM,
                       (cusparseHandle_t handle, cusparseOperation operation, cusparseOperation operation_b,
                        const void* alpha, cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b,
                        const void* beta, cusparseDnMatDescr_t c, cudaDataType type),
                       (handle, operation, operation_b, alpha, matrix, b, beta, c, type))

// The phases of SpGEMMreuse. What the default is may change with the version: it is replaced too.
#define DETSHIM_REUSE_PHASE(PHASE, BEFORE, BEFORE_ARGUMENTS, AFTER, AFTER_ARGUMENTS)                         \
  DETSHIM_HOOK(cusparse, cusparseStatus, cusparseSpGEMMreuse_##PHASE,                                        \
               (DETSHIM_LIST BEFORE, cusparseSpGEMMAlg algorithm,                                            \
                cusparseSpGEMMDescr_t descriptor DETSHIM_LIST AFTER),                                        \
               .action = Action::replace, .fields = {"asked", "given"},                                      \
               .summary = "Replaces NONDETERMINITIC and the default by DETERMINITIC.") {                     \
    DETSHIM_ENTER_OUTERMOST(cusparseSpGEMMreuse_##PHASE);                                                    \
    return reuse(call, algorithm, [&](cusparseSpGEMMAlg which) {                                             \
      return call.real(DETSHIM_LIST BEFORE_ARGUMENTS, which, descriptor DETSHIM_LIST AFTER_ARGUMENTS);       \
    });                                                                                                      \
  }

#define DETSHIM_REUSE_MATRICES                                                                               \
  (cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b,                    \
   cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c)
#define DETSHIM_REUSE_ARGUMENTS (handle, operation_a, operation_b, a, b, c)

DETSHIM_REUSE_PHASE(workEstimation, DETSHIM_REUSE_MATRICES, DETSHIM_REUSE_ARGUMENTS,
                    (, size_t* size, void* buffer), (, size, buffer))
DETSHIM_REUSE_PHASE(nnz, DETSHIM_REUSE_MATRICES, DETSHIM_REUSE_ARGUMENTS,
                    (, size_t* size2, void* buffer2, size_t* size3, void* buffer3, size_t* size4,
                     void* buffer4),
                    (, size2, buffer2, size3, buffer3, size4, buffer4))
DETSHIM_REUSE_PHASE(copy, DETSHIM_REUSE_MATRICES, DETSHIM_REUSE_ARGUMENTS, (, size_t* size, void* buffer),
                    (, size, buffer))
DETSHIM_REUSE_PHASE(compute,
                    (cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b,
                     const void* alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                     const void* beta, cusparseSpMatDescr_t c, cudaDataType type),
                    (handle, operation_a, operation_b, alpha, a, b, beta, c, type), (), ())

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseAxpby,
             (cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x, const void* beta,
              cusparseDnVecDescr_t y),
             .action = Action::observe, .summary = "Recorded: repeatable if no index comes twice.") {
  DETSHIM_ENTER_OUTERMOST(cusparseAxpby);
  const cusparseStatus status = call.real(handle, alpha, x, beta, y);
  if (!call.passes() && status == cusparseStatus::success)
    call.record(Action::observe, "the same bits if no index comes twice", {});
  return status;
}

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseScatter,
             (cusparseHandle_t handle, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y),
             .action = Action::observe, .summary = "Recorded: repeatable if no index comes twice.") {
  DETSHIM_ENTER_OUTERMOST(cusparseScatter);
  const cusparseStatus status = call.real(handle, x, y);
  if (!call.passes() && status == cusparseStatus::success)
    call.record(Action::observe, "the same bits if no index comes twice", {});
  return status;
}

// ---- What NVIDIA says nothing of ----

// The reference gives neither a promise nor a warning for these, so they go ahead in strict mode too: to
// refuse what may be repeatable would break programs. Enumerations are only handed on.
#define DETSHIM_SPARSE_UNSAID(NAME, PARAMS, ARGUMENTS)                                                       \
  DETSHIM_HOOK(cusparse, cusparseStatus, NAME, (DETSHIM_LIST PARAMS), .action = Action::unfixed,             \
               .summary = "Recorded: NVIDIA does not say whether it is repeatable.") {                       \
    DETSHIM_ENTER_OUTERMOST(NAME);                                                                           \
    const cusparseStatus status = call.real(DETSHIM_LIST ARGUMENTS);                                         \
    if (call.passes() || status != cusparseStatus::success) return status;                                   \
    say_library(call);                                                                                       \
    call.record(Action::unfixed, "NVIDIA does not say whether it is repeatable", {});                        \
    return status;                                                                                           \
  }
// For float, double and their complex brothers, which differ in what pointers point to.
#define DETSHIM_SPARSE_UNSAID_4(NAME, PARAMS, ARGUMENTS)                                                     \
  DETSHIM_SPARSE_UNSAID(cusparseS##NAME, PARAMS, ARGUMENTS)                                                  \
  DETSHIM_SPARSE_UNSAID(cusparseD##NAME, PARAMS, ARGUMENTS)                                                  \
  DETSHIM_SPARSE_UNSAID(cusparseC##NAME, PARAMS, ARGUMENTS)                                                  \
  DETSHIM_SPARSE_UNSAID(cusparseZ##NAME, PARAMS, ARGUMENTS)

DETSHIM_SPARSE_UNSAID(cusparseSpSV_solve,
                      (cusparseHandle_t handle, cusparseOperation operation, const void* alpha,
                       cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                       cudaDataType type, int algorithm, void* descriptor),
                      (handle, operation, alpha, matrix, x, y, type, algorithm, descriptor))
DETSHIM_SPARSE_UNSAID(cusparseSpSM_solve,
                      (cusparseHandle_t handle, cusparseOperation operation, cusparseOperation operation_b,
                       const void* alpha, cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b,
                       cusparseDnMatDescr_t c, cudaDataType type, int algorithm, void* descriptor),
                      (handle, operation, operation_b, alpha, matrix, b, c, type, algorithm, descriptor))
DETSHIM_SPARSE_UNSAID(cusparseCsr2cscEx2,
                      (cusparseHandle_t handle, int m, int n, int count, const void* values,
                       const int* offsets, const int* columns, void* csc_values, int* csc_offsets,
                       int* csc_rows, cudaDataType type, int what, int base, int algorithm, void* buffer),
                      (handle, m, n, count, values, offsets, columns, csc_values, csc_offsets, csc_rows, type,
                       what, base, algorithm, buffer))

#define DETSHIM_TRIDIAGONAL_PARAMS                                                                           \
  (cusparseHandle_t handle, int m, int n, const void* lower, const void* diagonal, const void* upper,        \
   void* b, int leading, void* buffer)
#define DETSHIM_TRIDIAGONAL_ARGUMENTS (handle, m, n, lower, diagonal, upper, b, leading, buffer)
DETSHIM_SPARSE_UNSAID_4(gtsv2, DETSHIM_TRIDIAGONAL_PARAMS, DETSHIM_TRIDIAGONAL_ARGUMENTS)
DETSHIM_SPARSE_UNSAID_4(gtsv2_nopivot, DETSHIM_TRIDIAGONAL_PARAMS, DETSHIM_TRIDIAGONAL_ARGUMENTS)
DETSHIM_SPARSE_UNSAID_4(gtsv2StridedBatch,
                        (cusparseHandle_t handle, int m, const void* lower, const void* diagonal,
                         const void* upper, void* x, int batches, int step, void* buffer),
                        (handle, m, lower, diagonal, upper, x, batches, step, buffer))
DETSHIM_SPARSE_UNSAID_4(gtsvInterleavedBatch,
                        (cusparseHandle_t handle, int algorithm, int m, void* lower, void* diagonal,
                         void* upper, void* x, int batches, void* buffer),
                        (handle, algorithm, m, lower, diagonal, upper, x, batches, buffer))

// Incomplete factorisations. `info` is of a type for each.
#define DETSHIM_CSR_FACTOR_PARAMS                                                                            \
  (cusparseHandle_t handle, int m, int count, const void* matrix, void* values, const int* offsets,          \
   const int* columns, void* info, int policy, void* buffer)
#define DETSHIM_CSR_FACTOR_ARGUMENTS                                                                         \
  (handle, m, count, matrix, values, offsets, columns, info, policy, buffer)
DETSHIM_SPARSE_UNSAID_4(csrilu02, DETSHIM_CSR_FACTOR_PARAMS, DETSHIM_CSR_FACTOR_ARGUMENTS)
DETSHIM_SPARSE_UNSAID_4(csric02, DETSHIM_CSR_FACTOR_PARAMS, DETSHIM_CSR_FACTOR_ARGUMENTS)
#define DETSHIM_BSR_FACTOR_PARAMS                                                                            \
  (cusparseHandle_t handle, int direction, int m, int count, const void* matrix, void* values,               \
   const int* offsets, const int* columns, int block, void* info, int policy, void* buffer)
#define DETSHIM_BSR_FACTOR_ARGUMENTS                                                                         \
  (handle, direction, m, count, matrix, values, offsets, columns, block, info, policy, buffer)
DETSHIM_SPARSE_UNSAID_4(bsrilu02, DETSHIM_BSR_FACTOR_PARAMS, DETSHIM_BSR_FACTOR_ARGUMENTS)
DETSHIM_SPARSE_UNSAID_4(bsric02, DETSHIM_BSR_FACTOR_PARAMS, DETSHIM_BSR_FACTOR_ARGUMENTS)

DETSHIM_SPARSE_UNSAID_4(csrcolor,
                        (cusparseHandle_t handle, int m, int count, const void* matrix, const void* values,
                         const int* offsets, const int* columns, const void* fraction, int* colors,
                         int* coloring, int* reordering, const void* info),
                        (handle, m, count, matrix, values, offsets, columns, fraction, colors, coloring,
                         reordering, info))
DETSHIM_SPARSE_UNSAID_4(gemvi,
                        (cusparseHandle_t handle, cusparseOperation operation, int m, int n,
                         const void* alpha, const void* a, int leading, int count, const void* x,
                         const int* indices, const void* beta, void* y, int base, void* buffer),
                        (handle, operation, m, n, alpha, a, leading, count, x, indices, beta, y, base,
                         buffer))
