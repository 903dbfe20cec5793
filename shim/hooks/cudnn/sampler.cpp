// cuDNN's spatial transformer: its backward pass has no deterministic algorithm.
#include "hooks/cudnn/atomics.h"
#include "hooks/cudnn/outputs.h"

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSpatialTfSamplerBackward,
             (cudnnHandle_t handle, cudnnSpatialTransformerDescriptor_t transformer, const void* alpha,
              cudnnTensorDescriptor_t x, const void* x_data, const void* beta, cudnnTensorDescriptor_t dx,
              void* dx_data, const void* alpha_grid, cudnnTensorDescriptor_t dy, const void* dy_data,
              const void* grid, const void* beta_grid, void* dgrid),
             .action = Action::refuse,
             .summary = "Recorded: it adds by atomics, and there is no other algorithm; strict refuses it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSpatialTfSamplerBackward);
  return run_with_atomics(call, "adds by atomics; there is no deterministic algorithm",
                          are_there(handle, transformer, alpha, x, x_data, beta, dx, dx_data, alpha_grid, dy,
                                    dy_data, grid, beta_grid, dgrid),
                          [&] {
                            return print_described(
                                call, handle,
                                [&](CallOutputs& outputs) {
                                  // How large the grid is, and its gradient, the library does not tell.
                                  outputs.leave_inputs();
                                  add_layer(call.hook(), outputs, {}, alpha, beta, {dx, dx_data});
                                },
                                [&] {
                                  return call.real(handle, transformer, alpha, x, x_data, beta, dx, dx_data,
                                                   alpha_grid, dy, dy_data, grid, beta_grid, dgrid);
                                });
                          });
}
