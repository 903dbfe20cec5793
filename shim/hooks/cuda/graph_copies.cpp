// Graphs as they are made ready: their copies to the host are added up, if DETSHIM_FINGERPRINT asks for them.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 11.0 to 13.0. The driver's functions about nodes serve the
// runtime's graphs too: both have the same handles.
#include "hooks/cuda/graph_copies.h"

#include "core/base/lock.h"
#include "core/fingerprint/pending_transfers.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* host = "host";

struct GraphCopies {
  uint32_t generation; // 0: free
  CUgraphExec graph;
  uint64_t bytes;
};
constexpr size_t most_graphs = 1024;
constinit GraphCopies graphs[most_graphs] = {};
constinit uint64_t lock = 0;

constinit DriverFunction<CUresult(CUgraph, CUgraphNode*, size_t*)> get_nodes("cuGraphGetNodes");
constinit DriverFunction<CUresult(CUgraphNode, int*)> get_type("cuGraphNodeGetType");
constinit DriverFunction<CUresult(CUgraphNode, CUcopy3D*)> get_copy("cuGraphMemcpyNodeGetParams");
constinit DriverFunction<CUresult(CUgraphNode, CUgraph*)> get_child("cuGraphChildGraphNodeGetGraph");

/// Bytes that a graph copies to the host.
uint64_t bytes_to_host(const Hook& hook, CUgraph graph, int depth = 0) {
  auto* const nodes_of = get_nodes.of(hook);
  auto* const type_of = get_type.of(hook);
  auto* const copy_of = get_copy.of(hook);
  auto* const child_of = get_child.of(hook);
  size_t count = 0;
  constexpr int deepest = 8;
  if (depth > deepest || nodes_of == nullptr || type_of == nullptr || copy_of == nullptr ||
      nodes_of(graph, nullptr, &count) != CUresult::success || count == 0)
    return 0;
  const size_t size = count * sizeof(CUgraphNode);
  auto* const nodes = static_cast<CUgraphNode*>(sys::map(size));
  if (nodes == nullptr) return 0;
  uint64_t bytes = 0;
  if (nodes_of(graph, nodes, &count) == CUresult::success)
    for (size_t i = 0; i < count; ++i) {
      int type = -1;
      CUcopy3D copy = {};
      CUgraph child = nullptr;
      if (type_of(nodes[i], &type) != CUresult::success) continue;
      if (type == graph_node_copy && copy_of(nodes[i], &copy) == CUresult::success) {
        const auto* const to = reinterpret_cast<const void*>(static_cast<uintptr_t>(copy.dstDevice));
        if (copy.dstMemoryType == MemoryType::host ||
            (copy.dstMemoryType == MemoryType::unified && is_of_host(hook, to)))
          bytes += copy.WidthInBytes * copy.Height * copy.Depth;
      }
      if (type == graph_node_child && child_of != nullptr && child_of(nodes[i], &child) == CUresult::success)
        bytes += bytes_to_host(hook, child, depth + 1);
    }
  sys::unmap(nodes, size);
  return bytes;
}

void remember(CUgraphExec graph, uint64_t bytes) {
  Lock guard(lock);
  if (!guard.held()) return;
  GraphCopies* place = nullptr;
  for (GraphCopies& one : graphs) {
    const bool is_known = one.generation == generation();
    if (is_known && one.graph == graph) {
      place = &one;
      break;
    }
    if (!is_known && place == nullptr) place = &one;
  }
  if (place != nullptr) *place = {bytes != 0 ? generation() : 0, graph, bytes};
}

template <typename Call, typename... Arguments>
auto make_ready(const Call& call, CUgraphExec* ready, CUgraph graph, Arguments... arguments) {
  const auto status = call.real(ready, graph, arguments...);
  if (options().fingerprint && !call.passes() && status == decltype(status)::success && ready != nullptr)
    remember(*ready, bytes_to_host(call.hook(), graph));
  return status;
}

constexpr Description counted = {
    .action = Action::observe,
    .summary = "Adds up what the graph copies to the host, if DETSHIM_FINGERPRINT asks for copies.",
};

// What was an error's node, a buffer and its size before CUDA 12 are flags since: as many registers as the
// older form has are handed on.
template <typename Status>
using MakeReady =
    CudaCall<Status(CUgraphExec* ready, CUgraph graph, void* node_or_flags, char* buffer, size_t size)>;
template <typename Status>
using MakeReadyWith = CudaCall<Status(CUgraphExec* ready, CUgraph graph, unsigned long long flags)>;
template <typename Status>
using MakeReadyBy = CudaCall<Status(CUgraphExec* ready, CUgraph graph, void* parameters)>;

} // namespace

bool is_of_host(const Hook& hook, const void* memory) {
  static constinit DriverFunction<CUresult(void*, int, CUdeviceptr)> get_attribute("cuPointerGetAttribute");
  auto* ask = get_attribute.of(hook);
  unsigned type = 0, is_managed = 0;
  if (ask == nullptr || ask(&type, pointer_memory_type, number_of(memory)) != CUresult::success) return true;
  if (type != static_cast<unsigned>(MemoryType::host)) return false;
  return ask(&is_managed, pointer_is_managed, number_of(memory)) != CUresult::success || is_managed == 0;
}

void print_graph_copies(const Hook& hook, const void* caller, CUgraphExec graph, CUstream stream) {
  uint64_t bytes = 0;
  {
    Lock guard(lock);
    for (const GraphCopies& one : graphs)
      if (guard.held() && one.generation == generation() && one.graph == graph) bytes = one.bytes;
  }
  if (bytes == 0) return;
  const Default meant = ends_with(hook.info().name, "_ptsz") ? Default::per_thread : Default::legacy;
  const uint64_t number = number_of_stream(hook, stream, meant);
  Print* const print = options().fingerprint_calls ? prints_of_stream(hook.info(), host, caller, number, "")
                                                   : prints_at(hook.info(), host, caller);
  add_unread_in_stream(print, bytes, Reason::in_graph, number, current_context(hook));
}

} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cudart, MakeReady<cudaError>, cudaGraphInstantiate, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cudart, MakeReadyWith<cudaError>, cudaGraphInstantiateWithFlags, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cudart, MakeReadyBy<cudaError>, cudaGraphInstantiateWithParams, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cudart, MakeReadyBy<cudaError>, cudaGraphInstantiateWithParams_ptsz, make_ready,
                      counted);
DETSHIM_TEMPLATE_HOOK(cuda, MakeReady<CUresult>, cuGraphInstantiate, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cuda, MakeReady<CUresult>, cuGraphInstantiate_v2, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cuda, MakeReadyWith<CUresult>, cuGraphInstantiateWithFlags, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cuda, MakeReadyBy<CUresult>, cuGraphInstantiateWithParams, make_ready, counted);
DETSHIM_TEMPLATE_HOOK(cuda, MakeReadyBy<CUresult>, cuGraphInstantiateWithParams_ptsz, make_ready, counted);
