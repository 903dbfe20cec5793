#include "hooks/cudnn/descriptions.h"

#include "abi/cudnn_graph.h"
#include "core/base/signal_safe_lock.h"

namespace detshim::cudnn {
namespace {

constexpr size_t text_size = 232;
struct Description {
  const void* descriptor;
  uint64_t hash; ///< of everything that was set, in whatever order
  uint32_t length;
  char text[text_size]; ///< of what a person wants to see of it, cut where it is long
};

// Programs destroy a graph's tensors and operations soon after it, or keep a few hundred graphs.
constinit DescriptorTable<Description, 2048> descriptions;
constinit uint64_t lock = 0;

/// Bytes of an element of cudnnBackendAttributeType_t; 0 for addresses.
size_t element_size(Type type) {
  constexpr int handle = 0, boolean = 2, int64 = 3, floating_double = 5, pointer = 6, character = 24,
                fraction = 26;
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

const char* data_type_name(int type) {
  constexpr const char* names[] = {"f32",  "f64",   "f16",  "i8",  "i32",  "i8x4",     "u8",
                                   "u8x4", "i8x32", "bf16", "i64", "bool", "fp8_e4m3", "fp8_e5m2"};
  return type >= 0 && type < static_cast<int>(sizeof names / sizeof *names) ? names[type] : "type";
}

void add_numbers(TextWriter& text, const char* name, const void* elements, int64_t count) {
  text.add(name);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t value = static_cast<const int64_t*>(elements)[i];
    if (i != 0) text.add('x');
    if (value < 0) text.add('-');
    text.add(static_cast<uint64_t>(value < 0 ? -value : value));
  }
}

/// Adds what a person wants to see of an attribute.
void add_words(TextWriter& text, int name, Type type, int64_t count, const void* elements) {
  if (type == Type::int64 && name == tensor_dimensions) return add_numbers(text, "", elements, count);
  if (type == Type::int64 && name == tensor_strides) return add_numbers(text, "by ", elements, count);
  if (type == Type::int64 && name == convolution_strides)
    return add_numbers(text, "stride ", elements, count);
  if (type == Type::int64 && name == convolution_dilations)
    return add_numbers(text, "dilation ", elements, count);
  if (type == Type::int64 && (name == convolution_pre_paddings || name == convolution_post_paddings))
    return add_numbers(text, "pad ", elements, count);
  if (name != tensor_data_type && name != pointwise_mode) return;
  const int value = *static_cast<const int*>(elements);
  if (name == tensor_data_type)
    text.add(data_type_name(value));
  else
    text.add("mode ").add(static_cast<uint64_t>(value));
}

} // namespace

void describe(const void* descriptor, Name attribute, Type type, int64_t count, const void* elements) {
  const int name = static_cast<int>(attribute);
  if (count < 1 || elements == nullptr || name == tensor_unique_id || name == graph_handle ||
      attribute == Name::operation_rng_seed)
    return;
  SignalSafeLock guard(lock);
  Description* const own = guard.held() ? descriptions.make(descriptor) : nullptr;
  if (own == nullptr) return;
  own->descriptor = descriptor;

  uint64_t hash = mix(static_cast<uint64_t>(name), static_cast<uint64_t>(count));
  Text<text_size> words;
  if (type == Type::backend_descriptor) {
    const char* const operation = own->length == 0 ? operation_name(name) : nullptr;
    if (operation != nullptr) words.add(operation);
    for (int64_t i = 0; i < count; ++i) {
      const Description* const held = descriptions.find(static_cast<const Descriptor*>(elements)[i]);
      hash = mix(hash, held != nullptr ? held->hash : 0);
      if (held != nullptr && held->length != 0) words.add(" (").add(held->text, held->length).add(')');
    }
  } else {
    const size_t size = element_size(type) * static_cast<size_t>(count);
    for (size_t i = 0; i < size; ++i) hash = mix(hash, static_cast<const unsigned char*>(elements)[i]);
    add_words(words, name, type, count, elements);
  }
  own->hash += hash; // a sum: a program may set the attributes in any order
  if (words.length() == 0) return;
  TextWriter text(own->text + own->length, text_size - own->length);
  if (own->length != 0 && *words.c_str() != ' ') text.add(' ');
  text.add(words.c_str(), words.length());
  own->length += static_cast<uint32_t>(text.length());
}

bool describe_graph(const Descriptor* operations, int64_t count, TextWriter& text) {
  constexpr size_t hash_room = 24;
  SignalSafeLock guard(lock);
  if (!guard.held()) return false;
  uint64_t hash = 0;
  Text<problem_size - hash_room> words;
  for (int64_t i = 0; i < count; ++i) {
    const Description* const operation = descriptions.find(operations[i]);
    if (operation == nullptr) return false;
    hash = mix(hash, operation->hash);
    if (i != 0) words.add("; ");
    words.add(operation->text, operation->length);
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
  SignalSafeLock guard(lock);
  if (!guard.held()) return;
  if (Description* const known = descriptions.find(descriptor)) known->descriptor = nullptr;
}

} // namespace detshim::cudnn
