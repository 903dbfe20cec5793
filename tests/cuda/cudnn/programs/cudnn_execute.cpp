// An ordinary user of cuDNN's graph API that runs its plans, for the double of that interface:
// built without the toolkit.
//
// clang-format off
//   cudnn_execute COMMAND...
//     plan=I        finalizes a plan of engine I for the present graph; it is the present plan if that works. Prints
//                   ` as J` where the plan then says that it has another engine
//     run           runs the present plan
//     populate      puts it into a CUDA graph
//     destroy       destroys it
//     list          prints the engines of the heuristics' list
//     time          finalizes and runs a plan of each config of that list in turn, prints the fastest and runs it
//     drop          destroys the present graph
//     graph         begins another graph
//     sdpa          one that holds an SDPA backward operation
//     matmuls=N     one of N matrix products
//     rng=N         gives a random operation the constant seed N and prints what it got
//     rng-tensor    gives it a tensor for a seed
//     reduction     finalizes a reduction and prints whether it is deterministic, `unset` if the program set nothing
//     reduction=B   the same, set to B by the program
// clang-format on
#include "backend.h"
#include "call.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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

void* graph_of_matmuls(int64_t count) {
  std::vector<void*> operations;
  for (int64_t i = 0; i < count; ++i) {
    operations.push_back(create(backend::operation_matmul));
    set(operations.back(), backend::matmul_product, create(backend::tensor));
    finalize(operations.back());
  }
  const auto graph = create(backend::operation_graph);
  CALL(cudnnBackendSetAttribute)
  (graph, backend::graph_operations, backend::descriptor, count, operations.data());
  finalize(graph);
  return graph;
}

void* plain_graph() { return graph_of(backend::reduction, 1610); }

void* plan_of(void* config) {
  const auto plan = create(backend::execution_plan);
  set(plan, backend::plan_config, config);
  return plan;
}

void* plan_of(void* graph, int64_t index) {
  const auto engine = create(backend::engine), config = create(backend::engine_config);
  set(engine, backend::engine_graph, graph);
  CALL(cudnnBackendSetAttribute)(engine, backend::engine_index, backend::int64, 1, &index);
  finalize(engine);
  set(config, backend::config_engine, engine);
  finalize(config);
  const auto plan = plan_of(config);
  for (void* done : {engine, config})
    CALL(cudnnBackendDestroyDescriptor)(done);
  return plan;
}

/// The heuristics' list, asked for the way cudnn-frontend does; `status` is the library's.
std::vector<void*> configs_of(void* graph, int& status) {
  const auto heuristics = create(backend::engine_heuristics);
  set(heuristics, backend::heuristics_graph, graph);
  finalize(heuristics);
  const auto ask = [&](int64_t requested, int64_t& returned, void** configs) {
    return CALL(cudnnBackendGetAttribute)(heuristics, backend::heuristics_results,
                                          backend::descriptor, requested, &returned, configs);
  };
  int64_t count = 0, returned = 0;
  status = ask(0, count, nullptr);
  if (status != backend::success)
    return {};
  std::vector<void*> own;
  for (int64_t i = 0; i < count; ++i)
    own.push_back(create(backend::engine_config));
  auto handed_in = own;
  status = ask(count, returned, handed_in.data());
  own.resize(static_cast<size_t>(status == backend::success ? returned : 0));
  return own;
}

long long engine_of(void* config) {
  void* engine = create(backend::engine);
  int64_t count = 0, index = -1;
  CALL(cudnnBackendGetAttribute)
  (config, backend::config_engine, backend::descriptor, 1, &count, &engine);
  CALL(cudnnBackendGetAttribute)(engine, backend::engine_index, backend::int64, 1, &count, &index);
  CALL(cudnnBackendDestroyDescriptor)(engine);
  return index;
}

long long engine_of_plan(void* plan) {
  void* config = create(backend::engine_config);
  int64_t count = 0;
  CALL(cudnnBackendGetAttribute)
  (plan, backend::plan_config, backend::descriptor, 1, &count, &config);
  const auto index = engine_of(config);
  CALL(cudnnBackendDestroyDescriptor)(config);
  return index;
}

void list(void* graph) {
  int status = 0;
  const auto configs = configs_of(graph, status);
  std::printf("list: %d", status);
  for (void* config : configs)
    std::printf(" %lld", engine_of(config));
  std::printf("\n");
}

void time_them(void* graph, void* pack) {
  int status = 0;
  long long chosen = -1;
  float shortest = 0;
  void* best = nullptr;
  for (void* config : configs_of(graph, status)) {
    const auto plan = plan_of(config);
    if (finalize(plan) != backend::success)
      continue;
    if (CALL(cudnnBackendExecute)(nullptr, plan, pack) != backend::success)
      continue;
    const float time = CALL(cudnnDoubleElapsedTime)();
    if (chosen >= 0 && time >= shortest)
      continue;
    chosen = engine_of_plan(plan);
    shortest = time;
    best = plan;
  }
  if (best)
    CALL(cudnnBackendExecute)(nullptr, best, pack);
  std::printf("chosen %lld\n", chosen);
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
  const bool is_set = CALL(cudnnBackendGetAttribute)(reduction, backend::reduction_is_deterministic,
                                                     backend::boolean, 1, &count,
                                                     &is_deterministic) == backend::success;
  std::printf("reduction: %d %s\n", status,
              !is_set            ? "unset"
              : is_deterministic ? "true"
                                 : "false");
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
      std::printf("plan %s: %d", value.c_str(), status);
      if (status == backend::success && engine_of_plan(candidate) != std::atoll(value.c_str()))
        std::printf(" as %lld", engine_of_plan(candidate));
      std::printf("\n");
      if (status == backend::success)
        plan = candidate;
      else
        CALL(cudnnBackendDestroyDescriptor)(candidate);
    } else if (command == "run") {
      std::printf("run: %d\n", CALL(cudnnBackendExecute)(nullptr, plan, pack));
    } else if (command == "populate") {
      std::printf("populate: %d\n",
                  CALL(cudnnBackendPopulateCudaGraph)(nullptr, plan, pack, nullptr));
    } else if (command == "destroy") {
      CALL(cudnnBackendDestroyDescriptor)(plan);
    } else if (command == "list") {
      list(graph);
    } else if (command == "time") {
      time_them(graph, pack);
    } else if (command.starts_with("matmuls")) {
      graph = graph_of_matmuls(std::atoll(value.c_str()));
    } else if (command == "drop") {
      CALL(cudnnBackendDestroyDescriptor)(graph);
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
