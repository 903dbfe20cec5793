// cuSOLVER with nondeterministic results allowed: QR, eigenvalues and singular values may then take
// faster routines that differ from run to run ("may" is all that the documentation says). With
// --deterministic: CUSOLVER_DETERMINISTIC_RESULTS, which is also the default.
#include "gpu.h"

#include <cusolverDn.h>

namespace {

using gpu::Device;

template <class T>
struct Type;
template <>
struct Type<float> {
  static constexpr cudaDataType value = CUDA_R_32F;
  static constexpr const char* name = "float";
};
template <>
struct Type<double> {
  static constexpr cudaDataType value = CUDA_R_64F;
  static constexpr const char* name = "double";
};

constexpr int repeats = 3;

/// The library's workspaces, on the device and on the host.
struct Workspace {
  Workspace(size_t device_bytes, size_t host_bytes) : device(device_bytes), host(host_bytes + 1) {}
  Device<char> device;
  std::vector<char> host;
};

/// Restores the input before each call: the routines overwrite it. That time is part of the work,
/// on all sides.
template <class T, class Call>
void run(const Device<T>& a, const std::vector<T>& input, Call&& call) {
  const Device<T> original(input);
  const Device<int> info(1);
  gpu::work(repeats, [&] {
    CHECK(cudaMemcpy(a.get(), original.get(), original.bytes(), cudaMemcpyDeviceToDevice));
    CHECK(call(info.get()));
  });
  CHECK(info.to_host()[0]); // 0 where all went well, as a status is
}

template <class T>
void factorize(cusolverDnHandle_t handle, cusolverDnParams_t params) {
  constexpr int64_t m = 1024, n = 768;
  const std::vector<T> input = gpu::fixed<T>(m * n, 1);
  const Device<T> a(input), tau(n);
  size_t on_device = 0, on_host = 0;
  CHECK(cusolverDnXgeqrf_bufferSize(handle, params, m, n, Type<T>::value, a.get(), m,
                                    Type<T>::value, tau.get(), Type<T>::value, &on_device,
                                    &on_host));
  Workspace workspace(on_device, on_host);
  run(a, input, [&](int* info) {
    return cusolverDnXgeqrf(handle, params, m, n, Type<T>::value, a.get(), m, Type<T>::value,
                            tau.get(), Type<T>::value, workspace.device.get(), on_device,
                            workspace.host.data(), on_host, info);
  });
  gpu::print(std::string("geqrf.") + Type<T>::name, a);
}

template <class T>
void eigenvalues(cusolverDnHandle_t handle, cusolverDnParams_t params) {
  constexpr int64_t n = 384;
  const auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  const auto lower = CUBLAS_FILL_MODE_LOWER;
  const std::vector<T> input = gpu::fixed<T>(n * n, 2);
  const Device<T> a(input), w(n);
  size_t on_device = 0, on_host = 0;
  CHECK(cusolverDnXsyevd_bufferSize(handle, params, vectors, lower, n, Type<T>::value, a.get(), n,
                                    Type<T>::value, w.get(), Type<T>::value, &on_device, &on_host));
  Workspace workspace(on_device, on_host);
  run(a, input, [&](int* info) {
    return cusolverDnXsyevd(handle, params, vectors, lower, n, Type<T>::value, a.get(), n,
                            Type<T>::value, w.get(), Type<T>::value, workspace.device.get(),
                            on_device, workspace.host.data(), on_host, info);
  });
  gpu::print(std::string("syevd.values.") + Type<T>::name, w);
  gpu::print(std::string("syevd.vectors.") + Type<T>::name, a);
}

template <class T>
void singular_values(cusolverDnHandle_t handle, cusolverDnParams_t params) {
  constexpr int64_t m = 384, n = 192;
  const std::vector<T> input = gpu::fixed<T>(m * n, 3);
  const Device<T> a(input), s(n), u(m * m), vt(n * n);
  size_t on_device = 0, on_host = 0;
  CHECK(cusolverDnXgesvd_bufferSize(handle, params, 'A', 'A', m, n, Type<T>::value, a.get(), m,
                                    Type<T>::value, s.get(), Type<T>::value, u.get(), m,
                                    Type<T>::value, vt.get(), n, Type<T>::value, &on_device,
                                    &on_host));
  Workspace workspace(on_device, on_host);
  run(a, input, [&](int* info) {
    return cusolverDnXgesvd(handle, params, 'A', 'A', m, n, Type<T>::value, a.get(), m,
                            Type<T>::value, s.get(), Type<T>::value, u.get(), m, Type<T>::value,
                            vt.get(), n, Type<T>::value, workspace.device.get(), on_device,
                            workspace.host.data(), on_host, info);
  });
  gpu::print(std::string("gesvd.values.") + Type<T>::name, s);
  gpu::print(std::string("gesvd.vectors.") + Type<T>::name, u);
}

template <class T>
void solve(cusolverDnHandle_t handle, cusolverDnParams_t params) {
  const std::string type = std::string(".") + Type<T>::name;
  gpu::attempt("geqrf" + type, [&] {
    factorize<T>(handle, params);
  });
  gpu::attempt("syevd" + type, [&] {
    eigenvalues<T>(handle, params);
  });
  gpu::attempt("gesvd" + type, [&] {
    singular_values<T>(handle, params);
  });
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  CHECK(cusolverDnCreate(&handle));
  CHECK(cusolverDnCreateParams(&params));
  CHECK(cusolverDnSetDeterministicMode(handle, options.deterministic
                                                   ? CUSOLVER_DETERMINISTIC_RESULTS
                                                   : CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
  solve<float>(handle, params);
  solve<double>(handle, params);
  CHECK(cusolverDnDestroyParams(params));
  CHECK(cusolverDnDestroy(handle));
  return gpu::finish();
}
