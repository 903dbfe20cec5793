// Symbols: cusparse.h of CUDA 13.0.
#include "hooks/cusparse/outputs.h"

#include "hooks/support/library_version.h"

#include <initializer_list>

namespace detshim {

using namespace abi;

namespace {

uint64_t number(int64_t value) { return value > 0 ? static_cast<uint64_t>(value) : 0; }

/// Bytes of cusparseIndexType_t.
uint64_t size_of_index(int type) { return type == 3 ? 8 : type == 2 ? 4 : type == 1 ? 2 : 0; }

template <typename... Arguments>
bool ask(const Hook& hook, const char* getter, Arguments... arguments) {
  auto* const get = find_beside<cusparseStatus(Arguments...)>(hook, getter);
  return get != nullptr && get(arguments...) == cusparseStatus::success;
}

/// Where a matrix has its parts.
struct SparseParts {
  HashedArea offsets, indices, values;
};

/// The parts of a matrix; CSR, CSC and COO alone: false for others. Names the getter.
bool find_parts(const Hook& hook, CallOutputs& outputs, cusparseConstSpMatDescr_t matrix,
                SparseParts& parts) {
  int format = 0, offset_type = 0, index_type = 0, base = 0;
  int64_t rows = 0, columns = 0, count = 0;
  void *offsets = nullptr, *indices = nullptr, *values = nullptr;
  cudaDataType type{};
  auto* const sparse = const_cast<cusparseSpMatDescr_t>(matrix);
  if (matrix == nullptr || !ask(hook, "cusparseSpMatGetFormat", matrix, &format)) return false;
  outputs.add_shape("format", static_cast<uint64_t>(format));
  const bool is_csr = format == static_cast<int>(cusparseFormat::csr);
  const bool is_coo = format == static_cast<int>(cusparseFormat::coo);
  bool is_known = false;
  if (is_csr || format == static_cast<int>(cusparseFormat::csc))
    is_known = ask(hook, is_csr ? "cusparseCsrGet" : "cusparseCscGet", sparse, &rows, &columns, &count,
                   &offsets, &indices, &values, &offset_type, &index_type, &base, &type);
  if (is_coo) {
    is_known = ask(hook, "cusparseCooGet", sparse, &rows, &columns, &count, &offsets, &indices, &values,
                   &index_type, &base, &type);
    offset_type = index_type;
  }
  int batches = 1;
  ask(hook, "cusparseSpMatGetStridedBatch", matrix, &batches);
  if (!is_known || batches > 1 || size_of_type(type) == 0 || size_of_index(offset_type) == 0 ||
      size_of_index(index_type) == 0)
    return false;
  const int64_t offset_count = is_coo ? count : (is_csr ? rows : columns) + 1;
  outputs.add_shape("rows", number(rows));
  outputs.add_shape("columns", number(columns));
  outputs.add_shape("values", number(count));
  parts.offsets = bytes_at(offsets, number(offset_count) * size_of_index(offset_type));
  parts.indices = bytes_at(indices, number(count) * size_of_index(index_type));
  parts.values = bytes_at(values, number(count) * size_of_type(type));
  return true;
}

void add_matrix(const Hook& hook, CallOutputs& outputs, cusparseConstSpMatDescr_t matrix) {
  SparseParts parts;
  if (!find_parts(hook, outputs, matrix, parts)) return outputs.leave_inputs();
  for (const HashedArea& part : {parts.offsets, parts.indices, parts.values}) outputs.add_input(part);
}

void add_stream(const Hook& hook, CallOutputs& outputs, cusparseHandle_t handle) {
  cudaStream_t stream = nullptr;
  if (handle != nullptr && ask(hook, "cusparseGetStream", handle, &stream))
    outputs.set_stream(stream);
  else
    outputs.leave_outputs(Reason::stream_unknown);
}

/// What the product is multiplied by. True if what was there before counts: by beta.
bool add_scales(const Hook& hook, CallOutputs& outputs, const SparseProduct& product) {
  int is_on_device = 1;
  const uint64_t size = size_of_type(product.scale_type);
  unsigned char bytes[16] = {};
  if (product.alpha == nullptr || product.beta == nullptr || size == 0 || size > sizeof bytes ||
      !ask(hook, "cusparseGetPointerMode", product.handle, &is_on_device) || is_on_device != 0)
    return outputs.leave_inputs(), false;
  outputs.add_number(product.alpha, size);
  outputs.add_number(product.beta, size);
  __builtin_memcpy(bytes, product.beta, size);
  for (const unsigned char byte : bytes)
    if (byte != 0) return true;
  return false;
}

} // namespace

HashedArea area_of(const Hook& hook, cusparseConstDnVecDescr_t vector) {
  int64_t size = 0;
  void* values = nullptr;
  cudaDataType type{};
  if (vector == nullptr ||
      !ask(hook, "cusparseDnVecGet", const_cast<cusparseDnVecDescr_t>(vector), &size, &values, &type))
    return {};
  return bytes_at(values, number(size) * size_of_type(type));
}

HashedArea area_of(const Hook& hook, cusparseConstDnMatDescr_t matrix) {
  int64_t rows = 0, columns = 0, leading = 0;
  void* values = nullptr;
  cudaDataType type{};
  int order = 0, batches = 1;
  int64_t step = 0;
  constexpr int by_columns = 1; // CUSPARSE_ORDER_COL
  auto* const dense = const_cast<cusparseDnMatDescr_t>(matrix);
  if (matrix == nullptr ||
      !ask(hook, "cusparseDnMatGet", dense, &rows, &columns, &leading, &values, &type, &order))
    return {};
  ask(hook, "cusparseDnMatGetStridedBatch", dense, &batches, &step);
  const uint64_t element = size_of_type(type);
  const HashedArea area = rows_at(values, number(order == by_columns ? rows : columns) * element,
                                  number(order == by_columns ? columns : rows), number(leading) * element);
  return batches > 1 ? batch_of(area, number(batches), number(step) * element) : area;
}

void add_sparse_product(const Hook& hook, CallOutputs& outputs, const SparseProduct& product,
                        const HashedArea& input, const HashedArea& result) {
  add_stream(hook, outputs, product.handle);
  outputs.add_shape("ta", static_cast<uint64_t>(product.operation));
  outputs.add_shape("tb", static_cast<uint64_t>(product.operation_b));
  if (product.matrix != nullptr) add_matrix(hook, outputs, product.matrix);
  if (add_scales(hook, outputs, product)) outputs.add_changed(result);
  if (input.width == 0) outputs.leave_inputs();
  outputs.add_input(input);
  if (result.width == 0) outputs.leave_outputs(Reason::address_unknown);
  outputs.add_output(result);
}

void add_matrix_product(const Hook& hook, CallOutputs& outputs, const SparseProduct& product,
                        cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c, bool reads_now) {
  add_stream(hook, outputs, product.handle);
  outputs.add_shape("ta", static_cast<uint64_t>(product.operation));
  outputs.add_shape("tb", static_cast<uint64_t>(product.operation_b));
  const bool is_added_to = add_scales(hook, outputs, product);
  add_matrix(hook, outputs, product.matrix);
  add_matrix(hook, outputs, b);
  SparseParts result;
  if (!find_parts(hook, outputs, c, result)) return outputs.leave_outputs(Reason::layout_unknown);
  if (is_added_to && reads_now) outputs.add_changed(result.values);
  if (is_added_to && !reads_now) outputs.leave_inputs();
  for (const HashedArea& part : {result.offsets, result.indices, result.values}) outputs.add_output(part);
}

namespace {

using CopyProduct = OutermostCall<cusparseStatus(
    cusparseHandle_t handle, cusparseOperation operation_a, cusparseOperation operation_b, const void* alpha,
    cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
    cudaDataType type, cusparseSpGEMMAlg algorithm, cusparseSpGEMMDescr_t descriptor)>;

/// C has its memory when the product is copied there; it was computed before.
template <typename Call>
cusparseStatus copy_product(const Call& call, cusparseHandle_t handle, cusparseOperation operation_a,
                            cusparseOperation operation_b, const void* alpha, cusparseConstSpMatDescr_t a,
                            cusparseConstSpMatDescr_t b, const void* beta, cusparseSpMatDescr_t c,
                            cudaDataType type, cusparseSpGEMMAlg algorithm,
                            cusparseSpGEMMDescr_t descriptor) {
  if (wants_outputs(call)) record_library_once(call, cusparse_library);
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        add_matrix_product(call.hook(), outputs, {handle, operation_a, a, alpha, beta, type, operation_b}, b,
                           c, false);
      },
      [&] {
        return call.real(handle, operation_a, operation_b, alpha, a, b, beta, c, type, algorithm, descriptor);
      });
}

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusparse, CopyProduct, cusparseSpGEMM_copy, copy_product, hashed);
