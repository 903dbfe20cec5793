#include "hooks/cublas/lt_configured.h"

#include "core/base/mapped.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"

namespace detshim {

using namespace abi;
using Algo = cublasLtMatmulAlgo;

namespace {

constinit Table<4> configured = {}; // by the bytes of the algorithm
constinit bool any_configured = false;
constinit uint64_t lock = 0;

void remember_configured(const Algo& algo) {
  SignalSafeLock guard(lock);
  if (!guard.held()) return;
  configured.insert(key_of(algo)) = 1;
  __atomic_store_n(&any_configured, true, __ATOMIC_RELAXED);
}

struct First {
  uint64_t product;
  Algo algo;
};
constexpr size_t most_products = 1024;
constinit Mapped<First[most_products]> firsts;

First* slot_of(uint64_t product) {
  auto* const all = firsts.get();
  for (size_t i = 0; i < 16 && all != nullptr; ++i) {
    First& slot = (*all)[(product + i) % most_products];
    if (slot.product == product || slot.product == 0) return &slot;
  }
  return nullptr;
}

} // namespace

bool is_configured(const Algo& algo) {
  if (!__atomic_load_n(&any_configured, __ATOMIC_RELAXED)) return false;
  SignalSafeLock guard(lock);
  return guard.held() && configured.find(key_of(algo)) != nullptr;
}

bool find_first(uint64_t product, const Algo& requested, Algo& first) {
  SignalSafeLock guard(lock);
  const First* const slot = guard.held() ? slot_of(product) : nullptr;
  if (slot == nullptr || slot->product == 0) return false;
  first = slot->algo;
  return key_of(first) != key_of(requested);
}

bool keep_first(uint64_t product, const Algo& algo) {
  SignalSafeLock guard(lock);
  First* const slot = guard.held() ? slot_of(product) : nullptr;
  if (slot == nullptr) return false;
  if (slot->product == 0) *slot = {product, algo};
  return true;
}

} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoGetIds,
             (cublasLtHandle_t handle, cublasComputeType compute, cudaDataType scale, cudaDataType a,
              cudaDataType b, cudaDataType c, cudaDataType d, int requested, int* ids, int* returned),
             .action = Action::nondeterministic, .fields = {"found", "effective"},
             .summary = "Recorded: a program that lists algorithms by their numbers may time them.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoGetIds);
  const cublasStatus status = call.real(handle, compute, scale, a, b, c, d, requested, ids, returned);
  if (call.passes() || status != cublasStatus::success || returned == nullptr || *returned <= 1)
    return status;
  const int found = *returned;
  if (gives_one_candidate())
    call.record(Action::observe, Reason::first_that_ran, {found, found});
  else
    call.record(Action::nondeterministic,
                autotune() == Autotune::off ? Reason::program_may_time : Reason::choice_cannot_be_kept,
                {found, found});
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoInit,
             (cublasLtHandle_t handle, cublasComputeType compute, cudaDataType scale, cudaDataType a,
              cudaDataType b, cudaDataType c, cudaDataType d, int id, cublasLtMatmulAlgo* algo),
             .action = Action::observe,
             .summary = "Remembers an algorithm that the program begins to configure by itself.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoInit);
  const cublasStatus status = call.real(handle, compute, scale, a, b, c, d, id, algo);
  if (!call.passes() && status == cublasStatus::success && gives_one_candidate()) remember_configured(*algo);
  return status;
}

DETSHIM_HOOK(cublaslt, cublasStatus, cublasLtMatmulAlgoConfigSetAttribute,
             (cublasLtMatmulAlgo * algo, int attribute, const void* value, size_t size),
             .action = Action::nondeterministic, .fields = {"attribute", "value"},
             .summary = "Recorded: a program that configures algorithms by itself may choose among them by "
                        "their times.") {
  DETSHIM_ENTER_OUTERMOST(cublasLtMatmulAlgoConfigSetAttribute);
  const cublasStatus status = call.real(algo, attribute, value, size);
  if (call.passes() || status != cublasStatus::success) return status;
  uint64_t number = 0;
  if (value != nullptr && size <= sizeof number) __builtin_memcpy(&number, value, size);
  if (gives_one_candidate()) {
    remember_configured(*algo);
    call.record(Action::observe, Reason::first_that_ran, {attribute, number});
    return status;
  }
  call.record(Action::nondeterministic, Reason::program_may_time, {attribute, number});
  return status;
}
