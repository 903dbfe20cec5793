// Normalisations of cuDNN's legacy interface: what goes in and what comes out is hashed on the GPU if
// DETSHIM_FINGERPRINT=calls asks for it.
//
// Symbols: cudnn_ops.h of cuDNN 9.19; cudnnNormalization* are there since cuDNN 8.
#include "hooks/cudnn/outputs.h"

namespace detshim {
namespace {

using namespace abi;

using Tensor = cudnnTensorDescriptor_t;
using In = const void*;
using Out = void*;

constexpr int alone = 0; // CUDNN_BATCHNORM_OPS_BN, CUDNN_NORM_OPS_NORM: nothing is added, no activation

struct Scales {
  In alpha, beta;
};

/// The parameters of a forward pass. In training mean and variance are those of the batches so far, which are
/// written, and `saved_` is what the backward pass is to have.
struct NormForward {
  int mode, operations;
  Scales scales;
  LayerTensor x, z, y; ///< z is added
  Tensor of_parameters;
  In scale, bias;
  Tensor of_statistics;
  In mean, variance;
  double epsilon;
  bool is_training = false;
  double factor = 0;
  In saved_mean = nullptr, saved_variance = nullptr;
  cudnnActivationDescriptor_t activation = nullptr;
};

void add_settings(CallOutputs& outputs, int mode, int operations, double epsilon) {
  outputs.add_shape("mode", static_cast<uint64_t>(mode));
  outputs.add_shape("ops", static_cast<uint64_t>(operations));
  outputs.add_number(&epsilon, sizeof epsilon);
}

void describe(const Hook& hook, CallOutputs& outputs, const NormForward& norm) {
  add_settings(outputs, norm.mode, norm.operations, norm.epsilon);
  add_written(hook, outputs, norm.y, norm.scales.alpha, norm.scales.beta);
  add_read(hook, outputs, norm.x);
  if (norm.operations != alone) add_read(hook, outputs, norm.z);
  add_read(hook, outputs, {norm.of_parameters, norm.scale});
  add_read(hook, outputs, {norm.of_parameters, norm.bias});
  if (norm.operations != alone) add_settings(hook, outputs, norm.activation);
  outputs.add_number(&norm.factor, sizeof norm.factor);
  const bool reads_statistics = !norm.is_training || norm.factor != 1; // 1: none of what was there stays
  for (const In statistic : {norm.mean, norm.variance}) {
    const LayerTensor tensor{norm.of_statistics, statistic};
    if (reads_statistics) add_read(hook, outputs, tensor); // written over: hashed before the call
    if (norm.is_training) add_written(hook, outputs, tensor, nullptr, nullptr);
  }
  for (const In statistic : {norm.saved_mean, norm.saved_variance})
    add_written(hook, outputs, {norm.of_statistics, statistic}, nullptr, nullptr);
}

/// Of a backward pass.
struct NormBackward {
  int mode, operations;
  Scales data, parameters;
  LayerTensor x, y, dy, dz, dx;
  Tensor of_parameters;
  In scale, bias;
  In d_scale, d_bias;
  double epsilon;
  Tensor of_statistics;
  In mean, variance; ///< as the forward pass saved them
  cudnnActivationDescriptor_t activation = nullptr;
  In reserve = nullptr; ///< what else it has left, of an activation
  size_t reserve_size = 0;
};

void describe(const Hook& hook, CallOutputs& outputs, const NormBackward& norm) {
  add_settings(outputs, norm.mode, norm.operations, norm.epsilon);
  if (norm.operations != alone) {
    add_settings(hook, outputs, norm.activation);
    add_perhaps_read(hook, outputs, norm.y);
    add_perhaps_read(hook, outputs, {norm.of_parameters, norm.bias});
    if (norm.reserve_size != 0) outputs.add_changed(bytes_at(norm.reserve, norm.reserve_size));
  }
  add_written(hook, outputs, norm.dx, norm.data.alpha, norm.data.beta);
  if (norm.operations != alone) add_written(hook, outputs, norm.dz, nullptr, nullptr);
  for (const In gradient : {norm.d_scale, norm.d_bias})
    add_written(hook, outputs, {norm.of_parameters, gradient}, norm.parameters.alpha, norm.parameters.beta);
  add_read(hook, outputs, norm.x);
  add_read(hook, outputs, norm.dy);
  add_read(hook, outputs, {norm.of_parameters, norm.scale});
  for (const In statistic : {norm.mean, norm.variance})
    add_read(hook, outputs, {norm.of_statistics, statistic});
}

template <typename Call, typename Norm, typename Run>
cudnnStatus print_norm(const Call& call, cudnnHandle_t handle, const Norm& norm, Run run) {
  return print_described(
      call, handle, [&](CallOutputs& outputs) { describe(call.hook(), outputs, norm); }, run);
}

template <typename Call>
cudnnStatus infer_batch(const Call& call, cudnnHandle_t handle, int mode, In alpha, In beta, Tensor x,
                        In x_data, Tensor y, Out y_data, Tensor parameters, In scale, In bias, In mean,
                        In variance, double epsilon) {
  return print_norm(call, handle,
                    NormForward{mode,
                                alone,
                                {alpha, beta},
                                {x, x_data},
                                {x, nullptr},
                                {y, y_data},
                                parameters,
                                scale,
                                bias,
                                parameters,
                                mean,
                                variance,
                                epsilon},
                    [&] {
                      return call.real(handle, mode, alpha, beta, x, x_data, y, y_data, parameters, scale,
                                       bias, mean, variance, epsilon);
                    });
}

template <typename Call>
cudnnStatus train_batch(const Call& call, cudnnHandle_t handle, int mode, In alpha, In beta, Tensor x,
                        In x_data, Tensor y, Out y_data, Tensor parameters, In scale, In bias, double factor,
                        Out mean, Out variance, double epsilon, Out saved_mean, Out saved_variance) {
  return print_norm(call, handle,
                    NormForward{mode,
                                alone,
                                {alpha, beta},
                                {x, x_data},
                                {x, nullptr},
                                {y, y_data},
                                parameters,
                                scale,
                                bias,
                                parameters,
                                mean,
                                variance,
                                epsilon,
                                true,
                                factor,
                                saved_mean,
                                saved_variance},
                    [&] {
                      return call.real(handle, mode, alpha, beta, x, x_data, y, y_data, parameters, scale,
                                       bias, factor, mean, variance, epsilon, saved_mean, saved_variance);
                    });
}

template <typename Call>
cudnnStatus train_batch_ex(const Call& call, cudnnHandle_t handle, int mode, int operations, In alpha,
                           In beta, Tensor x, In x_data, Tensor z, In z_data, Tensor y, Out y_data,
                           Tensor parameters, In scale, In bias, double factor, Out mean, Out variance,
                           double epsilon, Out saved_mean, Out saved_variance,
                           cudnnActivationDescriptor_t activation, Out workspace, size_t workspace_size,
                           Out reserve, size_t reserve_size) {
  return print_norm(call, handle,
                    NormForward{mode,
                                operations,
                                {alpha, beta},
                                {x, x_data},
                                {z, z_data},
                                {y, y_data},
                                parameters,
                                scale,
                                bias,
                                parameters,
                                mean,
                                variance,
                                epsilon,
                                true,
                                factor,
                                saved_mean,
                                saved_variance,
                                activation},
                    [&] {
                      return call.real(handle, mode, operations, alpha, beta, x, x_data, z, z_data, y, y_data,
                                       parameters, scale, bias, factor, mean, variance, epsilon, saved_mean,
                                       saved_variance, activation, workspace, workspace_size, reserve,
                                       reserve_size);
                    });
}

template <typename Call>
cudnnStatus derive_batch(const Call& call, cudnnHandle_t handle, int mode, In alpha, In beta,
                         In parameter_alpha, In parameter_beta, Tensor x, In x_data, Tensor dy, In dy_data,
                         Tensor dx, Out dx_data, Tensor parameters, In scale, Out d_scale, Out d_bias,
                         double epsilon, In saved_mean, In saved_variance) {
  return print_norm(call, handle,
                    NormBackward{mode,
                                 alone,
                                 {alpha, beta},
                                 {parameter_alpha, parameter_beta},
                                 {x, x_data},
                                 {x, nullptr},
                                 {dy, dy_data},
                                 {dx, nullptr},
                                 {dx, dx_data},
                                 parameters,
                                 scale,
                                 nullptr,
                                 d_scale,
                                 d_bias,
                                 epsilon,
                                 parameters,
                                 saved_mean,
                                 saved_variance},
                    [&] {
                      return call.real(handle, mode, alpha, beta, parameter_alpha, parameter_beta, x, x_data,
                                       dy, dy_data, dx, dx_data, parameters, scale, d_scale, d_bias, epsilon,
                                       saved_mean, saved_variance);
                    });
}

template <typename Call>
cudnnStatus derive_batch_ex(const Call& call, cudnnHandle_t handle, int mode, int operations, In alpha,
                            In beta, In parameter_alpha, In parameter_beta, Tensor x, In x_data, Tensor y,
                            In y_data, Tensor dy, In dy_data, Tensor dz, Out dz_data, Tensor dx, Out dx_data,
                            Tensor parameters, In scale, In bias, Out d_scale, Out d_bias, double epsilon,
                            In saved_mean, In saved_variance, cudnnActivationDescriptor_t activation,
                            Out workspace, size_t workspace_size, Out reserve, size_t reserve_size) {
  return print_norm(
      call, handle,
      NormBackward{mode,          operations,     {alpha, beta}, {parameter_alpha, parameter_beta},
                   {x, x_data},   {y, y_data},    {dy, dy_data}, {dz, dz_data},
                   {dx, dx_data}, parameters,     scale,         bias,
                   d_scale,       d_bias,         epsilon,       parameters,
                   saved_mean,    saved_variance, activation,    reserve,
                   reserve_size},
      [&] {
        return call.real(handle, mode, operations, alpha, beta, parameter_alpha, parameter_beta, x, x_data, y,
                         y_data, dy, dy_data, dz, dz_data, dx, dx_data, parameters, scale, bias, d_scale,
                         d_bias, epsilon, saved_mean, saved_variance, activation, workspace, workspace_size,
                         reserve, reserve_size);
      });
}

template <typename Call>
cudnnStatus infer(const Call& call, cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha,
                  In beta, Tensor x, In x_data, Tensor parameters, In scale, In bias, Tensor statistics,
                  In mean, In variance, Tensor z, In z_data, cudnnActivationDescriptor_t activation, Tensor y,
                  Out y_data, double epsilon, int groups) {
  return print_norm(call, handle,
                    NormForward{mode,
                                operations,
                                {alpha, beta},
                                {x, x_data},
                                {z, z_data},
                                {y, y_data},
                                parameters,
                                scale,
                                bias,
                                statistics,
                                mean,
                                variance,
                                epsilon,
                                false,
                                0,
                                nullptr,
                                nullptr,
                                activation},
                    [&] {
                      return call.real(handle, mode, operations, algorithm, alpha, beta, x, x_data,
                                       parameters, scale, bias, statistics, mean, variance, z, z_data,
                                       activation, y, y_data, epsilon, groups);
                    });
}

template <typename Call>
cudnnStatus train(const Call& call, cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha,
                  In beta, Tensor x, In x_data, Tensor parameters, In scale, In bias, double factor,
                  Tensor statistics, Out mean, Out variance, double epsilon, Out saved_mean,
                  Out saved_variance, cudnnActivationDescriptor_t activation, Tensor z, In z_data, Tensor y,
                  Out y_data, Out workspace, size_t workspace_size, Out reserve, size_t reserve_size,
                  int groups) {
  return print_norm(call, handle,
                    NormForward{mode,
                                operations,
                                {alpha, beta},
                                {x, x_data},
                                {z, z_data},
                                {y, y_data},
                                parameters,
                                scale,
                                bias,
                                statistics,
                                mean,
                                variance,
                                epsilon,
                                true,
                                factor,
                                saved_mean,
                                saved_variance,
                                activation},
                    [&] {
                      return call.real(handle, mode, operations, algorithm, alpha, beta, x, x_data,
                                       parameters, scale, bias, factor, statistics, mean, variance, epsilon,
                                       saved_mean, saved_variance, activation, z, z_data, y, y_data,
                                       workspace, workspace_size, reserve, reserve_size, groups);
                    });
}

template <typename Call>
cudnnStatus derive(const Call& call, cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha,
                   In beta, In parameter_alpha, In parameter_beta, Tensor x, In x_data, Tensor y, In y_data,
                   Tensor dy, In dy_data, Tensor dz, Out dz_data, Tensor dx, Out dx_data, Tensor parameters,
                   In scale, In bias, Out d_scale, Out d_bias, double epsilon, Tensor statistics,
                   In saved_mean, In saved_variance, cudnnActivationDescriptor_t activation, Out workspace,
                   size_t workspace_size, Out reserve, size_t reserve_size, int groups) {
  return print_norm(
      call, handle,
      NormBackward{mode,          operations,     {alpha, beta}, {parameter_alpha, parameter_beta},
                   {x, x_data},   {y, y_data},    {dy, dy_data}, {dz, dz_data},
                   {dx, dx_data}, parameters,     scale,         bias,
                   d_scale,       d_bias,         epsilon,       statistics,
                   saved_mean,    saved_variance, activation,    reserve,
                   reserve_size},
      [&] {
        return call.real(handle, mode, operations, algorithm, alpha, beta, parameter_alpha, parameter_beta, x,
                         x_data, y, y_data, dy, dy_data, dz, dz_data, dx, dx_data, parameters, scale, bias,
                         d_scale, d_bias, epsilon, statistics, saved_mean, saved_variance, activation,
                         workspace, workspace_size, reserve, reserve_size, groups);
      });
}

using InferBatch = OutermostCall<cudnnStatus(cudnnHandle_t handle, int mode, In alpha, In beta, Tensor x,
                                             In x_data, Tensor y, Out y_data, Tensor parameters, In scale,
                                             In bias, In mean, In variance, double epsilon)>;
using TrainBatch =
    OutermostCall<cudnnStatus(cudnnHandle_t handle, int mode, In alpha, In beta, Tensor x, In x_data,
                              Tensor y, Out y_data, Tensor parameters, In scale, In bias, double factor,
                              Out mean, Out variance, double epsilon, Out saved_mean, Out saved_variance)>;
using TrainBatchEx = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, int operations, In alpha, In beta, Tensor x, In x_data, Tensor z,
    In z_data, Tensor y, Out y_data, Tensor parameters, In scale, In bias, double factor, Out mean,
    Out variance, double epsilon, Out saved_mean, Out saved_variance, cudnnActivationDescriptor_t activation,
    Out workspace, size_t workspace_size, Out reserve, size_t reserve_size)>;
using DeriveBatch = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, In alpha, In beta, In parameter_alpha, In parameter_beta, Tensor x,
    In x_data, Tensor dy, In dy_data, Tensor dx, Out dx_data, Tensor parameters, In scale, Out d_scale,
    Out d_bias, double epsilon, In saved_mean, In saved_variance)>;
