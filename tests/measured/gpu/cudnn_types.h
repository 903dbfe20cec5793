// What the cuDNN programs share.
#pragma once

#include "gpu.h"

#include <cudnn.h>

namespace gpu {

/// With what the library itself says of its last error, which its statuses are too few for.
template <>
inline const char* describe(cudnnStatus_t status) {
  static char text[1024];
  char last[768] = "";
  cudnnGetLastErrorString(last, sizeof last);
  std::snprintf(text, sizeof text, "%s%s%s", cudnnGetErrorString(status), *last ? "; " : "", last);
  return text;
}

/// cuDNN 9 has a range of statuses for what it does not do; cuDNN 8 has 9. What says that the
/// machine's driver or another library does not fit is in that range too, and is a failure: it
/// would pass for a missing feature.
template <>
inline bool is_unsupported(cudnnStatus_t status) {
  const int code = static_cast<int>(status);
  if (code == 3005 || code == 3006)
    return false; // INCOMPATIBLE_CUDA_DRIVER, INCOMPATIBLE_CUDART
  if (code == 3008 || code == 3009)
    return false; // RUNTIME_PREREQUISITE_MISSING, SUBLIBRARY_UNAVAILABLE
  return code / 1000 == 3 || code == 9;
}

template <class T>
struct CudnnType;
template <>
struct CudnnType<float> {
  static constexpr cudnnDataType_t value = CUDNN_DATA_FLOAT;
  static constexpr const char* name = "float";
};
template <>
struct CudnnType<__half> {
  static constexpr cudnnDataType_t value = CUDNN_DATA_HALF;
  static constexpr const char* name = "half";
};
template <>
struct CudnnType<__nv_bfloat16> {
  static constexpr cudnnDataType_t value = CUDNN_DATA_BFLOAT16;
  static constexpr const char* name = "bf16";
};

/// Where the values of a tensor lie.
enum class Layout { nchw, nhwc, strided };
constexpr Layout layouts[] = {Layout::nchw, Layout::nhwc, Layout::strided};
constexpr int row_gap =
    4; // of `strided`: NCHW with a gap after every row, as a view of a larger tensor has

inline const char* name(Layout layout) {
  return layout == Layout::nchw ? "nchw" : layout == Layout::nhwc ? "nhwc" : "strided";
}

/// Dimensions N, C, H, W (of a filter: K, C, R, S) and where their values lie.
struct Tensor {
  int64_t n, c, h, w;

  std::vector<int64_t> dims() const { return {n, c, h, w}; }
  std::vector<int64_t> strides(Layout layout) const {
    if (layout == Layout::nhwc)
      return {h * w * c, 1, w * c, c};
    const int64_t row = w + (layout == Layout::strided ? row_gap : 0);
    return {c * h * row, h * row, row, 1};
  }
  size_t size(Layout layout) const {
    return static_cast<size_t>(n * (layout == Layout::nhwc ? h * w * c : strides(layout)[0]));
  }
};

/// A square convolution with stride 1 and padding that keeps the size.
struct Convolution {
  const char* name;
  int64_t n, c, size, k, window;

  Tensor x() const { return {n, c, size, size}; }
  Tensor w() const { return {k, c, window, window}; }
  Tensor y() const { return {n, k, size, size}; }
  int64_t padding() const { return window / 2; }
};

// In the small one every candidate takes about as long as its launch, so that chance decides which
// is fastest.
constexpr Convolution small_convolution{"small", 4, 16, 14, 16, 3};
constexpr Convolution medium_convolution{"medium", 16, 64, 28, 64, 3};
constexpr Convolution wide_convolution{"wide", 32, 8, 56, 16, 5};

} // namespace gpu
