// A double of libcublasLt.so.13: its descriptors are eight numbers each, as the program made them.
#include "compute.h"

namespace {

int give(Opaque from, int attribute, void* value, size_t size) {
  const auto* const numbers = reinterpret_cast<const int64_t*>(from);
  if (attribute >= 9) return 1; // of a later version
  std::memcpy(value, numbers + attribute, size);
  return 0;
}

} // namespace

extern "C" {

size_t cublasLtGetVersion() { return 130000; }
int cublasLtGetProperty(int, int* value) { return *value = 13, 0; }
int cublasLtMatrixLayoutGetAttribute(Opaque layout, int attribute, void* value, size_t size, size_t*) {
  return give(layout, attribute, value, size);
}
int cublasLtMatmulDescGetAttribute(Opaque descriptor, int attribute, void* value, size_t size, size_t*) {
  return give(descriptor, attribute, value, size);
}
int cublasLtMatmul(Opaque, Opaque, const void*, const void* a, Opaque, const void*, Opaque, const void*,
                   const void*, Opaque, void* d, Opaque d_layout, const void*, void*, size_t, Opaque stream) {
  const auto* const of_d = reinterpret_cast<const int64_t*>(d_layout);
  const bool by_rows = of_d[1] == 1;
  const auto multiply = [&](const void* from, void* to) {
    return compute("cublasLtMatmul", stream, from,
                   {to, static_cast<size_t>(of_d[by_rows ? 3 : 2]) * 4,
                    static_cast<size_t>(of_d[by_rows ? 2 : 3]), static_cast<size_t>(of_d[4]) * 4});
  };
  if (of_d[8] == 0) return multiply(a, d);
  int status = 0; // batches by pointers
  for (int64_t i = 0; i < of_d[5] && status == 0; ++i)
    status = multiply(static_cast<const void* const*>(a)[i], static_cast<void* const*>(d)[i]);
  return status;
}

} // extern "C"
