// cuDNN's backend descriptors for the programs of this folder: made, filled, finalized, in few
// words. A call that the library refuses throws.
#pragma once

#include "call.h"

#include <cudnn.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <vector>

using Descriptor = cudnnBackendDescriptor_t;

/// A call that the library refused.
struct Refused {
  const char* what;
  cudnnStatus_t status;
};

inline void check(const char* what, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS)
    throw Refused{what, status};
}

inline Descriptor create(cudnnBackendDescriptorType_t type) {
  Descriptor descriptor = nullptr;
  check("create", CALL(cudnnBackendCreateDescriptor)(type, &descriptor));
  return descriptor;
}

inline void destroy(Descriptor descriptor) { CALL(cudnnBackendDestroyDescriptor)(descriptor); }

template <class T>
void set(Descriptor descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
         const std::vector<T>& values) {
  const auto count = static_cast<int64_t>(values.size());
  check("set", CALL(cudnnBackendSetAttribute)(descriptor, name, type, count, values.data()));
}

/// An attribute that is one descriptor.
inline void set(Descriptor descriptor, cudnnBackendAttributeName_t name, Descriptor value) {
  set(descriptor, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, std::vector{value});
}

inline void finalize(Descriptor descriptor) {
  check("finalize", CALL(cudnnBackendFinalize)(descriptor));
}

template <class T>
std::vector<T> get(Descriptor descriptor, cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type, int64_t room) {
  std::vector<T> values(static_cast<size_t>(room));
  int64_t count = 0;
  check("get", CALL(cudnnBackendGetAttribute)(descriptor, name, type, room, &count, values.data()));
  values.resize(static_cast<size_t>(std::min(count, room)));
  return values;
}

/// The device that DETSHIM_TEST_DEVICE describes.
inline Descriptor device_properties() {
  std::ifstream file(DETSHIM_TEST_DEVICE);
  const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
  const auto descriptor = create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
  set(descriptor, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, text);
  finalize(descriptor);
  return descriptor;
}

inline Descriptor operation_graph_of(const std::vector<Descriptor>& operations) {
  const auto result = create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  set(result, CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, operations);
  finalize(result);
  return result;
}

inline Descriptor heuristics_of(Descriptor operation_graph, cudnnBackendHeurMode_t mode,
                                Descriptor properties) {
  const auto heuristics = create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, operation_graph);
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, std::vector{mode});
  set(heuristics, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, properties);
  finalize(heuristics);
  return heuristics;
}

/// A heuristics list, asked for the way cudnn-frontend does: descriptors of the program's own, an
/// array of pointers that is thrown away.
inline std::vector<Descriptor> configs_of(Descriptor heuristics) {
  int64_t count = -1;
  check("count", CALL(cudnnBackendGetAttribute)(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
  std::vector<Descriptor> own;
  for (int64_t i = 0; i < count; ++i)
    own.push_back(create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  int64_t returned = 0;
  auto handed_in = own;
  if (count > 0)
    check("results", CALL(cudnnBackendGetAttribute)(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                                    CUDNN_TYPE_BACKEND_DESCRIPTOR, count, &returned,
                                                    handed_in.data()));
  for (auto i = static_cast<size_t>(returned); i < own.size(); ++i)
    destroy(own[i]);
  own.resize(static_cast<size_t>(std::clamp<int64_t>(returned, 0, count)));
  return own;
}

/// An engine of a graph by its index.
inline Descriptor engine_of(Descriptor operation_graph, int64_t index, Descriptor properties) {
  const auto engine = create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, operation_graph);
  set(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, std::vector{index});
  set(engine, CUDNN_ATTR_ENGINE_DEVICEPROP, properties);
  finalize(engine);
  return engine;
}

/// A config of the engine with this index and default knobs.
inline Descriptor config_of(Descriptor operation_graph, int64_t index, Descriptor properties) {
  const auto config = create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  set(config, CUDNN_ATTR_ENGINECFG_ENGINE, engine_of(operation_graph, index, properties));
  finalize(config);
  return config;
}

/// A plan that has its device alone.
inline Descriptor empty_plan(Descriptor properties) {
  const auto descriptor = create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  set(descriptor, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, properties);
  return descriptor;
}

/// A plan that is not finalized yet.
inline Descriptor plan_of(Descriptor config, Descriptor properties) {
  const auto descriptor = empty_plan(properties);
  set(descriptor, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  return descriptor;
}

/// What is told of a config's engine.
struct Engine {
  int64_t index;
  std::vector<cudnnBackendNumericalNote_t> notes;
  bool is_nondeterministic() const {
    return std::find(notes.begin(), notes.end(), CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC) !=
           notes.end();
  }
};

inline Engine engine_of(Descriptor config) {
  const auto engine = create(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  Descriptor into[] = {engine};
  int64_t count = 0;
  check("engine", CALL(cudnnBackendGetAttribute)(config, CUDNN_ATTR_ENGINECFG_ENGINE,
                                                 CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, into));
  Engine result{get<int64_t>(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1).at(0),
                get<cudnnBackendNumericalNote_t>(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                 CUDNN_TYPE_NUMERICAL_NOTE,
                                                 CUDNN_NUMERICAL_NOTE_TYPE_COUNT)};
  destroy(engine);
  return result;
}

struct Knob {
  cudnnBackendKnobType_t type;
  int64_t value;
};

inline std::vector<Knob> knobs_of(Descriptor config) {
  std::vector<Descriptor> choices;
  for (int i = 0; i < CUDNN_KNOB_TYPE_COUNTS; ++i)
    choices.push_back(create(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
  int64_t count = 0;
  check("knobs", CALL(cudnnBackendGetAttribute)(config, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                                CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                                CUDNN_KNOB_TYPE_COUNTS, &count, choices.data()));
  std::vector<Knob> knobs;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    knobs.push_back(
        {get<cudnnBackendKnobType_t>(choices[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                     CUDNN_TYPE_KNOB_TYPE, 1)
             .at(0),
         get<int64_t>(choices[i], CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1).at(0)});
  for (const auto choice : choices)
    destroy(choice);
  return knobs;
}
