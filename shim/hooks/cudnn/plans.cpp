#include "hooks/cudnn/plans.h"

#include "core/base/signal_safe_lock.h"
#include "core/tuning/tuning.h"

namespace detshim::cudnn {
namespace {

/// What is known of a graph, in the place that its number gives.
struct Graph {
  uint32_t number;
  bool is_alive;
  bool has_sdpa_backward;
  bool has_run;     ///< a plan of the config that is taken
  uint32_t holders; ///< finalized plans of it
  uint32_t notes;   ///< descriptors that are known to be of the graph, with itself
  Config taken;
  Descriptor copy;            ///< of what is taken: ours; nullptr without one
  uint64_t taken_by;          ///< key of the thread
  Config wanted;              ///< by the tuning file, and not tried yet
  int64_t others;             ///< plans that may be refused for it
  uint64_t refused;           ///< key of the first config that was
  uint64_t ran_last;          ///< key of the config
  char problem[problem_size]; ///< for recorded tuning; empty where it is not known
};
constexpr uint32_t graph_limit = 4096;

/// What is kept of descriptors and graphs.
struct PlanMemory {
  /// Heuristics lists live as long as their graphs in some programs, 30 to 70 configs each: there
  /// is room for about a thousand such graphs.
  DescriptorTable<Note, 4096> notes;
  Mapped<Graph[graph_limit]> graphs;
  uint32_t last_number = 0;
  uint64_t lock = 0;
};
constinit PlanMemory memory = {};

/// The graph of that number, if its place is not another's by now.
Graph* graph_of(uint32_t number) {
  auto* const all = memory.graphs.peek();
  if (number == 0 || all == nullptr)
    return nullptr;
  Graph& graph = (*all)[number % graph_limit];
  return graph.number == number ? &graph : nullptr;
}

/// The graph of that number, with the lock held while it lives; null where it cannot be had.
class LockedGraph {
public:
  explicit LockedGraph(uint32_t number)
      : guard_(memory.lock), graph_(guard_.held() ? graph_of(number) : nullptr) {}
  explicit operator bool() const { return graph_ != nullptr; }
  Graph* operator->() const { return graph_; }

private:
  SignalSafeLock guard_;
  Graph* graph_;
};

Descriptor take_copy(Graph& graph) {
  const Descriptor copy = graph.copy;
  graph.copy = nullptr;
  return copy;
}

Descriptor give_back(const Note& note) {
  Graph* const graph = graph_of(note.graph);
  if (graph == nullptr || graph->taken.key != note.config.key)
    return nullptr;
  if (graph->holders > 0)
    --graph->holders;
  if (graph->holders != 0 || graph->has_run)
    return nullptr;
  graph->taken = {};
  return take_copy(*graph);
}

Descriptor forget_locked(Note& note) {
  Descriptor copy = (note.flags & Note::holds) != 0 ? give_back(note) : nullptr;
  if (Graph* const graph = graph_of(note.graph); graph != nullptr) {
    if ((note.flags & Note::graph_itself) != 0)
      graph->is_alive = false;
    if (--graph->notes == 0 && copy == nullptr)
      copy = take_copy(*graph);
  }
  __atomic_store_n(&note.descriptor, nullptr, __ATOMIC_RELAXED);
  note.graph = 0;
  note.flags = 0;
  return copy;
}

bool write_locked(const Note& note) {
  Note* const place = memory.notes.make(note.descriptor);
  if (place == nullptr)
    return false;
  if (place->graph != note.graph) { // of none before: what is filled anew was forgotten
    if (Graph* const graph = graph_of(place->graph))
      --graph->notes;
    if (Graph* const graph = graph_of(note.graph))
      ++graph->notes;
  }
  place->graph = note.graph;
  place->flags = note.flags;
  place->config = note.config;
  __atomic_store_n(&place->descriptor, note.descriptor, __ATOMIC_RELAXED);
  return true;
}

/// The settings that a config gives its engine.
struct Knobs {
  uint64_t key = 0; ///< a sum: the order of knobs means nothing
  Text<tuning_choice_size> text;
};

/// The library's own descriptors that hold a config's knobs.
class KnobChoices {
public:
  explicit KnobChoices(const Backend& backend) : backend_(backend) {
    while (made_ < limit &&
           backend.create(DescriptorType::knob_choice, &choices_[made_]) == Status::success)
      ++made_;
  }
  ~KnobChoices() {
    for (int64_t i = 0; i < made_; ++i)
      backend_.destroy(choices_[i]);
  }
  KnobChoices& operator=(KnobChoices&&) = delete; // neither copied nor moved

