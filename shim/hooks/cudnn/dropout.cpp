// cuDNN's dropout: the seeds of its states, and who shares them.
#include "core/seeds/seeds.h"
#include "hooks/cudnn/outputs.h"
#include "hooks/support/shared_use.h"

namespace detshim {
namespace {

using namespace abi;

// Each forward pass takes the next numbers of the states on the device, in whichever order passes come to
// them. Several descriptors may have one states (cudnnRestoreDropoutDescriptor), so users are told by these.
constinit ObjectTable<1024> states_of_dropouts;
constinit Users<1024> users_of_states;

void remember_states(cudnnDropoutDescriptor_t dropout, void* states) {
  if (auto* entry = states_of_dropouts.insert(dropout))
    __atomic_store_n(&entry->value, reinterpret_cast<uintptr_t>(states), __ATOMIC_RELAXED);
}

/// nullptr if it has none; the descriptor itself if it was set out of sight.
const void* states_of(cudnnDropoutDescriptor_t dropout) {
  const auto* entry = states_of_dropouts.find(dropout);
  if (entry == nullptr) return dropout;
  return reinterpret_cast<const void*>(__atomic_load_n(&entry->value, __ATOMIC_RELAXED));
}

} // namespace
} // namespace detshim

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
  remember_states(dropout, states);
  if (states == nullptr) { // a descriptor without dropout: takes no seed of the row
    call.record(Action::observe, Reason::no_states, {uint64_t{seed}, ""});
    return call.real(dropout, handle, probability, states, states_size, seed);
  }
  users_of_states.forget(states); // they are new
  if (!options().pins()) {
    call.record(Action::unfixed, Reason::observed, {uint64_t{seed}, ""});
    return call.real(dropout, handle, probability, states, states_size, seed);
  }
  const ChosenSeed chosen = choose_seed({Kind::cudnn_dropout, seed, 64, call.caller()});
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
    remember_states(dropout, states);
    call.record(Action::observe, Reason::states_of_caller, {uint64_t{seed}});
  }
  return call.real(dropout, handle, probability, states, states_size, seed);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnDestroyDropoutDescriptor, (cudnnDropoutDescriptor_t dropout),
             .action = Action::observe,
             .summary = "Forgets the descriptor's states: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnDestroyDropoutDescriptor);
  if (!call.passes()) states_of_dropouts.forget(dropout);
  return call.real(dropout);
}

DETSHIM_HOOK(
    cudnn, cudnnStatus, cudnnDropoutForward,
    (cudnnHandle_t handle, cudnnDropoutDescriptor_t dropout, cudnnTensorDescriptor_t x, const void* x_data,
     cudnnTensorDescriptor_t y, void* y_data, void* reserve, size_t reserve_size),
    .action = Action::unfixed,
    .summary = "Recorded once for states that several threads or streams use: they race for its numbers.") {
  DETSHIM_ENTER_OUTERMOST(cudnnDropoutForward);
  if (call.passes()) return call.real(handle, dropout, x, x_data, y, y_data, reserve, reserve_size);
  if (const void* states = states_of(dropout); states != nullptr) {
    const uint64_t thread = this_thread().key;
    const uint64_t user = derive(thread, reinterpret_cast<uintptr_t>(stream_of(call, handle)));
    if (users_of_states.is_newly_shared(states, user)) {
      record_cudnn_once(call);
      call.record(Action::unfixed, Reason::generator_shared, {});
    }
  }
  return print_described(
      call, handle,
      [&](CallOutputs& outputs) {
        add_written(call.hook(), outputs, {y, y_data}, nullptr, nullptr);
        add_read(call.hook(), outputs, {x, x_data});
        add_settings(call.hook(), outputs, handle, dropout, true);
      },
      [&] { return call.real(handle, dropout, x, x_data, y, y_data, reserve, reserve_size); });
}
