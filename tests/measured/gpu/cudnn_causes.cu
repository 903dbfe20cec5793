// A weight gradient by cuDNN's graph API on an engine that says of itself that it is
// nondeterministic, between gradients on one that does not, for `detshim verify`: it is to be named
// (the script `causes`). Heuristics under detshim leave such engines out, so that it is asked for
// by its index. The argument says which:
//   gradient  one of the plans is nondeterministic
//   none      none is: the runs are equal
// Exit status: 0 done, 1 a call failed, 2 a wrong argument, 3 no engine of the kind, 77 no CUDA
// device.
#include "cudnn_graphs.h"

namespace {

using gpu::Backend;
using gpu::Device;
using gpu::Layout;

constexpr int64_t engines = 128; // more than any graph has

/// A plan of the first engine that does, or does not, say that it is nondeterministic. False
/// without one.
bool find_plan(Backend& plan, cudnnHandle_t handle, const Backend& graph, bool nondeterministic) {
  for (int64_t index = 0; index < engines; ++index) {
    Backend engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR), config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph);
    if (cudnnBackendSetAttribute(engine.raw(), CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1,
                                 &index) != CUDNN_STATUS_SUCCESS ||
        engine.finalize() != CUDNN_STATUS_SUCCESS)
      continue;
    config.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
    if (config.finalize() != CUDNN_STATUS_SUCCESS ||
        gpu::has_note(config, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                      CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) != nondeterministic)
      continue;
    Backend found(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    if (!gpu::build_plan(found, handle, config))
      continue;
    plan = std::move(found);
    return true;
  }
  return false;
}

void derive(bool with_fault) {
  cudnnHandle_t handle = nullptr;
  CHECK(cudnnCreate(&handle));
  const gpu::Convolution& shape = gpu::small_convolution;
  const Device<char> workspace(gpu::workspace_bytes);
  const Device<float> x(gpu::fixed<float>(shape.x().size(Layout::nchw), 1, 12));
  const Device<float> w(gpu::fixed<float>(shape.w().size(Layout::nchw), 2, 12));
  const Device<float> y(gpu::fixed<float>(shape.y().size(Layout::nchw), 3, 12));
  Backend pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64,
           std::vector<int64_t>{'x', 'w', 'y'});
  pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{x.get(), w.get(), y.get()});
  pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
           std::vector<void*>{workspace.get()});
  CHECK(pack.finalize());
  // Each by a graph of its own: of one graph detshim lets a single plan in.
  for (const bool is_bad : {false, with_fault, false}) {
    Backend graph(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR),
        plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    gpu::build_graph(graph, handle, CUDNN_DATA_FLOAT, shape, Layout::nchw,
                     gpu::Pass::backward_filter);
    if (!find_plan(plan, handle, graph, is_bad)) {
      std::fprintf(stderr, "no engine that is %s\n", is_bad ? "nondeterministic" : "deterministic");
      std::exit(3);
    }
    CHECK(cudnnBackendExecute(handle, plan.raw(), pack.raw()));
    CHECK(cudaDeviceSynchronize());
    gpu::print(is_bad ? "nondeterministic" : "gradient", w);
  }
  CHECK(cudnnDestroy(handle));
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[argc - 1] : "none";
  if (argc > 2 || (what != "gradient" && what != "none")) {
    std::fprintf(
        stderr,
        "%s: unknown argument %s: accepted is one of gradient and none (also without one)\n",
        argv[0], what.c_str());
    return 2;
  }
  gpu::start(1, argv);
  derive(what == "gradient");
}
