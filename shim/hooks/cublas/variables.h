// Environment variables by which a user of cuBLAS chooses how it computes. They are read as handles
// are made.
#pragma once

#include "common/run_variable.h"
#include "common/text.h"
#include "loader/hook.h"

namespace detshim {

struct CublasVariable {
  const char* name;
  bool emulates;        ///< its value brings fixed-point emulation, unless it is `harmless`
  const char* harmless; ///< the value that does not
};

// Names: texts of libcublasLt.so.13; of the strategy cublas_api.h speaks at
// cublasEmulationStrategy_t.
inline constexpr CublasVariable cublas_variables[] = {
    {"CUBLAS_EMULATE_SINGLE_PRECISION", true, "0"},
    {"CUBLAS_EMULATE_DOUBLE_PRECISION", true, "0"},
    {"CUBLAS_EMULATION_STRATEGY", true, "default"},
    {"CUBLAS_FIXEDPOINT_EMULATION_MANTISSA_BIT_COUNT", true, ""},
    {"CUBLASLT_HEURISTICS_LUT_FILE", false, ""},
    {"CUBLASLT_HEURISTICS_CACHE_CAPACITY", false, ""},
    {"CUBLAS_AUTOTUNING_CACHE_CAPACITY", false, ""},
    {"CUBLAS_BATCH_INVARIANCE_FLAGS", false, ""}, // cublasLt.h of cuBLAS 13.10
    {"NVIDIA_TF32_OVERRIDE", false, ""},          // the precision, for all devices
};

/// Records those that are set; the fields of the hook's records are requested, effective, variable.
template <typename Call>
void record_cublas_variables(const Call& call) {
  for (const CublasVariable& variable : cublas_variables) {
    const char* value = environment_value(variable.name);
    if (value == nullptr || *value == 0)
      continue;
    if (variable.emulates && !same_text(value, variable.harmless))
      call.record(Action::nondeterministic, Reason::emulation, {value, value, variable.name});
    else
      call.record(Action::observe, Reason::choosing_variable, {value, value, variable.name});
  }
}

} // namespace detshim
