// cuSPARSE: products with a sparse matrix take the algorithm of the matrix's format that gives the
// same bits in every run.
//
// A product has three phases: the question how large a buffer it needs, an optional preparation,
// and the call itself. All three must speak of one algorithm. A buffer is known by nothing but the
// matrix that its size was asked for, so what was answered is remembered for each matrix, and the
// answer serves both algorithms, the program's and ours: whichever runs then fits. Where the
// deterministic one would need more than was ever answered for its matrix, the program's own stays.
#include "abi/cusparse.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

// ---- Sizes of buffers ----

struct BufferSizes {
  /// By matrix and kind of product: the largest size that was answered. Descriptors are aligned, so
  /// the lowest bit is free for the kind.
  Table<64> by_product;
  uint64_t lock = 0;
};
constinit BufferSizes buffer_sizes = {};

uint64_t key_of(const void* matrix, cusparseSpMVAlg) { return reinterpret_cast<uint64_t>(matrix); }
uint64_t key_of(const void* matrix, cusparseSpMMAlg) {
  return reinterpret_cast<uint64_t>(matrix) | 1;
}

void remember_size(uint64_t key, size_t size) {
  if (size == 0)
    return;
  SignalSafeLock guard(buffer_sizes.lock);
  if (!guard.held())
    return;
  uint64_t& known = buffer_sizes.by_product.insert(key);
  if (known < size)
    known = size;
}

/// 0 where none was answered.
size_t remembered_size(uint64_t key) {
  SignalSafeLock guard(buffer_sizes.lock);
  const uint64_t* known = guard.held() ? buffer_sizes.by_product.find(key) : nullptr;
  return known != nullptr ? *known : 0;
}

void forget_sizes(const void* matrix) {
  SignalSafeLock guard(buffer_sizes.lock);
  if (!guard.held())
    return;
  for (const uint64_t key : {key_of(matrix, cusparseSpMVAlg{}), key_of(matrix, cusparseSpMMAlg{})})
    if (uint64_t* known = buffer_sizes.by_product.find(key))
      *known = 0;
}

// ---- The choice ----

// By format of the matrix. Of one in columns nothing is said: its product is a transposed one in
// disguise. NVIDIA calls csr_alg3 of products with matrices deterministic; where rows are long it
// is not (H200, cuSPARSE 12.6: docs/evidence). The same matrix as coordinates has an algorithm that
// is.
struct Deterministic {
  cusparseFormat format;
  cusparseSpMVAlg mv;
  cusparseSpMMAlg mm;
  bool is_only = false; ///< there is no other
};
constexpr Deterministic algorithms[] = {
    {cusparseFormat::csr, cusparseSpMVAlg::csr_alg2, cusparseSpMMAlg::coo_alg2},
    {cusparseFormat::coo, cusparseSpMVAlg::coo_alg2, cusparseSpMMAlg::coo_alg2},
    {cusparseFormat::bsr, cusparseSpMVAlg::bsr_alg1, cusparseSpMMAlg::bsr_alg1, true},
    {cusparseFormat::sliced_ell, cusparseSpMVAlg::sell_alg1, cusparseSpMMAlg::by_default, true},
};
constexpr Deterministic none = {};

const Deterministic& deterministic(cusparseFormat format) {
  for (const Deterministic& row : algorithms)
    if (row.format == format)
      return row;
  return none;
}
cusparseSpMVAlg algorithm_of(const Deterministic& row, cusparseSpMVAlg) { return row.mv; }
cusparseSpMMAlg algorithm_of(const Deterministic& row, cusparseSpMMAlg) { return row.mm; }

/// What a phase of a product asks for.
template <typename Alg>
struct Product {
  cusparseConstSpMatDescr_t matrix;
  cusparseOperation operation; ///< on the sparse matrix
  Alg requested;
  cusparseFormat format;

  uint64_t key() const { return key_of(matrix, requested); }
};

/// What becomes of it.
template <typename Alg>
struct Choice {
  Action action;
  Alg effective;
  Reason why;
  int format = 0;
  size_t needed = 0; ///< bytes of buffer for `effective`, where it replaces
};

bool needs_coordinates(const Product<cusparseSpMMAlg>& product, cusparseSpMMAlg which) {
  return product.format == cusparseFormat::csr && which == cusparseSpMMAlg::coo_alg2 &&
         which != product.requested;
}
bool needs_coordinates(const Product<cusparseSpMVAlg>&, cusparseSpMVAlg) { return false; }

