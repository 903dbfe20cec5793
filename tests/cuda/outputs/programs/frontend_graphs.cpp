// Operation graphs by NVIDIA's cudnn-frontend, each built without a device and executed in the
// double of cuDNN:
//
//   frontend_graphs DEVICE GRAPH...   a file that describes the device
//
// Prints what each graph reads and writes, as it made it: the bytes of its outputs.
#include <cudnn_frontend.h>

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

/// To the double alone (gpu.h).
extern "C" void plan_writes(const void* input, void* to, size_t width, size_t rows, size_t pitch);

void* cudnn_frontend::cudnn_dlhandle = dlopen("libcudnn.so.9", RTLD_NOW);
namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;
using Sizes = std::vector<int64_t>;

namespace {

std::shared_ptr<fe::DeviceProperties> properties;

void check(fe::error_t error) {
  if (error.is_good())
    return;
  std::printf("%s\n", error.get_message().c_str());
  std::exit(1);
}

fe::graph::Graph begin() {
  fe::graph::Graph graph;
  graph.set_io_data_type(fe::DataType_t::HALF).set_compute_data_type(fe::DataType_t::FLOAT);
  graph.set_intermediate_data_type(fe::DataType_t::FLOAT);
  graph.set_device_properties(properties);
  return graph;
}

int64_t count_of(const Sizes& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes)
    count *= size;
  return count;
}

/// With its channels innermost.
Sizes by_channels(const Sizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], 1, sizes[3] * sizes[1], sizes[1]};
}
Sizes packed(const Sizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

Tensor tensor(fe::graph::Graph& graph, const char* name, const Sizes& sizes, const Sizes& strides) {
  return graph.tensor(
      fe::graph::Tensor_attributes().set_name(name).set_dim(sizes).set_stride(strides));
}

unsigned char* memory(int64_t size, unsigned char first) {
  CUdeviceptr memory = 0;
  cuMemAlloc(&memory, static_cast<size_t>(size));
  auto* const bytes = reinterpret_cast<unsigned char*>(memory);
  for (int64_t i = 0; i < size; ++i)
    bytes[i] = static_cast<unsigned char>(first + i);
  return bytes;
}

struct Output {
  Tensor tensor;
  int64_t element;
};

void run(fe::graph::Graph& graph, const std::vector<Tensor>& inputs,
         const std::vector<Output>& outputs) {
  check(graph.validate());
  check(graph.build_operation_graph());
  check(graph.create_execution_plans({fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK}));
  check(graph.build_plans(fe::BuildPlanPolicy_t::HEURISTICS_CHOICE));
  std::unordered_map<Tensor, void*> pack;
  const bool is_other = std::getenv("OTHER_INPUT") != nullptr;
  unsigned char first = is_other ? 50 : 1;
  unsigned char* data = nullptr;
  for (const Tensor& input : inputs) {
    unsigned char* const bytes = memory(count_of(input->get_dim()) * 4, first++);
    pack[input] = bytes;
    if (data == nullptr)
      data = bytes;
  }
  for (const Output& output : outputs) {
    const int64_t size = count_of(output.tensor->get_dim()) * output.element;
    unsigned char* const bytes = memory(size, 3);
    pack[output.tensor] = bytes;
    plan_writes(data, bytes, static_cast<size_t>(size), 1, 0);
    std::printf("output of %ld bytes\n", static_cast<long>(size));
  }
  check(graph.execute(reinterpret_cast<cudnnHandle_t>(1), pack,
                      memory(1 << 24, 0))); // as long as it runs
}

void convolve(bool with_more) {
  fe::graph::Graph graph = begin();
  const Sizes of_x{4, 16, 14, 14}, of_w{32, 16, 3, 3}, of_b{1, 32, 1, 1};
  const Tensor x = tensor(graph, "x", of_x, by_channels(of_x));
  const Tensor w = tensor(graph, "w", of_w, by_channels(of_w));
  Tensor y = graph.conv_fprop(
      x, w,
      fe::graph::Conv_fprop_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation(
          {1, 1}));
  if (!with_more) {
    y->set_output(true);
    return run(graph, {x, w}, {{y, 2}});
  }
  y->set_data_type(fe::DataType_t::FLOAT);
  const Tensor b = tensor(graph, "b", of_b, by_channels(of_b));
  const Tensor sum =
      graph.pointwise(y, b, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::ADD));
  const Tensor z = graph.pointwise(
      sum, fe::graph::Pointwise_attributes().set_mode(fe::PointwiseMode_t::RELU_FWD));
  z->set_output(true);
  run(graph, {x, w, b}, {{z, 2}});
}

