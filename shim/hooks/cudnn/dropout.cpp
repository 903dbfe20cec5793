// cuDNN's dropout: the seeds of its states.
#include "core/seeds/seeds.h"
#include "hooks/cudnn/library.h"

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnSetDropoutDescriptor,
             (cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability,
              void* states, size_t states_size, unsigned long long seed),
             .action = Action::pin, .fields = {"requested"_in, "effective"_out},
             .summary = "Replaces a seed of the dropout's states that changes from run to run; a "
                        "fixed one stays.") {
  DETSHIM_ENTER_OUTERMOST(cudnnSetDropoutDescriptor);
  if (call.passes())
    return call.real(dropout, handle, probability, states, states_size, seed);
  const bool has_states = states != nullptr; // without dropout it takes no seed of the sequence
  if (!has_states) {
    call.record(Action::observe, Reason::no_states, {uint64_t{seed}, ""});
    return call.real(dropout, handle, probability, states, states_size, seed);
  }
  const ChosenSeed chosen = choose_seed({Kind::cudnn_dropout, seed, 64, call.caller()});
  const cudnnStatus status =
      call.real(dropout, handle, probability, states, states_size, chosen.effective);
  if (status == cudnnStatus::success)
    call.record(chosen.action, chosen.why, {uint64_t{seed}, chosen.effective});
  return status;
}

// The states are the caller's, as an earlier cudnnSetDropoutDescriptor left them; another seed than
// that one's has no effect (cuDNN documentation, cudnnRestoreDropoutDescriptor).
DETSHIM_HOOK(cudnn, cudnnStatus, cudnnRestoreDropoutDescriptor,
             (cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability,
              void* states, size_t states_size, unsigned long long seed),
             .action = Action::observe, .fields = {"seed"_in},
             .summary = "Recorded: the states are the caller's, the seed has no effect.") {
  DETSHIM_ENTER_OUTERMOST(cudnnRestoreDropoutDescriptor);
  if (!call.passes())
    call.record(Action::observe, Reason::states_of_caller, {uint64_t{seed}});
  return call.real(dropout, handle, probability, states, states_size, seed);
}