/// `size_of(algorithm, size)` asks the library.
template <typename Alg, typename SizeOf>
Choice<Alg> choose(const Product<Alg>& product, SizeOf size_of) {
  const Deterministic& row = deterministic(product.format);
  const int number = static_cast<int>(product.format);
  const bool is_plain = product.operation == cusparseOperation::non_transpose;
  const Alg good = is_plain ? algorithm_of(row, product.requested) : Alg::by_default;
  if (good != Alg::by_default && (row.is_only || product.requested == good))
    return {Action::observe, product.requested, Reason::same_in_every_run, number};
  if (!options().forces())
    return {Action::nondeterministic, product.requested, Reason::adds_in_any_order, number};
  if (good == Alg::by_default)
    return {Action::nondeterministic, product.requested, Reason::no_deterministic_algorithm,
            number};
  size_t needed = 0;
  if (size_of(good, &needed) != cusparseStatus::success)
    return {Action::nondeterministic, product.requested, Reason::algorithm_does_not_serve, number};
  return {Action::replace, good, Reason::deterministic_algorithm, number, needed};
}

template <typename Call, typename Alg>
void record_choice(const Call& call, Action action, const Product<Alg>& product,
                   const Choice<Alg>& choice) {
  call.record(action, choice.why,
              {choice.format, static_cast<int>(product.operation),
               static_cast<int>(product.requested), static_cast<int>(choice.effective)});
}

/// Whether the call is to fail instead of giving another result in each run; records that.
template <typename Call, typename Alg>
bool refused(const Call& call, const Product<Alg>& product, const Choice<Alg>& choice) {
  if (choice.action != Action::nondeterministic || !options().strict())
    return false;
  record_choice(call, Action::refuse, product, choice);
  return true;
}

/// The algorithm that a phase's arguments name, which tells the kind of product too: by a vector or
/// by a matrix.
template <typename... Arguments>
auto& algorithm_in(Arguments&... arguments) {
  constexpr bool is_mv = (__is_same(Arguments, cusparseSpMVAlg) || ...);
  if constexpr (is_mv)
    return argument_of_type<cusparseSpMVAlg>(arguments...);
  else
    return argument_of_type<cusparseSpMMAlg>(arguments...);
}

template <typename Call, typename... Arguments>
auto product_of(const Call& call, Arguments... arguments) {
  auto algorithm = algorithm_in(arguments...);
  const auto matrix = argument_of_type<cusparseConstSpMatDescr_t>(arguments...);
  cusparseFormat format{};
  auto* get_format =
      call.template sibling<cusparseStatus(cusparseConstSpMatDescr_t, cusparseFormat*)>(
          "cusparseSpMatGetFormat");
  if (!succeeded(get_format, matrix, &format))
    format = {};
  return Product<decltype(algorithm)>{matrix, argument_of_type<cusparseOperation>(arguments...),
                                      algorithm, format};
}

/// Bytes at the start of a buffer that hold the index of the row for each value; what the algorithm
/// needs stands behind.
size_t size_of_indices(int64_t values) {
  return (static_cast<size_t>(values) * sizeof(int) + 255) & ~size_t{255};
}

