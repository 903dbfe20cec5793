// Recorded tuning of operation graphs: the plan that a program ran last is kept, and its engine
// config comes first in the heuristics' lists of later runs (docs/TUNING_FILE.md).
#pragma once

#include "core/tuning/tuning.h"
#include "hooks/cudnn/plans.h"
#include "hooks/support/tuning_place.h"

namespace detshim::cudnn {

/// A graph as the tuning file names it.
class GraphProblem {
public:
  template <typename Call>
  GraphProblem(const Call& call, uint32_t graph) {
    place_.version().add(static_cast<uint64_t>(cudnn_version(call.hook())));
    copy_problem(graph, problem_, sizeof problem_);
  }
  bool is_known() const { return problem_[0] != 0; }
  TuningProblem names() { return place_.name("cudnn", "graph", problem_); }

private:
  TuningPlace place_;
  char problem_[problem_size];
};

/// DETSHIM_AUTOTUNE=record: the plan has run. Of several the last stays.
template <typename Call>
void keep_choice(const Call& call, Descriptor plan) {
  const Note note = note_of(plan);
  if (!run_last(note))
    return;
  const Backend backend = backend_of(call);
  Owned config(backend, DescriptorType::engine_config);
  Text<tuning_choice_size> choice;
  if (backend.usable() && read(backend, plan, Name::execution_plan_engine_config, config))
    config_of(backend, config.descriptor, &choice);
  GraphProblem problem(call, note.graph);
  if (!problem.is_known() || choice.length() == 0 || !keep_tuning(problem.names(), choice.c_str()))
    call.record(Action::nondeterministic, Reason::tuning_cannot_keep, {""});
}

/// The config that the tuning file keeps for a graph.
struct Kept {
  int64_t place = -1; ///< in the list; -1: it is not there
  Config config;
  Reason why; ///< for the log
};

/// Looks in a list of engine configs for the one that the tuning file keeps for the graph.
template <typename Call>
Kept find_kept(const Call& call, const Backend& backend, uint32_t graph, const Descriptor* configs,
               int64_t count) {
  GraphProblem problem(call, graph);
  char kept[tuning_choice_size];
  if (!problem.is_known() || !find_tuning(problem.names(), kept, sizeof kept))
    return {-1, {}, Reason::not_in_tuning_file};
  for (int64_t i = 0; i < count; ++i) {
    Text<tuning_choice_size> name;
    const Config config = config_of(backend, configs[i], &name);
    if (name.length() != 0 && same_text(name.c_str(), kept))
      return {i, config, Reason::kept_choice};
  }
  return {-1, {}, Reason::kept_choice_not_offered};
}

} // namespace detshim::cudnn
