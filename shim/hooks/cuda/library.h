// Which CUDA runtime and which driver answer, and what their hooks share.
//
// The runtime does its work by calling the driver, so what a program asks of the runtime passes two hooks:
// the outer one acts. But what cuBLAS asks of either is its own, also inside a hooked call of cuBLAS; so
// these calls are counted by themselves, apart from Thread::depth.
#pragma once

#include "abi/cuda.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {

/// Calls of the runtime and of the driver that this thread is in.
extern thread_local constinit uint8_t cuda_depth;

/// The guard of these hooks: a call that the runtime makes of the driver inside a hooked call passes.
template <typename Signature>
class CudaCall : public Call<Signature> {
public:
  CudaCall(Hook& hook, const void* caller) : Call<Signature>(hook, caller) { ++cuda_depth; }
  ~CudaCall() { --cuda_depth; }

  bool passes() const { return cuda_depth > 1 || Call<Signature>::passes(); }
};

/// The driver that serves a hook of the runtime or of the driver, as one of its hooks.
const Hook& driver_behind(const Hook& hook);

/// Writes once a process which runtime or driver answers. The records that follow are written even if they
/// are of Action::observe alone, because this one begins the log.
void record_cuda_once(const Hook& hook);

} // namespace detshim

/// Opens the guard `call` of a hook's body, with nested calls of the runtime and the driver counted.
#define DETSHIM_ENTER_CUDA(NAME)                                                                             \
  ::detshim::CudaCall<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,                       \
                                                               __builtin_return_address(0))
