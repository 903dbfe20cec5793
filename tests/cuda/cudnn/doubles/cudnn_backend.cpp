// A double of libcudnn.so.9's backend interface: descriptors that keep what they are given, engines
// that are numbers, plans that run without a GPU. Engine 9 is nondeterministic by its notes. What a
// test wants to differ from run to run, the order of the heuristics' list and the times, it says
// each time.
//
// DOUBLE_CUDNN_VERSION   what cudnnGetVersion answers; 91900 unless it is set
// DOUBLE_ENGINES         the heuristics' list, 1,9,2,3 unless it is set
// DOUBLE_FASTEST         the engine whose plans run in the shortest time
// DOUBLE_MISBEHAVE:
//   engine 0 fails         running a plan of engine 0 fails with CUDNN_STATUS_EXECUTION_FAILED
//   no promises            a reduction takes no word of determinism
//   heuristics fail        so does asking for the list
//   fewer                  the list is two engines long, whatever was promised
//   only_nondeterministic  every engine is nondeterministic
//   no notes               the notes of engines cannot be asked for
//   another order          the list begins one engine later each time that it is asked for
//
// DETSHIM_TEST_NO_POPULATE builds an older library, which has no cudnnBackendPopulateCudaGraph.
#include "backend.h"
#include "record.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Descriptor {
  int type = 0;
  bool is_finalized = false;
  std::map<int, std::vector<char>> values;
  std::map<int, Descriptor> held; ///< as the real one: a copy of what it was given

  int64_t index() const {
    int64_t value = -1;
    if (const auto found = values.find(backend::engine_index); found != values.end())
      std::memcpy(&value, found->second.data(), sizeof value);
    return value;
  }
};

size_t size_of(int type) {
  return type == backend::boolean                                                      ? 1
         : type == backend::numerical_note || type == backend::reduction_operator_type ? 4
                                                                                       : 8;
}

std::vector<int64_t> listed_engines() {
  const char* asked = std::getenv("DOUBLE_ENGINES");
  std::istringstream text(asked ? asked : "1,9,2,3");
  std::vector<int64_t> engines;
  for (std::string one; std::getline(text, one, ',');)
    engines.push_back(std::stoll(one));
  return engines;
}

Descriptor config_of(const Descriptor& graph, int64_t index) {
  Descriptor made_engine, config;
  made_engine.type = backend::engine;
  config.type = backend::engine_config;
  made_engine.held[backend::engine_graph] = graph;
  const auto* bytes = reinterpret_cast<const char*>(&index);
  made_engine.values[backend::engine_index] = {bytes, bytes + sizeof index};
  config.values[backend::config_engine] = {};
  config.held[backend::config_engine] = made_engine;
  made_engine.is_finalized = config.is_finalized = true;
  return config;
}

/// Fills descriptors as the real one: empty ones, up to the first that is not.
int deliver(const Descriptor& heuristics, int64_t requested, int64_t& returned,
            Descriptor* const* configs) {
  static size_t times = 0;
  if (misbehaves("heuristics fail"))
    return backend::execution_failed;
  auto engines = listed_engines();
  if (requested == 0) {
    returned = static_cast<int64_t>(engines.size());
    return backend::success;
  }
  if (misbehaves("fewer"))
    engines.resize(2);
  if (misbehaves("another order"))
    std::rotate(engines.begin(), engines.begin() + static_cast<long>(times++ % engines.size()),
                engines.end());
  const auto& graph = heuristics.held.at(backend::heuristics_graph);
  const auto room = std::min(engines.size(), static_cast<size_t>(requested));
  for (size_t i = 0; i < room && !configs[i]->is_finalized; ++i, ++returned)
    *configs[i] = config_of(graph, engines[i]);
  return backend::success;
}

float last_time = 0;

int run(const char* function, const Descriptor& plan) {
  const int64_t index = plan.held.at(backend::plan_config).held.at(backend::config_engine).index();
  const bool fails = index == 0 && misbehaves("engine 0 fails");
  const char* fastest = std::getenv("DOUBLE_FASTEST");
  last_time = fastest && std::stoll(fastest) == index ? 1.0F : 2.0F + static_cast<float>(index);
  record("%s engine=%lld", function, static_cast<long long>(index));
  return fails ? backend::execution_failed : backend::success;
}

} // namespace

extern "C" {

size_t cudnnGetVersion() {
  const char* asked = std::getenv("DOUBLE_CUDNN_VERSION");
  return asked ? std::strtoul(asked, nullptr, 10) : 91900;
}

int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  auto* made = new Descriptor;
  made->type = type;
  *descriptor = made;
  return backend::success;
}

int cudnnBackendDestroyDescriptor(void* descriptor) {
  *static_cast<Descriptor*>(descriptor) = {}; // its address is not used again
  return backend::success;
}

int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count,
                             const void* elements) {
  auto& own = *static_cast<Descriptor*>(descriptor);
  if (own.is_finalized || count < 1)
    return backend::bad_param;
  if (name == backend::reduction_is_deterministic && misbehaves("no promises"))
    return backend::not_supported;
  const auto* bytes = static_cast<const char*>(elements);
  if (type == backend::int64 || type == backend::boolean)
    record("cudnnBackendSetAttribute type=%d %d=%lld", own.type, name,
           type == backend::boolean
               ? static_cast<long long>(*bytes)
               : static_cast<long long>(*static_cast<const int64_t*>(elements)));
  own.values[name] = {bytes, bytes + size_of(type) * static_cast<size_t>(count)};
  if (type == backend::descriptor)
    own.held[name] = **static_cast<Descriptor* const*>(elements);
  return backend::success;
}

int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t requested,
                             int64_t* returned, void* elements) {
  const auto& own = *static_cast<const Descriptor*>(descriptor);
  int64_t unwanted = 0;
  if (!returned)
    returned = &unwanted;
  *returned = 0;
  if (own.type == backend::engine_heuristics && name == backend::heuristics_results)
    return deliver(own, requested, *returned, static_cast<Descriptor* const*>(elements));
  if (own.type == backend::engine && name == backend::engine_note) {
    if (misbehaves("no notes"))
      return backend::not_supported;
    if ((own.index() == 9 || misbehaves("only_nondeterministic")) && requested > 0) {
      *static_cast<int*>(elements) = backend::note_nondeterministic;
      *returned = 1;
    }
    return backend::success;
  }
  if (own.type == backend::engine_config && name == backend::config_knob_choices)
    return backend::success;
  const auto found = own.values.find(name);
  if (found == own.values.end() || requested < 1)
    return backend::bad_param;
  *returned = 1;
  if (type == backend::descriptor)
    **static_cast<Descriptor* const*>(elements) = own.held.at(name);
  else
    std::memcpy(elements, found->second.data(), size_of(type));
  return backend::success;
}

int cudnnBackendFinalize(void* descriptor) {
  auto& own = *static_cast<Descriptor*>(descriptor);
  record("cudnnBackendFinalize type=%d", own.type);
  own.is_finalized = true;
  return backend::success;
}

int cudnnBackendExecute(void*, void* plan, void*) {
  return run("cudnnBackendExecute", *static_cast<Descriptor*>(plan));
}

#ifndef DETSHIM_TEST_NO_POPULATE
int cudnnBackendPopulateCudaGraph(void*, void* plan, void*, void*) {
  return run("cudnnBackendPopulateCudaGraph", *static_cast<Descriptor*>(plan));
}
#endif

float cudnnDoubleElapsedTime() { return last_time; }

} // extern "C"
