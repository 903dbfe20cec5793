// cuDNN's backend graph interface: what its descriptors are filled with, and which execution plans
// there are.
//
// hooks/cudnn/heuristics.cpp leaves nondeterministic engines out of the lists; an engine may also
// be named by its index, or come in a plan's JSON, so plans are looked at again. Beside that, a
// program that times its candidates is given one (hooks/cudnn/plans.h), reductions are asked to be
// deterministic, and the seed of a random operation is pinned.
#include "core/seeds/seeds.h"
#include "hooks/cudnn/descriptions.h"
#include "hooks/cudnn/digests/graphs.h"
#include "hooks/cudnn/graph_tuning.h"
#include "hooks/cudnn/plans.h"

namespace detshim::cudnn {
namespace {

constexpr size_t first_deterministic_reduction = 91100; // CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC

constexpr const char* nondeterministic_note = "NONDETERMINISTIC";
constexpr const char* no_note = "";

/// Whether it is of use to know what graphs are.
bool describes_graphs() { return keeps_choices() || options().fingerprint_calls; }

/// Whether the operations are the backward pass of attention: as one operation, or as
/// cudnn-frontend builds it (node/scaled_dot_product_flash_attention.h), of single ones, five of
/// them matrix products: Q K^T, P^T dO, dO V^T, dS^T Q, dS K. Its forward pass has two. What of it
/// is deterministic depends on more than the graph, and its engines carry no note that reports it
/// (seen on cuDNN 9.19).
bool holds_sdpa_backward(const Descriptor* operations, int64_t count) {
  constexpr int matmuls_of_backward = 5;
  int matmuls = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t flags = flags_of(operations[i]);
    if ((flags & Note::sdpa_backward) != 0)
      return true;
    matmuls += (flags & Note::matmul) != 0 ? 1 : 0;
  }
  return matmuls >= matmuls_of_backward;
}

/// What the notes of a finalized plan's engine say.
EngineNotes notes_of_plan(const Backend& backend, Descriptor plan) {
  if (!backend.usable())
    return EngineNotes::unreadable;
  Owned config(backend, DescriptorType::engine_config);
  if (!read(backend, plan, Name::execution_plan_engine_config, config))
    return EngineNotes::unreadable;
  return read_notes(backend, config.descriptor);
}

/// A config was set: what Finalize must know of the plan. The config may be gone by then.
Note plan_note(const Backend& backend, Descriptor plan, Descriptor config) {
  Note note;
  note.descriptor = plan;
  note.flags = Note::plan;
  const EngineNotes notes =
      backend.usable() ? read_notes(backend, config) : EngineNotes::unreadable;
  if (notes == EngineNotes::nondeterministic)
    note.flags |= Note::nondeterministic;
  if (notes == EngineNotes::unreadable)
    note.flags |= Note::unreadable;
  if (!backend.usable())
    return note;
  note.graph = note_of(config).graph;
  if (note.graph != 0)
    note.config = config_of(backend, config);
  return note;
}

/// What the attributes of one descriptor say, as they are set. Each function notes what one
/// attribute says; false where there is no room for it.
template <typename Call>
class AttributeNotes {
public:
  AttributeNotes(const Call& call, Descriptor descriptor, int64_t count, const void* elements)
      : call_(call), descriptor_(descriptor), count_(count), elements_(elements) {}

  bool is_reduction() { return add_flags(Note::reduction); }
  bool is_repeatable_reduction() {
    const bool wants_repeatable = *static_cast<const bool*>(elements_);
    return add_flags(Note::reduction | (wants_repeatable ? Note::repeatable : 0U),
                     Note::repeatable);
  }
  bool is_matmul() { return add_flags(Note::matmul); }
  bool is_sdpa_backward() { return add_flags(Note::sdpa_backward); }

  /// Its engine can be read when the plan is finalized.
  bool is_plan_from_json() {
    release(call_, forget(descriptor_));
    return add_flags(Note::from_json);
  }
  bool is_plan_of_config() {
    release(call_, forget(descriptor_));
    return remember(plan_note(backend_of(call_), descriptor_, descriptors()[0]));
  }

