// The part of cuSOLVER for several devices that its double answers and its users call: cusolverMg.h
// of CUDA 13.0.
#pragma once

#include "opaque.h"

extern "C" int cusolverMgCreate(Opaque* handle);