using DeriveBatchEx = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, int operations, In alpha, In beta, In parameter_alpha, In parameter_beta,
    Tensor x, In x_data, Tensor y, In y_data, Tensor dy, In dy_data, Tensor dz, Out dz_data, Tensor dx,
    Out dx_data, Tensor parameters, In scale, In bias, Out d_scale, Out d_bias, double epsilon, In saved_mean,
    In saved_variance, cudnnActivationDescriptor_t activation, Out workspace, size_t workspace_size,
    Out reserve, size_t reserve_size)>;
using Infer = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha, In beta, Tensor x, In x_data,
    Tensor parameters, In scale, In bias, Tensor statistics, In mean, In variance, Tensor z, In z_data,
    cudnnActivationDescriptor_t activation, Tensor y, Out y_data, double epsilon, int groups)>;
using Train = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha, In beta, Tensor x, In x_data,
    Tensor parameters, In scale, In bias, double factor, Tensor statistics, Out mean, Out variance,
    double epsilon, Out saved_mean, Out saved_variance, cudnnActivationDescriptor_t activation, Tensor z,
    In z_data, Tensor y, Out y_data, Out workspace, size_t workspace_size, Out reserve, size_t reserve_size,
    int groups)>;
using Derive = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, int mode, int operations, int algorithm, In alpha, In beta, In parameter_alpha,
    In parameter_beta, Tensor x, In x_data, Tensor y, In y_data, Tensor dy, In dy_data, Tensor dz,
    Out dz_data, Tensor dx, Out dx_data, Tensor parameters, In scale, In bias, Out d_scale, Out d_bias,
    double epsilon, Tensor statistics, In saved_mean, In saved_variance,
    cudnnActivationDescriptor_t activation, Out workspace, size_t workspace_size, Out reserve,
    size_t reserve_size, int groups)>;

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, InferBatch, cudnnBatchNormalizationForwardInference, infer_batch, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, TrainBatch, cudnnBatchNormalizationForwardTraining, train_batch, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, TrainBatchEx, cudnnBatchNormalizationForwardTrainingEx, train_batch_ex, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveBatch, cudnnBatchNormalizationBackward, derive_batch, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, DeriveBatchEx, cudnnBatchNormalizationBackwardEx, derive_batch_ex, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Infer, cudnnNormalizationForwardInference, infer, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Train, cudnnNormalizationForwardTraining, train, hashed);
DETSHIM_TEMPLATE_HOOK(cudnn, Derive, cudnnNormalizationBackward, derive, hashed);
