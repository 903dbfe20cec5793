// An ordinary user of cuDNN's graph API that runs its plans, for the double of that interface: built without
// the toolkit.
//
//   cudnn_execute COMMAND...
//     plan=I        finalizes a plan of engine I for the present graph; it is the present plan if that works
//     run           runs the present plan          populate   puts it into a CUDA graph
//     destroy       destroys it
//     graph         begins another graph           sdpa       one that holds an SDPA backward operation
//     rng=N         gives a random operation the constant seed N and prints what it got
//     rng-tensor    gives it a tensor for a seed
//     reduction     finalizes a reduction and prints whether it is deterministic, `unset` if nothing was said
//     reduction=B   the same, with the program's own word
#include "call.h"
#include "vendor_backend.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void* create(int type) {
  void* descriptor = nullptr;
  CALL(cudnnBackendCreateDescriptor)(type, &descriptor);
  return descriptor;
}

void set(void* descriptor, int name, void* value) {
  CALL(cudnnBackendSetAttribute)(descriptor, name, backend::descriptor, 1, &value);
}

int finalize(void* descriptor) { return CALL(cudnnBackendFinalize)(descriptor); }

void* graph_of(int operation_type, int attribute) {
  const auto operation = create(operation_type), graph = create(backend::operation_graph);
  set(operation, attribute, create(backend::tensor));
  finalize(operation);
  set(graph, backend::graph_operations, operation);
  finalize(graph);
  return graph;
}

void* plain_graph() { return graph_of(backend::reduction, 1610); }

void* plan_of(void* graph, int64_t index) {
  const auto engine = create(backend::engine), config = create(backend::engine_config),
             plan = create(backend::execution_plan);
  set(engine, backend::engine_graph, graph);
  CALL(cudnnBackendSetAttribute)(engine, backend::engine_index, backend::int64, 1, &index);
  finalize(engine);
  set(config, backend::config_engine, engine);
  finalize(config);
  set(plan, backend::plan_config, config);
  return plan;
}

void reduce(const std::string& word) {
  const auto reduction = create(backend::reduction);
  const int sum = 0;
  CALL(cudnnBackendSetAttribute)
  (reduction, backend::reduction_operator, backend::reduction_operator_type, 1, &sum);
  if (!word.empty()) {
    const bool value = word == "1";
    CALL(cudnnBackendSetAttribute)
    (reduction, backend::reduction_is_deterministic, backend::boolean, 1, &value);
  }
  const int status = finalize(reduction);
  bool is_deterministic = false;
  int64_t count = 0;
  const bool is_set =
      CALL(cudnnBackendGetAttribute)(reduction, backend::reduction_is_deterministic, backend::boolean, 1,
                                     &count, &is_deterministic) == backend::success;
  std::printf("reduction: %d %s\n", status, !is_set ? "unset" : is_deterministic ? "true" : "false");
  CALL(cudnnBackendDestroyDescriptor)(reduction);
}

void seed(int64_t value) {
  const auto random = create(backend::operation_rng);
  CALL(cudnnBackendSetAttribute)(random, backend::rng_seed, backend::int64, 1, &value);
  int64_t got = 0, count = 0;
  CALL(cudnnBackendGetAttribute)(random, backend::rng_seed, backend::int64, 1, &count, &got);
  std::printf("seed: %lld\n", static_cast<long long>(got));
}

} // namespace

int main(int argc, char** argv) {
  void* graph = plain_graph();
  void* plan = nullptr;
  const auto pack = create(backend::variant_pack);
  for (int i = 1; i < argc; ++i) {
    const std::string command = argv[i];
    const auto equals = command.find('=');
    const std::string value = equals == std::string::npos ? "" : command.substr(equals + 1);
    if (command.starts_with("plan")) {
      const auto candidate = plan_of(graph, std::atoll(value.c_str()));
      const int status = finalize(candidate);
      std::printf("plan %s: %d\n", value.c_str(), status);
      if (status == backend::success)
        plan = candidate;
      else
        CALL(cudnnBackendDestroyDescriptor)(candidate);
    } else if (command == "run") {
      std::printf("run: %d\n", CALL(cudnnBackendExecute)(nullptr, plan, pack));
    } else if (command == "populate") {
      std::printf("populate: %d\n", CALL(cudnnBackendPopulateCudaGraph)(nullptr, plan, pack, nullptr));
    } else if (command == "destroy") {
      CALL(cudnnBackendDestroyDescriptor)(plan);
    } else if (command == "graph") {
      graph = plain_graph();
    } else if (command == "sdpa") {
      graph = graph_of(backend::operation_sdpa_backward, backend::sdpa_backward_q);
    } else if (command == "rng-tensor") {
      set(create(backend::operation_rng), backend::rng_seed, create(backend::tensor));
    } else if (command.starts_with("rng")) {
      seed(std::atoll(value.c_str()));
    } else if (command.starts_with("reduction")) {
      reduce(value);
    } else {
      return 2;
    }
  }
}
