// Layers of cuDNN's legacy interface that have no hook otherwise, as PyTorch calls them: the convolution
// forward, alone and with an activation, and batch normalisations.
//
// Symbols: cudnn_cnn.h and cudnn_ops.h of cuDNN 9.19; cuDNN 7 and 8 have them too.
#include "hooks/digests/cudnn/layer_digest.h"

namespace detshim {
namespace {

using namespace abi;

using Handle = cudnnHandle_t;
using Tensor = cudnnTensorDescriptor_t;
using Filter = cudnnFilterDescriptor_t;
using In = const void*;
using Out = void*;

void convolve_and_activate(CallDigest& digest, Handle handle, In alpha, Tensor x, In x_data, Filter w,
                           In w_data, cudnnConvolutionDescriptor_t convolution, int algorithm, Out, size_t,
                           In alpha_z, Tensor z, In z_data, Tensor bias, In bias_data,
                           cudnnActivationDescriptor_t activation, Tensor y, Out y_data) {
  LayerDigest layer(digest, handle);
  digest.add_shape("algo", static_cast<uint64_t>(algorithm));
  layer.write({y, y_data}, alpha);
  if (y_data == nullptr) digest.leave_outputs(Reason::address_unknown);
  layer.read({x, x_data});
  layer.read({w, w_data});
  layer.read({bias, bias_data});
  if (layer.scale(y, alpha_z)) layer.read({z, z_data}); // by 0 it is not read
  layer.settings(convolution);
  layer.settings(activation);
}

constexpr int alone = 0; // of a normalisation, CUDNN_BATCHNORM_OPS_BN: nothing is added, no activation

void add_normalization(CallDigest& digest, int mode, int operations, double epsilon) {
  digest.add_shape("mode", static_cast<uint64_t>(mode));
  digest.add_shape("ops", static_cast<uint64_t>(operations));
  digest.add_number(&epsilon, sizeof epsilon);
}

void normalize(CallDigest& digest, Handle handle, int mode, In alpha, In beta, Tensor x, In x_data, Tensor y,
               Out y_data, Tensor parameters, In scale, In bias, In mean, In variance, double epsilon) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, alone, epsilon);
  layer.write({y, y_data}, alpha, beta);
  layer.read({x, x_data});
  for (const In parameter : {scale, bias, mean, variance}) layer.read({parameters, parameter});
}

/// `mean` and `variance` are those of the batches so far; what is saved is for the backward pass.
void normalize_in_training(CallDigest& digest, Handle handle, int mode, int operations, In alpha, In beta,
                           Tensor x, In x_data, Tensor z, In z_data, Tensor y, Out y_data, Tensor parameters,
                           In scale, In bias, double factor, Out mean, Out variance, double epsilon,
                           Out saved_mean, Out saved_variance, cudnnActivationDescriptor_t activation, Out,
                           size_t, Out, size_t) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, operations, epsilon);
  layer.write({y, y_data}, alpha, beta);
  layer.read({x, x_data});
  if (operations != alone) layer.read({z, z_data});
  for (const In parameter : {scale, bias}) layer.read({parameters, parameter});
  if (operations != alone) layer.settings(activation);
  digest.add_number(&factor, sizeof factor);
  for (const In statistic : {mean, variance}) {
    // Written over, so it is hashed before the call. With a factor of 1 nothing of it stays.
    if (factor != 1) layer.read({parameters, statistic});
    layer.write({parameters, statistic});
  }
  for (const In statistic : {saved_mean, saved_variance}) layer.write({parameters, statistic});
}

void normalize_backward(CallDigest& digest, Handle handle, int mode, int operations, In alpha, In beta,
                        In parameter_alpha, In parameter_beta, Tensor x, In x_data, Tensor y, In y_data,
                        Tensor dy, In dy_data, Tensor dz, Out dz_data, Tensor dx, Out dx_data,
                        Tensor parameters, In scale, In bias, Out d_scale, Out d_bias, double epsilon,
                        In saved_mean, In saved_variance, cudnnActivationDescriptor_t activation, Out, size_t,
                        Out reserve, size_t reserve_size) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, operations, epsilon);
  if (operations != alone) {
    layer.settings(activation);
    layer.may_read({y, y_data});
    layer.may_read({parameters, bias});
    if (reserve_size != 0) digest.add_changed(bytes_at(reserve, reserve_size));
    layer.write({dz, dz_data});
  }
  layer.write({dx, dx_data}, alpha, beta);
  for (const In gradient : {d_scale, d_bias})
    layer.write({parameters, gradient}, parameter_alpha, parameter_beta);
  layer.read({x, x_data});
  layer.read({dy, dy_data});
  for (const In parameter : {scale, saved_mean, saved_variance}) layer.read({parameters, parameter});
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnConvolutionForward,
                    describe_convolution<Tensor, Filter, int, Tensor>);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnConvolutionBiasActivationForward, convolve_and_activate);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationForwardInference, normalize);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationForwardTrainingEx, normalize_in_training);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationBackwardEx, normalize_backward);
