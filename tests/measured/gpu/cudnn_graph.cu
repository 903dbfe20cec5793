// The same convolutions through cuDNN's graph API, chosen as autotuners do: ask the heuristics for
// engine configs, build a plan of each, time every plan by events, keep the fastest. Which one that
// is differs from run to run, the engines round differently, and some are nondeterministic in
// themselves. With
// --deterministic: the first plan of the heuristic's order whose engine has no NONDETERMINISTIC
// note, untimed.
//
// Engines that are compiled while the program runs are left out: their compilation would be most of
// the time.
#include "cudnn_graphs.h"

namespace {

using gpu::Backend;
using gpu::Convolution;
using gpu::Device;
using gpu::Layout;
using gpu::Pass;
using gpu::workspace_bytes;

constexpr int timed_plans = 6; // of each of the heuristics' modes
constexpr int repeats = 10;

/// Whether a program that wants this kind of plan tries the config at all.
bool is_candidate(const Backend& config, bool deterministic) {
  if (gpu::has_note(config, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                    CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION))
    return false;
  return !deterministic ||
         !gpu::has_note(config, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                        CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC);
}

/// The fastest plan of the graph, or the first deterministic one. False where no plan is found.
bool choose_plan(Backend& best, cudnnHandle_t handle, const Backend& graph, const Backend& pack,
                 bool deterministic) {
  float shortest = -1;
  for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
    int timed = 0;
    for (const Backend& config : gpu::configs_of(graph, mode)) {
      if (timed == timed_plans)
        break;
      if (!is_candidate(config, deterministic))
        continue;
      Backend plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
      if (!gpu::build_plan(plan, handle, config))
        continue;
      if (cudnnBackendExecute(handle, plan.raw(), pack.raw()) != CUDNN_STATUS_SUCCESS)
        continue;
      CHECK(cudaDeviceSynchronize());
      if (deterministic) {
        best = std::move(plan);
        return true;
      }
      const float time = gpu::event_milliseconds(nullptr, 3, [&] {
        CHECK(cudnnBackendExecute(handle, plan.raw(), pack.raw()));
      });
      ++timed;
      if (shortest >= 0 && time >= shortest)
        continue;
      shortest = time;
      best = std::move(plan);
    }
  }
  return shortest >= 0;
}

template <class T>
void run_pass(cudnnHandle_t handle, const Device<char>& workspace, const Convolution& shape,
              Layout layout, Pass pass, const std::string& variant, bool deterministic) {
  const Layout filter_layout = layout == Layout::nhwc ? Layout::nhwc : Layout::nchw;
  Backend graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  gpu::build_graph(graph, handle, gpu::CudnnType<T>::value, shape, layout, pass);

  const Device<T> x(gpu::fixed<T>(shape.x().size(layout), 1));
  const Device<T> w(gpu::fixed<T>(shape.w().size(filter_layout), 2));
  const Device<T> y(gpu::fixed<T>(shape.y().size(layout), 3));
  const Device<T>& result = pass == Pass::forward ? y : pass == Pass::backward_data ? x : w;
  Backend pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
           std::vector<int64_t>{'x', 'w', 'y'});
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{x.get(), w.get(), y.get()});
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{workspace.get()});
  CHECK(pack.finalize());

  Backend plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  if (!choose_plan(plan, handle, graph, pack, deterministic))
    gpu::unsupported();
  gpu::work(repeats, [&] {
    CHECK(cudnnBackendExecute(handle, plan.raw(), pack.raw()));
  });
  gpu::print(variant, result);
}

template <class T>
void train(cudnnHandle_t handle, const Device<char>& workspace, const Convolution& shape,
           Layout layout, bool deterministic) {
  for (const auto& named : gpu::passes) {
    const std::string variant = std::string(gpu::name(layout)) + "." + gpu::CudnnType<T>::name +
                                "." + shape.name + "." + named.second;
    gpu::attempt(variant, [&] {
      run_pass<T>(handle, workspace, shape, layout, named.first, variant, deterministic);
    });
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
