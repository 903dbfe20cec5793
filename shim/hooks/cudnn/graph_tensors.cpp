#include "hooks/cudnn/graph_tensors.h"

#include "core/base/hash.h"
#include "core/base/lock.h"
#include "hooks/cudnn/descriptions.h"

namespace detshim::cudnn {
namespace {

constexpr const char* why_no_graph = "a plan whose operation graph was not seen made";
constexpr const char* why_no_pack = "a variant pack that was not seen filled";
constexpr const char* why_no_room = "more descriptors of graphs than are kept";
constexpr const char* why_operation = "an operation that is not looked into";
constexpr const char* why_partial = "an operation that may leave a part of its output untouched";
constexpr const char* why_twice = "tensors of one graph share an identifier";
constexpr const char* why_override = "shapes that are given anew at each call";
constexpr const char* why_tensor = "of a layout that is not looked into";
constexpr const char* why_many = "more tensors than are looked at";
constexpr const char* why_missing = "a tensor that the variant pack does not hold";

// ---- What attributes of operations mean: cudnn_graph.h of cuDNN 9.19 ----

enum class Use : uint8_t {
  none,     // no tensor: a description of the operation
  reads,    // a tensor
  writes,   // a tensor
  lengths,  // reads a tensor that says how much of the others there is
  statistic // reads or writes it, as the phase of a normalisation says
};

struct Attributes {
  int first, last;
  Use use;
};
constexpr Attributes known_attributes[] = {
    {702, 702, Use::none},      {703, 704, Use::reads},       {705, 705, Use::writes}, // convolution forward
    {708, 708, Use::none},      {709, 709, Use::reads},       {710, 710, Use::writes},
    {711, 711, Use::reads},     {714, 714, Use::none},        {715, 715, Use::writes},
    {716, 717, Use::reads}, // its gradients
    {750, 750, Use::none},      {751, 752, Use::reads},       {753, 753, Use::writes},
    {756, 756, Use::writes},    {757, 758, Use::reads},                               // pointwise
    {772, 772, Use::reads},     {773, 774, Use::writes},                              // statistics
    {782, 787, Use::reads},     {788, 793, Use::writes},      {794, 796, Use::reads}, // batch norm finalize
    {1520, 1521, Use::reads},   {1522, 1522, Use::writes},    {1523, 1523, Use::none},
    {1525, 1527, Use::lengths},                                                        // matmul
    {1610, 1610, Use::reads},   {1611, 1611, Use::writes},    {1612, 1612, Use::none}, // reduction
    {1621, 1625, Use::reads},   {1626, 1630, Use::writes},                             // batch norm backward
    {1710, 1710, Use::reads},   {1711, 1712, Use::writes},    {1716, 1716, Use::none}, // resample
    {1720, 1720, Use::writes},  {1721, 1722, Use::reads},     {1725, 1725, Use::none},
    {1726, 1727, Use::reads},   {1801, 1801, Use::reads},     {1803, 1803, Use::writes}, // concatenate
    {2002, 2002, Use::reads},   {2003, 2004, Use::statistic}, {2005, 2010, Use::reads},
    {2011, 2013, Use::writes},                             // norm forward
    {2101, 2106, Use::reads},   {2107, 2109, Use::writes}, // norm backward
    {2200, 2200, Use::reads},   {2201, 2201, Use::writes}, // reshape
    {2310, 2310, Use::writes},  {2311, 2311, Use::reads},     {2312, 2312, Use::none},
    {2313, 2313, Use::reads},                              // random
    {2500, 2500, Use::reads},   {2501, 2502, Use::writes}, // quantize
    {2600, 2601, Use::reads},   {2602, 2602, Use::writes}, // dequantize
    {2800, 2802, Use::reads},   {2803, 2804, Use::writes},    {2805, 2806, Use::reads},
    {2807, 2810, Use::lengths}, // attention forward
    {2851, 2856, Use::reads},   {2857, 2858, Use::lengths},   {2859, 2861, Use::writes},
    {2862, 2862, Use::reads},
};

constexpr int pointwise_y = 753, pointwise_dx = 756, norm_phase = 2001, norm_phase_training = 1;
constexpr int first_of_tensor = 900, tensor_alignment = 900, tensor_data_type = 901, tensor_dimensions = 902,
              tensor_strides = 903, tensor_vector_count = 904, tensor_vectorized_dimension = 905,
              tensor_unique_id = 906, tensor_is_virtual = 907, tensor_is_by_value = 908,
              tensor_reordering = 909;
constexpr int first_of_pack = 1000, pack_ids = 1000, pack_pointers = 1001, pack_intermediates = 1002,
              pack_workspace = 1003, behind_pack = 1100;

/// Scales of what was there before, of convolutions.
constexpr bool is_beta(int name) { return name == 701 || name == 707 || name == 713; }

/// Attributes whose values are descriptors and that no operation has.
constexpr bool is_of_no_operation(int name) {
  return (name >= 200 && name < 700) || (name >= 800 && name < 1500);
}

// ---- What is kept ----

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
  const char* why_unknown;
};

struct Graph {
  uint32_t number;
  uint32_t first;
  const char* why_unknown;
  char names[GraphOperands::names_size];
};

constexpr int most_of_pack = 96;
struct Pack {
  const void* descriptor;
  int id_count, pointer_count;
  bool is_unknown;
  int64_t ids[most_of_pack];
  const void* pointers[most_of_pack];
};

// As hooks/cudnn/plans.cpp keeps its notes: in one of the places of a set. Pages that nothing was written to
// are no memory.
constexpr size_t set_size = 16, set_count = 2048, node_limit = 1 << 16, graph_limit = 4096, pack_limit = 64;
constinit Tensor tensors[set_count][set_size] = {};
constinit Operation operations[set_count][set_size] = {};
constinit Graph graphs[graph_limit] = {};
constinit Pack packs[pack_limit] = {};
constinit Node nodes[node_limit] = {};
constinit uint32_t nodes_used = 1, free_node = 0, next_pack = 0; // number 0 is none
constinit uint64_t lock = 0;

template <typename Entry>
Entry* set_of(Entry (&table)[set_count][set_size], const void* descriptor) {
  return table[mix(reinterpret_cast<uintptr_t>(descriptor), 0) % set_count];
}

template <typename Entry>
Entry* find(Entry (&table)[set_count][set_size], const void* descriptor) {
  Entry* const set = set_of(table, descriptor);
  for (size_t i = 0; i < set_size; ++i)
    if (set[i].descriptor == descriptor) return &set[i];
  return nullptr;
}

/// The descriptor's entry, an empty one where it has none; nullptr without room.
template <typename Entry>
Entry* make(Entry (&table)[set_count][set_size], const void* descriptor) {
  if (Entry* const known = find(table, descriptor)) return known;
  Entry* const set = set_of(table, descriptor);
  for (size_t i = 0; i < set_size; ++i)
    if (set[i].descriptor == nullptr) {
      set[i] = {};
      set[i].descriptor = descriptor;
      return &set[i];
    }
  return nullptr;
}

Pack* find_pack(const void* descriptor) {
  for (Pack& pack : packs)
    if (pack.descriptor == descriptor) return &pack;
  return nullptr;
}

/// Packs live as long as a call mostly: without room the oldest gives way.
Pack& make_pack(const void* descriptor) {
  if (Pack* const known = find_pack(descriptor)) return *known;
  Pack* place = find_pack(nullptr);
  if (place == nullptr) place = &packs[next_pack++ % pack_limit];
  place->descriptor = descriptor;
  place->id_count = place->pointer_count = 0;
  place->is_unknown = false;
  return *place;
}

uint32_t make_node() {
  uint32_t number = free_node;
  if (number != 0) return free_node = nodes[number].next, number;
  return nodes_used < node_limit ? nodes_used++ : 0;
}

void free_nodes(uint32_t& first) {
  while (first != 0) {
    const uint32_t next = nodes[first].next;
    nodes[first].next = free_node;
    free_node = first;
    first = next;
  }
}

/// Behind the others, so that the order is the program's. False without room.
bool append(uint32_t& first, const Node& node) {
  const uint32_t number = make_node();
  if (number == 0) return false;
  nodes[number] = node;
  nodes[number].next = 0;
  uint32_t* last = &first;
  while (*last != 0) last = &nodes[*last].next;
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

void follow_tensor(const void* descriptor, int name, Type type, int64_t count, const void* elements) {
  Tensor* const tensor = make(tensors, descriptor);
  if (tensor == nullptr) return; // an operation that is given it will not find it
  TensorNote& note = tensor->note;
  const auto copy = [&](int64_t(&into)[TensorNote::most_dimensions], int8_t& number) {
    if (type != Type::int64 || count > TensorNote::most_dimensions) return void(note.is_unknown = true);
    number = static_cast<int8_t>(count);
    __builtin_memcpy(into, elements, static_cast<size_t>(count) * sizeof *into);
  };
  switch (name) {
  case tensor_alignment:
    return;
  case tensor_data_type:
    return void(note.type = first_of<int>(elements));
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
    if (type != wanted || count > most_of_pack) return void(pack.is_unknown = true);
    number = static_cast<int>(count);
    __builtin_memcpy(into, elements, static_cast<size_t>(count) * sizeof *into);
  };
  if (name == pack_ids) return copy(pack.ids, pack.id_count, Type::int64);
  if (name == pack_pointers) return copy(pack.pointers, pack.pointer_count, Type::pointer);
  pack.is_unknown |= name != pack_workspace && name != pack_intermediates;
}

void follow_operation(const void* descriptor, int name, Type type, int64_t count, const void* elements) {
  Use use = Use::none;
  bool is_known = false;
  for (const Attributes& attributes : known_attributes)
    if (name >= attributes.first && name <= attributes.last) use = attributes.use, is_known = true;
  const bool is_scale = is_beta(name), is_descriptor = type == Type::backend_descriptor;
  if (!is_descriptor && !is_scale && name != norm_phase) return;
  if (is_descriptor && is_of_no_operation(name)) return;
  Operation* const operation = make(operations, descriptor);
  if (operation == nullptr) return; // a graph that is given it will not find it
  if (is_scale) {
    const bool is_double = type == Type::floating_double;
    const double value = is_double ? first_of<double>(elements) : double{first_of<float>(elements)};
    if (!is_double && type != Type::floating) operation->why_unknown = why_operation;
    operation->adds_to_output = value != 0;
    return;
  }
  if (name == norm_phase)
    return void(operation->is_training = first_of<int>(elements) == norm_phase_training);
  if (!is_known) return void(operation->why_unknown = why_operation);
  if (use == Use::none) return;
  if (use == Use::lengths) operation->why_unknown = why_partial;
  operation->is_backward |= name == pointwise_dx;
  if (operation->name == 0) operation->name = name;
  for (uint32_t node = operation->first; node != 0; node = nodes[node].next)
    if (nodes[node].name == name) operation->why_unknown = why_operation; // set again: who has which?
  for (int64_t i = 0; i < count; ++i) {
    const Tensor* const tensor = find(tensors, static_cast<const Descriptor*>(elements)[i]);
    if (tensor == nullptr || !append(operation->first, {tensor->note, name, use, Role::read, 0}))
      operation->why_unknown = why_no_room;
  }
}

// ---- Graphs ----

Role role_of(const Operation& operation, const Node& node) {
  bool is_written = node.use == Use::writes;
  if (node.name == pointwise_y && operation.is_backward) is_written = false;
  if (node.use == Use::statistic) is_written = operation.is_training;
  if (!is_written) return Role::read;
  return operation.adds_to_output ? Role::changed : Role::written;
}

bool are_alike(const TensorNote& a, const TensorNote& b) {
  if (a.type != b.type || a.dimensions != b.dimensions || a.is_by_value != b.is_by_value) return false;
  for (int i = 0; i < a.dimensions; ++i)
    if (a.sizes[i] != b.sizes[i] || a.strides[i] != b.strides[i]) return false;
  return true;
}

/// nullptr, or why the tensor makes the graph's outputs unknown.
const char* add_tensor(Graph& graph, const TensorNote& tensor, Role role) {
  if (!tensor.has_id) return why_tensor;
  for (uint32_t number = graph.first; number != 0; number = nodes[number].next) {
    Node& known = nodes[number];
    if (known.tensor.id != tensor.id) continue;
    if (known.tensor.is_virtual != tensor.is_virtual || !are_alike(known.tensor, tensor)) return why_twice;
    if (role > known.role) known.role = role; // what one operation writes and another reads is an output
    return nullptr;
  }
  return append(graph.first, {tensor, 0, Use::none, role, 0}) ? nullptr : why_no_room;
}

} // namespace

void follow_operands(const void* descriptor, Name attribute, Type type, int64_t count, const void* elements) {
  const int name = static_cast<int>(attribute);
  if (count < 1 || descriptor == nullptr || elements == nullptr) return;
  Lock guard(lock);
  if (!guard.held()) return;
  if (name >= first_of_tensor && name < first_of_pack)
    follow_tensor(descriptor, name, type, count, elements);
  else if (name >= first_of_pack && name < behind_pack)
    follow_pack(descriptor, name, type, count, elements);
  else
    follow_operation(descriptor, name, type, count, elements);
}

void forget_operands(const void* descriptor) {
  if (descriptor == nullptr) return;
  Lock guard(lock);
  if (!guard.held()) return;
  if (Tensor* const tensor = find(tensors, descriptor)) tensor->descriptor = nullptr;
  if (Operation* const operation = find(operations, descriptor)) {
    free_nodes(operation->first);
    operation->descriptor = nullptr;
  }
  if (Pack* const pack = find_pack(descriptor)) pack->descriptor = nullptr;
}

void keep_operands(uint32_t number, const Descriptor* of_graph, int64_t count) {
  if (number == 0) return;
  Lock guard(lock);
  if (!guard.held()) return;
  Graph& graph = graphs[number % graph_limit];
  free_nodes(graph.first);
  graph.number = number;
  graph.why_unknown = nullptr;
  TextWriter names(graph.names, sizeof graph.names);
  for (int64_t i = 0; i < count; ++i) {
    const Operation* const operation = find(operations, of_graph[i]);
    if (operation == nullptr) {
      graph.why_unknown = why_operation;
      break;
    }
    const char* const name = operation_name(operation->name);
    if (i != 0) names.add('+');
    names.add(name != nullptr ? name : "?");
    if (operation->why_unknown != nullptr) graph.why_unknown = operation->why_unknown;
    for (uint32_t node = operation->first; node != 0; node = nodes[node].next)
      if (const char* const why = add_tensor(graph, nodes[node].tensor, role_of(*operation, nodes[node])))
        graph.why_unknown = why;
  }
  names.c_str();
}

GraphOperands::GraphOperands(uint32_t number, const void* variant_pack) {
  Lock guard(lock);
  const Graph& graph = graphs[number % graph_limit];
  if (!guard.held() || number == 0 || graph.number != number) {
    why_ = why_no_graph;
    return;
  }
  TextWriter(names_, sizeof names_).add(graph.names).c_str();
  why_ = graph.why_unknown;
  const Pack* const pack = variant_pack != nullptr ? find_pack(variant_pack) : nullptr;
  if (why_ == nullptr && (pack == nullptr || pack->id_count != pack->pointer_count)) why_ = why_no_pack;
  if (why_ == nullptr && pack->is_unknown) why_ = why_override;
  for (uint32_t node = graph.first; node != 0 && why_ == nullptr; node = nodes[node].next) {
    const TensorNote& tensor = nodes[node].tensor;
    if (tensor.is_virtual) continue;
    const Role role = nodes[node].role;
    int at = 0;
    while (at < pack->id_count && pack->ids[at] != tensor.id) ++at;
    const bool is_there = at < pack->id_count && pack->pointers[at] != nullptr;
    if (tensor.is_unknown || tensor.dimensions != tensor.stride_count || !is_there) {
      if (role == Role::read)
        has_inputs_ = false;
      else
        why_ = is_there ? why_tensor : why_missing;
    } else if (count_ < most) {
      operands_[count_++] = {tensor, role, pack->pointers[at]};
    } else {
      why_ = why_many;
    }
  }
}

} // namespace detshim::cudnn
