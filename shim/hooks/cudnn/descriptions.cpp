#include "hooks/cudnn/descriptions.h"

#include "abi/cudnn_graph.h"
#include "core/base/signal_safe_lock.h"

namespace detshim::cudnn {
namespace {

struct Description {
  const void* descriptor;
  uint64_t hash;    ///< of everything that was set, in whatever order
  int of_operation; ///< the attribute that tells which operation it is; 0: it is no operation
};

struct DescriptionMemory {
  /// Programs destroy a graph's tensors and operations soon after it, or keep a few hundred graphs.
  DescriptorTable<Description, 2048> descriptions;
  uint64_t lock = 0;
};
constinit DescriptionMemory memory = {};

/// Bytes of an element of cudnnBackendAttributeType_t; 0 for addresses.
size_t element_size(Type type) {
  constexpr int handle = 0, boolean = 2, int64 = 3, floating_double = 5, pointer = 6,
                character = 24, fraction = 26;
  switch (static_cast<int>(type)) {
  case handle:
  case pointer:
    return 0;
  case boolean:
  case character:
    return 1;
  case int64:
  case floating_double:
    return 8;
  case fraction:
    return 16;
  default: // float and the enumerations
    return 4;
  }
}

} // namespace

void describe(const void* descriptor, Name attribute, Type type, int64_t count,
              const void* elements) {
  const int name = static_cast<int>(attribute);
  if (count < 1 || elements == nullptr || name == tensor_unique_id || name == graph_handle ||
      attribute == Name::operation_rng_seed)
    return;
  SignalSafeLock guard(memory.lock);
  Description* const own = guard.held() ? memory.descriptions.make(descriptor) : nullptr;
  if (own == nullptr)
    return;
  own->descriptor = descriptor;

  uint64_t hash = mix(static_cast<uint64_t>(name), static_cast<uint64_t>(count));
  if (type == Type::backend_descriptor) {
    if (own->of_operation == 0 && operation_name(name) != nullptr)
      own->of_operation = name;
    for (int64_t i = 0; i < count; ++i) {
      const Description* const held =
          memory.descriptions.find(static_cast<const Descriptor*>(elements)[i]);
      hash = mix(hash, held != nullptr ? held->hash : 0);
    }
  } else {
    const size_t size = element_size(type) * static_cast<size_t>(count);
    for (size_t i = 0; i < size; ++i)
      hash = mix(hash, static_cast<const unsigned char*>(elements)[i]);
  }
  own->hash += hash; // a sum: a program may set the attributes in any order
}

bool describe_graph(const Descriptor* operations, int64_t count, TextWriter& text) {
  constexpr size_t hash_room = 24;
  SignalSafeLock guard(memory.lock);
  if (!guard.held())
    return false;
  uint64_t hash = 0;
  Text<problem_size - hash_room> words;
  for (int64_t i = 0; i < count; ++i) {
    const Description* const operation = memory.descriptions.find(operations[i]);
    if (operation == nullptr)
      return false;
    hash = mix(hash, operation->hash);
    const char* const name = operation_name(operation->of_operation);
    if (i != 0)
      words.add("; ");
    words.add(name != nullptr ? name : "?");
  }
  text.add(words.c_str(), words.length()).add(" #").add_hex(hash, 16);
  return !text.cut();
}

const char* hash_of_problem(const char* name) {
  constexpr size_t digits = 16;
  const size_t length = text_length(name);
  return length > digits ? name + length - digits : "";
}

void forget_description(const void* descriptor) {
  SignalSafeLock guard(memory.lock);
  if (!guard.held())
    return;
  if (Description* const known = memory.descriptions.find(descriptor))
    known->descriptor = nullptr;
}

} // namespace detshim::cudnn
