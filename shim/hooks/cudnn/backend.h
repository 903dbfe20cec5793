// cuDNN's backend descriptors as the hooks read them: through the library's own functions, past our
// hooks.
#pragma once

#include "hooks/cudnn/library.h"

namespace detshim::cudnn {

using Status = abi::cudnnStatus;
using DescriptorType = abi::cudnnBackendDescriptorType;
using GetAttribute = Status(Descriptor, Name, Type, int64_t, int64_t*, void*);
using SetAttribute = Status(Descriptor, Name, Type, int64_t, const void*);
using Create = Status(DescriptorType, Descriptor*);
using Destroy = Status(Descriptor);

struct Backend {
  GetAttribute* get;
  SetAttribute* set;
  Create* create;
  Destroy* destroy;
  bool usable() const {
    return get != nullptr && set != nullptr && create != nullptr && destroy != nullptr;
  }
};

template <typename Call>
Backend backend_of(const Call& call) {
  return {call.template sibling<GetAttribute>("cudnnBackendGetAttribute"),
          call.template sibling<SetAttribute>("cudnnBackendSetAttribute"),
          call.template sibling<Create>("cudnnBackendCreateDescriptor"),
          call.template sibling<Destroy>("cudnnBackendDestroyDescriptor")};
}

/// Our own descriptor for the length of a scope.
class Owned {
public:
  Owned(const Backend& backend, DescriptorType type) : backend_(backend) {
    if (backend.create(type, &descriptor) != Status::success)
      descriptor = nullptr;
  }
  ~Owned() {
    if (descriptor != nullptr)
      backend_.destroy(descriptor);
  }
  Owned& operator=(Owned&&) = delete; // neither copied nor moved
  Descriptor descriptor = nullptr;

private:
  const Backend& backend_;
};

/// Reads the descriptor that another one holds into one of our own; false where that cannot be.
inline bool read(const Backend& backend, Descriptor from, Name name, Owned& into) {
  int64_t count = 0;
  return into.descriptor != nullptr &&
         backend.get(from, name, Type::backend_descriptor, 1, &count, &into.descriptor) ==
             Status::success &&
         count == 1;
}

/// What an engine's notes say of it.
enum class EngineNotes { deterministic, nondeterministic, unreadable };

/// Whether the config's engine carries the note NONDETERMINISTIC
/// (CUDNN_ATTR_ENGINE_NUMERICAL_NOTE).
inline EngineNotes read_notes(const Backend& backend, Descriptor config) {
  constexpr int64_t note_limit = 32;
  Owned engine(backend, DescriptorType::engine);
  if (!read(backend, config, Name::engine_config_engine, engine))
    return EngineNotes::unreadable;
  abi::cudnnNumericalNote notes[note_limit];
  int64_t count = 0;
  if (backend.get(engine.descriptor, Name::engine_numerical_note, Type::numerical_note, note_limit,
                  &count, notes) != Status::success)
    return EngineNotes::unreadable;
  for (int64_t i = 0; i < count && i < note_limit; ++i)
    if (notes[i] == abi::cudnnNumericalNote::non_deterministic)
      return EngineNotes::nondeterministic;
  return EngineNotes::deterministic;
}

} // namespace detshim::cudnn
