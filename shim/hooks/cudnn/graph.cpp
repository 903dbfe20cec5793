// cuDNN's backend graph interface: what its descriptors are filled with, and which execution plans there are.
//
// hooks/cudnn/heuristics.cpp leaves nondeterministic engines out of the lists; an engine may also be named by
// its index, or come in a plan's JSON, so plans are looked at again. Beside that, a program that times its
// candidates is given one (hooks/cudnn/plans.h), reductions are asked to be deterministic, and the seed of a
// random operation is pinned.
#include "core/seeds/seeds.h"
#include "hooks/cudnn/descriptions.h"
#include "hooks/cudnn/graph_tuning.h"
#include "hooks/cudnn/plans.h"
#include "hooks/digests/cudnn/graphs.h"

namespace detshim::cudnn {
namespace {

constexpr size_t first_deterministic_reduction = 91100; // CUDNN_ATTR_REDUCTION_IS_DETERMINISTIC

constexpr const char* nondeterministic_note = "NONDETERMINISTIC";
constexpr const char* no_note = "";

/// Whether it is of use to know what graphs are.
bool describes_graphs() { return keeps_choices() || options().fingerprint_calls; }

bool is_sdpa_backward(Name name) {
  return name >= Name::sdpa_backward_first && name <= Name::sdpa_backward_last;
}

/// Whether the operations are the backward pass of attention: as one operation, or as cudnn-frontend builds
/// it (node/scaled_dot_product_flash_attention.h), of single ones, five of them matrix products: Q K^T,
/// P^T dO, dO V^T, dS^T Q, dS K. Its forward pass has two. What of it is deterministic depends on more than
/// the graph, and its engines carry no note that says so (seen on cuDNN 9.19).
bool holds_sdpa_backward(const Descriptor* operations, int64_t count) {
  constexpr int matmuls_of_backward = 5;
  int matmuls = 0;
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t flags = flags_of(operations[i]);
    if ((flags & Note::sdpa_backward) != 0) return true;
    matmuls += (flags & Note::matmul) != 0 ? 1 : 0;
  }
  return matmuls >= matmuls_of_backward;
}

/// What the notes of a finalized plan's engine say.
EngineNotes notes_of_plan(const Backend& backend, Descriptor plan) {
  if (!backend.usable()) return EngineNotes::unreadable;
  Owned config(backend, DescriptorType::engine_config);
  if (!read(backend, plan, Name::execution_plan_engine_config, config)) return EngineNotes::unreadable;
  return read_notes(backend, config.descriptor);
}

/// A config was set: what Finalize must know of the plan. The config may be gone by then.
Note plan_note(const Backend& backend, Descriptor plan, Descriptor config) {
  Note note;
  note.descriptor = plan;
  note.flags = Note::plan;
  const EngineNotes notes = backend.usable() ? read_notes(backend, config) : EngineNotes::unreadable;
  if (notes == EngineNotes::nondeterministic) note.flags |= Note::nondeterministic;
  if (notes == EngineNotes::unreadable) note.flags |= Note::unreadable;
  if (!backend.usable()) return note;
  note.graph = note_of(config).graph;
  if (note.graph != 0) note.config = config_of(backend, config);
  return note;
}

/// Notes what an attribute says that was set. False where there is no room for it.
template <typename Call>
bool follow(const Call& call, Descriptor descriptor, Name name, Type type, int64_t count,
            const void* elements) {
  const auto* const descriptors = static_cast<const Descriptor*>(elements);
  const auto with_flags = [&](uint32_t flags, uint32_t without = 0) {
    Note note = note_of(descriptor);
    note.descriptor = descriptor;
    note.flags = (note.flags & ~without) | flags;
    return remember(note);
  };
  const auto number = [&](Descriptor graph) {
    Descriptor stale;
    const uint32_t result = number_of(graph, stale);
    release(call, stale);
    return result;
  };
  const auto of_graph = [&] {
    Descriptor stale;
    const bool is_followed = inherit_graph(descriptor, descriptors[0], stale);
    release(call, stale);
    return is_followed;
  };
  if (name == Name::reduction_operator || name == Name::reduction_math_type)
    return with_flags(Note::reduction);
  if (name == Name::reduction_is_deterministic && type == Type::boolean && count == 1)
    return with_flags(Note::reduction | (*static_cast<const bool*>(elements) ? Note::repeatable : 0U),
                      Note::repeatable);
  if (name == Name::execution_plan_json) { // its engine can be read when it is finalized
    release(call, forget(descriptor));
    return with_flags(Note::from_json);
  }
  if (type != Type::backend_descriptor || count < 1) return true;
  if (is_sdpa_backward(name)) return with_flags(Note::sdpa_backward);
  switch (name) {
  case Name::operation_matmul_product:
    return with_flags(Note::matmul);
  case Name::engine_heuristic_operation_graph:
  case Name::engine_operation_graph:
    return number(descriptors[0]) != 0 && of_graph();
  case Name::engine_config_engine:
    return of_graph();
  case Name::execution_plan_engine_config:
    release(call, forget(descriptor));
    return remember(plan_note(backend_of(call), descriptor, descriptors[0]));
  case Name::operation_graph_operations: {
    release(call, forget(descriptor)); // a graph that is filled is a new one
    if (describes_graphs()) {
      Text<problem_size> problem;
      const bool is_known = describe_graph(descriptors, count, problem);
      if (is_known) name_problem(number(descriptor), problem.c_str());
      if (options().fingerprint_calls)
        keep_operands(number(descriptor), descriptors, count,
                      is_known ? hash_of_problem(problem.c_str()) : "");
    }
    if (!holds_sdpa_backward(descriptors, count)) return true;
    const uint32_t own = number(descriptor);
    mark_sdpa_backward(own);
    return own != 0;
  }
  default:
    return true;
  }
}

/// Finalizes a reduction, deterministic where the library can promise it.
template <typename Call>
Status finalize_reduction(const Call& call, Descriptor reduction, uint32_t flags) {
  const auto requested = static_cast<int64_t>((flags & Note::repeatable) != 0);
  const auto finalize = [&](Action action, Reason why, int64_t effective) {
    call.record(action, why, {no_note, requested, effective});
    return call.real(reduction);
  };
  if (requested != 0) return finalize(Action::observe, Reason::program_asks_deterministic, requested);
  if (!options().forces())
    return finalize(Action::nondeterministic, Reason::nondeterministic_reduction, requested);
  if (cudnn_version(call.hook()) < first_deterministic_reduction)
    return finalize(Action::nondeterministic, Reason::version_too_old, requested);
  const Backend backend = backend_of(call);
  const bool deterministic = true;
  if (backend.set == nullptr || backend.set(reduction, Name::reduction_is_deterministic, Type::boolean, 1,
                                            &deterministic) != Status::success)
    return finalize(Action::nondeterministic, Reason::refused_by_library, requested);
  return finalize(Action::replace, Reason::nondeterministic_reduction, 1);
}

/// Keeps a copy of the config of a finalized plan that is taken for its graph.
template <typename Call>
void keep_copy_of(const Call& call, const Note& note) {
  if (!wants_copy(note)) return;
  const Backend backend = backend_of(call);
  if (!backend.usable()) return;
  Owned copy(backend, DescriptorType::engine_config);
  if (read(backend, const_cast<void*>(note.descriptor), Name::execution_plan_engine_config, copy) &&
      keep_copy(note, copy.descriptor))
    copy.descriptor = nullptr;
}

/// Finalizes a plan as another one of the config that is taken for its graph. False where that cannot be: the
/// plan is then of no use.
template <typename Call>
bool finalize_as_taken(const Call& call, Note note, const Taken& taken) {
  const Backend backend = backend_of(call);
  auto* const plan = const_cast<void*>(note.descriptor);
  if (taken.copy == nullptr || backend.set == nullptr ||
      backend.set(plan, Name::execution_plan_engine_config, Type::backend_descriptor, 1, &taken.copy) !=
          Status::success ||
      call.real(plan) != Status::success)
    return false;
  note.config = taken.config;
  note.flags &= ~(Note::nondeterministic | Note::unreadable); // which was said of the first
  remember(note);
  take(note);
  return true;
}

/// Finalizes a plan that something is known of.
template <typename Call>
Status finalize_plan(const Call& call, Descriptor plan) {
  const Note note = note_of(plan);
  const int64_t engine = note.config.key != 0 ? note.config.engine : -1;
  const auto refuse = [&](Reason why, const char* what) {
    call.record(Action::refuse, why, {what, engine, ""});
    return cudnn_not_supported(call.hook());
  };
  say_library(call.hook());
  bool is_bad = (note.flags & Note::nondeterministic) != 0;
  bool is_unreadable = (note.flags & Note::unreadable) != 0;
  const bool may_be_bad = has_sdpa_backward(note.graph);
  if (options().strict() && is_bad) return refuse(Reason::nondeterministic_engine, nondeterministic_note);
  if (options().strict() && is_unreadable) return refuse(Reason::notes_unreadable, no_note);
  if (options().strict() && may_be_bad) return refuse(Reason::unsure_attention, no_note);

  const bool is_one_of_many = gives_one_candidate() && note.config.key != 0;
  Taken taken = {};
  if (is_one_of_many && is_taken(note, taken)) {
    if (taken.is_wanted) return refuse(Reason::kept_plan_other, no_note);
    const bool is_equal = finalize_as_taken(call, note, taken);
    if (taken.by_another_thread)
      call.record(Action::nondeterministic, Reason::plan_of_other_thread,
                  {no_note, engine, is_equal ? taken.config.engine : -1});
    else if (is_equal)
      call.record(Action::replace, Reason::plan_exchanged, {no_note, engine, taken.config.engine});
    if (is_equal) return Status::success;
    return taken.by_another_thread ? cudnn_not_supported(call.hook())
                                   : refuse(Reason::plan_cannot_be_made, no_note);
  }
  if (taken.gave_up)
    call.record(Action::nondeterministic, Reason::kept_plan_untried, {no_note, taken.config.engine, engine});
  const Status status = call.real(plan);
  if (status != Status::success) {
    give_up(note);
    return status;
  }
  if ((note.flags & Note::from_json) != 0) {
    const EngineNotes notes = notes_of_plan(backend_of(call), plan);
    is_bad = notes == EngineNotes::nondeterministic;
    is_unreadable = notes == EngineNotes::unreadable;
    if (options().strict() && is_bad) return refuse(Reason::nondeterministic_engine, nondeterministic_note);
    if (options().strict() && is_unreadable) return refuse(Reason::notes_unreadable, no_note);
    if (!is_bad && !is_unreadable)
      call.record(Action::observe, Reason::plan_from_json, {no_note, engine, engine});
  }
  if (note.config.key != 0 && take(note)) {
    if (is_one_of_many) keep_copy_of(call, note);
  } else if (note.config.key != 0) {
    if (is_one_of_many) {
      call.record(Action::nondeterministic, Reason::plan_of_other_thread, {no_note, engine, ""});
      return cudnn_not_supported(call.hook());
    }
    call.record(Action::nondeterministic,
                autotune() == Autotune::record ? Reason::tuning_keeps_last_plan : Reason::program_may_time,
                {no_note, engine, engine});
  }
  if (is_bad)
    call.record(Action::nondeterministic, Reason::nondeterministic_engine,
                {nondeterministic_note, engine, engine});
  if (is_unreadable)
    call.record(Action::nondeterministic, Reason::notes_unreadable, {no_note, engine, engine});
  if (may_be_bad && !is_bad)
    call.record(Action::nondeterministic, Reason::unsure_attention, {no_note, engine, engine});
  return status;
}

/// Notes how running a plan ended. A plan that has run is not looked at again until it fails.
template <typename Call>
Status note_run(const Call& call, Descriptor plan, Status status) {
  const uint32_t flags = flags_of(plan);
  const bool succeeded = status == Status::success;
  if (succeeded && (flags & Note::plan) != 0 && !call.passes() && autotune() == Autotune::record)
    keep_choice(call, plan);
  if ((flags & Note::holds) == 0 || (succeeded && (flags & Note::ran) != 0) || call.passes()) return status;
  Descriptor copy = nullptr;
  if (ran(plan, succeeded, copy))
    call.record(Action::observe, Reason::taken_plan_fails, {static_cast<int64_t>(status)});
  release(call, copy);
  return status;
}

} // namespace
} // namespace detshim::cudnn

