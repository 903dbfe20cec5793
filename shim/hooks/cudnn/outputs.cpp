// What layers and plans of cuDNN read and write, and its forward convolution, which has no hook otherwise:
// what goes in and what comes out is hashed on the GPU if DETSHIM_FINGERPRINT=calls asks for it. Convolutions
// backward are in convolution.cpp, other layers in layers.cpp.
//
// Symbols: cudnn_graph.h and cudnn_cnn.h of cuDNN 9.19.
#include "hooks/cudnn/outputs.h"

#include "hooks/cudnn/graph_tensors.h"
#include "hooks/cudnn/plans.h"

namespace detshim {

using namespace abi;

uint64_t size_of_cudnn_type(int type) {
  constexpr uint8_t sizes[] = {4, 8, 2, 1, 4, 0, 1, 0, 0, 2, 8, 0, 1, 1, 0, 1, 0, 0, 0, 4, 8, 16};
  return static_cast<unsigned>(type) < sizeof sizes ? sizes[type] : 0;
}

namespace {

HashedArea area_of(const Hook& hook, const LayerTensor& of, CallOutputs& outputs, bool& is_double) {
  constexpr int most = 8;
  int type = -1, format = 0, count = 0, sizes[most], strides[most];
  if (of.tensor == nullptr) {
    auto* const ask =
        find_in_cudnn<cudnnStatus(cudnnFilterDescriptor_t, size_t*)>(hook, "cudnnGetFilterSizeInBytes");
    auto* const get = find_in_cudnn<cudnnStatus(cudnnFilterDescriptor_t, int, int*, int*, int*, int*)>(
        hook, "cudnnGetFilterNdDescriptor");
    size_t size = 0;
    if (of.filter == nullptr || ask == nullptr || ask(of.filter, &size) != cudnnStatus::success) return {};
    is_double = get != nullptr &&
                get(of.filter, most, &type, &format, &count, sizes) == cudnnStatus::success && type == 1;
    outputs.add_sizes("w", sizes, count < most ? count : most);
    return bytes_at(of.data, size);
  }
  auto* const get = find_in_cudnn<cudnnStatus(cudnnTensorDescriptor_t, int, int*, int*, int*, int*)>(
      hook, "cudnnGetTensorNdDescriptor");
  if (get == nullptr || get(of.tensor, most, &type, &count, sizes, strides) != cudnnStatus::success ||
      count > most || size_of_cudnn_type(type) == 0)
    return {};
  is_double = type == 1;
  int64_t wide_sizes[most], wide_strides[most];
  for (int i = 0; i < count; ++i) wide_sizes[i] = sizes[i], wide_strides[i] = strides[i];
  outputs.add_sizes("t", sizes, count);
  return tensor_at(of.data, size_of_cudnn_type(type), count, wide_sizes, wide_strides);
}

} // namespace

void add_read(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor) {
  bool is_double = false;
  if (tensor.data == nullptr) return;
  const HashedArea area = area_of(hook, tensor, outputs, is_double);
  if (area.width == 0) outputs.leave_inputs();
  outputs.add_input(area);
}

void add_perhaps_read(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor) {
  bool is_double = false;
  if (tensor.data == nullptr) return;
  const HashedArea area = area_of(hook, tensor, outputs, is_double);
  if (area.width == 0) outputs.leave_inputs();
  outputs.add_changed(area);
}

void add_written(const Hook& hook, CallOutputs& outputs, const LayerTensor& tensor, const void* alpha,
                 const void* beta) {
  bool is_double = false, reads_before = false;
  if (tensor.data == nullptr) return;
  const HashedArea area = area_of(hook, tensor, outputs, is_double);
  // Scales are of type double where the result is, else float.
  const size_t size = is_double ? 8 : 4;
  unsigned char bytes[8] = {};
  outputs.add_number(alpha, size);
  outputs.add_number(beta, size);
  if (beta != nullptr) __builtin_memcpy(bytes, beta, size);
  for (const unsigned char byte : bytes) reads_before |= byte != 0;
  if (reads_before) outputs.add_changed(area);
  if (area.width == 0) outputs.leave_outputs(Reason::layout_unknown);
  outputs.add_output(area);
}

int type_of(const Hook& hook, cudnnTensorDescriptor_t tensor) {
  auto* const get = find_in_cudnn<cudnnStatus(cudnnTensorDescriptor_t, int, int*, int*, int*, int*)>(
      hook, "cudnnGetTensorNdDescriptor");
  constexpr int most = 8; // CUDNN_DIM_MAX
  int type = -1, count = 0, sizes[most], strides[most];
  return tensor != nullptr && get != nullptr &&
                 get(tensor, most, &type, &count, sizes, strides) == cudnnStatus::success
             ? type
             : -1;
}

bool add_scale(const Hook& hook, CallOutputs& outputs, cudnnTensorDescriptor_t result, const void* scale) {
  constexpr int of_double = 1; // CUDNN_DATA_DOUBLE
  const size_t size = type_of(hook, result) == of_double ? 8 : 4;
  unsigned char bytes[8] = {};
  outputs.add_number(scale, size);
  if (scale != nullptr) __builtin_memcpy(bytes, scale, size);
  for (const unsigned char byte : bytes)
    if (byte != 0) return true;
  return false;
}

void add_element(const Hook& hook, CallOutputs& outputs, cudnnTensorDescriptor_t tensor, const void* value) {
  const uint64_t size = size_of_cudnn_type(type_of(hook, tensor));
  if (size == 0 || value == nullptr) return outputs.leave_inputs();
  outputs.add_number(value, size);
}

void add_layer(const Hook& hook, CallOutputs& outputs, std::initializer_list<LayerTensor> inputs,
               const void* alpha, const void* beta, const LayerTensor& result) {
  add_written(hook, outputs, result, alpha, beta);
  for (const LayerTensor& input : inputs) add_read(hook, outputs, input);
  if (result.data == nullptr || beta == nullptr) outputs.leave_outputs(Reason::address_unknown);
}

namespace {

/// Where a tensor of a graph is; without width where that is not known.
HashedArea area_of(const cudnn::TensorNote& tensor, const void* data) {
  constexpr int boolean = 11; // CUDNN_DATA_BOOLEAN: dense, eight in a byte
  if (tensor.type() == boolean) {
    HashedArea bits = tensor_at(data, 1, tensor.dimensions, tensor.sizes, tensor.strides);
    if (bits.width == 0 || rows_of(bits) != 1 || bits.width % 8 != 0) return {};
    return bytes_at(data, bits.width / 8);
  }
  const uint64_t element = size_of_cudnn_type(tensor.type());
  return element == 0 ? HashedArea{}
                      : tensor_at(data, element, tensor.dimensions, tensor.sizes, tensor.strides);
}

/// The hash of a graph in the name that cudnn::describe_graph() gives: what the operations are told, whatever
/// the addresses and identifiers.
void add_graph(CallOutputs& outputs, uint32_t graph) {
  char problem[cudnn::problem_size];
  cudnn::copy_problem(graph, problem, sizeof problem);
  constexpr size_t digits = 16;
  const size_t length = text_length(problem);
  if (length > digits && problem[length - digits - 1] == '#')
    outputs.add_shape("graph", problem + length - digits);
}

} // namespace

void add_plan(CallOutputs& outputs, const void* plan, const void* variant_pack) {
  using cudnn::Role;
  const cudnn::Note note = cudnn::note_of(plan);
  const cudnn::GraphOperands operands(note.graph, variant_pack);
  if (operands.names()[0] != 0) outputs.add_shape("of", operands.names());
  if (note.config.key != 0 && note.config.engine >= 0)
    outputs.add_shape("engine", static_cast<uint64_t>(note.config.engine));
  add_graph(outputs, note.graph);
  if (!operands.has_inputs()) outputs.leave_inputs();
  if (const Reason why = operands.why_unknown(); why != Reason::none) {
    outputs.leave_inputs();
    return outputs.leave_outputs(why);
  }
  for (int i = 0; i < operands.count(); ++i) {
    const auto& [tensor, role, data] = operands[i];
    const HashedArea area = area_of(tensor, data);
    if (tensor.is_by_value && role == Role::read) {
      if (area.width == 0 || area.width > 16 || rows_of(area) != 1)
        outputs.leave_inputs();
      else
        outputs.add_number(data, area.width);
      continue;
    }
    if (area.width == 0 && role == Role::read) outputs.leave_inputs();
    if (area.width == 0 && role != Role::read) return outputs.leave_outputs(Reason::layout_unknown);
    if (role == Role::read) outputs.add_input(area);
    if (role == Role::changed) outputs.add_changed(area);
    if (role == Role::read) continue;
    int sizes[cudnn::TensorNote::most_dimensions];
    for (int k = 0; k < tensor.dimensions; ++k) sizes[k] = static_cast<int>(tensor.sizes[k]);
    outputs.add_sizes("out", sizes, tensor.dimensions);
    outputs.add_output(area);
  }
}

namespace {

using Forward = OutermostCall<cudnnStatus(
    cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x, const void* x_data,
    cudnnFilterDescriptor_t w, const void* w_data, cudnnConvolutionDescriptor_t convolution, int algorithm,
    void* workspace, size_t workspace_size, const void* beta, cudnnTensorDescriptor_t y, void* y_data)>;

template <typename Call>
cudnnStatus convolve(const Call& call, cudnnHandle_t handle, const void* alpha, cudnnTensorDescriptor_t x,
                     const void* x_data, cudnnFilterDescriptor_t w, const void* w_data,
                     cudnnConvolutionDescriptor_t convolution, int algorithm, void* workspace,
                     size_t workspace_size, const void* beta, cudnnTensorDescriptor_t y, void* y_data) {
  return print_convolution(call, handle, convolution, algorithm, {{x, x_data}, {w, w_data}}, alpha, beta,
                           {y, y_data}, [&] {
                             return call.real(handle, alpha, x, x_data, w, w_data, convolution, algorithm,
                                              workspace, workspace_size, beta, y, y_data);
                           });
}

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudnn, Forward, cudnnConvolutionForward, convolve, hashed);
