// Graphs as they are made ready: their copies to the host are added up, if DETSHIM_FINGERPRINT asks for them.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 11.0 to 13.0. The driver's functions about nodes serve the
// runtime's graphs too: both have the same handles.
#include "hooks/digests/cuda/graph_copies.h"

#include "core/base/mapped.h"
#include "core/fingerprint/pending_transfers.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* host = "host";

/// Bytes that each copies, marked with the process by its generation.
constinit Mapped<ObjectTable<1024>> graphs;

constinit DriverFunction<CUresult(CUgraph, CUgraphNode*, size_t*)> get_nodes("cuGraphGetNodes");
constinit DriverFunction<CUresult(CUgraphNode, int*)> get_type("cuGraphNodeGetType");
constinit DriverFunction<CUresult(CUgraphNode, CUcopy3D*)> get_copy("cuGraphMemcpyNodeGetParams");
constinit DriverFunction<CUresult(CUgraphNode, CUgraph*)> get_child("cuGraphChildGraphNodeGetGraph");

/// Bytes that a graph copies to the host.
uint64_t bytes_to_host(const Hook& hook, CUgraph graph, int depth = 0) {
  constexpr int deepest = 8;
  size_t count = 0;
  if (depth > deepest || !get_nodes.succeeds(hook, graph, nullptr, &count) || count == 0) return 0;
  const size_t size = count * sizeof(CUgraphNode);
  auto* const nodes = static_cast<CUgraphNode*>(sys::map(size));
  if (nodes == nullptr) return 0;
  if (!get_nodes.succeeds(hook, graph, nodes, &count)) count = 0;
  uint64_t bytes = 0;
  for (size_t i = 0; i < count; ++i) {
    int type = -1;
    CUcopy3D copy = {};
    CUgraph child = nullptr;
    if (!get_type.succeeds(hook, nodes[i], &type)) continue;
    if (type == graph_node_copy && get_copy.succeeds(hook, nodes[i], &copy)) {
      const auto* const to = reinterpret_cast<const void*>(static_cast<uintptr_t>(copy.dstDevice));
      if (copy.dstMemoryType == MemoryType::host ||
          (copy.dstMemoryType == MemoryType::unified && is_of_host(hook, to)))
        bytes += copy.WidthInBytes * copy.Height * copy.Depth;
    }
    if (type == graph_node_child && get_child.succeeds(hook, nodes[i], &child))
      bytes += bytes_to_host(hook, child, depth + 1);
  }
  sys::unmap(nodes, size);
  return bytes;
}

void remember(CUgraphExec graph, uint64_t bytes) {
  auto* const known = graphs.get();
  auto* const entry = known != nullptr ? known->insert(graph) : nullptr;
  if (entry == nullptr) return;
  __atomic_store_n(&entry->value, bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->mark, generation(), __ATOMIC_RELEASE);
}

template <typename Call, typename... Arguments>
auto make_ready(const Call& call, CUgraphExec* ready, CUgraph graph, Arguments... arguments) {
  const auto status = call.real(ready, graph, arguments...);
  if (wants_fingerprint(call, status) && ready != nullptr)
    remember(*ready, bytes_to_host(call.hook(), graph));
  return status;
}

constexpr Description counted = {
    .action = Action::observe,
    .summary = "Adds up what the graph copies to the host, if DETSHIM_FINGERPRINT asks for copies.",
};

} // namespace

bool is_of_host(const Hook& hook, const void* memory) {
  static constinit DriverFunction<CUresult(void*, int, CUdeviceptr)> get_attribute("cuPointerGetAttribute");
  unsigned type = 0, is_managed = 0;
  const auto ask = [&](unsigned& value, int attribute) {
    return get_attribute.succeeds(hook, &value, attribute, number_of(memory));
  };
  if (!ask(type, pointer_memory_type)) return true;
  return type == static_cast<unsigned>(MemoryType::host) &&
         (!ask(is_managed, pointer_is_managed) || is_managed == 0);
}

void digest_graph_copies(const Hook& hook, const void* caller, CUgraphExec graph, CUstream stream) {
  auto* const known = graphs.peek();
  const auto* const entry = known != nullptr ? known->find(graph) : nullptr;
  if (entry == nullptr || __atomic_load_n(&entry->mark, __ATOMIC_ACQUIRE) != generation()) return;
  const uint64_t bytes = __atomic_load_n(&entry->value, __ATOMIC_RELAXED);
  if (bytes == 0) return;
  const uint64_t number = number_of_stream(hook, stream);
  DigestSequence* const sequence = options().fingerprint_calls
                                       ? digests_of_stream(hook.info(), host, caller, number, "")
                                       : digests_at(hook.info(), host, caller);
  add_unread_in_stream(sequence, bytes, Reason::in_graph, number, current_context(hook));
}

} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

#define BOTH(NAME, PARAMS)                                                                                   \
  DETSHIM_TEMPLATE_HOOK(cudart, CudaCall<cudaError PARAMS>, cuda##NAME, make_ready, counted);                \
  DETSHIM_TEMPLATE_HOOK(cuda, CudaCall<CUresult PARAMS>, cu##NAME, make_ready, counted)

// What was an error's node, a buffer and its size before CUDA 12 are flags since: as many registers as the
// older form has are handed on.
#define WITH_NODE_OR_FLAGS                                                                                   \
  (CUgraphExec * ready, CUgraph graph, void* node_or_flags, char* buffer, size_t size)
BOTH(GraphInstantiate, WITH_NODE_OR_FLAGS);
DETSHIM_TEMPLATE_HOOK(cuda, CudaCall<CUresult WITH_NODE_OR_FLAGS>, cuGraphInstantiate_v2, make_ready,
                      counted);
BOTH(GraphInstantiateWithFlags, (CUgraphExec*, CUgraph, unsigned long long flags));
BOTH(GraphInstantiateWithParams, (CUgraphExec*, CUgraph, void* parameters));
BOTH(GraphInstantiateWithParams_ptsz, (CUgraphExec*, CUgraph, void* parameters));
