// Copies that bring something to the host: hashed if DETSHIM_FINGERPRINT asks for it
// (core/fingerprint/pending_transfers.h). Nothing is changed and nothing is waited for.
//
// Not seen: memory that host and GPU both reach (managed, mapped), copies out of arrays and of
// boxes, which no framework makes. Of copies that are captured into a graph it is said then that
// they were not read. Peer copies go from GPU to GPU.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0.
#include "core/fingerprint/pending_transfers.h"
#include "hooks/cuda/driver.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* host = "host";

/// With the outputs of calls, a copy stands in one sequence with what its stream computed before.
template <typename Call>
DigestSequence* digest_of(const Call& call, uint64_t stream) {
  say_library(call.hook());
  const HookInfo& function = call.hook().info();
  return options().fingerprint_calls ? digests_of_stream(function, host, call.caller(), stream, "")
                                     : digests_at(function, host, call.caller());
}

template <typename Call>
void add_ended(const Call& call, const HostArea& area) {
  const uint64_t stream = number_of_stream(call.hook(), nullptr);
  // The legacy stream's work comes one after the other.
  end_transfers_of_stream(stream);
  add_copy(digest_of(call, stream), area);
}

template <typename Call>
void add_in_stream(const Call& call, const HostArea& area, CUstream stream) {
  const Hook& hook = call.hook();
  const uint64_t number = number_of_stream(hook, stream), context = current_context(hook);
  if (is_capturing(hook, stream))
    add_unread_in_stream(digest_of(call, number), area.size(), Reason::in_graph, number, context);
  else
    add_copy_in_stream(digest_of(call, number), area, number, context);
}

/// The body of a copy's hook: `describe(hook, arguments...)` gives what it brings to the host,
/// nothing for one that goes elsewhere.
template <auto describe, typename Call, typename... Arguments>
auto copy(const Call& call, Arguments... arguments) {
  const auto status = call.real(arguments...);
  if (!wants_fingerprint(call, status))
    return status;
  const HostArea area = describe(call.hook(), arguments...);
  if (area.start == nullptr || area.size() == 0)
    return status;
  if constexpr ((__is_same(Arguments, CUstream) || ...))
    add_in_stream(call, area, argument_of_type<CUstream>(arguments...));
  else
    add_ended(call, area);
  return status;
}

const void* memory_at(CUdeviceptr address) {
  return reinterpret_cast<const void*>(static_cast<uintptr_t>(address));
}

/// True if memory that a copy by address reaches is the host's: the driver does not know it, or as
/// its own.
bool is_of_host(const Hook& hook, const void* memory) {
  static constinit DriverFunction<CUresult(void*, int, CUdeviceptr)> get_attribute(
      "cuPointerGetAttribute");
  unsigned type = 0, is_managed = 0;
  const auto ask = [&](unsigned& value, int attribute) {
    return get_attribute.succeeds(hook, &value, attribute, number_of(memory));
  };
  if (!ask(type, pointer_memory_type))
    return true;
  return type == static_cast<unsigned>(MemoryType::host) &&
         (!ask(is_managed, pointer_is_managed) || is_managed == 0);
}

bool goes_to_host(const Hook& hook, const void* to, CopyKind kind) {
  return kind == CopyKind::device_to_host || (kind == CopyKind::by_address && is_of_host(hook, to));
}

// What is copied. `Stream`: none, or the stream's.

HostArea to_host(const Hook& hook, CopyKind kind, const HostArea& area) {
  return goes_to_host(hook, area.start, kind) ? area : HostArea{};
}

template <typename... Stream>
HostArea from_memory(const Hook& hook, void* to, const void* /*from*/, size_t size, CopyKind kind,
                     Stream...) {
  return to_host(hook, kind, {to, size});
}
template <typename... Stream>
HostArea from_rows(const Hook& hook, void* to, size_t to_pitch, const void* /*from*/,
                   size_t /*from_pitch*/, size_t width, size_t height, CopyKind kind, Stream...) {
  return to_host(hook, kind, {to, width, height, to_pitch});
}
// The driver's. Device memory is a number there, and host memory where addresses tell.

template <typename... Stream>
HostArea from_device(const Hook&, void* to, CUdeviceptr /*from*/, size_t size, Stream...) {
  return {to, size};
}
template <typename... Stream>
HostArea by_address(const Hook& hook, CUdeviceptr to, CUdeviceptr /*from*/, size_t size,
                    Stream...) {
  return is_of_host(hook, memory_at(to)) ? HostArea{memory_at(to), size} : HostArea{};
}
constexpr Description hashed = {
    .action = Action::observe,
    .summary = "Hashes what the copy brings to the host, if DETSHIM_FINGERPRINT asks for it.",
};
constexpr Description hashed_later = {
    .action = Action::observe,
    .summary = "Hashes what the copy brings to the host once the program has waited for it, if "
               "DETSHIM_FINGERPRINT "
               "asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

// A copy that waits, one in a stream, and both where a null stream is the thread's own.
#define WAITING(LIBRARY, STATUS, NAME, ...)                                                        \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, CudaCall, copy, hashed, __VA_ARGS__);              \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME##_ptds, CudaCall, copy, hashed, __VA_ARGS__)
#define IN_STREAM(LIBRARY, STATUS, NAME, ...)                                                      \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME, CudaCall, copy, hashed_later, __VA_ARGS__);        \
  DETSHIM_DESCRIBED_HOOK(LIBRARY, STATUS, NAME##_ptsz, CudaCall, copy, hashed_later, __VA_ARGS__)
#define RUNTIME(NAME, DESCRIBE)                                                                    \
  WAITING(cudart, cudaError, NAME, DESCRIBE<>);                                                    \
  IN_STREAM(cudart, cudaError, NAME##Async, DESCRIBE<CUstream>)
#define DRIVER(NAME, ASYNC, DESCRIBE)                                                              \
  WAITING(cuda, CUresult, NAME, DESCRIBE<>);                                                       \
  IN_STREAM(cuda, CUresult, ASYNC, DESCRIBE<CUstream>)

RUNTIME(cudaMemcpy, from_memory);
RUNTIME(cudaMemcpy2D, from_rows);

DRIVER(cuMemcpyDtoH_v2, cuMemcpyDtoHAsync_v2, from_device);
DRIVER(cuMemcpy, cuMemcpyAsync, by_address);