/// Hands `invoke` the matrix as coordinates and what it may have of the buffer. Where `size` is
/// given, no buffer is read, and what the indices need is added there.
template <typename Call, typename Invoke>
cusparseStatus as_coordinates(const Call& call, cusparseHandle_t handle,
                              cusparseConstSpMatDescr_t csr, void* buffer, size_t* size,
                              Invoke invoke) {
  using Status = cusparseStatus;
  using Matrix = cusparseConstSpMatDescr_t;
  using Index = cusparseIndexType;
  auto* get =
      call.template sibling<Status(Matrix, int64_t*, int64_t*, int64_t*, void**, void**, void**,
                                   Index*, Index*, int*, cudaDataType*)>("cusparseCsrGet");
  auto* get_batches = call.template sibling<Status(Matrix, int*)>("cusparseSpMatGetStridedBatch");
  auto* expand = call.template sibling<Status(cusparseHandle_t, const void*, int, int, void*, int)>(
      "cusparseXcsr2coo");
  auto* create =
      call.template sibling<Status(Matrix*, int64_t, int64_t, int64_t, void*, void*, void*, Index,
                                   int, cudaDataType)>("cusparseCreateCoo");
  auto* destroy = call.template sibling<Status(Matrix)>("cusparseDestroySpMat");
  int64_t rows, columns, values;
  void *offsets, *indices, *data;
  Index offset_type, index_type;
  int base, batches;
  cudaDataType type;
  if (!succeeded(get, csr, &rows, &columns, &values, &offsets, &indices, &data, &offset_type,
                 &index_type, &base, &type) ||
      !succeeded(get_batches, csr, &batches) || batches > 1 || offset_type != Index::int32 ||
      index_type != Index::int32 || destroy == nullptr)
    return Status::not_supported;
  if (size == nullptr && !succeeded(expand, handle, offsets, static_cast<int>(values),
                                    static_cast<int>(rows), buffer, base))
    return Status::not_supported;
  Matrix coordinates = nullptr;
  if (!succeeded(create, &coordinates, rows, columns, values, size != nullptr ? indices : buffer,
                 indices, data, index_type, base, type))
    return Status::not_supported;
  const Status status = invoke(coordinates, static_cast<char*>(buffer) + size_of_indices(values));
  if (size != nullptr)
    *size += size_of_indices(values);
  destroy(coordinates);
  return status;
}

/// Calls a phase's function with an algorithm; `size`: where it puts one, if it is the one that
/// answers sizes.
template <typename Call, typename Alg, typename Function, typename... Arguments>
cusparseStatus call_phase(const Call& call, const Product<Alg>& product, Alg which,
                          Function* function, size_t* size, Arguments... arguments) {
  constexpr bool has_buffer = (__is_same(Arguments, void*) || ...);
  algorithm_in(arguments...) = which;
  if (!needs_coordinates(product, which))
    return function(arguments...);
  void* buffer = nullptr;
  if constexpr (has_buffer)
    buffer = argument_of_type<void*>(arguments...);
  return as_coordinates(call, argument_of_type<cusparseHandle_t>(arguments...), product.matrix,
                        buffer, size,
                        [&](cusparseConstSpMatDescr_t coordinates, [[maybe_unused]] void* rest) {
                          argument_of_type<cusparseConstSpMatDescr_t>(arguments...) = coordinates;
                          if constexpr (has_buffer)
                            if (size == nullptr)
                              argument_of_type<void*>(arguments...) = rest;
                          return function(arguments...);
                        });
}

/// Answers how large a buffer is needed.
template <typename Call, typename... Arguments>
cusparseStatus size_product(const Call& call, Arguments... arguments) {
  size_t* const size = argument_of_type<size_t*>(arguments...);
  if (call.passes() || size == nullptr)
    return call.real(arguments...);
  const auto product = product_of(call, arguments...);
  const auto size_of = [&](auto which, size_t* bytes) {
    argument_of_type<size_t*>(arguments...) = bytes;
    return call_phase(call, product, which, call.real, bytes, arguments...);
  };
  const cusparseStatus status = size_of(product.requested, size);
  if (status != cusparseStatus::success)
    return status;
  const auto choice = choose(product, size_of);
  if (refused(call, product, choice))
    return cusparseStatus::not_supported;
  if (choice.action == Action::nondeterministic)
    return status; // the product itself will report it
  if (choice.action == Action::replace) {
    if (*size < choice.needed)
      *size = choice.needed;
    record_choice(call, choice.action, product, choice);
  }
  remember_size(product.key(), *size);
  return status;
}

/// True if the buffer that the caller has holds what the chosen algorithm needs.
template <typename Product, typename Choice>
bool has_room(const Product& product, const Choice& choice, const void* buffer) {
  if (choice.needed == 0)
    return true;
  return buffer != nullptr && remembered_size(product.key()) >= choice.needed;
}

/// What becomes of a call whose algorithm cannot be replaced.
template <typename Product, typename Choice>
Choice left_alone(const Product& product, const Choice& choice, Reason why) {
  return {Action::nondeterministic, product.requested, why, choice.format};
}

/// True if strict may refuse the call. One that the library would not take fails as it does there:
/// it is asked for a size, which it answers for the arguments that it takes alone.
template <typename Product, typename SizeOf>
bool is_taken_by_library(const Product& product, SizeOf& size_of) {
  size_t unused = 0;
  return options().strict() && product.matrix != nullptr &&
         size_of(product.requested, &unused) == cusparseStatus::success;
}

