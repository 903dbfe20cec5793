#include "hooks/cudnn/digests/graphs.h"

#include "abi/cudnn_graph.h"
#include "core/base/signal_safe_lock.h"

namespace detshim::cudnn {
namespace {

// ---- What is kept ----

/// A tensor as its descriptor says.
struct TensorNote {
  static constexpr int most_dimensions = 8;

  int64_t id = 0; ///< CUDNN_ATTR_TENSOR_UNIQUE_ID
  int64_t sizes[most_dimensions] = {};
  int64_t strides[most_dimensions] = {}; ///< in elements
  int type_and_1 = 0; ///< cudnnDataType_t, and 1: tables that are not all zero fill the file
  int8_t dimensions = 0, stride_count = 0;
  bool has_id = false;
  bool is_virtual = false;  ///< it has no memory
  bool is_by_value = false; ///< a number of the host
  /// Vectors of elements, another order in memory, offsets of sequences, what this version does not
  /// know.
  bool is_unknown = false;

  /// cudnnDataType_t; -1 where it was not said.
  int type() const { return type_and_1 - 1; }
};

/// What becomes of a tensor when its graph runs. What is written is an output, whoever reads it
/// then.
enum class Role : uint8_t { read, written, changed };

struct Tensor {
  const void* descriptor;
  TensorNote note;
};

/// A tensor of an operation or of a graph.
struct Node {
  TensorNote tensor;
  int name; // of the operation's attribute
  Use use;
  Role role; // of a graph's
  uint32_t next;
};

struct Operation {
  const void* descriptor;
  uint32_t first; // node; 0: none
  int name;       // of an attribute with a tensor: which operation it is
  bool is_backward, is_training, adds_to_output;
  Reason why_unknown;
};

struct Graph {
  uint32_t number;
  uint32_t first;
  Reason why_unknown;
  char names[64]; // of its operations, cut where they are long
  char hash[17];
};

constexpr int most_of_pack = 96;
struct Pack {
  const void* descriptor;
  int id_count, pointer_count;
  bool is_unknown;
  int64_t ids[most_of_pack];
  const void* pointers[most_of_pack];
};

constexpr size_t set_count = 2048, node_limit = 1 << 16, graph_limit = 4096, pack_limit = 64;
struct Kept {
  Graph graphs[graph_limit];
  Pack packs[pack_limit];
  Node nodes[node_limit]; // the first is never used: 0 means no node
  uint32_t nodes_used, free_node, next_pack;
};

/// What is known of descriptors.
struct OperandMemory {
  DescriptorTable<Tensor, set_count> tensors;
  DescriptorTable<Operation, set_count> operations;
  Mapped<Kept> memory;
  uint64_t lock = 0;
};
constinit OperandMemory operands = {};

/// Where there is memory for it.
Kept& kept() { return *operands.memory.peek(); }

Pack* find_pack(const void* descriptor) {
  for (Pack& pack : kept().packs)
    if (pack.descriptor == descriptor)
      return &pack;
  return nullptr;
}

/// Packs live as long as a call mostly: without room the oldest is replaced.
Pack& make_pack(const void* descriptor) {
  if (Pack* const known = find_pack(descriptor))
    return *known;
  Pack* place = find_pack(nullptr);
  if (place == nullptr)
    place = &kept().packs[kept().next_pack++ % pack_limit];
  place->descriptor = descriptor;
  place->id_count = place->pointer_count = 0;
  place->is_unknown = false;
  return *place;
}

uint32_t make_node() {
  Kept& all = kept();
  const uint32_t number = all.free_node;
  if (number != 0)
    return all.free_node = all.nodes[number].next, number;
  return all.nodes_used + 1 < node_limit ? ++all.nodes_used : 0;
}

void free_nodes(uint32_t& first) {
  while (first != 0) {
    const uint32_t next = kept().nodes[first].next;
    kept().nodes[first].next = kept().free_node;
    kept().free_node = first;
    first = next;
  }
}

/// Behind the others, so that the order is the program's. False without room.
bool append(uint32_t& first, const Node& node) {
  const uint32_t number = make_node();
  if (number == 0)
    return false;
  kept().nodes[number] = node;
  kept().nodes[number].next = 0;
  uint32_t* last = &first;
  while (*last != 0)
    last = &kept().nodes[*last].next;
  *last = number;
  return true;
}

// ---- Following ----

template <typename Value>
Value first_of(const void* elements) {
  Value value;
  __builtin_memcpy(&value, elements, sizeof value);
  return value;
}

void follow_tensor(const void* descriptor, int name, Type type, int64_t count,
                   const void* elements) {
  Tensor* const tensor = operands.tensors.make(descriptor);
  if (tensor == nullptr)
    return; // an operation that is given it will not find it
  tensor->descriptor = descriptor;
  TensorNote& note = tensor->note;
  const auto copy = [&](int64_t(&into)[TensorNote::most_dimensions], int8_t& number) {
    if (type != Type::int64 || count > TensorNote::most_dimensions)
      return void(note.is_unknown = true);
    number = static_cast<int8_t>(count);
    __builtin_memcpy(into, elements, static_cast<size_t>(count) * sizeof *into);
  };
  switch (name) {
  case tensor_alignment:
    return;
  case tensor_data_type:
    return void(note.type_and_1 = first_of<int>(elements) + 1);
  case tensor_dimensions:
    return copy(note.sizes, note.dimensions);
  case tensor_strides:
    return copy(note.strides, note.stride_count);
  case tensor_vector_count:
    return void(note.is_unknown |= first_of<int64_t>(elements) != 1);
  case tensor_vectorized_dimension:
    return; // says nothing where vectors have one element
  case tensor_unique_id:
    note.has_id = true;
    return void(note.id = first_of<int64_t>(elements));
  case tensor_is_virtual:
    return void(note.is_virtual = first_of<bool>(elements));
  case tensor_is_by_value:
    return void(note.is_by_value = first_of<bool>(elements));
  case tensor_reordering:
    return void(note.is_unknown |= first_of<int>(elements) != 0);
  default:
    note.is_unknown = true;
  }
}

void follow_pack(const void* descriptor, int name, Type type, int64_t count, const void* elements) {
  Pack& pack = make_pack(descriptor);
  const auto copy = [&](auto& into, int& number, Type wanted) {
    if (type != wanted || count > most_of_pack)
      return void(pack.is_unknown = true);
    number = static_cast<int>(count);
    __builtin_memcpy(into, elements, static_cast<size_t>(count) * sizeof *into);
  };
  if (name == pack_ids)
    return copy(pack.ids, pack.id_count, Type::int64);
  if (name == pack_pointers)
    return copy(pack.pointers, pack.pointer_count, Type::pointer);
  pack.is_unknown |= name != pack_workspace && name != pack_intermediates;
}

/// Whether an attribute says something of an operation.
bool is_of_operation(int name, Type type) {
  if (type == Type::backend_descriptor)
    return !is_of_no_operation(name);
  return is_beta(name) || name == norm_phase;
}

/// By how much what was in the output before counts.
void note_scale(Operation& operation, Type type, const void* elements) {
  const bool is_double = type == Type::floating_double;
  const double value = is_double ? first_of<double>(elements) : double{first_of<float>(elements)};
  if (!is_double && type != Type::floating)
    operation.why_unknown = Reason::operation_unknown;
  operation.adds_to_output = value != 0;
}

/// The tensors that an attribute gives to an operation.
void note_tensors(Operation& operation, int name, Use use, int64_t count, const void* elements) {
  if (use == Use::lengths)
    operation.why_unknown = Reason::partly_written;
  operation.is_backward |= name == pointwise_dx;
  if (operation.name == 0)
    operation.name = name;
  for (uint32_t node = operation.first; node != 0; node = kept().nodes[node].next)
    if (kept().nodes[node].name == name)
      operation.why_unknown = Reason::operation_unknown; // set again: who has which?
  for (int64_t i = 0; i < count; ++i) {
    const Tensor* const tensor = operands.tensors.find(static_cast<const Descriptor*>(elements)[i]);
    if (tensor == nullptr || !append(operation.first, {tensor->note, name, use, Role::read, 0}))
      operation.why_unknown = Reason::too_many_descriptors;
  }
}

void follow_operation(const void* descriptor, int name, Type type, int64_t count,
                      const void* elements) {
  if (!is_of_operation(name, type))
    return;
  Operation* const operation = operands.operations.make(descriptor);
  if (operation == nullptr)
    return; // a graph that is given it will not find it
  operation->descriptor = descriptor;
  if (is_beta(name))
    return note_scale(*operation, type, elements);
  if (name == norm_phase) {
    operation->is_training = first_of<int>(elements) == norm_phase_training;
    return;
  }
  const Use use = use_of(name);
  if (use == Use::unknown)
    operation->why_unknown = Reason::operation_unknown;
  else if (use != Use::none)
    note_tensors(*operation, name, use, count, elements);
}

// ---- Graphs ----

Role role_of(const Operation& operation, const Node& node) {
  bool is_written = node.use == Use::writes;
  if (node.name == pointwise_y && operation.is_backward)
    is_written = false;
  if (node.use == Use::statistic)
    is_written = operation.is_training;
  if (!is_written)
    return Role::read;
  return operation.adds_to_output ? Role::changed : Role::written;
}

bool are_alike(const TensorNote& a, const TensorNote& b) {
  if (a.type_and_1 != b.type_and_1 || a.dimensions != b.dimensions ||
      a.is_by_value != b.is_by_value)
    return false;
  for (int i = 0; i < a.dimensions; ++i)
    if (a.sizes[i] != b.sizes[i] || a.strides[i] != b.strides[i])
      return false;
  return true;
}

/// None, or why the tensor makes the graph's outputs unknown.
Reason add_tensor(Graph& graph, const TensorNote& tensor, Role role) {
  if (!tensor.has_id)
    return Reason::layout_unknown;
  for (uint32_t number = graph.first; number != 0; number = kept().nodes[number].next) {
    Node& known = kept().nodes[number];
    if (known.tensor.id != tensor.id)
      continue;
    if (known.tensor.is_virtual != tensor.is_virtual || !are_alike(known.tensor, tensor))
      return Reason::identifier_shared;
    if (role > known.role)
      known.role = role; // what one operation writes and another reads is an output
    return Reason::none;
  }
  return append(graph.first, {tensor, 0, Use::none, role, 0}) ? Reason::none
                                                              : Reason::too_many_descriptors;
}

} // namespace

void follow_operands(const void* descriptor, Name attribute, Type type, int64_t count,
                     const void* elements) {
  const int name = static_cast<int>(attribute);
  if (count < 1 || descriptor == nullptr || elements == nullptr)
    return;
  SignalSafeLock guard(operands.lock);
  if (!guard.held() || operands.memory.get() == nullptr)
    return;
  if (name >= first_of_tensor && name < first_of_pack)
    follow_tensor(descriptor, name, type, count, elements);
  else if (name >= first_of_pack && name < behind_pack)
    follow_pack(descriptor, name, type, count, elements);
  else
    follow_operation(descriptor, name, type, count, elements);
}

void forget_operands(const void* descriptor) {
  if (descriptor == nullptr)
    return;
  SignalSafeLock guard(operands.lock);
  if (!guard.held() || operands.memory.peek() == nullptr)
    return;
  if (Tensor* const tensor = operands.tensors.find(descriptor))
    tensor->descriptor = nullptr;
  if (Operation* const operation = operands.operations.find(descriptor)) {
    free_nodes(operation->first);
    operation->descriptor = nullptr;
  }
  if (Pack* const pack = find_pack(descriptor))
    pack->descriptor = nullptr;
}

void keep_operands(uint32_t number, const Descriptor* of_graph, int64_t count, const char* hash) {
  if (number == 0)
    return;
  SignalSafeLock guard(operands.lock);
  if (!guard.held() || operands.memory.get() == nullptr)
    return;
  Graph& graph = kept().graphs[number % graph_limit];
  free_nodes(graph.first);
  graph.number = number;
  graph.why_unknown = Reason::none;
  TextWriter(graph.hash, sizeof graph.hash).add(hash).c_str();
  TextWriter names(graph.names, sizeof graph.names);
  for (int64_t i = 0; i < count; ++i) {
    const Operation* const operation = operands.operations.find(of_graph[i]);
    if (operation == nullptr) {
      graph.why_unknown = Reason::operation_unknown;
      break;
    }
    const char* const name = operation_name(operation->name);
    if (i != 0)
      names.add('+');
    names.add(name != nullptr ? name : "?");
    if (operation->why_unknown != Reason::none)
      graph.why_unknown = operation->why_unknown;
    for (uint32_t node = operation->first; node != 0; node = kept().nodes[node].next)
      if (const Reason why =
              add_tensor(graph, kept().nodes[node].tensor, role_of(*operation, kept().nodes[node]));
          why != Reason::none)
        graph.why_unknown = why;
  }
  names.c_str();
}

namespace {

/// Where a tensor is; without width where that is not known.
HashedArea area_of(const TensorNote& tensor, const void* data) {
  constexpr int boolean = 11; // CUDNN_DATA_BOOLEAN: dense, eight in a byte
  if (tensor.is_unknown || tensor.dimensions != tensor.stride_count)
    return {};
  if (tensor.type() == boolean) {
    const HashedArea bits = tensor_at(data, 1, tensor.dimensions, tensor.sizes, tensor.strides);
    if (bits.width == 0 || rows_of(bits) != 1 || bits.width % 8 != 0)
      return {};
    return bytes_at(data, bits.width / 8);
  }
  const uint64_t element = size_of_cudnn_type(tensor.type());
  return element == 0 ? HashedArea{}
                      : tensor_at(data, element, tensor.dimensions, tensor.sizes, tensor.strides);
}

/// The tensor's data as the pack says; nullptr where it has none there.
const void* data_of(const Pack& pack, const TensorNote& tensor) {
  for (int i = 0; i < pack.id_count; ++i)
    if (pack.ids[i] == tensor.id)
      return pack.pointers[i];
  return nullptr;
}

/// Adds one operand. None, or why the graph's outputs are not known.
Reason add_operand(CallDigest& digest, const TensorNote& tensor, Role role, const void* data) {
  const HashedArea area = data != nullptr ? area_of(tensor, data) : HashedArea{};
  if (role == Role::read) {
    if (area.width == 0)
      return digest.leave_inputs(), Reason::none;
    if (!tensor.is_by_value)
      return digest.add_input(area), Reason::none;
    if (area.width > 16 || rows_of(area) != 1)
      digest.leave_inputs();
    else
      digest.add_number(data, area.width);
    return Reason::none;
  }
  if (data == nullptr)
    return Reason::tensor_missing;
  if (area.width == 0)
    return Reason::layout_unknown;
  if (role == Role::changed)
    digest.add_changed(area);
  int sizes[TensorNote::most_dimensions];
  for (int i = 0; i < tensor.dimensions; ++i)
    sizes[i] = static_cast<int>(tensor.sizes[i]);
  digest.add_sizes("out", sizes, tensor.dimensions);
  digest.add_output(area);
  return Reason::none;
}

/// None, or why what comes out is not known.
Reason add_operands(CallDigest& digest, const Graph& graph, const Pack* pack) {
  if (graph.why_unknown != Reason::none)
    return graph.why_unknown;
  if (pack == nullptr || pack->id_count != pack->pointer_count)
    return Reason::pack_unseen;
  if (pack->is_unknown)
    return Reason::shapes_overridden;
  for (uint32_t number = graph.first; number != 0; number = kept().nodes[number].next) {
    const Node& node = kept().nodes[number];
    if (node.tensor.is_virtual)
      continue;
    if (const Reason why = add_operand(digest, node.tensor, node.role, data_of(*pack, node.tensor));
        why != Reason::none)
      return why;
  }
  return Reason::none;
}

} // namespace

void describe_plan(CallDigest& digest, uint32_t number, int64_t engine, const void* variant_pack) {
  SignalSafeLock guard(operands.lock);
  Reason why = Reason::graph_unseen;
  if (guard.held() && number != 0 && operands.memory.peek() != nullptr) {
    const Graph& graph = kept().graphs[number % graph_limit];
    if (graph.number == number) {
      if (graph.names[0] != 0)
        digest.add_shape("of", graph.names);
      if (engine >= 0)
        digest.add_shape("engine", static_cast<uint64_t>(engine));
      if (graph.hash[0] != 0)
        digest.add_shape("graph", graph.hash);
      why =
          add_operands(digest, graph, variant_pack != nullptr ? find_pack(variant_pack) : nullptr);
    }
  }
  if (why == Reason::none)
    return;
  digest.leave_inputs();
  digest.leave_outputs(why);
}

} // namespace detshim::cudnn
