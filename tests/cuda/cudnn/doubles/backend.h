// The few functions and numbers of cuDNN's backend interface that its double answers and that one's
// users call: as cudnn_graph.h of cuDNN 9.19 has them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace backend {

enum Status { success = 0, bad_param = 2000, not_supported = 3000, execution_failed = 5000 };

enum DescriptorType {
  engine = 2,
  engine_config = 3,
  engine_heuristics = 4,
  execution_plan = 5,
  knob_choice = 7,
  operation_graph = 15,
  variant_pack = 16,
  tensor = 17,
  operation_matmul = 19,
  reduction = 21,
  operation_rng = 33,
  operation_sdpa_backward = 43,
};

enum Type {
  boolean = 2,
  int64 = 3,
  numerical_note = 11,
  descriptor = 15,
  reduction_operator_type = 18
};

enum Name {
  heuristics_graph = 201,
  heuristics_results = 202,
  config_engine = 300,
  config_knob_choices = 302,
  plan_config = 401,
  graph_operations = 801,
  engine_graph = 1300,
  engine_index = 1301,
  engine_note = 1303,
  matmul_product = 1522,
  reduction_operator = 1600,
  reduction_is_deterministic = 1602,
  rng_seed = 2311,
  sdpa_backward_q = 2851,
};

constexpr int64_t note_nondeterministic = 4;

} // namespace backend

extern "C" {

size_t cudnnGetVersion();
int cudnnBackendCreateDescriptor(int type, void** descriptor);
int cudnnBackendDestroyDescriptor(void* descriptor);
int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count,
                             const void* elements);
int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t requested,
                             int64_t* returned, void* elements);
int cudnnBackendFinalize(void* descriptor);
int cudnnBackendExecute(void* handle, void* plan, void* variant_pack);
int cudnnBackendPopulateCudaGraph(void* handle, void* plan, void* variant_pack, void* graph);

/// The double's own, for the CUDA events that a program times its plans with: how long the last run
/// took.
float cudnnDoubleElapsedTime();

} // extern "C"
