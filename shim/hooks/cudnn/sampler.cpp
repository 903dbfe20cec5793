// cuDNN's spatial transformer: the grid, the sampler, and its backward pass, which has no deterministic
// algorithm. What goes in and what comes out is hashed on the GPU if DETSHIM_FINGERPRINT=calls asks for it.
// How large a grid is stands in a descriptor that the library does not read out, so what programs set is
// followed.
//
// Symbols: cudnn_ops.h of cuDNN 9.19; cuDNN 7 and 8 have them too.
#include "hooks/cudnn/atomics.h"
#include "hooks/cudnn/outputs.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

using Transformer = cudnnSpatialTransformerDescriptor_t;
using Tensor = cudnnTensorDescriptor_t;
using In = const void*;
using Out = void*;

/// A grid of two dimensions; the library knows no other.
struct Grid {
  uint64_t images = 0, points = 0, element = 0; ///< points of each image; bytes; all 0: not known

  HashedArea places_at(const void* data) const { return bytes_at(data, images * points * 2 * element); }
  /// The transformations that a grid is made from: two rows of three numbers for each image.
  HashedArea transformations_at(const void* data) const { return bytes_at(data, images * 6 * element); }
};

/// Grids in one number each: bytes of an element, images, points. One that has no room there is not known.
constinit ObjectTable<1024> grids;
constexpr int bits_of_points = 40, bits_of_images = 20;

void remember(Transformer transformer, const Grid& grid) {
  const bool has_room = grid.points >> bits_of_points == 0 && grid.images >> bits_of_images == 0;
  if (auto* const entry = grids.insert(transformer))
    __atomic_store_n(&entry->value,
                     has_room ? (grid.element << bits_of_images | grid.images) << bits_of_points | grid.points
                              : 0,
                     __ATOMIC_RELAXED);
}

Grid grid_of(Transformer transformer) {
  const auto* const entry = grids.find(transformer);
  const uint64_t known = entry != nullptr ? __atomic_load_n(&entry->value, __ATOMIC_RELAXED) : 0;
  constexpr auto low = [](uint64_t number, int bits) { return number & ((uint64_t{1} << bits) - 1); };
  return {low(known >> bits_of_points, bits_of_images), low(known, bits_of_points),
          known >> (bits_of_points + bits_of_images)};
}

void add_grid_read(CallOutputs& outputs, Transformer transformer, In grid) {
  const HashedArea area = grid_of(transformer).places_at(grid);
  if (area.width == 0) return outputs.leave_inputs();
  outputs.add_input(area);
}

constexpr Reason unseen = Reason::size_unknown;

template <typename Call>
cudnnStatus generate(const Call& call, cudnnHandle_t handle, Transformer transformer, In theta, Out grid) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        const Grid of = grid_of(transformer);
        if (of.images == 0) return outputs.leave_outputs(unseen);
        outputs.add_input(of.transformations_at(theta));
        outputs.add_output(of.places_at(grid));
      },
      [&] { return call.real(handle, transformer, theta, grid); });
}

template <typename Call>
cudnnStatus generate_backward(const Call& call, cudnnHandle_t handle, Transformer transformer, In dgrid,
                              Out dtheta) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        const Grid of = grid_of(transformer);
        if (of.images == 0) return outputs.leave_outputs(unseen);
        outputs.add_input(of.places_at(dgrid));
        outputs.add_output(of.transformations_at(dtheta));
      },
      [&] { return call.real(handle, transformer, dgrid, dtheta); });
}

template <typename Call>
cudnnStatus sample(const Call& call, cudnnHandle_t handle, Transformer transformer, In alpha, Tensor x,
                   In x_data, In grid, In beta, Tensor y, Out y_data) {
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_layer(call.hook(), outputs, {{x, x_data}}, alpha, beta, {y, y_data});
        add_grid_read(outputs, transformer, grid);
      },
      [&] { return call.real(handle, transformer, alpha, x, x_data, grid, beta, y, y_data); });
}

using Generate =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, Transformer transformer, In from, Out result)>;
using Sample = OutermostCall<cudnnStatus(cudnnHandle_t handle, Transformer transformer, In alpha, Tensor x,
                                         In x_data, In grid, In beta, Tensor y, Out y_data)>;

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetSpatialTransformerNdDescriptor,
             (cudnnSpatialTransformerDescriptor_t transformer, int sampler, int type, int count,
              const int* sizes),
             .action = Action::none,
             .summary = "Keeps how large the grid is, for the hashes of DETSHIM_FINGERPRINT=calls.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetSpatialTransformerNdDescriptor);
  const cudnnStatus status = call.real(transformer, sampler, type, count, sizes);
  if (!wants_outputs(call) || status != cudnnStatus::success) return status;
  Grid grid;
  if (count == 4)
    grid = {static_cast<uint64_t>(sizes[0]),
            static_cast<uint64_t>(sizes[2]) * static_cast<uint64_t>(sizes[3]), size_of_cudnn_type(type)};
  remember(transformer, grid);
  return status;
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnDestroySpatialTransformerDescriptor,
             (cudnnSpatialTransformerDescriptor_t transformer), .action = Action::none,
             .summary = "Forgets how large the grid is: another descriptor may get the address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnDestroySpatialTransformerDescriptor);
  if (wants_outputs(call)) grids.forget(transformer);
  return call.real(transformer);
}

DETSHIM_TEMPLATE_HOOK(cudnn, Generate, cudnnSpatialTfGridGeneratorForward, generate, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Generate, cudnnSpatialTfGridGeneratorBackward, generate_backward, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Sample, cudnnSpatialTfSamplerForward, sample, hashed);

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSpatialTfSamplerBackward,
             (cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t transformer, const void* alpha,
              cudnnTensorDescriptor_t x, const void* x_data, const void* beta, cudnnTensorDescriptor_t dx,
              void* dx_data, const void* alpha_grid, cudnnTensorDescriptor_t dy, const void* dy_data,
              const void* grid, const void* beta_grid, void* dgrid),
             .action = Action::refuse,
             .summary = "Recorded: it adds by atomics, and there is no other algorithm; strict refuses it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSpatialTfSamplerBackward);
  const auto describe = [&](CallOutputs& outputs) {
    add_layer(call.hook(), outputs, {{x, x_data}, {dy, dy_data}}, alpha, beta, {dx, dx_data});
    add_grid_read(outputs, transformer, grid);
    // Of the grid's gradient the factors are of type double where dx is.
    add_scale(call.hook(), outputs, dx, alpha_grid);
    const HashedArea area = grid_of(transformer).places_at(dgrid);
    if (area.width == 0) return outputs.leave_outputs(unseen);
    if (add_scale(call.hook(), outputs, dx, beta_grid)) outputs.add_changed(area);
    outputs.add_output(area);
  };
  return run_with_atomics(call, Reason::atomic_adds,
                          are_there(handle, transformer, alpha, x, x_data, beta, dx, dx_data, alpha_grid, dy,
                                    dy_data, grid, beta_grid, dgrid),
                          [&] {
                            return print_described(call, handle, describe, [&] {
                              return call.real(handle, transformer, alpha, x, x_data, beta, dx, dx_data,
                                               alpha_grid, dy, dy_data, grid, beta_grid, dgrid);
                            });
                          });
}
