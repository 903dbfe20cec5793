// An ordinary user of the CUDA driver, which copies to the host and waits. Each argument is a
// function to call; at the end the bytes that came are added up and printed.
#include "call.h"

#include "copies.h"

#include <cstdio>
#include <cstring>

namespace {

constexpr size_t width = 16, height = 4, pitch = 32, size = 4096;

Opaque stream() { return reinterpret_cast<Opaque>(uintptr_t{64}); }
Opaque other_stream() { return reinterpret_cast<Opaque>(uintptr_t{65}); }
Opaque event() { return reinterpret_cast<Opaque>(uintptr_t{96}); }

char to[size];

} // namespace

int main(int argc, char** argv) {
  DevicePointer from = 0, also = 0;
  CALL(cuMemAlloc_v2)(&from, size);
  CALL(cuMemAlloc_v2)(&also, size);
  const DevicePointer tail = from + size - 64; // where a race shows
  const auto address = static_cast<DevicePointer>(reinterpret_cast<uintptr_t>(to));
  const Copy2D rows = {.from_x = 0,
                       .from_y = 0,
                       .from_type = 2,
                       .from_host = nullptr,
                       .from_device = tail,
                       .from_array = nullptr,
                       .from_pitch = width,
                       .to_x = 3,
                       .to_y = 1,
                       .to_type = 1,
                       .to_host = to,
                       .to_device = 0,
                       .to_array = nullptr,
                       .to_pitch = pitch,
                       .width = width,
                       .height = height};
  Copy2D unified = rows;
  unified.to_type = 4;
  unified.to_device = address;
  // Half of it in each of two; a third goes elsewhere.
  DevicePointer batch_to[] = {address, also, address + 32}, batch_from[] = {tail, tail, tail + 32};
  size_t sizes[] = {32, 32, 32}, of = 0;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(argv[i], name) == 0;
    };
    int status = -1;
#define VARIANTS(SYNC, STREAM)                                                                     \
  if (is("cuMemcpyDtoH_v2" #SYNC))                                                                 \
    status = CALL(cuMemcpyDtoH_v2##SYNC)(to, tail, 64);                                            \
  if (is("cuMemcpyDtoHAsync_v2" #STREAM))                                                          \
    status = CALL(cuMemcpyDtoHAsync_v2##STREAM)(to, tail, 64, stream());                           \
  if (is("cuMemcpy" #SYNC))                                                                        \
    status = CALL(cuMemcpy##SYNC)(address, tail, 64);                                              \
  if (is("cuMemcpyAsync" #STREAM))                                                                 \
    status = CALL(cuMemcpyAsync##STREAM)(address, tail, 64, stream());                             \
  if (is("cuMemcpy2D_v2" #SYNC))                                                                   \
    status = CALL(cuMemcpy2D_v2##SYNC)(&rows);                                                     \
  if (is("cuMemcpy2DUnaligned_v2" #SYNC))                                                          \
    status = CALL(cuMemcpy2DUnaligned_v2##SYNC)(&unified);                                         \
  if (is("cuMemcpy2DAsync_v2" #STREAM))                                                            \
    status = CALL(cuMemcpy2DAsync_v2##STREAM)(&rows, stream());                                    \
  if (is("cuMemcpyBatchAsync" #STREAM))                                                            \
    status = CALL(cuMemcpyBatchAsync##STREAM)(batch_to, batch_from, sizes, 3, nullptr, &of, 1,     \
                                              nullptr, stream());                                  \
  if (is("cuMemcpyBatchAsync_v2" #STREAM))                                                         \
    status = CALL(cuMemcpyBatchAsync_v2##STREAM)(batch_to, batch_from, sizes, 3, nullptr, &of, 1,  \
                                                 stream());                                        \
  if (is("cuStreamSynchronize" #STREAM))                                                           \
    status = CALL(cuStreamSynchronize##STREAM)(stream());                                          \
  if (is("cuStreamQuery" #STREAM))                                                                 \
    status = CALL(cuStreamQuery##STREAM)(stream());                                                \
  if (is("cuEventRecord" #STREAM))                                                                 \
    status = CALL(cuEventRecord##STREAM)(event(), stream());                                       \
  if (is("cuEventRecordWithFlags" #STREAM))                                                        \
    status = CALL(cuEventRecordWithFlags##STREAM)(event(), stream(), 0);                           \
  if (is("cuStreamWaitEvent" #STREAM))                                                             \
    status = CALL(cuStreamWaitEvent##STREAM)(other_stream(), event(), 0);
    DETSHIM_TEST_VARIANTS(VARIANTS)
    if (is("on the device"))
      status = CALL(cuMemcpy)(also, tail, 64);
    if (is("other stream"))
      status = CALL(cuStreamSynchronize)(other_stream());
    if (is("cuEventSynchronize"))
      status = CALL(cuEventSynchronize)(event());
    if (is("cuEventQuery"))
      status = CALL(cuEventQuery)(event());
    if (is("cuCtxSynchronize"))
      status = CALL(cuCtxSynchronize)();
    if (is("cuCtxSynchronize_v2"))
      status = CALL(cuCtxSynchronize_v2)(nullptr);
    if (is("kernel"))
      status = CALL(cuLaunchKernel)(nullptr, 1, 1, 1, 1, 1, 1, 0, stream(), nullptr, nullptr);
    std::printf("%s=%d\n", argv[i], status);
  }
  long sum = 0;
  for (const char byte : to)
    sum += byte;
  std::printf("sum=%ld\n", sum);
}
