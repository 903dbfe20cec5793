// cuDNN's dropout and its spatial transformer.
#include "core/seeds.h"
#include "hooks/cudnn_common.h"

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetDropoutDescriptor,
             (cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability, void* states,
              size_t states_size, unsigned long long seed),
             .action = Action::pin, .fields = {"asked", "given"},
             .summary = "Replaces the seed of the dropout's states by one derived from DETSHIM_SEED.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetDropoutDescriptor);
  if (call.passes()) return call.real(dropout, handle, probability, states, states_size, seed);
  record_cudnn_once(call);
  if (states == nullptr) { // a descriptor without dropout: takes no seed of the row
    call.record(Action::observe, "without states nothing is drawn from the seed", {uint64_t{seed}, ""});
    return call.real(dropout, handle, probability, states, states_size, seed);
  }
  if (!options().pins()) {
    call.record(Action::unfixed, "mode observe: enforce would pin it", {uint64_t{seed}, ""});
    return call.real(dropout, handle, probability, states, states_size, seed);
  }
  const ChosenSeed chosen = choose_seed(Kind::cudnn_dropout, seed);
  const cudnnStatus status = call.real(dropout, handle, probability, states, states_size, chosen.given);
  if (status == cudnnStatus::success) call.record(chosen.action, chosen.why, {uint64_t{seed}, chosen.given});
  return status;
}

// The states are the caller's, as an earlier cudnnSetDropoutDescriptor left them; another seed than that
// one's has no effect (cuDNN documentation, cudnnRestoreDropoutDescriptor).
DETSHIM_HOOK(cudnn, cudnnStatus, cudnnRestoreDropoutDescriptor,
             (cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability, void* states,
              size_t states_size, unsigned long long seed),
             .action = Action::observe, .fields = {"seed"},
             .summary = "Recorded: the states are the caller's, the seed has no effect.") {
  DETSHIM_ENTER_OUTERMOST(cudnnRestoreDropoutDescriptor);
  if (!call.passes()) {
    record_cudnn_once(call);
    call.record(Action::observe, "the states are the caller's", {uint64_t{seed}});
  }
  return call.real(dropout, handle, probability, states, states_size, seed);
}

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
  if (is_ours && options().strict()) {
    call.record(Action::refuse, why, {});
    return cudnn_not_supported(call);
  }
  const cudnnStatus status = call.real(handle, transformer, alpha, x, x_data, beta, dx, dx_data, alpha_grid,
                                       dy, dy_data, grid, beta_grid, dgrid);
  if (is_ours && status == cudnnStatus::success) call.record(Action::unfixed, why, {});
  return status;
}
