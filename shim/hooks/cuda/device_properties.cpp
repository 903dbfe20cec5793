// How many multiprocessors a device has, as DETSHIM_SM_COUNT says: programs make their grids by it, and with
// the grid goes which thread adds or draws what. Only a smaller count than the device's own is given: a grid
// that waits for itself must fit.
//
// Symbols and offsets: cuda_runtime_api.h, driver_types.h and cuda.h of CUDA 11.0 to 13.0.
#include "hooks/support/driver.h"

namespace detshim {
namespace {

using namespace abi;

template <typename Call>
bool is_asked_for(const Call& call) {
  return options().sm_count != 0 && options().forces() && !call.passes();
}

/// Puts the count that was asked for in the place of the device's.
template <typename Call>
void give_count(const Call& call, int& count) {
  const int requested = options().sm_count;
  if (count == requested) return;
  if (count < requested) {
    call.record(Action::nondeterministic, Reason::sm_count_too_high, {count, count});
    return;
  }
  call.record(Action::replace, Reason::sm_count_given, {count, requested});
  count = requested;
}

template <typename Call>
auto answer_attribute(const Call& call, int* value, int attribute, int device) {
  const auto status = call.real(value, attribute, device);
  if (status == decltype(status)::success && attribute == attribute_sm_count && value != nullptr &&
      is_asked_for(call))
    give_count(call, *value);
  return status;
}

/// The count within cudaDeviceProp; nullptr where the runtime's own answer does not stand there.
template <typename Call>
int* count_in(const Call& call, void* properties, int device) {
  int version = 0, count = 0;
  auto* const get_version = call.template sibling<cudaError(int*)>("cudaRuntimeGetVersion");
  auto* const get_attribute = call.template sibling<cudaError(int*, int, int)>("cudaDeviceGetAttribute");
  if (!succeeded(get_version, &version) || !succeeded(get_attribute, &count, attribute_sm_count, device))
    return nullptr;
  const size_t offset = version >= 13000 ? sm_count_offset : sm_count_offset_before_13;
  auto* const found = reinterpret_cast<int*>(static_cast<char*>(properties) + offset);
  return *found == count ? found : nullptr;
}

template <typename Call>
cudaError answer_properties(const Call& call, void* properties, int device) {
  const cudaError status = call.real(properties, device);
  if (status != cudaError::success || properties == nullptr || !is_asked_for(call)) return status;
  if (int* const count = count_in(call, properties, device))
    give_count(call, *count);
  else
    call.record(Action::nondeterministic, Reason::sm_count_not_found, {});
  return status;
}

constexpr Description gives_count = {
    .action = Action::replace,
    .fields = {"count", "effective"},
    .summary = "Answers with the number of multiprocessors that DETSHIM_SM_COUNT asks for, if the device has "
               "as many.",
};

using GetAttribute = CudaCall<cudaError(int* value, int attribute, int device)>;
using GetDriverAttribute = CudaCall<CUresult(int* value, int attribute, int device)>;
using GetProperties = CudaCall<cudaError(void* properties, int device)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudart, GetAttribute, cudaDeviceGetAttribute, answer_attribute, gives_count);
DETSHIM_TEMPLATE_HOOK(cudart, GetProperties, cudaGetDeviceProperties, answer_properties, gives_count);
DETSHIM_TEMPLATE_HOOK(cudart, GetProperties, cudaGetDeviceProperties_v2, answer_properties, gives_count);
DETSHIM_TEMPLATE_HOOK(cuda, GetDriverAttribute, cuDeviceGetAttribute, answer_attribute, gives_count);
