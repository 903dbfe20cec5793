// Plans of cuFFT are remembered, and what their transforms are given and leave is hashed on the GPU, if
// DETSHIM_FINGERPRINT=calls asks for it.
//
// Symbols: cufft.h and cufftXt.h of CUDA 13.0.
#include "hooks/cufft/outputs.h"

#include "core/base/lock.h"
#include "core/base/mapped.h"
#include "hooks/cuda/outputs.h"
#include "hooks/support/data_sizes.h"
#include "hooks/support/library_version.h"

namespace detshim {

using namespace abi;

namespace {

constexpr int most_rank = 3, most_plans = 512;

struct Side {
  int64_t embed[most_rank];
  TransformSide side; // its embed is nullptr, or not
};
struct Plan {
  uint32_t generation; // 0: free
  cufftHandle handle;
  cudaStream_t stream;
  int rank; // 0: not known
  int64_t sizes[most_rank];
  int64_t batches;
  Side in, out;
};
constinit Mapped<Plan[most_plans]> plans;
constinit uint64_t lock = 0;

/// With the lock held. With `is_new`, a free one if it is not known; else nullptr.
Plan* find_plan(cufftHandle handle, bool is_new) {
  auto* const all = is_new ? plans.get() : plans.peek();
  if (all == nullptr) return nullptr;
  Plan* free = nullptr;
  for (Plan& plan : *all) {
    if (plan.generation == generation() && plan.handle == handle) return &plan;
    if (plan.generation != generation() && free == nullptr) free = &plan;
  }
  if (!is_new || free == nullptr) return nullptr;
  *free = {};
  free->generation = generation();
  free->handle = handle;
  return free;
}

void keep_side(Side& to, const TransformSide& from, int rank) {
  to.side = from;
  for (int i = 0; i < rank && from.embed != nullptr; ++i) to.embed[i] = from.embed[i];
}

/// Of a plan's side; `in_place` pads rows of real numbers in the library's own layout.
HashedArea area_of(const Plan& plan, const Side& side, const void* start, bool in_place) {
  int64_t sizes[most_rank + 1], strides[most_rank + 1];
  const bool is_own = side.side.embed == nullptr;
  int64_t stride = is_own ? 1 : side.side.step;
  for (int i = plan.rank; i-- > 0;) {
    const bool is_last = i == plan.rank - 1;
    const int64_t half = plan.sizes[i] / 2 + 1;
    sizes[i] = is_last && side.side.is_half ? half : plan.sizes[i];
    strides[i] = stride;
    if (is_own)
      stride *= is_last && side.side.is_real && in_place ? 2 * half : sizes[i];
    else
      stride *= side.embed[i];
  }
  sizes[plan.rank] = plan.batches;
  strides[plan.rank] = is_own ? stride : side.side.distance;
  return tensor_at(start, side.side.element, plan.rank + 1, sizes, strides);
}

void add_transform(CallOutputs& outputs, cufftHandle handle, const void* in, const void* out) {
  Plan plan = {};
  {
    Lock guard(lock);
    const Plan* const known = guard.held() ? find_plan(handle, false) : nullptr;
    if (known != nullptr) plan = *known;
  }
  outputs.set_stream(plan.stream);
  for (int i = 0; i < plan.rank; ++i) outputs.add_shape("n", static_cast<uint64_t>(plan.sizes[i]));
  outputs.add_shape("batches", static_cast<uint64_t>(plan.batches));
  if (plan.rank == 0 || plan.in.side.element == 0 || plan.out.side.element == 0) {
    outputs.leave_inputs();
    return outputs.leave_outputs(Reason::plan_unseen);
  }
  const HashedArea input = area_of(plan, plan.in, in, in == out);
  if (input.width == 0) outputs.leave_inputs();
  outputs.add_changed(input); // a transform to real numbers may overwrite what it is given
  const HashedArea output = area_of(plan, plan.out, out, in == out);
  if (output.width == 0) outputs.leave_outputs(Reason::layout_unknown);
  outputs.add_output(output);
}

} // namespace

void set_type(Transform& transform, cufftType type) {
  const auto number = static_cast<int>(type); // CUFFT_R2C = 0x2a, C2R = 0x2c, C2C = 0x29; 0x40 more: double
  const uint64_t real = (number & 0x40) != 0 ? 8 : 4;
  const bool from_real = (number & 0xF) == 0xA, to_real = (number & 0xF) == 0xC;
  transform.in.element = from_real ? real : 2 * real;
  transform.out.element = to_real ? real : 2 * real;
  transform.in.is_real = transform.out.is_half = from_real;
  transform.out.is_real = transform.in.is_half = to_real;
}

void remember_transform(cufftHandle handle, const Transform& transform) {
  Lock guard(lock);
  Plan* const plan = guard.held() ? find_plan(handle, true) : nullptr;
  if (plan == nullptr) return;
  plan->rank = transform.rank <= most_rank ? transform.rank : 0;
  for (int i = 0; i < plan->rank; ++i) plan->sizes[i] = transform.sizes[i];
  plan->batches = transform.batches;
  keep_side(plan->in, transform.in, plan->rank);
  keep_side(plan->out, transform.out, plan->rank);
}

void forget_transform(cufftHandle handle) {
  Lock guard(lock);
  if (Plan* const plan = guard.held() ? find_plan(handle, false) : nullptr; plan != nullptr)
    plan->generation = 0;
}

void remember_stream(cufftHandle handle, cudaStream_t stream) {
  Lock guard(lock);
  if (Plan* const plan = guard.held() ? find_plan(handle, true) : nullptr; plan != nullptr)
    plan->stream = stream;
}

namespace {

void remember_own(cufftHandle plan, int rank, const int64_t* sizes, cufftType type, int64_t batches) {
  Transform transform;
  transform.rank = rank;
  transform.sizes = sizes;
  transform.batches = batches;
  set_type(transform, type);
  remember_transform(plan, transform);
}

template <typename Number>
void remember_many(cufftHandle plan, int rank, const Number* sizes, const Number* in_embed, Number in_step,
                   Number in_distance, const Number* out_embed, Number out_step, Number out_distance,
                   Transform& transform) {
  int64_t n[most_rank] = {}, in[most_rank] = {}, out[most_rank] = {};
  transform.rank = sizes != nullptr ? rank : 0;
  for (int i = 0; i < rank && i < most_rank && sizes != nullptr; ++i) {
    n[i] = sizes[i];
    in[i] = in_embed != nullptr ? in_embed[i] : 0;
    out[i] = out_embed != nullptr ? out_embed[i] : 0;
  }
  transform.sizes = n;
  // Without one of them, the library takes neither (cuFFT's reference, 2.6).
  const bool has_own = in_embed == nullptr || out_embed == nullptr;
  transform.in.embed = has_own ? nullptr : in;
  transform.out.embed = has_own ? nullptr : out;
  transform.in.step = in_step, transform.in.distance = in_distance;
  transform.out.step = out_step, transform.out.distance = out_distance;
  remember_transform(plan, transform);
}

} // namespace

void remember_plan(cufftHandle plan, int nx, cufftType type, int batches) {
  const int64_t sizes[] = {nx};
  remember_own(plan, 1, sizes, type, batches);
}
void remember_plan(cufftHandle plan, int nx, int ny, cufftType type) {
  const int64_t sizes[] = {nx, ny};
  remember_own(plan, 2, sizes, type, 1);
}
void remember_plan(cufftHandle plan, int nx, int ny, int nz, cufftType type) {
  const int64_t sizes[] = {nx, ny, nz};
  remember_own(plan, 3, sizes, type, 1);
}
void remember_plan(cufftHandle plan, int rank, const int* sizes, const int* in_embed, int in_step,
                   int in_distance, const int* out_embed, int out_step, int out_distance, cufftType type,
                   int batches) {
  Transform transform;
  transform.batches = batches;
  set_type(transform, type);
  remember_many(plan, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                transform);
}
void remember_plan(cufftHandle plan, int rank, const long long* sizes, const long long* in_embed,
                   long long in_step, long long in_distance, const long long* out_embed, long long out_step,
                   long long out_distance, cufftType type, long long batches) {
  Transform transform;
  transform.batches = batches;
  set_type(transform, type);
  remember_many(plan, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                transform);
}

namespace {

// The ways to make a plan for a handle that is there.

template <typename Call>
cufftResult make_1d(const Call& call, cufftHandle plan, int nx, cufftType type, int batches, size_t* size) {
  const cufftResult result = call.real(plan, nx, type, batches, size);
  if (wants_outputs(call) && result == cufftResult::success) remember_plan(plan, nx, type, batches);
  return result;
}
template <typename Call>
cufftResult make_2d(const Call& call, cufftHandle plan, int nx, int ny, cufftType type, size_t* size) {
  const cufftResult result = call.real(plan, nx, ny, type, size);
  if (wants_outputs(call) && result == cufftResult::success) remember_plan(plan, nx, ny, type);
  return result;
}
template <typename Call>
cufftResult make_3d(const Call& call, cufftHandle plan, int nx, int ny, int nz, cufftType type,
                    size_t* size) {
  const cufftResult result = call.real(plan, nx, ny, nz, type, size);
  if (wants_outputs(call) && result == cufftResult::success) remember_plan(plan, nx, ny, nz, type);
  return result;
}
template <typename Call, typename Number>
cufftResult make_many(const Call& call, cufftHandle plan, int rank, Number* sizes, Number* in_embed,
                      Number in_step, Number in_distance, Number* out_embed, Number out_step,
                      Number out_distance, cufftType type, Number batches, size_t* size) {
  const cufftResult result = call.real(plan, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step,
                                       out_distance, type, batches, size);
  if (wants_outputs(call) && result == cufftResult::success)
    remember_plan(plan, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance, type,
                  batches);
  return result;
}
template <typename Call>
cufftResult make_xt(const Call& call, cufftHandle plan, int rank, long long* sizes, long long* in_embed,
                    long long in_step, long long in_distance, cudaDataType in_type, long long* out_embed,
                    long long out_step, long long out_distance, cudaDataType out_type, long long batches,
                    size_t* size, cudaDataType type) {
  const cufftResult result = call.real(plan, rank, sizes, in_embed, in_step, in_distance, in_type, out_embed,
                                       out_step, out_distance, out_type, batches, size, type);
  if (!wants_outputs(call) || result != cufftResult::success) return result;
  Transform transform;
  transform.batches = batches;
  transform.in.element = size_of_type(in_type), transform.out.element = size_of_type(out_type);
  const auto is_real = [](cudaDataType of) {
    const auto number = static_cast<int>(of); // CUDA_R_32F, _64F, _16F, _16BF
    return number == 0 || number == 1 || number == 2 || number == 14;
  };
  transform.in.is_real = transform.out.is_half = is_real(in_type);
  transform.out.is_real = transform.in.is_half = is_real(out_type);
  remember_many(plan, rank, sizes, in_embed, in_step, in_distance, out_embed, out_step, out_distance,
                transform);
  return result;
}

template <typename Call>
cufftResult set_stream(const Call& call, cufftHandle plan, cudaStream_t stream) {
  const cufftResult result = call.real(plan, stream);
  if (wants_outputs(call) && result == cufftResult::success) remember_stream(plan, stream);
  return result;
}
template <typename Call>
cufftResult destroy(const Call& call, cufftHandle plan) {
  if (wants_outputs(call)) forget_transform(plan);
  return call.real(plan);
}

template <typename Call, typename... Direction>
cufftResult execute(const Call& call, cufftHandle plan, void* in, void* out, Direction... direction) {
  return print_outputs(
      call,
      [&](CallOutputs& outputs) {
        record_library_once(call, cufft_library);
        add_transform(outputs, plan, in, out);
        (outputs.add_number(&direction, sizeof direction), ...);
      },
      [&] { return call.real(plan, in, out, direction...); });
}

using Make1d =
    OutermostCall<cufftResult(cufftHandle plan, int nx, cufftType type, int batches, size_t* size)>;
using Make2d = OutermostCall<cufftResult(cufftHandle plan, int nx, int ny, cufftType type, size_t* size)>;
using Make3d =
    OutermostCall<cufftResult(cufftHandle plan, int nx, int ny, int nz, cufftType type, size_t* size)>;
template <typename Number>
using MakeMany =
    OutermostCall<cufftResult(cufftHandle plan, int rank, Number* sizes, Number* in_embed, Number in_step,
                              Number in_distance, Number* out_embed, Number out_step, Number out_distance,
                              cufftType type, Number batches, size_t* size)>;
using MakeXt = OutermostCall<cufftResult(
    cufftHandle plan, int rank, long long* sizes, long long* in_embed, long long in_step,
    long long in_distance, cudaDataType in_type, long long* out_embed, long long out_step,
    long long out_distance, cudaDataType out_type, long long batches, size_t* size, cudaDataType type)>;
using SetStream = OutermostCall<cufftResult(cufftHandle plan, cudaStream_t stream)>;
using Destroy = OutermostCall<cufftResult(cufftHandle plan)>;
using Execute = OutermostCall<cufftResult(cufftHandle plan, void* in, void* out)>;
using ExecuteDirected = OutermostCall<cufftResult(cufftHandle plan, void* in, void* out, int direction)>;

constexpr Description remembered = {
    .action = Action::none,
    .summary = "Remembers the plan for its transforms' outputs, if DETSHIM_FINGERPRINT=calls asks for them.",
};
constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cufft, Make1d, cufftMakePlan1d, make_1d, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, Make2d, cufftMakePlan2d, make_2d, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, Make3d, cufftMakePlan3d, make_3d, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, MakeMany<int>, cufftMakePlanMany, make_many, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, MakeMany<long long>, cufftMakePlanMany64, make_many, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, MakeXt, cufftXtMakePlanMany, make_xt, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, SetStream, cufftSetStream, set_stream, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, Destroy, cufftDestroy, destroy, remembered);
DETSHIM_TEMPLATE_HOOK(cufft, ExecuteDirected, cufftExecC2C, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, ExecuteDirected, cufftExecZ2Z, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, Execute, cufftExecR2C, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, Execute, cufftExecC2R, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, Execute, cufftExecD2Z, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, Execute, cufftExecZ2D, execute, hashed);
DETSHIM_TEMPLATE_HOOK(cufft, ExecuteDirected, cufftXtExec, execute, hashed);
