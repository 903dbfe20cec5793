// Streams and contexts of the driver, as numbers, for fingerprints.
#pragma once

#include "core/base/hash.h"
#include "hooks/cuda/library.h"

namespace detshim {

inline uint64_t number_of(const void* handle) { return reinterpret_cast<uintptr_t>(handle); }

/// A function of the driver, looked up once until an object goes. NAME is a literal.
template <typename Function>
class DriverFunction {
public:
  explicit constexpr DriverFunction(const char* name) : name_(name) {}

  /// nullptr if this driver has none. `hook`: of the runtime or of the driver.
  Function* of(const Hook& hook) {
    const uint64_t epoch = uint64_t{draw_epoch()} + 1;
    if (__atomic_load_n(&epoch_, __ATOMIC_ACQUIRE) != epoch) {
      Function* const found = find_beside<Function>(driver_behind(hook), name_.c_str());
      if (found == nullptr) return nullptr; // it may come yet
      __atomic_store_n(&known_, found, __ATOMIC_RELAXED);
      __atomic_store_n(&epoch_, epoch, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(&known_, __ATOMIC_RELAXED);
  }

private:
  FunctionName name_;
  uint64_t epoch_ = 0;
  Function* known_ = nullptr;
};

/// A context of the driver's, as a number.
uint64_t current_context(const Hook& hook);

enum class Default { legacy, per_thread };

/// A stream's number. What a null one means depends on the function, and each context has streams of its own
/// behind the two special handles, each thread even of the second.
uint64_t number_of_stream(const Hook& hook, abi::CUstream stream, Default meant);
template <Default meant>
uint64_t number_of_stream(const Hook& hook, abi::CUstream stream) {
  return number_of_stream(hook, stream, meant);
}

/// True too if it cannot be told: the legacy stream answers with an error while a blocking stream is
/// captured, and work in it would end that capture.
bool is_capturing(const Hook& hook, abi::CUstream stream);

} // namespace detshim
