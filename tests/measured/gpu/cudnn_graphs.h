// Operation graphs of cuDNN's for the programs here: one convolution, built call by call.
#pragma once

#include "cudnn_types.h"

#include <algorithm>
#include <utility>

namespace gpu {

using Descriptor = cudnnBackendDescriptor_t;

constexpr int64_t workspace_bytes = 64 << 20;

/// A backend descriptor that is destroyed with this object.
class Backend {
public:
  explicit Backend(cudnnBackendDescriptorType_t type) {
    CHECK(cudnnBackendCreateDescriptor(type, &raw_));
  }
  Backend(Backend&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Backend& operator=(Backend&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Backend() {
    if (raw_ != nullptr)
      cudnnBackendDestroyDescriptor(raw_);
  }

  Descriptor raw() const { return raw_; }
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
           const std::vector<T>& values) {
    CHECK(cudnnBackendSetAttribute(raw_, name, type, static_cast<int64_t>(values.size()),
                                   values.data()));
  }
  void set(cudnnBackendAttributeName_t name, const Backend& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{other.raw()});
  }
  cudnnStatus_t finalize() { return cudnnBackendFinalize(raw_); }

private:
  Descriptor raw_ = nullptr;
};

enum class Pass { forward, backward_data, backward_filter };
inline constexpr std::pair<Pass, const char*> passes[] = {
    {Pass::forward, "forward"},
    {Pass::backward_data, "backward_data"},
    {Pass::backward_filter, "backward_filter"}};

// The attributes of the three operations have different names for the same things.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
};
inline constexpr Names names_of[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

inline Backend describe_tensor(int64_t id, cudnnDataType_t type, const Tensor& tensor,
                               Layout layout) {
  Backend descriptor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  descriptor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{type});
  descriptor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, tensor.dims());
  descriptor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, tensor.strides(layout));
  descriptor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector{id});
  descriptor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector<int64_t>{16});
  CHECK(descriptor.finalize());
  return descriptor;
}

/// The operation graph of one convolution.
inline void build_graph(Backend& graph, cudnnHandle_t handle, cudnnDataType_t type,
                        const Convolution& shape, Layout layout, Pass pass) {
  const Layout filter_layout = layout == Layout::nhwc ? Layout::nhwc : Layout::nchw;
  const std::vector<int64_t> ones{1, 1}, padding{shape.padding(), shape.padding()};
  Backend convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                  std::vector{CUDNN_DATA_FLOAT});
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
                  std::vector{CUDNN_CROSS_CORRELATION});
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::vector<int64_t>{2});
  convolution.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, padding);
  convolution.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, padding);
  convolution.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, ones);
  convolution.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, ones);
  CHECK(convolution.finalize());

  const Names& names = names_of[static_cast<int>(pass)];
  Backend operation(names.operation);
  operation.set(names.convolution, convolution);
  operation.set(names.x, describe_tensor('x', type, shape.x(), layout));
  operation.set(names.w, describe_tensor('w', type, shape.w(), filter_layout));
  operation.set(names.y, describe_tensor('y', type, shape.y(), layout));
  operation.set(names.alpha, CUDNN_TYPE_FLOAT, std::vector{1.0F});
  operation.set(names.beta, CUDNN_TYPE_FLOAT, std::vector{0.0F});
  CHECK(operation.finalize());
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
  graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  CHECK(graph.finalize());
}

/// The engine configs that a mode of the heuristics proposes, in its order.
inline std::vector<Backend> configs_of(const Backend& graph, cudnnBackendHeurMode_t mode) {
  Backend heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{mode});
  if (heuristics.finalize() != CUDNN_STATUS_SUCCESS)
    return {}; // this mode knows nothing of such a graph
  int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
  std::vector<Backend> found;
  std::vector<Descriptor> raw;
  for (int64_t i = 0; i < count; ++i)
    raw.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).raw());
  CHECK(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, raw.data()));
  while (found.size() > static_cast<size_t>(std::max<int64_t>(count, 0)))
    found.pop_back();
  return found;
}

/// Whether the config's engine has a note, of the kind that the attribute tells.
template <class Note>
bool has_note(const Backend& config, cudnnBackendAttributeName_t attribute,
              cudnnBackendAttributeType_t type, Note wanted) {
  const Backend engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  Descriptor raw = engine.raw();
  int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(config.raw(), CUDNN_ATTR_ENGINECFG_ENGINE,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &raw));
  std::vector<Note> notes(64);
  CHECK(cudnnBackendGetAttribute(raw, attribute, type, static_cast<int64_t>(notes.size()), &count,
                                 notes.data()));
  notes.resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, 64)));
  return std::find(notes.begin(), notes.end(), wanted) != notes.end();
}

/// Builds the plan of a config. False where it has no plan, or none that our workspace is large
/// enough for.
inline bool build_plan(Backend& plan, cudnnHandle_t handle, const Backend& config) {
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (plan.finalize() != CUDNN_STATUS_SUCCESS)
    return false;
  int64_t needed = 0, count = 0;
  CHECK(cudnnBackendGetAttribute(plan.raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                 CUDNN_TYPE_INT64, 1, &count, &needed));
  return needed <= workspace_bytes;
}

} // namespace gpu