using namespace detshim;
using namespace detshim::cudnn;

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendSetAttribute,
             (abi::cudnnBackendDescriptor_t descriptor, abi::cudnnBackendAttributeName name,
              abi::cudnnBackendAttributeType type, int64_t count, const void* elements),
             .action = Action::pin, .fields = {"requested", "effective"},
             .summary = "Replaces the constant seed of a random operation by one derived from DETSHIM_SEED; "
                        "notices what a plan is made of.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendSetAttribute);
  if (call.passes() || elements == nullptr) return call.real(descriptor, name, type, count, elements);
  if (name == Name::operation_rng_seed) {
    if (type != Type::int64 || count != 1) {
      call.record(Action::observe, Reason::seed_in_tensor, {"", ""});
      const Status status = call.real(descriptor, name, type, count, elements);
      if (status == Status::success && options().fingerprint_calls)
        follow_operands(descriptor, name, type, count, elements);
      return status;
    }
    const auto requested = static_cast<uint64_t>(*static_cast<const int64_t*>(elements));
    if (!options().pins()) {
      call.record(Action::nondeterministic, Reason::observed, {requested, ""});
      return call.real(descriptor, name, type, count, elements);
    }
    const ChosenSeed chosen = choose_seed({Kind::cudnn_graph_rng, requested, 64, call.caller()});
    const auto effective = static_cast<int64_t>(chosen.effective);
    const Status status = call.real(descriptor, name, type, count, &effective);
    if (status == Status::success) call.record(chosen.action, chosen.why, {requested, chosen.effective});
    return status;
  }
  const Status status = call.real(descriptor, name, type, count, elements);
  if (status == Status::success && describes_graphs()) describe(descriptor, name, type, count, elements);
  if (status == Status::success && options().fingerprint_calls)
    follow_operands(descriptor, name, type, count, elements);
  if (status == Status::success && !follow(call, descriptor, name, type, count, elements))
    record_overflow_once(call, {"", ""});
  return status;
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendFinalize, (abi::cudnnBackendDescriptor_t descriptor),
             .action = Action::refuse, .fields = {"note", "requested", "effective"},
             .summary = "Makes reductions deterministic and the first plan of a graph its only one; records "
                        "a plan on a nondeterministic engine.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendFinalize);
  const uint32_t flags = flags_of(descriptor);
  if ((flags & (Note::reduction | Note::plan | Note::from_json)) == 0 || call.passes())
    return call.real(descriptor);
  if ((flags & Note::reduction) != 0) return finalize_reduction(call, descriptor, flags);
  return finalize_plan(call, descriptor);
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendExecute,
             (abi::cudnnHandle_t handle, abi::cudnnBackendDescriptor_t plan,
              abi::cudnnBackendDescriptor_t variant_pack),
             .action = Action::observe, .fields = {"status"},
             .summary = "Notices whether the plan that was taken for its graph runs.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendExecute);
  const auto describe = [&](CallDigest& digest) {
    const Note note = note_of(plan);
    digest.set_stream(stream_of(call.hook(), handle));
    describe_plan(digest, note.graph, note.config.key != 0 ? note.config.engine : -1, variant_pack);
  };
  const auto run = [&] { return call.real(handle, plan, variant_pack); };
  return note_run(call, plan, digest_call(call, describe, run));
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendPopulateCudaGraph,
             (abi::cudnnHandle_t handle, abi::cudnnBackendDescriptor_t plan,
              abi::cudnnBackendDescriptor_t variant_pack, void* graph),
             .action = Action::observe, .fields = {"status"},
             .summary = "Notices whether the plan that was taken for its graph goes into a CUDA graph.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendPopulateCudaGraph);
  const Status status = call.real(handle, plan, variant_pack, graph);
  if (status == Status::success && wants_digest(call)) digest_unseen(call.hook(), call.caller());
  return note_run(call, plan, status);
}

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendDestroyDescriptor,
             (abi::cudnnBackendDescriptor_t descriptor), .action = Action::observe,
             .summary = "Forgets a descriptor: another one may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendDestroyDescriptor);
  if (!call.passes()) {
    release(call, forget(descriptor));
    if (describes_graphs()) forget_description(descriptor);
    if (options().fingerprint_calls) forget_operands(descriptor);
  }
  return call.real(descriptor);
}
