// Users of cuDNN's graph API that build more than one execution plan of a graph (cudnn_graphs.h),
// without a GPU.
//
//   cudnn_plans GRAPH COMMAND...
//     time=list      finalizes a plan of each config in the heuristics' order, and "times" those
//     that can be
//                    finalized: which one is fastest is a matter of chance, as it is on a GPU
//     time=shuffled  the same in an order that std::random_device gives
//     memory         finalizes the configs in turn, each plan destroyed before the next: wants
//     another one keep           the same, and keeps the plans twice          the first config that
//     can be finalized: two plans of it, one of a config read from the
//                    first, one of the same config in another list
//     other-graph    two graphs of the same operations, the first config of each that can be
//     finalized new-graph      the same, the first graph with all that was made of it destroyed
//     before late           keeps the configs, destroys their graph, and finalizes them in turn
//     threads        the plans of four configs, finalized in as many threads at once
//     walk           a plan of each engine that the graph counts, by its index
//
// A plan is a line `CONFIG: STATUS`, with ` as CONFIG` where the plan says that it is of another
// config than the one that it was given; the choice of `time` is a line `chosen CONFIG`, as the
// plan says.
#include "cudnn_graphs.h"

#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string name_of(Descriptor config) {
  std::string name = "engine=" + std::to_string(engine_of(config).index);
  for (const Knob& knob : knobs_of(config))
    name += " " + std::to_string(knob.type) + ":" + std::to_string(knob.value);
  return name;
}

/// What a program keeps of a graph.
struct Candidates {
  Descriptor graph, heuristics;
  std::vector<Descriptor> configs;
};

Candidates candidates_of(const Graph& graph, Descriptor properties) {
  const auto operations = build(graph);
  const auto heuristics = heuristics_of(operations, CUDNN_HEUR_MODE_A, properties);
  return {operations, heuristics, configs_of(heuristics)};
}

int status_of(Descriptor plan) { return CALL(cudnnBackendFinalize)(plan); }

/// The config that a finalized plan says it is of.
std::string name_of_plan(Descriptor plan) {
  const auto config = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  Descriptor into[] = {config};
  int64_t count = 0;
  check("config", CALL(cudnnBackendGetAttribute)(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, into));
  const auto name = name_of(config);
  destroy(config);
  return name;
}

/// Finalizes a plan and prints what came of it; null if it cannot be used.
Descriptor finish(Descriptor config, Descriptor properties) {
  const auto plan = plan_of(config, properties);
  const int status = status_of(plan);
  const auto name = name_of(config),
             own = status == CUDNN_STATUS_SUCCESS ? name_of_plan(plan) : name;
  std::printf("%s: %d%s%s\n", name.c_str(), status, own != name ? " as " : "",
              own != name ? own.c_str() : "");
  if (status == CUDNN_STATUS_SUCCESS)
    return plan;
  destroy(plan);
  return nullptr;
}

Descriptor first_that_finishes(const std::vector<Descriptor>& configs, Descriptor properties,
                               Descriptor& chosen) {
  for (const auto config : configs)
    if (const auto plan = finish(config, properties)) {
      chosen = config;
      return plan;
    }
  return nullptr;
}

void time_them(std::vector<Descriptor> configs, bool shuffled, Descriptor properties) {
  if (shuffled) {
    std::mt19937 order(std::random_device{}());
    std::shuffle(configs.begin(), configs.end(), order);
  }
  std::vector<Descriptor> plans;
  for (const auto config : configs)
    if (const auto plan = plan_of(config, properties); status_of(plan) == CUDNN_STATUS_SUCCESS) {
      plans.push_back(plan);
    } else {
      destroy(plan);
    }
  // Nothing pins the clock, nor what a measured time would be.
  std::mt19937_64 chance(
      static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()));
  std::printf("chosen %s\n",
              plans.empty() ? "none" : name_of_plan(plans[chance() % plans.size()]).c_str());
}

void finish_at_once(const std::vector<Descriptor>& configs, Descriptor properties) {
  constexpr size_t count = 4;
  std::vector<int> statuses(count);
  std::vector<Descriptor> plans;
  for (size_t i = 0; i < count; ++i)
    plans.push_back(plan_of(configs.at(i), properties));
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      statuses[i] = status_of(plans[i]);
    });
  for (auto& thread : threads)
    thread.join();
  std::printf("finalized %td\n", std::count(statuses.begin(), statuses.end(), 0));
}

void walk(Descriptor graph, Descriptor properties) {
  const auto count =
      get<int64_t>(graph, CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT, CUDNN_TYPE_INT64, 1).at(0);
  for (int64_t i = 0; i < count; ++i) {
    try {
      const auto config = config_of(graph, i, properties);
      const auto plan = plan_of(config, properties);
      std::printf("engine=%lld%s: %d\n", static_cast<long long>(i),
                  engine_of(config).is_nondeterministic() ? " nondeterministic" : "",
                  status_of(plan));
      destroy(plan);
    } catch (const Refused&) { // most engines are none for this graph
    }
  }
}

void run(const std::string& command, const Graph& graph, Descriptor properties) {
  const auto all = candidates_of(graph, properties);
  Descriptor chosen = nullptr;
  if (command.starts_with("time="))
    return time_them(all.configs, command == "time=shuffled", properties);
  if (command == "threads")
    return finish_at_once(all.configs, properties);
  if (command == "walk")
    return walk(all.graph, properties);
  if (command == "memory" || command == "keep" || command == "late") {
    if (command == "late") {
      destroy(all.heuristics);
      destroy(all.graph);
    }
    for (const auto config : all.configs)
      if (const auto plan = finish(config, properties); plan && command == "memory")
        destroy(plan);
  } else if (command == "twice") {
    const auto plan = first_that_finishes(all.configs, properties, chosen);
    finish(chosen, properties);
    const auto read = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    Descriptor into[] = {read};
    int64_t count = 0;
    check("config", CALL(cudnnBackendGetAttribute)(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                                                   CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, into));
    finish(read, properties);
    for (const auto config : configs_of(heuristics_of(all.graph, CUDNN_HEUR_MODE_A, properties)))
      if (name_of(config) == name_of(chosen))
        finish(config, properties);
  } else if (command == "other-graph" || command == "new-graph") {
    const auto plan = first_that_finishes(all.configs, properties, chosen);
    if (command == "new-graph") {
      destroy(plan);
      for (const auto config : all.configs)
        destroy(config);
      destroy(all.heuristics);
      destroy(all.graph);
    }
    first_that_finishes(candidates_of(graph, properties).configs, properties, chosen);
  }
}

} // namespace

int main(int argc, char** argv) try {
  const auto properties = device_properties();
  for (const Graph& graph : all_graphs()) {
    if (argc < 2 || graph.name != argv[1])
      continue;
    for (int i = 2; i < argc; ++i)
      run(argv[i], graph, properties);
    return 0;
  }
  return 2;
} catch (const Refused& refused) {
  std::printf("%s: %d\n", refused.what, static_cast<int>(refused.status));
  return 1;
}
