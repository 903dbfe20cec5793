// A double of libcublasLt.so.13: its descriptors are numbers in the order of the attributes, as the
// program made them.
#include "compute.h"

namespace {

constexpr int of_layout = 9, of_product = 27; // attributes: others are of a later version

int give(Opaque from, int attribute, void* value, size_t size, int known) {
  const auto* const numbers = reinterpret_cast<const int64_t*>(from);
  if (attribute >= known)
    return 1;
  std::memcpy(value, numbers + attribute, size);
  return 0;
}

/// What the epilogue of a product leaves beside D: its matrix, a bit or a number for each element
/// of D, and sums for the gradient of a bias.
int leave_epilogue(const int64_t* product, const int64_t* of_d, const void* from, Opaque stream) {
  constexpr const char* name = "cublasLtMatmul, epilogue";
  const int64_t epilogue = product[7], rows = of_d[2], columns = of_d[3];
  const auto size = [](int64_t bytes) {
    return static_cast<size_t>(bytes);
  };
  if ((epilogue & 128) != 0 && (epilogue & (2 | 32)) != 0) {
    const bool is_bits = (epilogue & 2) != 0;
    const Result matrix{reinterpret_cast<void*>(product[11]),
                        is_bits ? size(rows / 8) : size(rows * 4), size(columns),
                        is_bits ? size(product[12] / 8) : size(product[12] * 4)};
    if (const int status = compute(name, stream, from, matrix))
      return status;
  }
  if ((epilogue & (16 | 256 | 512)) == 0)
    return 0;
  return compute(
      name, stream, from,
      {reinterpret_cast<void*>(product[8]), size(((epilogue & 512) != 0 ? columns : rows) * 4)});
}

} // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130000; }
int cublasLtGetProperty(int, int* value) { return *value = 13, 0; }
int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size,
                                     size_t*) {
  return give(layout, attribute, value, size, of_layout);
}
int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size,
                                   size_t*) {
  return give(descriptor, attribute, value, size, of_product);
}
int cublasLtMatmul(Opaque, Opaque product, const void*, const void* a, Opaque, const void*, Opaque,
                   const void*, const void*, Opaque, void* d, Opaque d_layout, const void*, void*,
                   size_t, Opaque stream) {
  const auto* const of_d = reinterpret_cast<const int64_t*>(d_layout);
  const bool by_rows = of_d[1] == 1;
  const auto multiply = [&](const void* from, void* to) {
    return compute("cublasLtMatmul", stream, from,
                   {to, static_cast<size_t>(of_d[by_rows ? 3 : 2]) * 4,
                    static_cast<size_t>(of_d[by_rows ? 2 : 3]), static_cast<size_t>(of_d[4]) * 4});
  };
  if (const int status = leave_epilogue(reinterpret_cast<const int64_t*>(product), of_d, a, stream))
    return status;
  if (of_d[8] == 0)
    return multiply(a, d);
  int status = 0; // batches by pointers
  for (int64_t i = 0; i < of_d[5] && status == 0; ++i)
    status = multiply(static_cast<const void* const*>(a)[i], static_cast<void* const*>(d)[i]);
  return status;
}

} // extern "C"
