// The CUDA runtime and the driver as hooks see them: which of them answers, its functions, streams
// and contexts as numbers.
//
// The runtime does its work by calling the driver, so what a program asks of the runtime passes two
// hooks: the outer one acts. But what cuBLAS asks of either is its own, also inside a hooked call
// of cuBLAS; so these calls are counted by themselves, apart from Thread::depth.
#pragma once

#include "abi/cuda.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {

/// Calls of the runtime and of the driver that this thread is in.
inline thread_local constinit uint8_t cuda_depth = 0;

/// The guard of these hooks: a call that the runtime makes of the driver inside a hooked call
/// passes.
template <typename Signature>
class CudaCall : public Call<Signature> {
public:
  CudaCall(Hook& hook, const void* caller) : Call<Signature>(hook, caller) { ++cuda_depth; }
  ~CudaCall() { --cuda_depth; }

  bool passes() const { return cuda_depth > 1 || Call<Signature>::passes(); }
};

/// The driver that serves a hook of the runtime or of the driver, as one of its hooks.
const Hook& driver_behind(const Hook& hook);

inline uint64_t number_of(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

/// Another function of that driver.
const void* find_in_driver(const Hook& hook, const char* name);
template <typename Function>
using DriverFunction = KnownFunction<Function, find_in_driver, false>;

/// A context of the driver's, as a number.
uint64_t current_context(const Hook& hook);

/// The stream that a null one is, in a handle that every function of the driver understands:
/// another for a hook's function with the per-thread default stream (_ptsz).
abi::CUstream default_stream(const Hook& hook);

/// A stream's number. Each context has streams of its own behind the two special handles, each
/// thread even of the second.
uint64_t number_of_stream(const Hook& hook, abi::CUstream stream);

/// While it lives, what this thread does ends no capture of another thread's.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Hook& hook);
  ~RelaxedCapture() {
    if (is_changed_)
      exchange_(&mode_);
  }
  RelaxedCapture& operator=(RelaxedCapture&&) = delete; // neither copied nor moved

private:
  abi::CUresult (*exchange_)(int*);
  int mode_ = abi::capture_mode_relaxed;
  bool is_changed_;
};

/// True too if it cannot be told: the legacy stream answers with an error while a blocking stream
/// is captured, and work in it would end that capture.
bool is_capturing(const Hook& hook, abi::CUstream stream);

} // namespace detshim

/// Opens the guard `call` of a hook's body, with nested calls of the runtime and the driver
/// counted.
#define DETSHIM_ENTER_CUDA(NAME)                                                                   \
  ::detshim::CudaCall<::detshim::hooks::NAME##_signature> call(::detshim::hooks::NAME,             \
                                                               __builtin_return_address(0))

/// Declares a hook and that of the function's variant for the per-thread default stream.
#define DETSHIM_STREAM_HOOK(LIBRARY, GUARD, NAME, BODY, ...)                                       \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, GUARD, NAME, BODY, __VA_ARGS__);                                  \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, GUARD, NAME##_ptsz, BODY, __VA_ARGS__)
