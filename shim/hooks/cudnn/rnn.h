// What recurrent networks and multi-head attention share.
//
// Both multiply matrices through cuBLAS on streams of their own, which may share a workspace unless
// CUBLAS_WORKSPACE_CONFIG bounds it (release notes of cuDNN 7.6.5; cuBLAS documentation, "Results
// Reproducibility"). Nothing in the calls themselves would change that: they are recorded with whether it is.
#pragma once

#include "common/run_variable.h"
#include "core/policy/settings_table.h"
#include "hooks/cudnn/outputs.h"

namespace detshim {

template <typename Call>
void record_workspace_setting(const Call& call, abi::cudnnHandle_t handle) {
  if (call.passes()) return;
  record_cudnn_once(call);
  constexpr const char* setting = "CUBLAS_WORKSPACE_CONFIG";
  const char* value = environment_value(setting);
  // Not its address, which differs from run to run.
  const char* const stream = stream_of(call, handle) == nullptr ? "default" : "own";
  if (value != nullptr && setting_is_good(setting, value))
    call.record(Action::observe, Reason::workspace_bounded, {value, stream});
  else
    call.record(Action::unfixed, Reason::workspace_shared, {value != nullptr ? value : "", stream});
}

/// Records with what CUBLAS_WORKSPACE_CONFIG the call runs, and hands it on.
template <typename Call, typename... Arguments>
abi::cudnnStatus run_with_workspace(const Call& call, abi::cudnnHandle_t handle, Arguments... arguments) {
  record_workspace_setting(call, handle);
  return call.real(handle, arguments...);
}

template <typename Call, typename Describe, typename... Arguments>
abi::cudnnStatus print_with_workspace(const Call& call, Describe describe, abi::cudnnHandle_t handle,
                                      Arguments... arguments) {
  return print_described(call, handle, describe,
                         [&] { return run_with_workspace(call, handle, arguments...); });
}

inline constexpr Description needs_workspace_setting = {
    .action = Action::unfixed,
    .fields = {"setting", "stream"},
    .summary = "Recorded: repeatable if CUBLAS_WORKSPACE_CONFIG is.",
};
/// Sequences that a call reads.
void add_sequences_read(const Hook& hook, CallOutputs& outputs, abi::cudnnRNNDataDescriptor_t sequences,
                        const void* data);
/// Sequences that it writes.
void add_sequences_written(const Hook& hook, CallOutputs& outputs, abi::cudnnRNNDataDescriptor_t sequences,
                           const void* data);

/// What a forward pass in training has left for the others, and one of these for the next. It counts as a
/// whole: what of it the library uses is not known.
inline void add_reserve(CallOutputs& outputs, const void* reserve, size_t size) {
  if (size != 0) outputs.add_changed(bytes_at(reserve, size));
}

} // namespace detshim
