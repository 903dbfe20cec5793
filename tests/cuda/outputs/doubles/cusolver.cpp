// A double of libcusolver.so.12.
#include "compute.h"

namespace {

const Opaque stream = reinterpret_cast<Opaque>(64);

int factorize(const char* name, void* a, int64_t m, int64_t n, int64_t lda, size_t element) {
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

// Of elements of type double.
int cusolverDnXgetrf(Opaque, Opaque, int64_t m, int64_t n, int, void* a, int64_t lda, int64_t* pivots, int,
                     void*, size_t, void*, size_t, int*) {
  put_into(stream, [=] {
    for (int64_t i = 0; pivots != nullptr && i < (m < n ? m : n); ++i) pivots[i] = i + 1;
  });
  return factorize("cusolverDnXgetrf", a, m, n, lda, 8);
}
int cusolverDnXgetrs(Opaque, Opaque, int, int64_t n, int64_t columns, int, const void*, int64_t,
                     const int64_t*, int, void* b, int64_t ldb, int*) {
  return factorize("cusolverDnXgetrs", b, n, columns, ldb, 8);
}
int cusolverDnXgeqrf(Opaque, Opaque, int64_t m, int64_t n, int, void* a, int64_t lda, int, void*, int, void*,
                     size_t, void*, size_t, int*) {
  return factorize("cusolverDnXgeqrf", a, m, n, lda, 8);
}
int cusolverDnXpotrf(Opaque, Opaque, int, int64_t n, int, void* a, int64_t lda, int, void*, size_t, void*,
                     size_t, int*) {
  return compute("cusolverDnXpotrf", stream, nullptr,
                 {a, static_cast<size_t>(n) * 8, static_cast<size_t>(n), static_cast<size_t>(lda) * 8},
                 [](size_t column, size_t byte) { return byte / 8 <= column; });
}
int cusolverDnXpotrs(Opaque, Opaque, int, int64_t n, int64_t columns, int, const void*, int64_t, int, void* b,
                     int64_t ldb, int*) {
  return factorize("cusolverDnXpotrs", b, n, columns, ldb, 8);
}
int cusolverDnXsyevd(Opaque, Opaque, int, int, int64_t n, int, void* a, int64_t lda, int, void* w, int, void*,
                     size_t, void*, size_t, int*) {
  put_into(stream, [=] {
    for (int64_t i = 0; i < n * 8; ++i) static_cast<char*>(w)[i] = static_cast<char>(i);
  });
  return factorize("cusolverDnXsyevd", a, n, n, lda, 8);
}

} // extern "C"