void gradient() {
  fe::graph::Graph graph = begin();
  const Sizes of_dy{4, 32, 14, 14}, of_x{4, 16, 14, 14};
  const Tensor dy = tensor(graph, "dy", of_dy, by_channels(of_dy));
  const Tensor x = tensor(graph, "x", of_x, by_channels(of_x));
  const Tensor dw = graph.conv_wgrad(
      dy, x,
      fe::graph::Conv_wgrad_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation(
          {1, 1}));
  dw->set_output(true).set_dim({32, 16, 3, 3});
  run(graph, {dy, x}, {{dw, 2}});
}

void attend() {
  fe::graph::Graph graph = begin();
  const Sizes sizes{2, 4, 128, 64};
  const Tensor q = tensor(graph, "q", sizes, packed(sizes));
  const Tensor k = tensor(graph, "k", sizes, packed(sizes));
  const Tensor v = tensor(graph, "v", sizes, packed(sizes));
  auto [o, statistics] = graph.sdpa(q, k, v,
                                    fe::graph::SDPA_attributes()
                                        .set_name("attention")
                                        .set_generate_stats(true)
                                        .set_causal_mask(true)
                                        .set_attn_scale(0.125f));
  o->set_output(true).set_dim(sizes).set_stride(packed(sizes));
  statistics->set_output(true).set_data_type(fe::DataType_t::FLOAT);
  run(graph, {q, k, v}, {{o, 2}, {statistics, 4}});
}

void attend_backwards() {
  fe::graph::Graph graph = begin();
  const Sizes sizes{2, 4, 128, 64}, of_statistics{2, 4, 128, 1};
  std::vector<Tensor> inputs;
  for (const char* name : {"q", "k", "v", "o", "do"})
    inputs.push_back(tensor(graph, name, sizes, packed(sizes)));
  inputs.push_back(graph.tensor(fe::graph::Tensor_attributes()
                                    .set_name("statistics")
                                    .set_dim(of_statistics)
                                    .set_stride(packed(of_statistics))
                                    .set_data_type(fe::DataType_t::FLOAT)));
  auto [dq, dk, dv] = graph.sdpa_backward(
      inputs[0], inputs[1], inputs[2], inputs[3], inputs[4], inputs[5],
      fe::graph::SDPA_backward_attributes().set_name("attention").set_attn_scale(0.125f));
  for (const Tensor& gradient : {dq, dk, dv})
    gradient->set_output(true).set_dim(sizes).set_stride(packed(sizes));
  run(graph, inputs, {{dq, 2}, {dk, 2}, {dv, 2}});
}

void normalize() {
  fe::graph::Graph graph = begin();
  const Sizes of_x{64, 512, 1, 1}, of_scale{1, 512, 1, 1};
  const Tensor x = tensor(graph, "x", of_x, {512, 1, 512, 512});
  const auto parameter = [&](const char* name) {
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name(name)
                            .set_dim(of_scale)
                            .set_stride({512, 1, 512, 512})
                            .set_data_type(fe::DataType_t::FLOAT));
  };
  const Tensor scale = parameter("scale"), bias = parameter("bias");
  float epsilon = std::getenv("OTHER_EPSILON") != nullptr ? 1e-3f : 1e-5f;
  Tensor epsilon_tensor = graph.tensor(epsilon);
  auto [y, mean, inverse] = graph.layernorm(x, scale, bias,
                                            fe::graph::Layernorm_attributes()
                                                .set_forward_phase(fe::NormFwdPhase_t::TRAINING)
                                                .set_epsilon(epsilon_tensor));
  y->set_output(true);
  mean->set_output(true).set_data_type(fe::DataType_t::FLOAT);
  inverse->set_output(true).set_data_type(fe::DataType_t::FLOAT);
  run(graph, {x, scale, bias}, {{mean, 4}, {inverse, 4}, {y, 2}});
}

} // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc > 1 ? argv[1] : "", std::ios::binary);
  const std::vector<uint8_t> text{std::istreambuf_iterator<char>{file}, {}};
  properties = std::make_shared<fe::DeviceProperties>();
  check(properties->deserialize(text));
  for (int i = 2; i < argc; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(argv[i], name) == 0;
    };
    if (is("convolution"))
      convolve(false);
    if (is("convolution and more"))
      convolve(true);
    if (is("gradient"))
      gradient();
    if (is("attention"))
      attend();
    if (is("attention backwards"))
      attend_backwards();
    if (is("normalization"))
      normalize();
    if (is("wait"))
      cuStreamSynchronize(reinterpret_cast<CUstream>(64));
  }
}
