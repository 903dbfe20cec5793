// cuDNN as its hooks and digests see it: its version, a handle's stream, and a table by
// descriptors.
#pragma once

#include "abi/cudnn.h"
#include "core/base/hash.h"
#include "core/base/mapped.h"
#include "core/base/modules.h"
#include "loader/hook.h"

namespace detshim {

/// Another function of cuDNN's; nullptr if cuDNN lacks it. A part of cuDNN that is used directly
/// (libcudnn_ops) has some functions in a sister library.
const void* find_in_cudnn(const Hook& hook, const char* name);
template <typename Function>
Function* find_in_cudnn(const Hook& hook, const char* name) {
  return reinterpret_cast<Function*>(const_cast<void*>(find_in_cudnn(hook, name)));
}

/// Calls such a function, which gives a status and takes arguments of just these types;
/// not_supported where cuDNN lacks it.
template <typename... Arguments>
abi::cudnnStatus ask_cudnn(const Hook& hook, const char* name, Arguments... arguments) {
  auto* const function = find_in_cudnn<abi::cudnnStatus(Arguments...)>(hook, name);
  return function != nullptr ? function(arguments...) : abi::cudnnStatus::not_supported;
}

/// cuDNN's version number (90190 for 9.19.0), 0 where it cannot be asked.
size_t cudnn_version(const Hook& hook);

/// CUDNN_STATUS_NOT_SUPPORTED as the loaded version numbers it.
abi::cudnnStatus cudnn_not_supported(const Hook& hook);

/// The handle's stream; the default one where the library cannot be asked.
abi::cudaStream_t stream_of(const Hook& hook, abi::cudnnHandle_t handle);

/// Bytes of an element of cudnnDataType_t; 0 for vectors of elements, those below a byte and what
/// is not known. CUDNN_DATA_BOOLEAN has eight in a byte.
uint64_t size_of_cudnn_type(int type);

namespace cudnn {

using Descriptor = abi::cudnnBackendDescriptor_t;
using Type = abi::cudnnBackendAttributeType;
using Name = abi::cudnnBackendAttributeName;

/// What is kept of backend descriptors, by their addresses. `Entry` has its descriptor in
/// `descriptor`, nullptr where it is free, and lies in one of the places of the descriptor's set.
template <typename Entry, size_t set_count>
class DescriptorTable {
public:
  /// nullptr if nothing is kept of it. Needs no lock.
  Entry* find(const void* descriptor) const {
    return descriptor != nullptr ? look(sets_.peek(), descriptor, descriptor) : nullptr;
  }

  /// The descriptor's entry, or an empty one that the caller gives the descriptor; nullptr without
  /// room.
  Entry* make(const void* descriptor) {
    if (Entry* const known = find(descriptor))
      return known;
    Entry* const free = look(sets_.get(), descriptor, nullptr);
    if (free != nullptr)
      *free = {};
    return free;
  }

private:
  static constexpr size_t set_size = 16;
  using Sets = Entry[set_count][set_size];

  static Entry* look(Sets* sets, const void* descriptor, const void* wanted) {
    if (sets == nullptr)
      return nullptr;
    for (Entry& entry : (*sets)[mix(reinterpret_cast<uintptr_t>(descriptor), 0) % set_count])
      if (__atomic_load_n(&entry.descriptor, __ATOMIC_RELAXED) == wanted)
        return &entry;
    return nullptr;
  }

  Mapped<Sets> sets_;
};

} // namespace cudnn
} // namespace detshim
