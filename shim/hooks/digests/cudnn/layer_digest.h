// What a call of cuDNN's legacy interface reads and writes, as its descriptors say, for
// DETSHIM_FINGERPRINT=calls.
//
// The descriptors are asked at each call, since a program may change one between two. Where the library does
// not answer, nothing is said of the inputs.
#pragma once

#include "hooks/digests/call_digest.h"
#include "hooks/support/cudnn.h"

namespace detshim {

/// A tensor or a filter with its data.
struct LayerTensor {
  LayerTensor(abi::cudnnTensorDescriptor_t of, const void* at) : tensor(of), data(at) {}
  LayerTensor(abi::cudnnFilterDescriptor_t of, const void* at) : filter(of), data(at) {}

  abi::cudnnTensorDescriptor_t tensor = nullptr;
  abi::cudnnFilterDescriptor_t filter = nullptr;
  const void* data;
};

/// The digest of one call. Nothing is added for a tensor without data.
class LayerDigest {
public:
  LayerDigest(CallDigest& into, abi::cudnnHandle_t handle) : hook(into.hook()), call(into) {
    call.set_stream(stream_of(hook, handle));
  }

  void read(const LayerTensor& tensor);
  /// What the call may read: hashed before it, if it lies within one allocation. Of what a mode does not
  /// need, programs hand over an address of nothing.
  void may_read(const LayerTensor& tensor);
  /// What the call writes: alpha times the result added to beta times what was there; null for both where it
  /// has no such factors.
  void write(const LayerTensor& tensor, const void* alpha = nullptr, const void* beta = nullptr);
  /// A factor, of type double where the result is, else float. True if it is not 0.
  bool scale(abi::cudnnTensorDescriptor_t result, const void* factor);

  void settings(abi::cudnnConvolutionDescriptor_t convolution);
  void settings(abi::cudnnActivationDescriptor_t activation);

  /// Asks the library, and adds what it answers; without an answer nothing is said of the inputs, and it is
  /// false.
  template <typename Descriptor, typename... Values>
  bool add_answer(const char* getter, Descriptor descriptor, Values&... values) {
    if (descriptor == nullptr || ask_cudnn(hook, getter, descriptor, &values...) != abi::cudnnStatus::success)
      return call.leave_inputs(), false;
    (call.add_number(&values, sizeof values), ...);
    return true;
  }

  const Hook& hook;
  CallDigest& call;

private:
  struct Place {
    HashedArea area; ///< without width where it is not known
    bool is_double;
  };
  Place place_of(const LayerTensor& tensor);
};

/// Describes a convolution, in any direction: c is alpha times what becomes of a and b, added to beta times
/// c.
template <typename A, typename B, typename Algorithm, typename C>
void describe_convolution(CallDigest& digest, abi::cudnnHandle_t handle, const void* alpha, A a,
                          const void* a_data, B b, const void* b_data,
                          abi::cudnnConvolutionDescriptor_t convolution, Algorithm algorithm, void*, size_t,
                          const void* beta, C c, void* c_data) {
  LayerDigest layer(digest, handle);
  digest.add_shape("algo", static_cast<uint64_t>(algorithm));
  layer.write({c, c_data}, alpha, beta);
  layer.read({a, a_data});
  layer.read({b, b_data});
  if (c_data == nullptr || beta == nullptr) digest.leave_outputs(Reason::address_unknown);
  layer.settings(convolution);
}

} // namespace detshim
