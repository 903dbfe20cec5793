#include "hooks/cuda/streams.h"

namespace detshim {
namespace {

using namespace abi;

constinit DriverFunction<CUresult(CUcontext*)> ask_context("cuCtxGetCurrent");
constinit DriverFunction<CUresult(CUstream, int*)> ask_capture("cuStreamIsCapturing");

} // namespace

uint64_t current_context(const Hook& hook) {
  auto* ask = ask_context.of(hook);
  CUcontext context = nullptr;
  if (ask != nullptr) ask(&context);
  return number_of(context);
}

uint64_t number_of_stream(const Hook& hook, CUstream stream, Default meant) {
  uint64_t number = number_of(stream);
  if (number > stream_per_thread) return number;
  if (number == 0) number = meant == Default::legacy ? stream_legacy : stream_per_thread;
  const uint64_t thread = number == stream_per_thread ? number_of(&this_thread()) : 0;
  return mix(mix(current_context(hook), number), thread);
}

bool is_capturing(const Hook& hook, CUstream stream) {
  auto* ask = ask_capture.of(hook);
  int status = capture_status_none;
  return ask != nullptr && (ask(stream, &status) != CUresult::success || status != capture_status_none);
}

} // namespace detshim
