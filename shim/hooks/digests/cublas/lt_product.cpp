#include "hooks/digests/cublas/lt_product.h"

#include "hooks/digests/cublas/products.h"

namespace detshim {
namespace {

using namespace abi;

uint64_t size_of_number(uint32_t type) { return size_of_type(static_cast<cudaDataType>(type)); }

/// A layout's attributes.
struct Layout {
  uint32_t type = 0;
  int order = 0;
  uint64_t rows = 0, columns = 0;
  int64_t leading = 0;
  int batches = 1;
  int64_t step = 0;
  int64_t plane = 0;       // of imaginary parts, behind the real ones
  uint32_t batch_mode = 0; // older libraries have none
  bool is_whole;

  static constexpr int by_columns = 0, by_rows = 1; // CUBLASLT_ORDER_COL and CUBLASLT_ORDER_ROW
  static constexpr uint32_t in_steps = 0,
                            by_pointers = 1; // CUBLASLT_BATCH_MODE_STRIDED and _POINTER_ARRAY

  explicit Layout(const LtDescriptor& layout)
      : is_whole(layout.ask(0, type) && layout.ask(1, order) && layout.ask(2, rows) &&
                 layout.ask(3, columns) && layout.ask(4, leading) && layout.ask(5, batches) &&
                 layout.ask(6, step)) {
    layout.ask(7, plane);
    layout.ask(8, batch_mode);
  }

  /// Its matrices; empty where it is not one by rows or by columns.
  HashedArea area_at(const void* start) const {
    if (!is_whole || (order != by_columns && order != by_rows) || plane != 0 ||
        (batch_mode != in_steps && batch_mode != by_pointers))
      return {};
    const auto* const pointers =
        batch_mode == by_pointers ? static_cast<const void* const*>(start) : nullptr;
    const auto inner = static_cast<int64_t>(order == by_columns ? rows : columns);
    const auto outer = static_cast<int64_t>(order == by_columns ? columns : rows);
    return area_of({start, size_of_number(type), leading, step, pointers}, inner, outer, batches);
  }
};

/// An operation's epilogue, and D as it sees it.
struct Epilogue {
  const LtDescriptor& operation;
  const Layout& target;

  /// Bytes of an element, of the type that an attribute names; older libraries know of no other
  /// than D's.
  uint64_t element(int attribute) const {
    int type = -1;
    operation.ask(attribute, type);
    return size_of_number(type >= 0 ? static_cast<uint32_t>(type) : target.type);
  }

  /// A vector of numbers for each matrix of a batch, or one for all of them; empty where that is
  /// not known.
  HashedArea vector(uint64_t length) const {
    const void* start = nullptr;
    int64_t step = 0;
    const uint64_t size = element(cublaslt_epilogue_vector_type);
    if (!operation.ask(cublaslt_epilogue_vector, start) || size < 2)
      return {};
    const HashedArea first = bytes_at(start, length * size);
    if (target.batches <= 1)
      return first;
    if (!operation.ask(cublaslt_epilogue_vector_step, step) || step < 0 || target.batch_mode != 0)
      return {};
    return step == 0 ? first
                     : batch_of(first, static_cast<uint64_t>(target.batches),
                                static_cast<uint64_t>(step) * size);
  }

  /// The epilogue's own matrix: a bit for each element of D, or a number; empty where that is not
  /// known. Bits of a column that are no whole byte are left out, since the rest of it may be
  /// anybody's.
  HashedArea matrix(bool is_bits) const {
    const void* start = nullptr;
    int64_t leading = 0, step = 0;
    const uint64_t size = element(cublaslt_epilogue_matrix_type);
    const auto bytes = [&](int64_t elements) {
      return is_bits ? static_cast<uint64_t>(elements) / 8 : static_cast<uint64_t>(elements) * size;
    };
    const auto rows = static_cast<int64_t>(target.rows);
    if (!operation.ask(cublaslt_epilogue_matrix, start) ||
        !operation.ask(cublaslt_epilogue_matrix_leading, leading) ||
        target.order != Layout::by_columns || leading < rows || (!is_bits && size == 0))
      return {};
    const HashedArea first = rows_at(start, bytes(rows), target.columns, bytes(leading));
    if (target.batches <= 1)
      return first;
    if (!operation.ask(cublaslt_epilogue_matrix_step, step) || step <= 0 || target.batch_mode != 0)
      return {};
    return batch_of(first, static_cast<uint64_t>(target.batches), bytes(step));
  }

  /// Adds what a product reads besides A, B and C, and what it writes besides D.
  void add_to(CallDigest& digest) const {
    uint32_t bits = 0;
    if (!operation.ask(cublaslt_epilogue, bits) || bits == 0)
      return digest.leave_inputs();
    if ((bits & ~epilogues_known) != 0) {
      digest.leave_inputs();
      return digest.leave_outputs(Reason::outputs_unknown);
    }
    constexpr uint32_t with_vector =
        epilogue_bias | epilogue_bias_gradient | epilogue_gradient_by_a | epilogue_gradient_by_b;
    if ((bits & with_vector) != 0)
      add_vector(digest, bits);
    if ((bits & epilogue_matrix) != 0)
      add_matrix(digest, bits);
    add_numbers(digest);
  }

private:
  void add_vector(CallDigest& digest, uint32_t bits) const {
    const bool is_by_columns = (bits & epilogue_gradient_by_b) != 0;
    const HashedArea area = vector(is_by_columns ? target.columns : target.rows);
    if ((bits & epilogue_bias) != 0)
      add_input(digest, area, area.width != 0);
    else
      add_output(digest, area, area.width != 0);
  }

