// A double of libcurand.so.10 for generators on a device: it keeps no stream, it records what it is
// told.
//
// DETSHIM_TEST_NEWER builds one of a later version, DETSHIM_TEST_NEW_FUNCTION one with a function
// more, DETSHIM_TEST_NO_ORDERING one with a function less.
#include "curand.h"
#include "record.h"

namespace {

struct Generator {
  int type;
  int number; ///< the n-th generator of the process, from 0
};

[[maybe_unused]] constexpr int type_error = 103, out_of_range = 104, initialization_failed = 203;
#ifdef DETSHIM_TEST_NEWER
constexpr int version[] = {11, 0, 0};
#else
constexpr int version[] = {10, 4, 0};
#endif

int number_of(Opaque generator) { return static_cast<Generator*>(generator)->number; }

} // namespace

extern "C" {

int curandCreateGenerator(Opaque* generator, int type) {
  static int made = 0;
  record("curandCreateGenerator generator=%d type=%d", made, type);
  if (misbehaves("fail"))
    return initialization_failed;
  *generator = new Generator{type, made++};
  return 0;
}

int curandDestroyGenerator(Opaque generator) {
  record("curandDestroyGenerator generator=%d", number_of(generator));
  delete static_cast<Generator*>(generator);
  return 0;
}

int curandSetPseudoRandomGeneratorSeed(Opaque generator, unsigned long long seed) {
  record("curandSetPseudoRandomGeneratorSeed generator=%d seed=%llu", number_of(generator), seed);
  return static_cast<Generator*>(generator)->type >= 200 ? type_error
                                                         : 0; // quasi-random types take no seed
}

#ifdef DETSHIM_TEST_NEW_FUNCTION
int curandCreateGeneratorFromNowhere(Opaque* generator, int) {
  record("curandCreateGeneratorFromNowhere");
  *generator = nullptr;
  return 0;
}
#endif

#ifndef DETSHIM_TEST_NO_ORDERING
int curandSetGeneratorOrdering(Opaque generator, int ordering) {
  record("curandSetGeneratorOrdering generator=%d ordering=%d", number_of(generator), ordering);
  const bool quasi = static_cast<Generator*>(generator)->type >= 200;
  return (quasi ? ordering == 201 : ordering >= 100 && ordering <= 104) ? 0 : out_of_range;
}
#endif

int curandSetGeneratorOffset(Opaque generator, unsigned long long offset) {
  record("curandSetGeneratorOffset generator=%d offset=%llu", number_of(generator), offset);
  return 0;
}

int curandGenerate(Opaque generator, unsigned*, size_t count) {
  record("curandGenerate generator=%d count=%zu", number_of(generator), count);
  return 0;
}

int curandGetVersion(int* value) {
  *value = version[0] * 1000 + version[1] * 100 + version[2];
  return 0;
}

int curandGetProperty(int type, int* value) {
  if (type < 0 || type > 2)
    return out_of_range;
  *value = version[type];
  return 0;
}

} // extern "C"
