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
#include "hooks/cusparse/outputs.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

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
  Reason why;
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
    return {Action::observe, product.asked, Reason::same_in_every_run, number};
  if (!options().forces()) return {Action::unfixed, product.asked, Reason::adds_in_any_order, number};
  if (product.operation != cusparseOperation::non_transpose)
    return {Action::unfixed, product.asked, Reason::no_deterministic_algorithm, number};
  if (!good.exists) return {Action::unfixed, product.asked, Reason::no_deterministic_algorithm, number};
  size_t needed = 0;
  if (size_of(good.algorithm, &needed) != cusparseStatus::success)
    return {Action::unfixed, product.asked, Reason::algorithm_does_not_serve, number};
  return {Action::replace, good.algorithm, Reason::deterministic_algorithm, number, needed};
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
  record_library_once(call, cusparse_library);
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
  record_library_once(call, cusparse_library);
  Choice<Alg> choice = choose(call, product, size_of);
  if (choice.action == Action::replace && choice.needed != 0 &&
      (buffer == nullptr || remembered_size(product.key()) < choice.needed))
    choice = {Action::unfixed, product.asked, Reason::workspace_too_small, choice.format};
  if (choice.action == Action::replace) {
    const cusparseStatus status = run(choice.given);
    if (status == cusparseStatus::success) record_choice(call, choice.action, product, choice);
    if (status != cusparseStatus::not_supported) return status;
    choice = {Action::unfixed, product.asked, Reason::refused_by_library, choice.format};
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

// ---- The kinds of product, each with its three phases ----

template <typename Call>
cusparseStatus answer_mv_size(const Call& call, cusparseHandle_t handle, cusparseOperation operation,
                              const void* alpha, cusparseConstSpMatDescr_t matrix,
                              cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y,
                              cudaDataType type, cusparseSpMVAlg algorithm, size_t* size) {
  return answer_size(call, Product<cusparseSpMVAlg>{matrix, operation, algorithm}, size,
                     [&](cusparseSpMVAlg which, size_t* bytes) {
                       return call.real(handle, operation, alpha, matrix, x, beta, y, type, which, bytes);
                     });
}

template <typename Call>
cusparseStatus answer_mm_size(const Call& call, cusparseHandle_t handle, cusparseOperation operation,
                              cusparseOperation operation_b, const void* alpha,
                              cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b, const void* beta,
                              cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg algorithm,
                              size_t* size) {
  return answer_size(call, Product<cusparseSpMMAlg>{matrix, operation, algorithm}, size,
                     [&](cusparseSpMMAlg which, size_t* bytes) {
                       return call.real(handle, operation, operation_b, alpha, matrix, b, beta, c, type,
                                        which, bytes);
                     });
}

using MvSize = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, const void* alpha, cusparseConstSpMatDescr_t matrix,
    cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y, cudaDataType type,
    cusparseSpMVAlg algorithm, size_t* size)>;
using Mv = OutermostCall<cusparseStatus(cusparseHandle_t handle, cusparseOperation operation,
                                        const void* alpha, cusparseConstSpMatDescr_t matrix,
                                        cusparseConstDnVecDescr_t x, const void* beta, cusparseDnVecDescr_t y,
                                        cudaDataType type, cusparseSpMVAlg algorithm, void* buffer)>;
using MmSize = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, cusparseOperation operation_b, const void* alpha,
    cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
    cudaDataType type, cusparseSpMMAlg algorithm, size_t* size)>;
using Mm = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, cusparseOperation operation_b, const void* alpha,
    cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
    cudaDataType type, cusparseSpMMAlg algorithm, void* buffer)>;

/// Asks the function that answers sizes; an old library may have none.
template <typename SizeSignature, typename Call, typename... Arguments>
cusparseStatus ask_size(const Call& call, const char* name, Arguments... arguments) {
  auto* const size = call.template beside<SizeSignature>(name);
  return size != nullptr ? size(arguments...) : cusparseStatus::not_supported;
}

/// The preparation, or the product itself.
template <typename Call>
cusparseStatus run_mv(const Call& call, cusparseHandle_t handle, cusparseOperation operation,
                      const void* alpha, cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x,
                      const void* beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg algorithm,
                      void* buffer) {
  return answer_run(
      call, Product<cusparseSpMVAlg>{matrix, operation, algorithm}, buffer,
      [&](cusparseSpMVAlg which, size_t* bytes) {
        return ask_size<signature_of<MvSize>>(call, "cusparseSpMV_bufferSize", handle, operation, alpha,
                                              matrix, x, beta, y, type, which, bytes);
      },
      [&](cusparseSpMVAlg which) {
        return print_sparse_product(call, {handle, operation, matrix, alpha, beta, type}, x, y, [&] {
          return call.real(handle, operation, alpha, matrix, x, beta, y, type, which, buffer);
        });
      });
}

template <typename Call>
cusparseStatus run_mm(const Call& call, cusparseHandle_t handle, cusparseOperation operation,
                      cusparseOperation operation_b, const void* alpha, cusparseConstSpMatDescr_t matrix,
                      cusparseConstDnMatDescr_t b, const void* beta, cusparseDnMatDescr_t c,
                      cudaDataType type, cusparseSpMMAlg algorithm, void* buffer) {
  return answer_run(
      call, Product<cusparseSpMMAlg>{matrix, operation, algorithm}, buffer,
      [&](cusparseSpMMAlg which, size_t* bytes) {
        return ask_size<signature_of<MmSize>>(call, "cusparseSpMM_bufferSize", handle, operation, operation_b,
                                              alpha, matrix, b, beta, c, type, which, bytes);
      },
      [&](cusparseSpMMAlg which) {
        return print_sparse_product(call, {handle, operation, matrix, alpha, beta, type, operation_b}, b, c,
                                    [&] {
                                      return call.real(handle, operation, operation_b, alpha, matrix, b, beta,
                                                       c, type, which, buffer);
                                    });
      });
}

constexpr Description sizes_product = {
    .action = Action::replace,
    .fields = {"format", "operation", "asked", "given"},
    .summary = "Answers a size for the deterministic algorithm of the matrix's format too.",
};
constexpr Description prepares_product = {
    .action = Action::replace,
    .fields = {"format", "operation", "asked", "given"},
    .summary = "Prepares for the algorithm that will run: the deterministic one of the format.",
};
constexpr Description runs_product = {
    .action = Action::replace,
    .fields = {"format", "operation", "asked", "given"},
    .summary = "Takes the deterministic algorithm of the matrix's format where there is one.",
};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseDestroySpMat, (cusparseConstSpMatDescr_t matrix),
             .action = Action::observe,
             .summary = "Forgets the matrix's buffer sizes: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cusparseDestroySpMat);
  if (!call.passes()) forget_sizes(matrix);
  return call.real(matrix);
}

DETSHIM_TEMPLATE_HOOK(cusparse, MvSize, cusparseSpMV_bufferSize, answer_mv_size, sizes_product);
DETSHIM_TEMPLATE_HOOK(cusparse, Mv, cusparseSpMV_preprocess, run_mv, prepares_product);
DETSHIM_TEMPLATE_HOOK(cusparse, Mv, cusparseSpMV, run_mv, runs_product);

DETSHIM_TEMPLATE_HOOK(cusparse, MmSize, cusparseSpMM_bufferSize, answer_mm_size, sizes_product);
DETSHIM_TEMPLATE_HOOK(cusparse, Mm, cusparseSpMM_preprocess, run_mm, prepares_product);
DETSHIM_TEMPLATE_HOOK(cusparse, Mm, cusparseSpMM, run_mm, runs_product);
