// cuDNN's backend graph interface: engine heuristics without nondeterministic engines.
//
// The caller makes the engine-config descriptors itself and keeps its own pointers to them (cudnn-frontend
// does), so reordering the array that it passed would change nothing. The list is filtered by filling: the
// library is asked once into descriptors of ours, each engine's numerical notes are read, and it is asked
// again with the caller's descriptors in the places that are kept and ours in the others. That works because
// the library gives one heuristics descriptor's results in the same order every time.
#include "core/lock.h"
#include "hooks/cudnn_common.h"

namespace detshim {
namespace {

using namespace abi;
using Descriptor = cudnnBackendDescriptor_t;
using Type = cudnnBackendAttributeType;
using Name = cudnnBackendAttributeName;
using GetAttribute = cudnnStatus(Descriptor, Name, Type, int64_t, int64_t*, void*);
using Create = cudnnStatus(cudnnBackendDescriptorType, Descriptor*);
using Destroy = cudnnStatus(Descriptor);

constexpr int64_t result_limit = 512; // engine configs of one query; 73 is the most that was seen
constexpr int64_t note_limit = 32;

/// The library's own functions, past our hooks.
struct Backend {
  GetAttribute* get;
  Create* create;
  Destroy* destroy;
  bool usable() const { return get != nullptr && create != nullptr && destroy != nullptr; }
};

/// A descriptor of ours for the length of a scope.
class Owned {
public:
  Owned(const Backend& backend, cudnnBackendDescriptorType type) : backend_(backend) {
    if (backend.create(type, &descriptor) != cudnnStatus::success) descriptor = nullptr;
  }
  ~Owned() {
    if (descriptor != nullptr) backend_.destroy(descriptor);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Descriptor descriptor = nullptr;

private:
  const Backend& backend_;
};

/// Whether the config's engine carries the note NONDETERMINISTIC. False where it cannot be read.
bool is_nondeterministic(const Backend& backend, Descriptor config) {
  Owned engine(backend, cudnnBackendDescriptorType::engine);
  if (engine.descriptor == nullptr) return false;
  int64_t count = 0;
  if (backend.get(config, Name::engine_config_engine, Type::backend_descriptor, 1, &count,
                  &engine.descriptor) != cudnnStatus::success)
    return false;
  cudnnNumericalNote notes[note_limit];
  count = 0;
  if (backend.get(engine.descriptor, Name::engine_numerical_note, Type::numerical_note, note_limit, &count,
                  notes) != cudnnStatus::success)
    return false;
  for (int64_t i = 0; i < count && i < note_limit; ++i)
    if (notes[i] == cudnnNumericalNote::non_deterministic) return true;
  return false;
}

/// One query's results: descriptors of ours that hold them, and which are nondeterministic.
class Results {
public:
  explicit Results(const Backend& backend) : backend_(backend) {}
  ~Results() {
    for (int64_t i = 0; i < count; ++i) backend_.destroy(configs[i]);
  }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  bool read(Descriptor heuristics) {
    int64_t available = 0;
    if (backend_.get(heuristics, Name::engine_heuristic_results, Type::backend_descriptor, 0, &available,
                     nullptr) != cudnnStatus::success ||
        available > result_limit)
      return false;
    for (; count < available; ++count)
      if (backend_.create(cudnnBackendDescriptorType::engine_config, &configs[count]) != cudnnStatus::success)
        return false;
    int64_t filled = 0;
    if (backend_.get(heuristics, Name::engine_heuristic_results, Type::backend_descriptor, count, &filled,
                     configs) != cudnnStatus::success)
      return false;
    found = filled < count ? filled : count;
    for (int64_t i = 0; i < found; ++i) {
      nondeterministic[i] = is_nondeterministic(backend_, configs[i]);
      nondeterministic_count += nondeterministic[i] ? 1 : 0;
    }
    return true;
  }

  /// Puts an empty descriptor in a result's place: the library fills only those, and stops at another.
  bool renew(int64_t i) {
    backend_.destroy(configs[i]);
    if (backend_.create(cudnnBackendDescriptorType::engine_config, &configs[i]) == cudnnStatus::success)
      return true;
    configs[i] = configs[--count];
    return false;
  }