  void add_matrix(CallDigest& digest, uint32_t bits) const {
    const bool is_bits = (bits & (epilogue_relu | epilogue_relu_backward)) != 0;
    const HashedArea area = matrix(is_bits);
    if ((bits & (epilogue_relu_backward | epilogue_gelu_backward)) != 0) {
      // Of bits the last few of each column may be left out.
      const bool is_whole = !is_bits || target.rows % 8 == 0;
      return add_input(digest, area, is_whole && area.width != 0);
    }
    // Of few rows all of it shows in D.
    const bool is_small = is_bits && target.rows < 8 && target.order == 0;
    add_output(digest, area, is_small || area.width != 0);
  }

  /// What is a number for a whole matrix.
  void add_numbers(CallDigest& digest) const {
    const void* start = nullptr;
    // A float each.
    for (const int largest : {cublaslt_largest_of_d, cublaslt_largest_of_epilogue_matrix})
      if (operation.ask(largest, start) && start != nullptr)
        digest.add_output(bytes_at(start, sizeof(float)));
    // Of A, B, C, D and the matrix; older libraries know none.
    for (const int scale : {17, 18, 19, 20, int{cublaslt_epilogue_matrix_scale}})
      if (operation.ask(scale, start) && start != nullptr)
        digest.leave_inputs();
  }

  static void add_input(CallDigest& digest, const HashedArea& area, bool is_all_of_it) {
    if (!is_all_of_it)
      digest.leave_inputs();
    digest.add_input(area);
  }
  static void add_output(CallDigest& digest, const HashedArea& area, bool is_all_of_it) {
    if (!is_all_of_it)
      digest.leave_outputs(Reason::outputs_unknown);
    digest.add_output(area);
  }
};

void add_shapes(CallDigest& digest, const LtDescriptor& operation, const Layout& left,
                const Layout& target) {
  int transposed = 0;
  operation.ask(3, transposed);
  digest.add_shape("m", target.rows).add_shape("n", target.columns);
  digest.add_shape("k", transposed != 0 ? left.rows : left.columns);
  digest.add_shape("type", target.type).add_shape("ldd", target.leading);
  constexpr struct {
    int attribute; // of cublasLtMatmulDescAttributes_t
    const char* name;
  } named[] = {{3, "ta"}, {4, "tb"}, {0, "compute"}, {cublaslt_epilogue, "epilogue"}};
  for (const auto& [attribute, name] : named) {
    uint32_t value = 0;
    if (operation.ask(attribute, value))
      digest.add_shape(name, value);
  }
}

/// Adds what the product is multiplied by. True if C is read: by beta, where that is known.
bool add_scales(CallDigest& digest, const LtDescriptor& operation, const void* alpha,
                const void* beta) {
  int pointer_mode = -1;
  uint32_t type = 0;
  operation.ask(2, pointer_mode);
  operation.ask(1, type);
  const uint64_t size = size_of_number(type);
  if (pointer_mode != 0 || alpha == nullptr || beta == nullptr || size == 0 || size > 16) {
    digest.leave_inputs();
    return false;
  }
  digest.add_number(alpha, size);
  digest.add_number(beta, size);
  return !is_zero(beta, size);
}

} // namespace

LtDescriptor::LtDescriptor(const Hook& hook, cublasLtMatmulDesc_t operation)
    : descriptor_(operation) {
  static constinit SiblingFunction<Get> get("cublasLtMatmulDescGetAttribute");
  get_ = get.of(hook);
}

LtDescriptor::LtDescriptor(const Hook& hook, cublasLtMatrixLayout_t layout) : descriptor_(layout) {
  static constinit SiblingFunction<Get> get("cublasLtMatrixLayoutGetAttribute");
  get_ = get.of(hook);
}

bool LtDescriptor::ask(int attribute, void* value, size_t size) const {
  size_t written = 0;
  return descriptor_ != nullptr && succeeded(get_, descriptor_, attribute, value, size, &written);
}

void describe_lt_product(CallDigest& digest, cublasLtHandle_t,
                         cublasLtMatmulDesc_t operation_descriptor, const void* alpha,
                         const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                         cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                         cublasLtMatrixLayout_t c_layout, void* d, cublasLtMatrixLayout_t d_layout,
                         const cublasLtMatmulAlgo*, void*, size_t, cudaStream_t stream) {
  const Hook& hook = digest.hook();
  const LtDescriptor operation(hook, operation_descriptor);
  const auto layout_of = [&](cublasLtMatrixLayout_t layout) {
    return Layout(LtDescriptor(hook, layout));
  };
  const Layout target = layout_of(d_layout), left = layout_of(a_layout);
  digest.set_stream(stream);
  add_shapes(digest, operation, left, target);
  const HashedArea result = target.area_at(d);
  if (result.width == 0)
    digest.leave_outputs(Reason::layout_unknown);
  const void* scales = nullptr; // CUBLASLT_MATMUL_DESC_D_OUT_SCALE_POINTER, since CUDA 12.8
  if (operation.ask(36, scales) && scales != nullptr)
    digest.leave_outputs(Reason::scales_unknown);

  const auto add_input = [&](const void* start, const Layout& layout) {
    const HashedArea area = layout.area_at(start);
    if (area.width == 0)
      digest.leave_inputs();
    digest.add_input(area);
  };
  // C first: where it is D too, it is hashed before.
  const bool reads_c = add_scales(digest, operation, alpha, beta);
  if (reads_c && c == d)
    digest.add_changed(result);
  else if (reads_c)
    add_input(c, layout_of(c_layout));
  add_input(a, left);
  add_input(b, layout_of(b_layout));
  Epilogue{operation, target}.add_to(digest);
  digest.add_output(result);
}

} // namespace detshim
