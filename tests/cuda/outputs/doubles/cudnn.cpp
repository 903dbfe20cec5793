// A double of libcudnn.so.9: its descriptors are the program's own structures.
#include "compute.h"

#include <dlfcn.h>
#include <map>
#include <vector>

namespace {

const Tensor& tensor(Opaque descriptor) { return *static_cast<const Tensor*>(descriptor); }
const Opaque stream = reinterpret_cast<Opaque>(64);

constexpr int plan_type = 5;        // CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR
constexpr int workspace_size = 402; // CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE

uintptr_t made = 1;
std::map<Opaque, int> types;
struct Written {
  const void* input;
  Result result;
};
std::vector<Written> written; // by the next plan that runs

template <typename Function>
Function* real_function(const char* name) {
  static void* const library = [] {
    const char* const path = std::getenv("DOUBLE_CUDNN");
    return path != nullptr ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nullptr;
  }();
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

int convolve(const char* name, const void* from, Opaque to, void* data) {
  const Tensor& of = tensor(to); // its last dimension is dense
  return compute(name, stream, from,
                 {data, static_cast<size_t>(of.sizes[3]) * 4,
                  static_cast<size_t>(of.sizes[0] * of.sizes[1] * of.sizes[2]),
                  static_cast<size_t>(of.strides[2]) * 4});
}

} // namespace

extern "C" {

size_t cudnnGetVersion() { return 91900; }
int cudnnGetStream(Opaque, Opaque* of) { return *of = stream, 0; }
int cudnnGetTensorNdDescriptor(Opaque descriptor, int, int* type, int* count, int* sizes,
                               int* strides) {
  for (int i = 0; i < 4; ++i)
    sizes[i] = tensor(descriptor).sizes[i], strides[i] = tensor(descriptor).strides[i];
  return *type = 0, *count = 4, 0;
}

int cudnnBatchNormalizationForwardInference(Opaque, int, const void*, const void*, Opaque,
                                            const void* x, Opaque y, void* y_data, Opaque,
                                            const void*, const void*, const void*, const void*,
                                            double) {
  return convolve("cudnnBatchNormalizationForwardInference", x, y, y_data);
}
int cudnnBatchNormalizationForwardTrainingEx(Opaque, int, int, const void*, const void*, Opaque,
                                             const void* x, Opaque, const void*, Opaque y,
                                             void* y_data, Opaque parameters, const void*,
                                             const void*, double, void* mean, void* variance,
                                             double, void* saved_mean, void* saved_variance, Opaque,
                                             void*, size_t, void*, size_t) {
  constexpr const char* before = "cudnnBatchNormalizationForwardTrainingEx, before";
  for (void* const statistic : {mean, variance, saved_mean})
    if (const int status = convolve(before, x, parameters, statistic); status != 0)
      return status;
  if (const int status = convolve(before, x, y, y_data); status != 0)
    return status;
  return convolve("cudnnBatchNormalizationForwardTrainingEx", x, parameters, saved_variance);
}
int cudnnBatchNormalizationBackwardEx(Opaque, int, int, const void*, const void*, const void*,
                                      const void*, Opaque, const void* x, Opaque, const void*,
                                      Opaque, const void*, Opaque, void*, Opaque dx, void* dx_data,
                                      Opaque parameters, const void*, const void*, void* d_scale,
                                      void* d_bias, double, const void*, const void*, Opaque, void*,
                                      size_t, void*, size_t) {
  constexpr const char* before = "cudnnBatchNormalizationBackwardEx, before";
  if (const int status = convolve(before, x, dx, dx_data); status != 0)
    return status;
  if (const int status = convolve(before, x, parameters, d_scale); status != 0)
    return status;
  return convolve("cudnnBatchNormalizationBackwardEx", x, parameters, d_bias);
}

// The graph interface: the real library's, if DOUBLE_CUDNN names it, so that it takes and refuses
// what that does, but for plans, which it would compile for a device; or one that takes all it is
// given and gives nothing back. Plans run here in either case.
int cudnnBackendCreateDescriptor(int type, Opaque* descriptor) {
  if (auto* const real = real_function<int(int, Opaque*)>("cudnnBackendCreateDescriptor"))
    return real(type, descriptor) == 0 ? (types[*descriptor] = type, 0) : 1;
  return *descriptor = reinterpret_cast<Opaque>(++made * 64), 0;
}
int cudnnBackendSetAttribute(Opaque descriptor, int name, int type, int64_t count,
                             const void* elements) {
  if (auto* const real =
          real_function<int(Opaque, int, int, int64_t, const void*)>("cudnnBackendSetAttribute"))
    return real(descriptor, name, type, count, elements);
  return 0;
}
int cudnnBackendGetAttribute(Opaque descriptor, int name, int type, int64_t room, int64_t* count,
                             void* elements) {
  if (auto* const real = real_function<int(Opaque, int, int, int64_t, int64_t*, void*)>(
          "cudnnBackendGetAttribute"))
    if (const int status = real(descriptor, name, type, room, count, elements);
        status == 0 || name != workspace_size)
      return status;
  if (name != workspace_size)
    return 3000;
  if (count != nullptr)
    *count = 1;
  return *static_cast<int64_t*>(elements) = 0, 0;
}
int cudnnBackendFinalize(Opaque descriptor) {
  auto* const real = real_function<int(Opaque)>("cudnnBackendFinalize");
  return real != nullptr && real(descriptor) != 0 && types[descriptor] != plan_type ? 1 : 0;
}
int cudnnBackendDestroyDescriptor(Opaque descriptor) {
  auto* const real = real_function<int(Opaque)>("cudnnBackendDestroyDescriptor");
  return real != nullptr ? real(descriptor) : 0;
}
const char* cudnnGetErrorString(int) { return "an error of the double"; }
void cudnnGetLastErrorString(char* text, size_t size) {
  if (auto* const real = real_function<void(char*, size_t)>("cudnnGetLastErrorString"))
    return real(text, size);
  if (size != 0)
    *text = 0;
}

void plan_writes(const void* input, void* to, size_t width, size_t rows, size_t pitch) {
  written.push_back({input, {to, width, rows, pitch}});
}
int cudnnBackendPopulateCudaGraph(Opaque, Opaque, Opaque, Opaque) { return 0; }
int cudnnBackendExecute(Opaque, Opaque, Opaque) {
  if (written.empty())
    record("cudnnBackendExecute");
  int status = 0;
  // Of several outputs the last one is raced for.
  for (size_t i = 0; i < written.size() && status == 0; ++i)
    status =
        compute(i + 1 == written.size() ? "cudnnBackendExecute" : "cudnnBackendExecute, before",
                stream, written[i].input, written[i].result);
  written.clear();
  return status;
}

} // extern "C"
