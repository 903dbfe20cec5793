// Batch normalisations of cuDNN's legacy interface, which PyTorch still calls; its convolutions and
// attention go through operation graphs (graphs.h).
//
// Symbols: cudnn_ops.h of cuDNN 9.19; cuDNN 7 and 8 have them too.
#include "hooks/cudnn/library.h"
#include "hooks/digests/call_digest.h"

namespace detshim {
namespace {

using namespace abi;

using Handle = cudnnHandle_t;
using Tensor = cudnnTensorDescriptor_t;
using In = const void*;
using Out = void*;

/// A tensor with its data.
struct LayerTensor {
  Tensor descriptor;
  const void* data;
};

/// The digest of one call, as its descriptors say, which are asked at each call: a program may
/// change one between two. Nothing is added for a tensor without data.
class LayerDigest {
public:
  LayerDigest(CallDigest& into, Handle handle) : call_(into) {
    call_.set_stream(stream_of(call_.hook(), handle));
  }

  void read(const LayerTensor& tensor) {
    if (tensor.data == nullptr)
      return;
    const HashedArea area = place_of(tensor).area;
    if (area.width == 0)
      call_.leave_inputs();
    call_.add_input(area);
  }

  /// What the call writes: alpha times the result added to beta times what was there; nullptr for
  /// both where it has no such factors.
  void write(const LayerTensor& tensor, const void* alpha = nullptr, const void* beta = nullptr) {
    if (tensor.data == nullptr)
      return;
    const auto [area, is_double] = place_of(tensor);
    const size_t size = is_double ? sizeof(double) : sizeof(float); // of the factors
    call_.add_number(alpha, size);
    call_.add_number(beta, size);
    if (beta != nullptr && !is_zero(beta, size))
      call_.add_changed(area);
    if (area.width == 0)
      call_.leave_outputs(Reason::layout_unknown);
    call_.add_output(area);
  }

private:
  struct Place {
    HashedArea area; ///< without width where it is not known
    bool is_double;
  };
  Place place_of(const LayerTensor& of) {
    constexpr int most = 8, type_of_double = 1; // CUDNN_DIM_MAX, CUDNN_DATA_DOUBLE
    int type = -1, count = 0, sizes[most], strides[most];
    if (of.descriptor == nullptr ||
        ask_cudnn(call_.hook(), "cudnnGetTensorNdDescriptor", of.descriptor, most, &type, &count,
                  +sizes, +strides) != cudnnStatus::success ||
        count > most || size_of_cudnn_type(type) == 0)
      return {};
    int64_t as_sizes[most], as_strides[most];
    for (int i = 0; i < count; ++i)
      as_sizes[i] = sizes[i], as_strides[i] = strides[i];
    call_.add_sizes("t", sizes, count);
    return {tensor_at(of.data, size_of_cudnn_type(type), count, as_sizes, as_strides),
            type == type_of_double};
  }

  CallDigest& call_;
};

constexpr int alone =
    0; // of a normalisation, CUDNN_BATCHNORM_OPS_BN: nothing is added, no activation

void add_normalization(CallDigest& digest, int mode, int operations, double epsilon) {
  digest.add_shape("mode", static_cast<uint64_t>(mode));
  digest.add_shape("ops", static_cast<uint64_t>(operations));
  digest.add_number(&epsilon, sizeof epsilon);
  if (operations != alone)
    digest.leave_inputs(); // what is added, an activation's settings
}

void normalize(CallDigest& digest, Handle handle, int mode, In alpha, In beta, Tensor x, In x_data,
               Tensor y, Out y_data, Tensor parameters, In scale, In bias, In mean, In variance,
               double epsilon) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, alone, epsilon);
  layer.write({y, y_data}, alpha, beta);
  layer.read({x, x_data});
  for (const In parameter : {scale, bias, mean, variance})
    layer.read({parameters, parameter});
}

/// `mean` and `variance` are those of the batches so far; what is saved is for the backward pass.
void normalize_in_training(CallDigest& digest, Handle handle, int mode, int operations, In alpha,
                           In beta, Tensor x, In x_data, Tensor, In, Tensor y, Out y_data,
                           Tensor parameters, In scale, In bias, double factor, Out mean,
                           Out variance, double epsilon, Out saved_mean, Out saved_variance,
                           cudnnActivationDescriptor_t, Out, size_t, Out, size_t) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, operations, epsilon);
  layer.write({y, y_data}, alpha, beta);
  layer.read({x, x_data});
  for (const In parameter : {scale, bias})
    layer.read({parameters, parameter});
  digest.add_number(&factor, sizeof factor);
  for (const In statistic : {mean, variance}) {
    // Written over, so it is hashed before the call. With a factor of 1 nothing of it stays.
    if (factor != 1)
      layer.read({parameters, statistic});
    layer.write({parameters, statistic});
  }
  for (const In statistic : {saved_mean, saved_variance})
    layer.write({parameters, statistic});
}

void normalize_backward(CallDigest& digest, Handle handle, int mode, int operations, In alpha,
                        In beta, In parameter_alpha, In parameter_beta, Tensor x, In x_data, Tensor,
                        In, Tensor dy, In dy_data, Tensor dz, Out dz_data, Tensor dx, Out dx_data,
                        Tensor parameters, In scale, In, Out d_scale, Out d_bias, double epsilon,
                        In saved_mean, In saved_variance, cudnnActivationDescriptor_t, Out, size_t,
                        Out, size_t) {
  LayerDigest layer(digest, handle);
  add_normalization(digest, mode, operations, epsilon);
  if (operations != alone)
    layer.write({dz, dz_data});
  layer.write({dx, dx_data}, alpha, beta);
  for (const In gradient : {d_scale, d_bias})
    layer.write({parameters, gradient}, parameter_alpha, parameter_beta);
  layer.read({x, x_data});
  layer.read({dy, dy_data});
  for (const In parameter : {scale, saved_mean, saved_variance})
    layer.read({parameters, parameter});
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationForwardInference, normalize);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationForwardTrainingEx,
                    normalize_in_training);
DETSHIM_DIGEST_HOOK(cudnn, cudnnStatus, cudnnBatchNormalizationBackwardEx, normalize_backward);
