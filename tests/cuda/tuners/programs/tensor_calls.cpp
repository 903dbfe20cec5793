// An ordinary user of cuTENSOR.
//
//   tensor_calls tune|tune1    has incremental autotuning, by the function of version 2 or 1, and prints the
//                              kernels of four plans
//   tensor_calls none          sets the mode that autotunes nothing, and one that is no mode
//   tensor_calls sparse [0|1]  prints what a block-sparse contraction gives; with a number, sets whether it
//   is
//                              to be reproducible
#include "cutensor.h"

#include "call.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

Opaque number(intptr_t value) { return reinterpret_cast<Opaque>(value); }

void tune(const char* how) {
  Opaque preference;
  CALL(cutensorCreatePlanPreference)(number(1), &preference);
  const int mode = std::strcmp(how, "none") != 0, count = 4;
  const auto set = !std::strcmp(how, "tune1") ? CALL(cutensorContractionFindSetAttribute)
                                              : CALL(cutensorPlanPreferenceSetAttribute);
  std::printf("status=%d,%d kernels=", set(number(1), preference, 0, &mode, sizeof mode),
              set(number(1), preference, 2, &count, sizeof count));
  for (int i = 0; i < 4; ++i) std::printf("%d", CALL(cutensorKernelOf)(preference));
  std::puts("");
}

void contract(const char* reproducible) {
  Opaque operation = number(9);
  const int32_t modes[] = {0};
  const int created =
      CALL(cutensorCreateBlockSparseContraction)(number(1), &operation, number(2), modes, 1, number(3), modes,
                                                 2, number(4), modes, 3, number(5), modes, number(6));
  std::printf("created=%d", created);
  if (created == 0 && reproducible != nullptr) {
    const int value = std::atoi(reproducible);
    std::printf(" set=%d", CALL(cutensorOperationDescriptorSetAttribute)(number(1), operation, 14, &value,
                                                                         sizeof value));
  }
  if (created == 0) std::printf(" result=%d", CALL(cutensorKernelOf)(operation));
  std::puts("");
}

} // namespace

int main(int count, char** arguments) {
  if (count < 2) return 2;
  if (!std::strcmp(arguments[1], "sparse"))
    contract(arguments[2]);
  else
    tune(arguments[1]);
}
