#include "hooks/cuda/driver.h"

namespace detshim {

namespace {

using namespace abi;

/// Asked whichever library's hook it is for.
struct DriverFunctions {
  DriverFunction<CUresult(CUcontext*)> get_context{"cuCtxGetCurrent"};
  DriverFunction<CUresult(CUstream, int*)> ask_capture{"cuStreamIsCapturing"};
  DriverFunction<CUresult(int*)> exchange_mode{"cuThreadExchangeStreamCaptureMode"};
};
constinit DriverFunctions driver_functions;

bool is_of_driver(const Hook& hook) { return same_text(hook.info().library, "cuda"); }

} // namespace

const Hook& driver_behind(const Hook& hook) {
  if (is_of_driver(hook))
    return hook;
  Hook& driver = *find_hook("cuMemAlloc_v2");
  if (driver.state != Hook::State::hooked)
    find_real(driver);
  return driver;
}

const void* find_in_driver(const Hook& hook, const char* name) {
  return find_sibling(driver_behind(hook), name);
}

uint64_t current_context(const Hook& hook) {
  CUcontext context = nullptr;
  driver_functions.get_context.succeeds(hook, &context);
  return number_of(context);
}

CUstream default_stream(const Hook& hook) {
  const bool is_per_thread = ends_with(hook.info().name, "_ptsz");
  return reinterpret_cast<CUstream>(is_per_thread ? stream_per_thread : stream_legacy);
}

uint64_t number_of_stream(const Hook& hook, CUstream stream) {
  uint64_t number = number_of(stream);
  if (number > stream_per_thread)
    return number;
  if (number == 0)
    number = number_of(default_stream(hook));
  const uint64_t thread = number == stream_per_thread ? number_of(&this_thread()) : 0;
  return mix(mix(current_context(hook), number), thread);
}

RelaxedCapture::RelaxedCapture(const Hook& hook)
    : exchange_(driver_functions.exchange_mode.of(hook)) {
  is_changed_ = exchange_ != nullptr && exchange_(&mode_) == CUresult::success;
}

bool is_capturing(const Hook& hook, CUstream stream) {
  auto* ask = driver_functions.ask_capture.of(hook);
  int status = capture_status_none;
  return ask != nullptr &&
         (ask(stream, &status) != CUresult::success || status != capture_status_none);
}

} // namespace detshim
