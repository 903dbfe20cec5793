// Memory of the driver's double, for the programs here.
#pragma once

#include "call.h"

#include "gpu.h"

constexpr size_t size = 4096;

inline Opaque number(uintptr_t value) { return reinterpret_cast<Opaque>(value); }

inline void* device_memory(unsigned char first) {
  DevicePointer memory = 0;
  CALL(cuMemAlloc_v2)(&memory, size);
  auto* const bytes = reinterpret_cast<unsigned char*>(memory);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<unsigned char>(first + i);
  return bytes;
}
