// The part of cuRAND, generators on a device, that its double answers and its users call, written
// down by hand from curand.h of cuRAND 10. Enumerations are passed as int.
#pragma once

#include "opaque.h"

extern "C" {

int curandCreateGenerator(Opaque* generator, int type);
int curandDestroyGenerator(Opaque generator);
int curandSetPseudoRandomGeneratorSeed(Opaque generator, unsigned long long seed);
int curandSetGeneratorOrdering(Opaque generator, int ordering);
int curandSetGeneratorOffset(Opaque generator, unsigned long long offset);
int curandGenerate(Opaque generator, unsigned* out, size_t count);
int curandGetVersion(int* version);
int curandGetProperty(int type, int* value);

} // extern "C"
