// The part of cuTENSOR that chooses by time, or gives other results in each run, as version 2 has it; and
// version 1's way to its autotuning.
#pragma once

#include "opaque.h"

#include <cstddef>
#include <cstdint>

extern "C" {

int cutensorCreatePlanPreference(Opaque handle, Opaque* preference);
int cutensorPlanPreferenceSetAttribute(Opaque handle, Opaque preference, int attribute, const void* value,
                                       size_t size);
int cutensorContractionFindSetAttribute(Opaque handle, Opaque find, int attribute, const void* value,
                                        size_t size);
int cutensorCreateBlockSparseContraction(Opaque handle, Opaque* operation, Opaque a, const int32_t* a_modes,
                                         int a_operator, Opaque b, const int32_t* b_modes, int b_operator,
                                         Opaque c, const int32_t* c_modes, int c_operator, Opaque d,
                                         const int32_t* d_modes, Opaque compute);
int cutensorOperationDescriptorSetAttribute(Opaque handle, Opaque operation, int attribute, const void* value,
                                            size_t size);
int cutensorDestroyOperationDescriptor(Opaque operation);
/// Which kernel the next plan is made of, a number; for a block-sparse operation its result.
int cutensorKernelOf(Opaque object);

} // extern "C"
