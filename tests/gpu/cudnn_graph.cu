// The same convolutions through cuDNN's graph API, chosen as autotuners do: ask the heuristics for engine
// configs, build a plan of each, time every plan by events, keep the fastest. Which one that is differs from
// run to run, the engines round differently, and some are nondeterministic in themselves. With
// --deterministic: the first plan of the heuristic's order whose engine has no NONDETERMINISTIC note,
// untimed.
//
// Engines that are compiled while the program runs are left out: their compilation would be most of the time.
#include "cudnn_types.h"

#include <algorithm>
#include <utility>

namespace {

using gpu::Convolution;
using gpu::Device;
using gpu::Layout;
using Descriptor = cudnnBackendDescriptor_t;

constexpr int64_t workspace_bytes = 64 << 20;
constexpr int timed_plans = 6; // of each of the heuristics' modes
constexpr int repeats = 10;

/// A backend descriptor that is destroyed with this object.
class Backend {
public:
  explicit Backend(cudnnBackendDescriptorType_t type) { CHECK(cudnnBackendCreateDescriptor(type, &raw_)); }
  Backend(Backend&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Backend& operator=(Backend&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Backend() {
    if (raw_ != nullptr) cudnnBackendDestroyDescriptor(raw_);
  }

  Descriptor raw() const { return raw_; }
  template <class T>
  void set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const std::vector<T>& values) {
    CHECK(cudnnBackendSetAttribute(raw_, name, type, static_cast<int64_t>(values.size()), values.data()));
  }
  void set(cudnnBackendAttributeName_t name, const Backend& other) {
    set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{other.raw()});
  }
  cudnnStatus_t finalize() { return cudnnBackendFinalize(raw_); }

private:
  Descriptor raw_ = nullptr;
};

enum class Pass { forward, backward_data, backward_filter };
constexpr std::pair<Pass, const char*> passes[] = {{Pass::forward, "forward"},
                                                   {Pass::backward_data, "backward_data"},
                                                   {Pass::backward_filter, "backward_filter"}};

// The attributes of the three operations have different names for the same things.
struct Names {
  cudnnBackendDescriptorType_t operation;
  cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
};
constexpr Names names_of[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};

Backend describe_tensor(int64_t id, cudnnDataType_t type, const gpu::Tensor& tensor, Layout layout) {
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
void build_graph(Backend& graph, cudnnHandle_t handle, cudnnDataType_t type, const Convolution& shape,
                 Layout layout, Pass pass) {
  const Layout filter_layout = layout == Layout::nhwc ? Layout::nhwc : Layout::nchw;
  const std::vector<int64_t> ones{1, 1}, padding{shape.padding(), shape.padding()};
  Backend convolution(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{CUDNN_DATA_FLOAT});
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
std::vector<Backend> configs_of(const Backend& graph, cudnnBackendHeurMode_t mode) {
  Backend heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{mode});
  if (heuristics.finalize() != CUDNN_STATUS_SUCCESS) return {}; // this mode knows nothing of such a graph
  int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
  std::vector<Backend> found;
  std::vector<Descriptor> raw;
  for (int64_t i = 0; i < count; ++i)
    raw.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).raw());
  CHECK(cudnnBackendGetAttribute(heuristics.raw(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &count, raw.data()));
  while (found.size() > static_cast<size_t>(std::max<int64_t>(count, 0))) found.pop_back();
  return found;
}

/// Whether the config's engine has a note, of the kind that the attribute tells.
template <class Note>
bool has_note(const Backend& config, cudnnBackendAttributeName_t attribute, cudnnBackendAttributeType_t type,
              Note wanted) {
  const Backend engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  Descriptor raw = engine.raw();
  int64_t count = 0;
  CHECK(cudnnBackendGetAttribute(config.raw(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                 &count, &raw));
  std::vector<Note> notes(64);
  CHECK(cudnnBackendGetAttribute(raw, attribute, type, static_cast<int64_t>(notes.size()), &count,
                                 notes.data()));
  notes.resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, 64)));
  return std::find(notes.begin(), notes.end(), wanted) != notes.end();
}

