// A double of libcudnn.so.9: its descriptors are the program's own structures.
#include "compute.h"

namespace {

const Tensor& tensor(Opaque descriptor) { return *static_cast<const Tensor*>(descriptor); }
const Opaque stream = reinterpret_cast<Opaque>(64);

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
int cudnnGetTensorNdDescriptor(Opaque descriptor, int, int* type, int* count, int* sizes, int* strides) {
  for (int i = 0; i < 4; ++i)
    sizes[i] = tensor(descriptor).sizes[i], strides[i] = tensor(descriptor).strides[i];
  return *type = 0, *count = 4, 0;
}
int cudnnGetFilterNdDescriptor(Opaque descriptor, int, int* type, int* format, int* count, int* sizes) {
  for (int i = 0; i < 4; ++i) sizes[i] = tensor(descriptor).sizes[i];
  return *type = *format = 0, *count = 4, 0;
}
int cudnnGetFilterSizeInBytes(Opaque descriptor, size_t* size) {
  *size = 4;
  for (const int one : tensor(descriptor).sizes) *size *= static_cast<size_t>(one);
  return 0;
}
int cudnnConvolutionForward(Opaque, const void*, Opaque, const void* x, Opaque, const void*, Opaque, int,
                            void*, size_t, const void*, Opaque y, void* y_data) {
  return convolve("cudnnConvolutionForward", x, y, y_data);
}
int cudnnConvolutionBackwardData(Opaque, const void*, Opaque, const void* w, Opaque, const void*, Opaque, int,
                                 void*, size_t, const void*, Opaque dx, void* dx_data) {
  return convolve("cudnnConvolutionBackwardData", w, dx, dx_data);
}
int cudnnConvolutionBackwardFilter(Opaque, const void*, Opaque, const void* x, Opaque, const void*, Opaque,
                                   int, void*, size_t, const void*, Opaque dw, void* dw_data) {
  size_t size;
  cudnnGetFilterSizeInBytes(dw, &size);
  return compute("cudnnConvolutionBackwardFilter", stream, x, {dw_data, size});
}
int cudnnBackendExecute(Opaque, Opaque, Opaque) {
  record("cudnnBackendExecute");
  return 0;
}

} // extern "C"