  int64_t count = 0; ///< descriptors made
  int64_t found = 0; ///< of those, filled by the library
  int64_t nondeterministic_count = 0;
  Descriptor configs[result_limit];
  bool nondeterministic[result_limit];

private:
  const Backend& backend_;
};

/// What is known of an execution plan before it is finalized.
enum class PlanMark : uint8_t { none, nondeterministic, from_json };

/// Plans that Finalize must look at, from the moment that their engine config is set to their end. There are
/// few: a list that is full forgets the oldest.
struct MarkedPlan {
  Descriptor plan;
  PlanMark mark;
};
constinit MarkedPlan marked_plans[256] = {};
constinit unsigned next_mark = 0;
constinit uint64_t lock = 0;
constinit bool any_marks = false; // until then nothing needs to be looked up

void mark(Descriptor plan, PlanMark as) {
  Lock guard(lock);
  if (!guard.held()) return;
  marked_plans[next_mark++ % 256] = {plan, as};
  __atomic_store_n(&any_marks, true, __ATOMIC_RELAXED);
}

PlanMark mark_of(Descriptor plan) {
  if (!__atomic_load_n(&any_marks, __ATOMIC_RELAXED)) return PlanMark::none;
  Lock guard(lock);
  for (const MarkedPlan& marked : marked_plans)
    if (marked.plan == plan) return marked.mark;
  return PlanMark::none;
}

void unmark(Descriptor plan) {
  if (!__atomic_load_n(&any_marks, __ATOMIC_RELAXED)) return;
  Lock guard(lock);
  for (MarkedPlan& marked : marked_plans)
    if (marked.plan == plan) marked = {};
}

/// Whether a finalized plan's engine is nondeterministic.
bool is_nondeterministic_plan(const Backend& backend, Descriptor plan) {
  Owned config(backend, cudnnBackendDescriptorType::engine_config);
  int64_t count = 0;
  return config.descriptor != nullptr &&
         backend.get(plan, Name::execution_plan_engine_config, Type::backend_descriptor, 1, &count,
                     &config.descriptor) == cudnnStatus::success &&
         is_nondeterministic(backend, config.descriptor);
}

template <typename Call>
Backend backend_of(const Call& call) {
  return {call.template beside<GetAttribute>("cudnnBackendGetAttribute"),
          call.template beside<Create>("cudnnBackendCreateDescriptor"),
          call.template beside<Destroy>("cudnnBackendDestroyDescriptor")};
}

/// Fills the caller's descriptors with the kept results; the library's status. `given` is how many were
/// filled: the library stops at the first that it cannot fill.
cudnnStatus fill(const Backend& backend, Descriptor heuristics, Results& results, int64_t requested,
                 int64_t& given, Descriptor* theirs) {
  Descriptor mixed[result_limit];
  int64_t length = 0;
  for (int64_t kept = 0; length < results.found && kept < requested; ++length) {
    if (results.nondeterministic[length] && !results.renew(length)) return cudnnStatus::allocation_failed;
    mixed[length] = results.nondeterministic[length] ? results.configs[length] : theirs[kept++];
  }
  int64_t filled = 0;
  const cudnnStatus status = backend.get(heuristics, Name::engine_heuristic_results, Type::backend_descriptor,
                                         length, &filled, mixed);
  given = 0;
  for (int64_t i = 0; i < filled && i < length; ++i) given += results.nondeterministic[i] ? 0 : 1;
  return status;
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(
    cudnn, cudnnStatus, cudnnBackendGetAttribute,
    (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName name, cudnnBackendAttributeType type,
     int64_t requested, int64_t* returned, void* elements),
    .action = Action::replace, .fields = {"found", "nondeterministic", "given"},
    .summary =
        "Leaves nondeterministic engines out of a heuristics query's results; other attributes pass.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendGetAttribute);
  const bool is_results = name == cudnnBackendAttributeName::engine_heuristic_results &&
                          type == cudnnBackendAttributeType::backend_descriptor && requested > 0 &&
                          elements != nullptr;
  if (!is_results || call.passes()) return call.real(descriptor, name, type, requested, returned, elements);
  record_cudnn_once(call);

  const Backend backend = backend_of(call);
  Results results(backend);
  if (!backend.usable() || !results.read(descriptor)) {
    call.record(Action::unfixed, "the list could not be read ahead", {0, 0, 0});
    return call.real(descriptor, name, type, requested, returned, elements);
  }
  const int64_t bad = results.nondeterministic_count;
  if (bad == 0) {
    const cudnnStatus status = call.real(descriptor, name, type, requested, returned, elements);
    call.record(Action::observe, "every engine is deterministic by its notes",
                {results.found, bad, results.found});
    return status;
  }
  if (bad == results.found && options().strict()) {
    call.record(Action::refuse, "every engine is nondeterministic", {results.found, bad, 0});
    if (returned != nullptr) *returned = 0;
    return cudnn_not_supported(call);
  }
  if (bad == results.found || !options().forces()) {
    const cudnnStatus status = call.real(descriptor, name, type, requested, returned, elements);
    call.record(Action::unfixed,
                bad == results.found ? "every engine is nondeterministic"
                                     : "some engines are nondeterministic; this mode leaves algorithms alone",
                {results.found, bad, results.found});
    return status;
  }
  int64_t given = 0;
  const cudnnStatus status =
      fill(backend, descriptor, results, requested, given, static_cast<cudnnBackendDescriptor_t*>(elements));
  if (status != cudnnStatus::success) return status;
  if (returned != nullptr) *returned = given;
  call.record(Action::replace, "engines with the note NONDETERMINISTIC left out",
              {results.found, bad, given});
  return status;
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnBackendSetAttribute,
             (cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName name,
              cudnnBackendAttributeType type, int64_t count, const void* elements),
             .action = Action::observe,
             .summary = "Notices an execution plan that is given a nondeterministic engine.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendSetAttribute);
  const cudnnStatus status = call.real(descriptor, name, type, count, elements);
  const bool is_config = name == cudnnBackendAttributeName::execution_plan_engine_config && count == 1;
  const bool is_json = name == cudnnBackendAttributeName::execution_plan_json;
  if ((!is_config && !is_json) || status != cudnnStatus::success || elements == nullptr || call.passes())
    return status;
  const Backend backend = backend_of(call);
  unmark(descriptor);
  if (is_json) // its engine can be read when it is finalized
    mark(descriptor, PlanMark::from_json);
  else if (backend.usable() &&
           is_nondeterministic(backend, *static_cast<const cudnnBackendDescriptor_t*>(elements)))
    mark(descriptor, PlanMark::nondeterministic);
  return status;
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnBackendFinalize, (cudnnBackendDescriptor_t descriptor),
             .action = Action::refuse, .fields = {"note"},
             .summary = "Records an execution plan on a nondeterministic engine; strict refuses it.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendFinalize);
  const PlanMark marked = mark_of(descriptor);
  if (marked == PlanMark::none || call.passes()) return call.real(descriptor);
  record_cudnn_once(call);
  const bool refuses = options().strict();
  if (!refuses || marked == PlanMark::from_json) {
    const cudnnStatus status = call.real(descriptor);
    if (status != cudnnStatus::success) return status;
    if (marked == PlanMark::from_json) {
      const Backend backend = backend_of(call);
      if (!backend.usable() || !is_nondeterministic_plan(backend, descriptor)) return status;
    }
    if (!refuses) {
      call.record(Action::unfixed, "the plan's engine is nondeterministic", {"NONDETERMINISTIC"});
      return status;
    }
  }
  call.record(Action::refuse, "the plan's engine is nondeterministic", {"NONDETERMINISTIC"});
  return cudnn_not_supported(call);
}

DETSHIM_HOOK(cudnn, cudnnStatus, cudnnBackendDestroyDescriptor, (cudnnBackendDescriptor_t descriptor),
             .action = Action::observe,
             .summary = "Forgets a plan: another descriptor may get its address.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendDestroyDescriptor);
  unmark(descriptor);
  return call.real(descriptor);
}
