// An ordinary user of cuDNN's graph API: builds one convolution, asks the heuristics for engine
// configs as cudnn-frontend does (a count query, descriptors of its own, an array of pointers that
// it throws away), and prints one line for each config. It needs no GPU: the device is described by
// a JSON text (cuDNN 9.8 and later).
//
//   cudnn_heuristics PASS TYPE SHAPE MODE [COMMAND...]
//     PASS   forward | data | filter        TYPE  float | half
//     SHAPE  large | small                  MODE  A | B | FALLBACK
//     COMMAND, `list` when none is given:
//       list        all that the count query promises
//       request=N   hands in N descriptors, whatever is available
//       plan        finalizes an execution plan on the first nondeterministic config of a list
//       engine=I    finalizes an execution plan on engine I, with no heuristics in between
//       uncounted=N asks for N configs without a place for their number, and prints those that were
//       filled save=I      writes such a plan as JSON to the file that PLAN_FILE names load
//       finalizes a plan made from that JSON
//
// The first line of a list is `count=C requested=N returned=R`; a plan is a line `plan: STATUS`.
// Exit status 1: another call failed, and the line before says which.
#include "cudnn_backend.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

/// A four-dimensional tensor whose channels lie innermost (NHWC); `dims` are N, C, H, W.
Descriptor tensor(int64_t id, cudnnDataType_t type, const std::vector<int64_t>& dims) {
  const auto descriptor = create(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const int64_t c = dims[1], h = dims[2], w = dims[3];
  set(descriptor, CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, std::vector{type});
  set(descriptor, CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims);
  set(descriptor, CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64,
      std::vector<int64_t>{h * w * c, 1, w * c, c});
  set(descriptor, CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, std::vector{id});
  set(descriptor, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, std::vector<int64_t>{16});
  finalize(descriptor);
  return descriptor;
}

/// The graph of one 3x3 convolution with padding 1 and stride 1.
Descriptor graph(const std::string& pass, cudnnDataType_t type, const std::string& shape) {
  const bool large = shape == "large";
  const int64_t n = large ? 16 : 8, c = large ? 128 : 64, k = large ? 256 : 64,
                size = large ? 64 : 28;
  const std::vector<int64_t> one{1, 1};
  const auto convolution = create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  set(convolution, CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
      std::vector{CUDNN_DATA_FLOAT});
  set(convolution, CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE,
      std::vector{CUDNN_CROSS_CORRELATION});
  set(convolution, CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, std::vector<int64_t>{2});
  set(convolution, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, one);
  set(convolution, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, one);
  set(convolution, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, one);
  set(convolution, CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, one);
  finalize(convolution);

  // The attributes of the three operations have different names for the same things.
  struct Names {
    cudnnBackendDescriptorType_t operation;
    cudnnBackendAttributeName_t convolution, x, w, y, alpha, beta;
  };
  const Names forward{CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
                      CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
  const Names data{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
                   CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
  const Names filter{CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
                     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
  const Names& names = pass == "forward" ? forward : pass == "data" ? data : filter;

  const auto operation = create(names.operation);
  const auto reference = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  set(operation, names.convolution, reference, std::vector{convolution});
  set(operation, names.x, reference, std::vector{tensor('x', type, {n, c, size, size})});
  set(operation, names.w, reference, std::vector{tensor('w', type, {k, c, 3, 3})});
  set(operation, names.y, reference, std::vector{tensor('y', type, {n, k, size, size})});
  set(operation, names.alpha, CUDNN_TYPE_FLOAT, std::vector{1.0F});
  set(operation, names.beta, CUDNN_TYPE_FLOAT, std::vector{0.0F});
  finalize(operation);

  return operation_graph_of({operation});
}

/// Asks for configs the way cudnn-frontend does. `request` < 0 asks for what the count query
/// answered.
std::vector<Descriptor> configs(Descriptor heuristics, int64_t request) {
  int64_t count = -1;
  check("count", CALL(cudnnBackendGetAttribute)(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
  if (request < 0)
    request = count;
  std::vector<Descriptor> own;
  for (int64_t i = 0; i < request; ++i)
    own.push_back(create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));

  int64_t returned = -1;
  auto handed_in = own; // the library may write into this array; the program reads only its own
  check("results", CALL(cudnnBackendGetAttribute)(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, request, &returned,
                                                  handed_in.data()));
  std::printf("count=%lld requested=%lld returned=%lld%s\n", static_cast<long long>(count),
              static_cast<long long>(request), static_cast<long long>(returned),
              handed_in == own ? "" : " (array changed)");
  own.resize(static_cast<size_t>(std::clamp<int64_t>(returned, 0, request)));
  return own;
}

/// Prints a config and says whether its engine is nondeterministic.
bool print(Descriptor config) {
  const Engine engine = engine_of(config);
  std::printf("engine=%lld notes=", static_cast<long long>(engine.index));
  for (size_t i = 0; i < engine.notes.size(); ++i)
    std::printf("%s%d", i ? "," : "", static_cast<int>(engine.notes[i]));
  const auto knobs = knobs_of(config);
  std::printf(" knobs=");
  for (size_t i = 0; i < knobs.size(); ++i)
    std::printf("%s%d=%lld", i ? "," : "", static_cast<int>(knobs[i].type),
                static_cast<long long>(knobs[i].value));
  std::printf("\n");
  return engine.is_nondeterministic();
}

/// Asks without a place for the number, and prints the configs that were filled.
void print_uncounted(Descriptor heuristics, int64_t request) {
  std::vector<Descriptor> own;
  for (int64_t i = 0; i < request; ++i)
    own.push_back(create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  check("results", CALL(cudnnBackendGetAttribute)(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                  CUDNN_TYPE_BACKEND_DESCRIPTOR, request, nullptr,
                                                  own.data()));
  const auto engine = create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  for (const auto config : own) {
    Descriptor into[] = {engine};
    int64_t count = 0;
    if (CALL(cudnnBackendGetAttribute)(config, CUDNN_ATTR_ENGINECFG_ENGINE,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count,
                                       into) == CUDNN_STATUS_SUCCESS)
      print(config);
  }
}

/// Finalizes a plan and prints the status, whatever it is.
void finish(Descriptor plan) {
  std::printf("plan: %d\n", static_cast<int>(CALL(cudnnBackendFinalize)(plan)));
  CALL(cudnnBackendDestroyDescriptor)(plan);
}

void plan(Descriptor config, Descriptor properties) { finish(plan_of(config, properties)); }

void save_plan(Descriptor config, Descriptor properties) {
  const auto descriptor = plan_of(config, properties);
  finalize(descriptor);
  int64_t length = 0;
  check("length",
        CALL(cudnnBackendGetAttribute)(descriptor, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
                                       CUDNN_TYPE_CHAR, 0, &length, nullptr));
  const auto text =
      get<char>(descriptor, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, length);
  std::ofstream(std::getenv("PLAN_FILE"))
      .write(text.data(), static_cast<std::streamsize>(text.size()));
}

void load_plan(Descriptor properties) {
  std::ifstream file(std::getenv("PLAN_FILE"));
  const std::string text{std::istreambuf_iterator<char>{file}, {}};
  const auto descriptor = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(descriptor, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
      std::vector<char>(text.begin(), text.end()));
  set(descriptor, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, CUDNN_TYPE_BACKEND_DESCRIPTOR,
      std::vector{properties});
  finish(descriptor);
}

} // namespace

int main(int argc, char** argv) try {
  if (argc < 5)
    return 2;
  const std::string pass = argv[1], type = argv[2], shape = argv[3], mode = argv[4];
  std::vector<std::string> commands(argv + 5, argv + argc);
  if (commands.empty())
    commands = {"list"};

  const auto properties = device_properties();
  const auto operation_graph =
      graph(pass, type == "half" ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT, shape);
  const auto heuristics = heuristics_of(operation_graph,
                                        mode == "A"   ? CUDNN_HEUR_MODE_A
                                        : mode == "B" ? CUDNN_HEUR_MODE_B
                                                      : CUDNN_HEUR_MODE_FALLBACK,
                                        properties);

  for (const auto& command : commands) {
    const auto equals = command.find('=');
    const int64_t number =
        equals == std::string::npos ? -1 : std::atoll(command.c_str() + equals + 1);
    if (command.starts_with("engine")) {
      plan(config_of(operation_graph, number, properties), properties);
      continue;
    }
    if (command.starts_with("save")) {
      save_plan(config_of(operation_graph, number, properties), properties);
      continue;
    }
    if (command == "load") {
      load_plan(properties);
      continue;
    }
    if (command.starts_with("uncounted")) {
      print_uncounted(heuristics, number);
      continue;
    }
    Descriptor nondeterministic = nullptr;
    for (const auto config : configs(heuristics, number)) {
      if (print(config) && !nondeterministic)
        nondeterministic = config;
    }
    if (command != "plan")
      continue;
    if (nondeterministic) {
      plan(nondeterministic, properties);
    } else {
      std::printf("plan: no such config\n");
    }
  }
} catch (const Refused& refused) {
  char text[2048] = "";
  CALL(cudnnGetLastErrorString)(text, sizeof text);
  std::printf("%s: %d\n", refused.what, static_cast<int>(refused.status));
  std::fprintf(stderr, "%s\n", text);
  return 1;
}
