// What transforms of cuFFT read and write, for DETSHIM_FINGERPRINT=calls: as it was said when their plans
// were made.
#pragma once

#include "abi/cufft.h"
#include "abi/library_types.h"

#include <cstddef>
#include <cstdint>

namespace detshim {

/// One side of a transform, as the program gives it; without `embed` the library's own layout.
struct TransformSide {
  const int64_t* embed = nullptr;
  int64_t step = 1, distance = 0;
  uint64_t element = 0; ///< bytes; 0: not known
  bool is_half = false; ///< of the complex side of a real transform: the last size is n / 2 + 1
  bool is_real = false;
};

struct Transform {
  int rank = 0;
  const int64_t* sizes = nullptr;
  int64_t batches = 1;
  TransformSide in, out;
};

/// Element sizes and halves of a type of transform.
void set_type(Transform& transform, abi::cufftType type);

void remember_transform(abi::cufftHandle plan, const Transform& transform);
void forget_transform(abi::cufftHandle plan);
void remember_stream(abi::cufftHandle plan, abi::cudaStream_t stream);

// The arguments of the functions that make plans.
void remember_plan(abi::cufftHandle plan, int nx, abi::cufftType type, int batches);
void remember_plan(abi::cufftHandle plan, int nx, int ny, abi::cufftType type);
void remember_plan(abi::cufftHandle plan, int nx, int ny, int nz, abi::cufftType type);
void remember_plan(abi::cufftHandle plan, int rank, const int* sizes, const int* in_embed, int in_step,
                   int in_distance, const int* out_embed, int out_step, int out_distance, abi::cufftType type,
                   int batches);
void remember_plan(abi::cufftHandle plan, int rank, const long long* sizes, const long long* in_embed,
                   long long in_step, long long in_distance, const long long* out_embed, long long out_step,
                   long long out_distance, abi::cufftType type, long long batches);

} // namespace detshim