/// The preparation, or the product itself.
template <typename Call, typename... Arguments>
cusparseStatus run_product(const Call& call, Arguments... arguments) {
  if (call.passes())
    return call.real(arguments...);
  void* const buffer = argument_of_type<void*>(arguments...);
  const auto product = product_of(call, arguments...);
  auto size_of = [&call, product, arguments...](auto which, size_t* bytes) mutable {
    // The function that answers sizes takes them in the place of the buffer; an old library
    // may have none.
    auto* const size = call.template sibling<cusparseStatus(Arguments...)>(
        __is_same(decltype(which), cusparseSpMVAlg) ? "cusparseSpMV_bufferSize"
                                                    : "cusparseSpMM_bufferSize");
    argument_of_type<void*>(arguments...) = bytes;
    if (size == nullptr)
      return cusparseStatus::not_supported;
    return call_phase(call, product, which, size, bytes, arguments...);
  };
  const auto run = [&](auto which) {
    return call_phase(call, product, which, call.real, nullptr, arguments...);
  };
  auto choice = choose(product, size_of);
  if (choice.action == Action::replace && !has_room(product, choice, buffer))
    choice = left_alone(product, choice, Reason::workspace_too_small);
  if (choice.action == Action::replace) {
    const cusparseStatus status = run(choice.effective);
    if (status == cusparseStatus::success)
      record_choice(call, choice.action, product, choice);
    if (status != cusparseStatus::not_supported)
      return status;
    choice = left_alone(product, choice, Reason::refused_by_library);
  }
  if (choice.action == Action::nondeterministic && is_taken_by_library(product, size_of) &&
      refused(call, product, choice))
    return cusparseStatus::not_supported;
  const cusparseStatus status = run(product.requested);
  if (status == cusparseStatus::success)
    record_choice(call, choice.action, product, choice);
  return status;
}

/// `Last`: where the size goes, or the buffer.
template <typename Last>
using Mv = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation, const void* alpha,
    cusparseConstSpMatDescr_t matrix, cusparseConstDnVecDescr_t x, const void* beta,
    cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg algorithm, Last last)>;
template <typename Last>
using Mm =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, cusparseOperation operation,
                                 cusparseOperation operation_b, const void* alpha,
                                 cusparseConstSpMatDescr_t matrix, cusparseConstDnMatDescr_t b,
                                 const void* beta, cusparseDnMatDescr_t c, cudaDataType type,
                                 cusparseSpMMAlg algorithm, Last last)>;
constexpr Description takes_algorithm = {
    .action = Action::replace,
    .fields = {"format"_in, "operation"_in, "requested"_in, "effective"_out},
    .summary = "Sizes, prepares and runs the deterministic algorithm of the matrix's format where "
               "there is one.",
};

} // namespace
} // namespace detshim

using namespace detshim;

using Create = CallOfWords<cusparseStatus, 1>;
DETSHIM_TEMPLATE_HOOK(cusparse, Create, cusparseCreate, name_library, .action = Action::observe,
                      .summary = "Says which cuSPARSE answers.");

DETSHIM_HOOK(
    cusparse, cusparseStatus, cusparseDestroySpMat, (cusparseConstSpMatDescr_t matrix),
    .action = Action::observe,
    .summary =
        "Forgets the matrix's buffer buffer_sizes.by_product: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cusparseDestroySpMat);
  if (!call.passes())
    forget_sizes(matrix);
  return call.real(matrix);
}

DETSHIM_TEMPLATE_HOOK(cusparse, Mv<size_t*>, cusparseSpMV_bufferSize, size_product,
                      takes_algorithm);
DETSHIM_TEMPLATE_HOOK(cusparse, Mv<void*>, cusparseSpMV_preprocess, run_product, takes_algorithm);
DETSHIM_TEMPLATE_HOOK(cusparse, Mv<void*>, cusparseSpMV, run_product, takes_algorithm);

DETSHIM_TEMPLATE_HOOK(cusparse, Mm<size_t*>, cusparseSpMM_bufferSize, size_product,
                      takes_algorithm);
DETSHIM_TEMPLATE_HOOK(cusparse, Mm<void*>, cusparseSpMM_preprocess, run_product, takes_algorithm);
DETSHIM_TEMPLATE_HOOK(cusparse, Mm<void*>, cusparseSpMM, run_product, takes_algorithm);
