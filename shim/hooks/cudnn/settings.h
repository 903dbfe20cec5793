// What descriptors of cuDNN's legacy interface tell a call besides contents (pads, modes, probabilities), for
// DETSHIM_FINGERPRINT=calls: part of what goes in. Asked of the library at each call, since a program may
// change a descriptor between two. Where the library does not answer, nothing is said of the inputs.
#pragma once

#include "hooks/cuda/outputs.h"
#include "hooks/cudnn/library.h"

namespace detshim {

/// Another function of cuDNN's; a part of it that is used directly has some in a sister of its own.
template <typename Function>
Function* find_in_cudnn(const Hook& hook, const char* name) {
  if (Function* const beside = find_beside<Function>(hook, name)) return beside;
  return reinterpret_cast<Function*>(const_cast<void*>(find_symbol(name)));
}

void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnConvolutionDescriptor_t convolution);
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnActivationDescriptor_t activation);
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnLRNDescriptor_t normalization);
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnOpTensorDescriptor_t operation);
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnPoolingDescriptor_t pooling);
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnTensorTransformDescriptor_t transform);

/// The number of a pooling's mode; -1 where it is not told.
int mode_of(const Hook& hook, abi::cudnnPoolingDescriptor_t pooling);

/// What a reduction says of the indices that it leaves.
struct ReducedIndices {
  bool are_left = true; ///< where it is not known, too
};
ReducedIndices add_settings(const Hook& hook, CallOutputs& outputs,
                            abi::cudnnReduceTensorDescriptor_t reduction);

/// A recurrent network. With its dropout's states, which a pass in training draws from, if that is one.
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnHandle_t handle,
                  abi::cudnnRNNDescriptor_t rnn, bool draws);
/// A multi-head attention, the same.
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnHandle_t handle,
                  abi::cudnnAttnDescriptor_t attention, bool draws);
/// A dropout, the same.
void add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnHandle_t handle,
                  abi::cudnnDropoutDescriptor_t dropout, bool draws);

/// A CTC loss. True if it leaves gradients alone that lie past a sequence's end.
bool add_settings(const Hook& hook, CallOutputs& outputs, abi::cudnnCTCLossDescriptor_t loss);

} // namespace detshim