  bool is_made_of_graph() { return number(descriptors()[0]) != 0 && is_made_of_same_graph(); }
  bool is_made_of_same_graph() {
    Descriptor stale;
    const bool is_followed = inherit_graph(descriptor_, descriptors()[0], stale);
    release(call_, stale);
    return is_followed;
  }

  bool is_graph_of_operations() {
    release(call_, forget(descriptor_)); // a graph that is filled is a new one
    if (describes_graphs())
      describe_operations();
    if (!holds_sdpa_backward(descriptors(), count_))
      return true;
    const uint32_t graph = number(descriptor_);
    mark_sdpa_backward(graph);
    return graph != 0;
  }

private:
  const Descriptor* descriptors() const { return static_cast<const Descriptor*>(elements_); }

  bool add_flags(uint32_t flags, uint32_t without = 0) {
    Note note = note_of(descriptor_);
    note.descriptor = descriptor_;
    note.flags = (note.flags & ~without) | flags;
    return remember(note);
  }

  uint32_t number(Descriptor graph) {
    Descriptor stale;
    const uint32_t result = number_of(graph, stale);
    release(call_, stale);
    return result;
  }

  void describe_operations() {
    Text<problem_size> problem;
    const bool is_known = describe_graph(descriptors(), count_, problem);
    if (is_known)
      name_problem(number(descriptor_), problem.c_str());
    if (options().fingerprint_calls)
      keep_operands(number(descriptor_), descriptors(), count_,
                    is_known ? hash_of_problem(problem.c_str()) : "");
  }

