// cuBLAS's symmetric and Hermitian matrix-vector products with atomics allowed: the program asks
// for the faster routines, which add by atomics. With --deterministic: CUBLAS_ATOMICS_NOT_ALLOWED,
// which is also the default.
#include "cublas_types.h"

#include <cuComplex.h>

namespace {

using gpu::Device;

constexpr int repeats = 20;
constexpr int order = 2000;
constexpr size_t elements = static_cast<size_t>(order) * order;

/// `parts` real numbers make one element.
template <class Real, class Element, class Call>
void run(const char* name, Call call) {
  constexpr size_t parts = sizeof(Element) / sizeof(Real);
  const Device<Real> a(gpu::fixed<Real>(elements * parts, 1, 8)),
      x(gpu::fixed<Real>(order * parts, 2, 8));
  const Device<Real> y(order * parts);
  const auto as = [](const Device<Real>& data) {
    return reinterpret_cast<Element*>(data.get());
  };
  gpu::attempt(name, [&] {
    gpu::work(repeats, [&] {
      CHECK(call(as(a), as(x), as(y)));
    });
    gpu::print(name, y);
  });
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cublasHandle_t handle = nullptr;
  CHECK(cublasCreate(&handle));
  CHECK(cublasSetAtomicsMode(handle, options.deterministic ? CUBLAS_ATOMICS_NOT_ALLOWED
                                                           : CUBLAS_ATOMICS_ALLOWED));
  const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
  run<float, float>("ssymv", [&](const float* a, const float* x, float* y) {
    const float one = 1, zero = 0;
    return cublasSsymv(handle, lower, order, &one, a, order, x, 1, &zero, y, 1);
  });
  run<double, double>("dsymv", [&](const double* a, const double* x, double* y) {
    const double one = 1, zero = 0;
    return cublasDsymv(handle, lower, order, &one, a, order, x, 1, &zero, y, 1);
  });
  run<float, cuComplex>("csymv", [&](const cuComplex* a, const cuComplex* x, cuComplex* y) {
    const cuComplex one = make_cuComplex(1, 0), zero = make_cuComplex(0, 0);
    return cublasCsymv(handle, lower, order, &one, a, order, x, 1, &zero, y, 1);
  });
  run<float, cuComplex>("chemv", [&](const cuComplex* a, const cuComplex* x, cuComplex* y) {
    const cuComplex one = make_cuComplex(1, 0), zero = make_cuComplex(0, 0);
    return cublasChemv(handle, lower, order, &one, a, order, x, 1, &zero, y, 1);
  });
  CHECK(cublasDestroy(handle));
  return gpu::finish();
}
