// An ordinary user of the CUDA runtime, which copies to the host and waits. Each argument is a
// function to call; at the end the bytes that came are added up and printed.
#include "call.h"

#include "copies.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace {

constexpr size_t width = 16, height = 4, pitch = 32, size = 4096;

Opaque stream() { return reinterpret_cast<Opaque>(uintptr_t{64}); }
Opaque other_stream() { return reinterpret_cast<Opaque>(uintptr_t{65}); }
Opaque event() { return reinterpret_cast<Opaque>(uintptr_t{96}); }

} // namespace

int main(int argc, char** argv) {
  char* const to = static_cast<char*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(to, 1, size);
  void* from = nullptr;
  CALL(cudaMalloc)(&from, size);
  const void* const tail = static_cast<char*>(from) + size - 64; // where a race shows
  bool is_gone = false;
  void* batch_to[] = {to, to + 32};
  const void* batch_from[] = {tail, static_cast<const char*>(tail) + 32};
  size_t sizes[] = {32, 32}, of = 0;
  const char* const how = std::getenv("DOUBLE_MISBEHAVE");
  const bool is_older = how != nullptr && std::strcmp(how, "CUDA 12") == 0;
  size_t failed = 0;
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(argv[i], name) == 0;
    };
    int status = -1;
#define VARIANTS(SYNC, STREAM)                                                                     \
  if (is("cudaMemcpy" #SYNC))                                                                      \
    status = CALL(cudaMemcpy##SYNC)(to, tail, 64, device_to_host);                                 \
  if (is("cudaMemcpyAsync" #STREAM))                                                               \
    status = CALL(cudaMemcpyAsync##STREAM)(to, tail, 64, device_to_host, stream());                \
  if (is("cudaMemcpyFromSymbol" #SYNC))                                                            \
    status = CALL(cudaMemcpyFromSymbol##SYNC)(to, tail, 60, 4, device_to_host);                    \
  if (is("cudaMemcpyFromSymbolAsync" #STREAM))                                                     \
    status = CALL(cudaMemcpyFromSymbolAsync##STREAM)(to, tail, 60, 4, device_to_host, stream());   \
  if (is("cudaMemcpy2D" #SYNC))                                                                    \
    status = CALL(cudaMemcpy2D##SYNC)(to, pitch, tail, width, width, height, device_to_host);      \
  if (is("cudaMemcpy2DAsync" #STREAM))                                                             \
    status = CALL(cudaMemcpy2DAsync##STREAM)(to, pitch, tail, width, width, height,                \
                                             device_to_host, stream());                            \
  if (is("cudaMemcpyBatchAsync" #STREAM))                                                          \
    status = is_older ? CALL(cudaMemcpyBatchAsync##STREAM)(batch_to, batch_from, sizes, 2,         \
                                                           nullptr, &of, 1, &failed, stream())     \
                      : reinterpret_cast<int (*)(void**, const void**, size_t*, size_t, void*,     \
                                                 size_t*, size_t, Opaque)>(                        \
                            reinterpret_cast<void*>(CALL(cudaMemcpyBatchAsync##STREAM)))(          \
                            batch_to, batch_from, sizes, 2, nullptr, &of, 1, stream());            \
  if (is("cudaStreamSynchronize" #STREAM))                                                         \
    status = CALL(cudaStreamSynchronize##STREAM)(stream());                                        \
  if (is("cudaStreamQuery" #STREAM))                                                               \
    status = CALL(cudaStreamQuery##STREAM)(stream());                                              \
  if (is("cudaEventRecord" #STREAM))                                                               \
    status = CALL(cudaEventRecord##STREAM)(event(), stream());                                     \
  if (is("cudaEventRecordWithFlags" #STREAM))                                                      \
    status = CALL(cudaEventRecordWithFlags##STREAM)(event(), stream(), 0);                         \
  if (is("cudaStreamWaitEvent" #STREAM))                                                           \
    status = CALL(cudaStreamWaitEvent##STREAM)(other_stream(), event(), 0);
    DETSHIM_TEST_VARIANTS(VARIANTS)
    if (is("by address"))
      status = CALL(cudaMemcpy)(to, tail, 64, by_address);
    if (is("beginning"))
      status = CALL(cudaMemcpy)(to, from, 64, device_to_host);
    if (is("to the device"))
      status = CALL(cudaMemcpy)(to, tail, 64, 1);
    if (is("other stream"))
      status = CALL(cudaStreamSynchronize)(other_stream());
    if (is("cudaEventSynchronize"))
      status = CALL(cudaEventSynchronize)(event());
    if (is("cudaEventQuery"))
      status = CALL(cudaEventQuery)(event());
    if (is("cudaDeviceSynchronize"))
      status = CALL(cudaDeviceSynchronize)();
    if (is("kernel"))
      status = CALL(cudaLaunchKernel)(to, {1, 1, 1}, {1, 1, 1}, nullptr, 0, stream());
    if (is("elsewhere"))
      status = CALL(cudaMemcpyAsync)(to + 2048, tail, 64, device_to_host, stream());
    if (is("free"))
      status = munmap(to, size), is_gone = true;
    std::printf("%s=%d\n", argv[i], status);
  }
  long sum = 0;
  for (size_t i = 0; !is_gone && i < size; ++i)
    sum += to[i];
  std::printf("sum=%ld\n", sum);
}