  const Call& call_;
  const Descriptor descriptor_;
  const int64_t count_;
  const void* const elements_;
};

/// The form of value that an attribute must be set with to say something.
enum class AttributeForm { any, boolean, descriptors };

bool has_form(AttributeForm form, Type type, int64_t count) {
  switch (form) {
  case AttributeForm::boolean:
    return type == Type::boolean && count == 1;
  case AttributeForm::descriptors:
    return type == Type::backend_descriptor && count >= 1;
  default:
    return true;
  }
}

template <typename Call>
struct AttributeRule {
  AttributeForm form;
  bool (AttributeNotes<Call>::*note)();
  Name first;
  Name last = first;
};

/// Notes what an attribute says that was set. False where there is no room for it.
template <typename Call>
bool follow(const Call& call, Descriptor descriptor, Name name, Type type, int64_t count,
            const void* elements) {
  using Form = AttributeForm;
  using Notes = AttributeNotes<Call>;
  constexpr AttributeRule<Call> rules[] = {
      {Form::any, &Notes::is_reduction, Name::reduction_operator},
      {Form::any, &Notes::is_reduction, Name::reduction_math_type},
      {Form::any, &Notes::is_plan_from_json, Name::execution_plan_json},
      {Form::boolean, &Notes::is_repeatable_reduction, Name::reduction_is_deterministic},
      {Form::descriptors, &Notes::is_sdpa_backward, Name::sdpa_backward_first,
       Name::sdpa_backward_last},
      {Form::descriptors, &Notes::is_matmul, Name::operation_matmul_product},
      {Form::descriptors, &Notes::is_made_of_graph, Name::engine_heuristic_operation_graph},
      {Form::descriptors, &Notes::is_made_of_graph, Name::engine_operation_graph},
      {Form::descriptors, &Notes::is_made_of_same_graph, Name::engine_config_engine},
      {Form::descriptors, &Notes::is_plan_of_config, Name::execution_plan_engine_config},
      {Form::descriptors, &Notes::is_graph_of_operations, Name::operation_graph_operations},
  };
  for (const AttributeRule<Call>& rule : rules) {
    if (name < rule.first || name > rule.last || !has_form(rule.form, type, count))
      continue;
    Notes notes(call, descriptor, count, elements);
    return (notes.*rule.note)();
  }
  return true;
}

/// Finalizes a reduction, deterministic where the library can promise it.
template <typename Call>
Status finalize_reduction(const Call& call, Descriptor reduction, uint32_t flags) {
  const auto requested = static_cast<int64_t>((flags & Note::repeatable) != 0);
  const auto finalize = [&](Action action, Reason why, int64_t effective) {
    call.record(action, why, {no_note, requested, effective});
    return call.real(reduction);
  };
  if (requested != 0)
    return finalize(Action::observe, Reason::program_asks_deterministic, requested);
  if (!options().forces())
    return finalize(Action::nondeterministic, Reason::nondeterministic_reduction, requested);
  if (cudnn_version(call.hook()) < first_deterministic_reduction)
    return finalize(Action::nondeterministic, Reason::version_too_old, requested);
  const Backend backend = backend_of(call);
  const bool deterministic = true;
  if (backend.set == nullptr || backend.set(reduction, Name::reduction_is_deterministic,
                                            Type::boolean, 1, &deterministic) != Status::success)
    return finalize(Action::nondeterministic, Reason::refused_by_library, requested);
  return finalize(Action::replace, Reason::nondeterministic_reduction, 1);
}

/// Keeps a copy of the config of a finalized plan that is taken for its graph.
template <typename Call>
void keep_copy_of(const Call& call, const Note& note) {
  if (!wants_copy(note))
    return;
  const Backend backend = backend_of(call);
  if (!backend.usable())
    return;
  Owned copy(backend, DescriptorType::engine_config);
  if (read(backend, const_cast<void*>(note.descriptor), Name::execution_plan_engine_config, copy) &&
      keep_copy(note, copy.descriptor))
    copy.descriptor = nullptr;
}

/// Finalizes a plan as another one of the config that is taken for its graph. False where that
/// cannot be: the plan is then of no use.
template <typename Call>
bool finalize_as_taken(const Call& call, Note note, const Taken& taken) {
  const Backend backend = backend_of(call);
  auto* const plan = const_cast<void*>(note.descriptor);
  if (taken.copy == nullptr || backend.set == nullptr ||
      backend.set(plan, Name::execution_plan_engine_config, Type::backend_descriptor, 1,
                  &taken.copy) != Status::success ||
      call.real(plan) != Status::success)
    return false;
  note.config = taken.config;
  note.flags &= ~(Note::nondeterministic | Note::unreadable); // which was said of the first
  remember(note);
  take(note);
  return true;
}

/// What speaks against a plan. strict refuses it for the first of them; else it runs, and each is
/// recorded.
struct Doubts {
  bool is_nondeterministic;
  bool is_unreadable;
  bool is_unsure_attention; ///< and not known to be nondeterministic
};

struct DoubtKind {
  bool Doubts::*holds;
  Reason why;
  const char* note;
};
constexpr DoubtKind doubt_kinds[] = {
    {&Doubts::is_nondeterministic, Reason::nondeterministic_engine, nondeterministic_note},
    {&Doubts::is_unreadable, Reason::notes_unreadable, no_note},
    {&Doubts::is_unsure_attention, Reason::unsure_attention, no_note},
};

Doubts doubts_of(uint32_t graph, bool is_nondeterministic, bool is_unreadable) {
  return {is_nondeterministic, is_unreadable, !is_nondeterministic && has_sdpa_backward(graph)};
}

/// What speaks against the plan once it is finalized: only then can the engine of one that came as
/// JSON be read.
template <typename Call>
Doubts doubts_of_json_plan(const Call& call, const Note& note) {
  const EngineNotes notes = notes_of_plan(backend_of(call), const_cast<void*>(note.descriptor));
  return doubts_of(note.graph, notes == EngineNotes::nondeterministic,
                   notes == EngineNotes::unreadable);
}

/// What strict refuses the plan for; nullptr: nothing.
const DoubtKind* reason_to_refuse(const Doubts& doubts) {
  if (!options().strict())
    return nullptr;
  for (const DoubtKind& kind : doubt_kinds)
    if (doubts.*kind.holds)
      return &kind;
  return nullptr;
}

int64_t engine_of(const Note& plan) { return plan.config.key != 0 ? plan.config.engine : -1; }

template <typename Call>
Status refuse_plan(const Call& call, const Note& plan, Reason why, const char* note = no_note) {
  call.record(Action::refuse, why, {note, engine_of(plan), ""});
  return cudnn_not_supported(call.hook());
}

/// Finalizes a plan of a graph for which another config is taken, or wanted.
template <typename Call>
Status finalize_beside_taken(const Call& call, const Note& plan, const Taken& taken) {
  if (taken.is_wanted)
    return refuse_plan(call, plan, Reason::kept_plan_other);
  const bool is_equal = finalize_as_taken(call, plan, taken);
  if (taken.by_another_thread) {
    call.record(Action::nondeterministic, Reason::plan_of_other_thread,
                {no_note, engine_of(plan), is_equal ? taken.config.engine : -1});
    return is_equal ? Status::success : cudnn_not_supported(call.hook());
  }
  if (!is_equal)
    return refuse_plan(call, plan, Reason::plan_cannot_be_made);
  call.record(Action::replace, Reason::plan_exchanged,
              {no_note, engine_of(plan), taken.config.engine});
  return Status::success;
}

/// Takes a finalized plan's config for its graph. False where the program must not have the plan:
/// it may have one of a graph, and another thread's was taken meanwhile.
template <typename Call>
bool take_for_graph(const Call& call, const Note& plan, bool is_one_of_many) {
  if (plan.config.key == 0)
    return true;
  if (take(plan)) {
    if (is_one_of_many)
      keep_copy_of(call, plan);
    return true;
  }
  if (is_one_of_many) {
    call.record(Action::nondeterministic, Reason::plan_of_other_thread,
                {no_note, engine_of(plan), ""});
    return false;
  }
  call.record(Action::nondeterministic,
              autotune() == Autotune::record ? Reason::tuning_keeps_last_plan
                                             : Reason::program_may_time,
              {no_note, engine_of(plan), engine_of(plan)});
  return true;
}

/// Finalizes a plan that something is known of.
template <typename Call>
Status finalize_plan(const Call& call, Descriptor descriptor) {
  const Note plan = note_of(descriptor);
  const int64_t engine = engine_of(plan);
  say_library(call.hook());
  Doubts doubts = doubts_of(plan.graph, (plan.flags & Note::nondeterministic) != 0,
                            (plan.flags & Note::unreadable) != 0);
  if (const DoubtKind* doubt = reason_to_refuse(doubts))
    return refuse_plan(call, plan, doubt->why, doubt->note);

  const bool is_one_of_many = gives_one_candidate() && plan.config.key != 0;
  Taken taken = {};
  if (is_one_of_many && is_taken(plan, taken))
    return finalize_beside_taken(call, plan, taken);
  if (taken.gave_up)
    call.record(Action::nondeterministic, Reason::kept_plan_untried,
                {no_note, taken.config.engine, engine});
  const Status status = call.real(descriptor);
  if (status != Status::success) {
    give_up(plan);
    return status;
  }
  if ((plan.flags & Note::from_json) != 0) {
    doubts = doubts_of_json_plan(call, plan);
    if (const DoubtKind* doubt = reason_to_refuse(doubts))
      return refuse_plan(call, plan, doubt->why, doubt->note);
    if (!doubts.is_nondeterministic && !doubts.is_unreadable)
      call.record(Action::observe, Reason::plan_from_json, {no_note, engine, engine});
  }
  if (!take_for_graph(call, plan, is_one_of_many))
    return cudnn_not_supported(call.hook());
  for (const DoubtKind& kind : doubt_kinds)
    if (doubts.*kind.holds)
      call.record(Action::nondeterministic, kind.why, {kind.note, engine, engine});
  return status;
}

/// Notes how running a plan ended. A plan that has run is not looked at again until it fails.
template <typename Call>
Status note_run(const Call& call, Descriptor plan, Status status) {
  const uint32_t flags = flags_of(plan);
  const bool succeeded = status == Status::success;
  if (succeeded && (flags & Note::plan) != 0 && !call.passes() && autotune() == Autotune::record)
    keep_choice(call, plan);
  if ((flags & Note::holds) == 0 || (succeeded && (flags & Note::ran) != 0) || call.passes())
    return status;
  Descriptor copy = nullptr;
  if (ran(plan, succeeded, copy))
    call.record(Action::observe, Reason::taken_plan_fails, {static_cast<int64_t>(status)});
  release(call, copy);
  return status;
}

/// Sets the seed of a random operation.
template <typename Call>
Status set_random_seed(const Call& call, Descriptor descriptor, Type type, int64_t count,
                       const void* elements) {
  constexpr Name name = Name::operation_rng_seed;
  if (type != Type::int64 || count != 1) {
    call.record(Action::observe, Reason::seed_in_tensor, {"", ""});
    const Status status = call.real(descriptor, name, type, count, elements);
    if (status == Status::success && options().fingerprint_calls)
      follow_operands(descriptor, name, type, count, elements);
    return status;
  }
  const auto requested = static_cast<uint64_t>(*static_cast<const int64_t*>(elements));
  const ChosenSeed chosen = choose_seed({Kind::cudnn_graph_rng, requested, 64, call.caller()});
  const auto effective = static_cast<int64_t>(chosen.effective);
  const Status status = call.real(descriptor, name, type, count, &effective);
  if (status == Status::success)
    call.record(chosen.action, chosen.why, {requested, chosen.effective});
  return status;
}

} // namespace
} // namespace detshim::cudnn

