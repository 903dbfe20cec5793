// A double of libcusolver.so.12.
#include "compute.h"

namespace {

const Opaque stream = reinterpret_cast<Opaque>(64);

int factorize(const char* name, void* a, int m, int n, int lda, size_t element) {
  return compute(
      name, stream, nullptr,
      {a, static_cast<size_t>(m) * element, static_cast<size_t>(n), static_cast<size_t>(lda) * element});
}

} // namespace

extern "C" {

int cusolverGetVersion(int* version) { return *version = 12000, 0; }
int cusolverDnGetStream(Opaque, Opaque* of) { return *of = stream, 0; }
int cusolverDnSgetrf(Opaque, int m, int n, void* a, int lda, void*, int* pivots, int*) {
  put_into(stream, [=] {
    for (int i = 0; i < (m < n ? m : n); ++i) pivots[i] = i + 1;
  });
  return factorize("cusolverDnSgetrf", a, m, n, lda, 4);
}
int cusolverDnDgeqrf(Opaque, int m, int n, void* a, int lda, void*, void*, int, int*) {
  return factorize("cusolverDnDgeqrf", a, m, n, lda, 8);
}
int cusolverDnSpotrf(Opaque, int fill, int n, void* a, int lda, void*, int, int*) {
  return compute(
      "cusolverDnSpotrf", stream, nullptr,
      {a, static_cast<size_t>(n) * 4, static_cast<size_t>(n), static_cast<size_t>(lda) * 4},
      [fill](size_t column, size_t byte) { return fill == 0 ? byte / 4 >= column : byte / 4 <= column; });
}
int cusolverDnSgetrs(Opaque, int, int n, int columns, const void*, int, const int*, void* b, int ldb, int*) {
  return factorize("cusolverDnSgetrs", b, n, columns, ldb, 4);
}
int cusolverDnSsyevd(Opaque, int, int, int n, void* a, int lda, void* w, void*, int, int*) {
  put_into(stream, [=] {
    for (int i = 0; i < n * 4; ++i) static_cast<char*>(w)[i] = static_cast<char>(i);
  });
  return factorize("cusolverDnSsyevd", a, n, n, lda, 4);
}

} // extern "C"
