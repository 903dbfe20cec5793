// cuDNN's spatial transformer: its backward pass has no deterministic algorithm.
#include "hooks/cudnn/library.h"

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
  constexpr const char* why = "adds by atomics; there is no deterministic algorithm";
  const bool is_ours = !call.passes();
  if (is_ours) record_cudnn_once(call);
  // What it would not take, it says itself.
  const bool is_whole = [](auto... pointers) { return ((pointers != nullptr) && ...); }(
                            handle, transformer, alpha, x, x_data, beta, dx, dx_data, alpha_grid, dy, dy_data,
                            grid, beta_grid, dgrid);
  if (is_ours && is_whole && options().strict()) {
    call.record(Action::refuse, why, {});
    return cudnn_not_supported(call);
  }
  const cudnnStatus status = call.real(handle, transformer, alpha, x, x_data, beta, dx, dx_data, alpha_grid,
                                       dy, dy_data, grid, beta_grid, dgrid);
  if (is_ours && status == cudnnStatus::success) call.record(Action::unfixed, why, {});
  return status;
}