/// Builds the plan of a config. False where there is none, or none that our workspace is large enough for.
bool build_plan(Backend& plan, cudnnHandle_t handle, const Backend& config) {
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, std::vector{handle});
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  if (plan.finalize() != CUDNN_STATUS_SUCCESS) return false;
  int64_t needed = 0, count = 0;
  CHECK(cudnnBackendGetAttribute(plan.raw(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                 &count, &needed));
  return needed <= workspace_bytes;
}

/// Whether a program that wants this kind of plan tries the config at all.
bool is_candidate(const Backend& config, bool deterministic) {
  if (has_note(config, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
               CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION))
    return false;
  return !deterministic || !has_note(config, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                     CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
}

/// The fastest plan of the graph, or the first deterministic one. False where there is none.
bool choose_plan(Backend& best, cudnnHandle_t handle, const Backend& graph, const Backend& pack,
                 bool deterministic) {
  float shortest = -1;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    int timed = 0;
    for (const Backend& config : configs_of(graph, mode)) {
      if (timed == timed_plans) break;
      if (!is_candidate(config, deterministic)) continue;
      Backend plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      if (!build_plan(plan, handle, config)) continue;
      if (cudnnBackendExecute(handle, plan.raw(), pack.raw()) != CUDNN_STATUS_SUCCESS) continue;
      CHECK(cudaDeviceSynchronize());
      if (deterministic) {
        best = std::move(plan);
        return true;
      }
      const float time = gpu::event_milliseconds(
          nullptr, 3, [&] { CHECK(cudnnBackendExecute(handle, plan.raw(), pack.raw())); });
      ++timed;
      if (shortest >= 0 && time >= shortest) continue;
      shortest = time;
      best = std::move(plan);
    }
  }
  return shortest >= 0;
}

template <class T>
void run_pass(cudnnHandle_t handle, const Device<char>& workspace, const Convolution& shape, Layout layout,
              Pass pass, const std::string& variant, bool deterministic) {
  const Layout filter_layout = layout == Layout::nhwc ? Layout::nhwc : Layout::nchw;
  Backend graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  build_graph(graph, handle, gpu::CudnnType<T>::value, shape, layout, pass);

  const Device<T> x(gpu::fixed<T>(shape.x().size(layout), 1));
  const Device<T> w(gpu::fixed<T>(shape.w().size(filter_layout), 2));
  const Device<T> y(gpu::fixed<T>(shape.y().size(layout), 3));
  const Device<T>& result = pass == Pass::forward ? y : pass == Pass::backward_data ? x : w;
  Backend pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, std::vector<int64_t>{'x', 'w', 'y'});
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{x.get(), w.get(), y.get()});
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, std::vector<void*>{workspace.get()});
  CHECK(pack.finalize());

  Backend plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (!choose_plan(plan, handle, graph, pack, deterministic)) gpu::unsupported();
  gpu::work(repeats, [&] { CHECK(cudnnBackendExecute(handle, plan.raw(), pack.raw())); });
  gpu::print(variant, result);
}

template <class T>
void train(cudnnHandle_t handle, const Device<char>& workspace, const Convolution& shape, Layout layout,
           bool deterministic) {
  for (const auto& named : passes) {
    const std::string variant = std::string(gpu::name(layout)) + "." + gpu::CudnnType<T>::name + "." +
                                shape.name + "." + named.second;
    gpu::attempt(variant,
                 [&] { run_pass<T>(handle, workspace, shape, layout, named.first, variant, deterministic); });
  }
}

} // namespace

int main(int argc, char** argv) {
  const bool deterministic = gpu::start(argc, argv).deterministic;
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  const Device<char> workspace(workspace_bytes);
  for (const Layout layout : gpu::layouts) {
    train<float>(handle, workspace, gpu::small_convolution, layout, deterministic);
    train<__half>(handle, workspace, gpu::small_convolution, layout, deterministic);
    train<__nv_bfloat16>(handle, workspace, gpu::small_convolution, layout, deterministic);
  }
  train<float>(handle, workspace, gpu::medium_convolution, Layout::nchw, deterministic);
  train<__half>(handle, workspace, gpu::medium_convolution, Layout::nhwc, deterministic);
  CHECK(cudnnDestroy(handle));
  return gpu::finish();
}
