// What the programs of this folder share: checks that name the place, fixed input data, the hash
// that is printed, the time that the work took, and the two ways to end early (no device, a wrong
// argument).
//
// A program prints one line for each variant (a layout, a type, a route), and the time last:
//
//   VARIANT HASH            FNV-1a of the raw bytes of the result
//   VARIANT unsupported     the library says that it does not do this
//   VARIANT failed REASON   a call failed; the other variants go on
//   work_ms TIME            the steady part: no start of the device, no search for an algorithm
//
// Exit status: 0 done, 1 a call outside of every variant failed (one line names it), 2 a wrong
// argument, 77 no CUDA device.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace gpu {

template <class Status>
const char* describe(Status) {
  return "the library's status";
}
template <>
inline const char* describe(cudaError_t status) {
  return cudaGetErrorString(status);
}

/// Whether the status says that the library does not do this, as opposed to a wrong call.
template <class Status>
bool is_unsupported(Status) {
  return false;
}

/// What ends a variant, but not the program.
struct Failure {
  std::string message;
  bool is_unsupported;
};

inline bool& in_variant() {
  static bool inside = false;
  return inside;
}

template <class Status>
void check(Status status, const char* call, const char* file, int line) {
  if (static_cast<int>(status) == 0)
    return; // success is 0 in all of NVIDIA's libraries
  const char* name = std::strrchr(file, '/');
  std::string message = std::string(name ? name + 1 : file) + ":" + std::to_string(line) + ": " +
                        call + ": " + describe(status) + " (" +
                        std::to_string(static_cast<int>(status)) + ")";
  for (char& c : message)
    if (c == '\n')
      c = ' '; // one line, whatever the macro's argument or the library's text looks like
  if (in_variant())
    throw Failure{message, is_unsupported(status)};
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}
#define CHECK(call) ::gpu::check((call), #call, __FILE__, __LINE__)

struct Options {
  bool deterministic = false; ///< use the library's own deterministic setting
};

/// Reads the arguments, then sees that there is a device: exits with 2 or 77 and one line where
/// not.
inline Options start(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--deterministic") != 0) {
      std::fprintf(stderr, "%s: unknown argument %s; accepted: --deterministic\n", argv[0],
                   argv[i]);
      std::exit(2);
    }
    options.deterministic = true;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ); // a crash leaves what was printed
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    std::fprintf(stderr, "no CUDA device: %s\n",
                 status == cudaSuccess ? "none is visible" : cudaGetErrorString(status));
    std::exit(77);
  }
  CHECK(cudaSetDevice(0));
  return options;
}

/// A seed of the kind that makes a run unrepeatable: new at every call.
inline unsigned long long clock_seed() {
  return static_cast<unsigned long long>(
      std::chrono::system_clock::now().time_since_epoch().count());
}

/// The same numbers in every run (splitmix64, https://prng.di.unimi.it/splitmix64.c): input data
/// must not be what makes results differ.
class FixedNumbers {
public:
  explicit FixedNumbers(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [-1, 1) times a power of two from 2^-spread to 2^spread. Sums of numbers so unlike depend
  /// on their order, also in their leading digits.
  float mixed(int spread) {
    const float fraction = static_cast<float>(next() >> 40) * 0x1p-23F - 1.0F;
    const int exponent = static_cast<int>(next() % static_cast<uint64_t>(2 * spread + 1)) - spread;
    return fraction * (exponent < 0 ? 1.0F / static_cast<float>(1 << -exponent)
                                    : static_cast<float>(1 << exponent));
  }

private:
  uint64_t state_;
};

/// Device memory with zeros in it, so that only what a library writes can differ.
template <class T>
class Device {
public:
  explicit Device(size_t count) : count_(count) {
    CHECK(cudaMalloc(&data_, bytes()));
    CHECK(cudaMemset(data_, 0, bytes()));
    CHECK(
        cudaDeviceSynchronize()); // a stream that does not wait for the default one may use it next
  }
  explicit Device(const std::vector<T>& values) : Device(values.size()) {
    CHECK(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  ~Device() { cudaFree(data_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* get() const { return data_; }
  size_t size() const { return count_; }
  size_t bytes() const { return (count_ > 0 ? count_ : 1) * sizeof(T); }
  std::vector<T> to_host() const {
    std::vector<T> values(count_);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(values.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

private:
  T* data_ = nullptr;
  size_t count_;
};

/// `count` fixed numbers, other ones for another seed. Spread 3 keeps sums of thousands within
/// half's range.
template <class T>
std::vector<T> fixed(size_t count, uint64_t seed, int spread = 3) {
  FixedNumbers numbers(seed);
  std::vector<T> values(count);
  for (T& value : values)
    value = static_cast<T>(numbers.mixed(spread));
  return values;
}

inline uint64_t hash(const void* data, size_t bytes, uint64_t start = 0xcbf29ce484222325) {
  const auto* byte = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < bytes; ++i)
    start = (start ^ byte[i]) * 0x100000001b3;
  return start;
}

inline void print_hash(const std::string& variant, uint64_t value) {
  std::printf("%s %016llx\n", variant.c_str(), static_cast<unsigned long long>(value));
}
template <class T>
void print(const std::string& variant, const Device<T>& result) {
  const std::vector<T> values = result.to_host();
  print_hash(variant, hash(values.data(), values.size() * sizeof(T)));
}

/// Runs one variant. If a call fails in it, that is printed instead of a hash, and the program goes
/// on.
template <class Body>
void attempt(const std::string& variant, Body&& body) {
  in_variant() = true;
  try {
    body();
  } catch (const Failure& failure) {
    if (failure.is_unsupported)
      std::printf("%s unsupported\n", variant.c_str());
    else
      std::printf("%s failed %s\n", variant.c_str(), failure.message.c_str());
  }
  in_variant() = false;
}

/// Ends the variant: the library offers nothing for it.
[[noreturn]] inline void unsupported() { throw Failure{"no candidate", true}; }

inline double& work_milliseconds() {
  static double total = 0;
  return total;
}

/// Calls `body` once to warm up, then `times` times; the latter counts as work.
template <class Body>
void work(int times, Body&& body) {
  body();
  CHECK(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i)
    body();
  CHECK(cudaDeviceSynchronize());
  work_milliseconds() +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The last line of a program that did all of its work.
inline int finish() {
  CHECK(cudaDeviceSynchronize());
  std::printf("work_ms %.3f\n", work_milliseconds());
  return 0;
}

/// Measures `body` by events, as programs do that choose the fastest candidate.
template <class Body>
float event_milliseconds(cudaStream_t stream, int times, Body&& body) {
  cudaEvent_t begin = nullptr, end = nullptr;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, stream));
  for (int i = 0; i < times; ++i)
    body();
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaEventSynchronize(end));
  float elapsed = 0;
  CHECK(cudaEventElapsedTime(&elapsed, begin, end));
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  return elapsed;
}

} // namespace gpu