using namespace detshim;
using namespace detshim::cudnn;

DETSHIM_HOOK(
    cudnn, abi::cudnnStatus, cudnnBackendSetAttribute,
    (abi::cudnnBackendDescriptor_t descriptor, abi::cudnnBackendAttributeName name,
     abi::cudnnBackendAttributeType type, int64_t count, const void* elements),
    .action = Action::pin, .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces a seed of a random operation that changes from run to run; notices what a "
               "plan is made of.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendSetAttribute);
  if (call.passes() || elements == nullptr)
    return call.real(descriptor, name, type, count, elements);
  if (name == Name::operation_rng_seed)
    return set_random_seed(call, descriptor, type, count, elements);
  const Status status = call.real(descriptor, name, type, count, elements);
  if (status != Status::success)
    return status;
  if (describes_graphs())
    describe(descriptor, name, type, count, elements);
  if (options().fingerprint_calls)
    follow_operands(descriptor, name, type, count, elements);
  if (!follow(call, descriptor, name, type, count, elements))
    record_overflow_once(call, {"", ""});
  return status;
}

DETSHIM_HOOK(
    cudnn, abi::cudnnStatus, cudnnBackendFinalize, (abi::cudnnBackendDescriptor_t descriptor),
    .action = Action::refuse, .fields = {"note"_out, "requested"_in, "effective"_out},
    .summary = "Makes reductions deterministic and the first plan of a graph its only one; records "
               "a plan on a nondeterministic engine.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendFinalize);
  const uint32_t flags = flags_of(descriptor);
  if ((flags & (Note::reduction | Note::plan | Note::from_json)) == 0 || call.passes())
    return call.real(descriptor);
  if ((flags & Note::reduction) != 0)
    return finalize_reduction(call, descriptor, flags);
  return finalize_plan(call, descriptor);
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendExecute,
             (abi::cudnnHandle_t handle, abi::cudnnBackendDescriptor_t plan,
              abi::cudnnBackendDescriptor_t variant_pack),
             .action = Action::observe, .fields = {"status"_out},
             .summary = "Notices whether the plan that was taken for its graph runs.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendExecute);
  const auto describe = [&](CallDigest& digest) {
    const Note note = note_of(plan);
    digest.set_stream(stream_of(call.hook(), handle));
    describe_plan(digest, note.graph, note.config.key != 0 ? note.config.engine : -1, variant_pack);
  };
  const auto run = [&] {
    return call.real(handle, plan, variant_pack);
  };
  return note_run(call, plan, digest_call(call, describe, run));
}

DETSHIM_HOOK(
    cudnn, abi::cudnnStatus, cudnnBackendPopulateCudaGraph,
    (abi::cudnnHandle_t handle, abi::cudnnBackendDescriptor_t plan,
     abi::cudnnBackendDescriptor_t variant_pack, void* graph),
    .action = Action::observe, .fields = {"status"_out},
    .summary = "Notices whether the plan that was taken for its graph goes into a CUDA graph.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendPopulateCudaGraph);
  const Status status = call.real(handle, plan, variant_pack, graph);
  if (status == Status::success && wants_digest(call))
    digest_unseen(call.hook(), call.caller());
  return note_run(call, plan, status);
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendDestroyDescriptor,
             (abi::cudnnBackendDescriptor_t descriptor), .action = Action::observe,
             .summary = "Forgets a descriptor: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendDestroyDescriptor);
  if (!call.passes()) {
    release(call, forget(descriptor));
    if (describes_graphs())
      forget_description(descriptor);
    if (options().fingerprint_calls)
      forget_operands(descriptor);
  }
  return call.real(descriptor);
}
