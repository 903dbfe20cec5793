// A double of libcutensor.so.2. With incremental autotuning a preference's plans take the kernels 0, 1 and 2
// in turn, and then DOUBLE_FASTEST; a block-sparse operation that was not asked to be reproducible gives the
// process's number. DOUBLE_MISBEHAVE: "before 2.8" does not know that attribute, "refuse" takes none.
#include "cutensor.h"
#include "record.h"

#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

constexpr int invalid_value = 7, incremental = 1;

struct Object {
  int mode = 0; ///< of autotuning
  int plans = 0;
  int reproducible = 1;
};

int set_mode(const char* function, Opaque preference, int attribute, const void* value, size_t size) {
  int mode;
  if (misbehaves("refuse") || size != sizeof mode) return invalid_value;
  std::memcpy(&mode, value, sizeof mode);
  record("%s %d=%d", function, attribute, mode);
  if (attribute == 0) static_cast<Object*>(preference)->mode = mode;
  return 0;
}

} // namespace

extern "C" {

int cutensorCreatePlanPreference(Opaque, Opaque* preference) {
  *preference = new Object;
  return 0;
}

int cutensorPlanPreferenceSetAttribute(Opaque, Opaque preference, int attribute, const void* value,
                                       size_t size) {
  return set_mode("cutensorPlanPreferenceSetAttribute", preference, attribute, value, size);
}

int cutensorContractionFindSetAttribute(Opaque, Opaque find, int attribute, const void* value, size_t size) {
  return set_mode("cutensorContractionFindSetAttribute", find, attribute, value, size);
}

int cutensorCreateBlockSparseContraction(Opaque handle, Opaque* operation, Opaque a, const int32_t*,
                                         int a_operator, Opaque b, const int32_t*, int b_operator, Opaque c,
                                         const int32_t*, int c_operator, Opaque d, const int32_t*,
                                         Opaque compute) {
  if (misbehaves("refuse")) return invalid_value;
  record("cutensorCreateBlockSparseContraction %p %p %d %p %d %p %d %p %p", handle, a, a_operator, b,
         b_operator, c, c_operator, d, compute);
  auto* made = new Object;
  made->reproducible = 0;
  *operation = made;
  return 0;
}

int cutensorOperationDescriptorSetAttribute(Opaque, Opaque operation, int attribute, const void* value,
                                            size_t size) {
  int set;
  if (misbehaves("before 2.8") || attribute != 14 || size != sizeof set) return invalid_value;
  std::memcpy(&set, value, sizeof set);
  record("cutensorOperationDescriptorSetAttribute %d=%d", attribute, set);
  static_cast<Object*>(operation)->reproducible = set;
  return 0;
}

int cutensorDestroyOperationDescriptor(Opaque operation) {
  record("cutensorDestroyOperationDescriptor");
  delete static_cast<Object*>(operation);
  return 0;
}

int cutensorKernelOf(Opaque object) {
  auto& of = *static_cast<Object*>(object);
  if (of.reproducible == 0) return getpid();
  if (of.mode != incremental) return 0;
  const char* const fastest = std::getenv("DOUBLE_FASTEST");
  return of.plans < 3 ? of.plans++ : std::atoi(fastest != nullptr ? fastest : "0");
}

} // extern "C"
