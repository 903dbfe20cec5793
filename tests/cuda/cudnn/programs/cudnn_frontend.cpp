// Two graphs by NVIDIA's cudnn-frontend, whose headers make every call to cuDNN, without a GPU:
//
//   cudnn_frontend DEVICE   a file that describes the device
#include <cudnn_frontend.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

namespace fe = cudnn_frontend;
using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

namespace {

void check(fe::error_t error) {
  if (error.is_good())
    return;
  std::printf("%s\n", error.get_message().c_str());
  std::exit(1);
}

std::shared_ptr<fe::DeviceProperties> device(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> text{std::istreambuf_iterator<char>{file}, {}};
  auto properties = std::make_shared<fe::DeviceProperties>();
  check(properties->deserialize(text));
  return properties;
}

fe::graph::Graph begin(const std::shared_ptr<fe::DeviceProperties>& properties) {
  fe::graph::Graph graph;
  graph.set_io_data_type(fe::DataType_t::HALF).set_compute_data_type(fe::DataType_t::FLOAT);
  graph.set_intermediate_data_type(fe::DataType_t::FLOAT);
  graph.set_device_properties(properties);
  return graph;
}

Tensor tensor(fe::graph::Graph& graph, const char* name, int64_t id, std::vector<int64_t> sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  strides[0] = sizes[1] * sizes[2] * sizes[3];
  strides[2] = sizes[3] * sizes[1];
  strides[3] = sizes[1];
  return graph.tensor(
      fe::graph::Tensor_attributes().set_name(name).set_uid(id).set_dim(sizes).set_stride(strides));
}

void convolve(const std::shared_ptr<fe::DeviceProperties>& properties) {
  fe::graph::Graph graph = begin(properties);
  const Tensor x = tensor(graph, "x", 1, {8, 64, 56, 56});
  const Tensor w = tensor(graph, "w", 2, {64, 64, 3, 3});
  const Tensor y = graph.conv_fprop(
      x, w,
      fe::graph::Conv_fprop_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation(
          {1, 1}));
  y->set_output(true).set_uid(3);
  check(graph.validate());
  check(graph.build_operation_graph());                     // graph of the convolution
  check(graph.create_execution_plans({fe::HeurMode_t::A})); // plans of the convolution
  (void)graph.build_plans(fe::BuildPlanPolicy_t::ALL);      // all of the convolution
}

void gradient(const std::shared_ptr<fe::DeviceProperties>& properties) {
  fe::graph::Graph graph = begin(properties);
  const Tensor dy = tensor(graph, "dy", 1, {8, 64, 56, 56});
  const Tensor x = tensor(graph, "x", 2, {8, 64, 56, 56});
  const Tensor dw = graph.conv_wgrad(
      dy, x,
      fe::graph::Conv_wgrad_attributes().set_padding({1, 1}).set_stride({1, 1}).set_dilation(
          {1, 1}));
  dw->set_output(true).set_uid(3).set_dim({64, 64, 3, 3});
  check(graph.validate());
  check(graph.build_operation_graph());                     // graph of the gradient
  check(graph.create_execution_plans({fe::HeurMode_t::A})); // plans of the gradient
  (void)graph.build_plans(fe::BuildPlanPolicy_t::ALL);      // all of the gradient
}

} // namespace

int main(int argc, char** argv) {
  const auto properties = device(argc > 1 ? argv[1] : "");
  convolve(properties);
  gradient(properties);
  std::puts("built");
}