  /// False where the knobs cannot be read.
  bool read(Descriptor config, Knobs& knobs) {
    // The library does not tell their number ahead: it fills as many as it is given.
    int64_t filled = 0;
    if (made_ != limit ||
        backend_.get(config, Name::engine_config_knob_choices, Type::backend_descriptor, made_,
                     &filled, choices_) != Status::success)
      return false;
    for (int64_t i = 0; i < filled && i < made_; ++i)
      if (!add(choices_[i], knobs))
        return false;
    return true;
  }

private:
  static constexpr int64_t limit = 96; // 44 kinds are known

  bool add(Descriptor choice, Knobs& knobs) {
    int64_t count = 0;
    int type = 0;
    int64_t value = 0;
    if (backend_.get(choice, Name::knob_choice_type, Type::knob_type, 1, &count, &type) !=
            Status::success ||
        backend_.get(choice, Name::knob_choice_value, Type::int64, 1, &count, &value) !=
            Status::success)
      return false;
    knobs.key += mix(static_cast<uint64_t>(type), static_cast<uint64_t>(value));
    knobs.text.add(' ').add(static_cast<uint64_t>(type)).add('=').add(static_cast<uint64_t>(value));
    return true;
  }

  const Backend& backend_;
  Descriptor choices_[limit];
  int64_t made_ = 0;
};

/// Writes what names a config in another run; nothing where there is no room for all of it.
void name_config(TextWriter& name, int64_t engine, int64_t multiprocessors, Knobs& knobs) {
  name.add("engine ").add(static_cast<uint64_t>(engine));
  if (multiprocessors != 0)
    name.add(" multiprocessors ").add(static_cast<uint64_t>(multiprocessors));
  if (knobs.text.length() != 0)
    name.add(" knobs").add(knobs.text.c_str());
  if (knobs.text.cut() || name.cut())
    name.clear();
}

} // namespace

Config config_of(const Backend& backend, Descriptor config, TextWriter* name) {
  const Config by_address{mix(reinterpret_cast<uintptr_t>(config), 1) | 1, -1};
  Owned engine(backend, DescriptorType::engine);
  int64_t index = 0, count = 0;
  if (!read(backend, config, Name::engine_config_engine, engine) ||
      backend.get(engine.descriptor, Name::engine_global_index, Type::int64, 1, &count, &index) !=
          Status::success)
    return by_address;
  Config result{mix(static_cast<uint64_t>(index), 2), index};
  int64_t multiprocessors = 0; // to which a program may limit an engine
  if (backend.get(engine.descriptor, Name::engine_sm_count_target, Type::int32, 1, &count,
                  &multiprocessors) == Status::success)
    result.key = mix(result.key, static_cast<uint64_t>(multiprocessors));
  Knobs knobs;
  if (!KnobChoices(backend).read(config, knobs))
    return by_address;
  result.key = mix(result.key, knobs.key) | 1;
  if (name != nullptr)
    name_config(*name, index, multiprocessors, knobs);
  return result;
}

uint32_t flags_of(const void* descriptor) {
  const Note* const note = memory.notes.find(descriptor);
  return note != nullptr ? __atomic_load_n(&note->flags, __ATOMIC_RELAXED) : 0;
}

Note note_of(const void* descriptor) {
  SignalSafeLock guard(memory.lock);
  const Note* const note = memory.notes.find(descriptor);
  return note != nullptr ? *note : Note{};
}

bool remember(const Note& note) {
  SignalSafeLock guard(memory.lock);
  return guard.held() && write_locked(note);
}

Descriptor forget(const void* descriptor) {
  if (memory.notes.find(descriptor) == nullptr)
    return nullptr;
  SignalSafeLock guard(memory.lock);
  if (!guard.held())
    return nullptr;
  Note* const note = memory.notes.find(descriptor);
  return note != nullptr ? forget_locked(*note) : nullptr;
}

bool inherit_graph(const void* descriptor, const void* from, Descriptor& stale) {
  stale = nullptr;
  SignalSafeLock guard(memory.lock);
  if (!guard.held())
    return false;
  const Note* const source = memory.notes.find(from);
  const uint32_t graph = source != nullptr ? source->graph : 0;
  if (Note* const old = memory.notes.find(descriptor); old != nullptr)
    stale = forget_locked(*old);
  return graph == 0 || write_locked({descriptor, graph, 0, {}});
}

uint32_t number_of(const void* descriptor, Descriptor& stale) {
  stale = nullptr;
  SignalSafeLock guard(memory.lock);
  if (!guard.held())
    return 0;
  if (const Note* const note = memory.notes.find(descriptor); note != nullptr && note->graph != 0)
    return note->graph;
  auto* const all = memory.graphs.get();
  for (uint32_t tries = 0; tries < graph_limit && all != nullptr; ++tries) {
    if (++memory.last_number == 0)
      ++memory.last_number;
    Graph& place = (*all)[memory.last_number % graph_limit];
    if (place.number != 0 && place.is_alive)
      continue;
    stale = take_copy(place);
    place = {};
    place.number = memory.last_number;
    place.is_alive = write_locked({descriptor, memory.last_number, Note::graph_itself, {}});
    if (!place.is_alive)
      return 0;
    return memory.last_number;
  }
  return 0;
}

void mark_sdpa_backward(uint32_t number) {
  if (const LockedGraph graph(number); graph)
    graph->has_sdpa_backward = true;
}

bool has_sdpa_backward(uint32_t number) {
  const LockedGraph graph(number);
  return graph && graph->has_sdpa_backward;
}

void name_problem(uint32_t number, const char* problem) {
  if (const LockedGraph graph(number); graph)
    TextWriter(graph->problem, sizeof graph->problem).add(problem).c_str();
}

void copy_problem(uint32_t number, char* problem, size_t size) {
  const LockedGraph graph(number);
  TextWriter(problem, size).add(graph ? graph->problem : "").c_str();
}

void want(uint32_t number, const Config& config, int64_t others) {
  const LockedGraph graph(number);
  if (!graph || graph->taken.key != 0)
    return;
  graph->wanted = config;
  graph->others = others;
  graph->refused = 0;
}

void give_up(const Note& plan) {
  if (const LockedGraph graph(plan.graph); graph && graph->wanted.key == plan.config.key)
    graph->wanted = {};
}

bool run_last(const Note& plan) {
  const LockedGraph graph(plan.graph);
  if (!graph || graph->ran_last == plan.config.key)
    return false;
  graph->ran_last = plan.config.key;
  return true;
}

bool is_taken(const Note& plan, Taken& taken) {
  const uint64_t thread = this_thread().key;
  const LockedGraph graph(plan.graph);
  if (!graph)
    return false;
  if (graph->taken.key == 0 && graph->wanted.key != 0 && graph->wanted.key != plan.config.key) {
    taken = {graph->wanted, false, true, false};
    if (graph->refused != plan.config.key && --graph->others >= 0) {
      if (graph->refused == 0)
        graph->refused = plan.config.key;
      return true;
    }
    graph->wanted = {};
    taken.gave_up = true;
    return false;
  }
  if (graph->taken.key == 0 || graph->taken.key == plan.config.key)
    return false;
  taken = {graph->taken, graph->taken_by != thread, false, false, graph->copy};
  return true;
}

bool take(const Note& plan) {
  const uint64_t thread = this_thread().key;
  const LockedGraph graph(plan.graph);
  Note* const note = memory.notes.find(plan.descriptor);
  if (!graph || note == nullptr)
    return true;
  if (graph->taken.key != 0 && graph->taken.key != plan.config.key)
    return false;
  if (graph->taken.key == 0) {
    graph->wanted = {};
    graph->taken = plan.config;
    graph->taken_by = thread;
    graph->has_run = false;
    graph->holders = 0;
    graph->copy = nullptr; // what was taken before had its own taken away with it
  }
  if ((note->flags & Note::holds) == 0)
    ++graph->holders;
  __atomic_store_n(&note->flags, note->flags | Note::holds, __ATOMIC_RELAXED);
  return true;
}

bool wants_copy(const Note& plan) {
  const LockedGraph graph(plan.graph);
  return graph && graph->taken.key == plan.config.key && graph->copy == nullptr;
}

bool keep_copy(const Note& plan, Descriptor copy) {
  const LockedGraph graph(plan.graph);
  if (!graph || graph->taken.key != plan.config.key || graph->copy != nullptr)
    return false;
  graph->copy = copy;
  return true;
}

bool ran(const void* plan, bool succeeded, Descriptor& copy) {
  SignalSafeLock guard(memory.lock);
  Note* const note = memory.notes.find(plan);
  if (!guard.held() || note == nullptr || (note->flags & Note::holds) == 0)
    return false;
  Graph* const graph = graph_of(note->graph);
  const bool is_its = graph != nullptr && graph->taken.key == note->config.key;
  if (succeeded) {
    if (is_its)
      graph->has_run = true;
    __atomic_store_n(&note->flags, note->flags | Note::ran, __ATOMIC_RELAXED);
    return false;
  }
  __atomic_store_n(&note->flags, note->flags & ~(Note::holds | Note::ran), __ATOMIC_RELAXED);
  if (is_its) {
    graph->taken = graph->wanted = {};
    copy = take_copy(*graph);
  }
  return is_its;
}

} // namespace detshim::cudnn
