// cuDNN's engine heuristics without nondeterministic engines.
//
// The caller makes the engine-config descriptors itself and keeps its own pointers to them
// (cudnn-frontend does), so reordering the array that it passed would change nothing. The list is
// filtered by filling: the library is asked once into our own descriptors, each engine's numerical
// notes are read, and it is asked again with the caller's descriptors in the places that are kept
// and ours in the others. That works because the library gives one heuristics descriptor's results
// in the same order every time; what the caller got is looked at once more, lest one does not.
#include "hooks/cudnn/graph_tuning.h"
#include "hooks/cudnn/plans.h"

namespace detshim::cudnn {
namespace {

constexpr int64_t result_limit = 512; // engine configs of one query; 73 is the most that was seen

/// One query's results: our own descriptors that hold them, and which are nondeterministic.
class Results {
public:
  explicit Results(const Backend& backend) : backend_(backend) {}
  ~Results() {
    for (int64_t i = 0; i < count; ++i)
      backend_.destroy(configs[i]);
  }
  Results& operator=(Results&&) = delete; // neither copied nor moved

  bool read(Descriptor heuristics) {
    int64_t available = 0;
    if (backend_.get(heuristics, Name::engine_heuristic_results, Type::backend_descriptor, 0,
                     &available, nullptr) != Status::success ||
        available > result_limit)
      return false;
    for (; count < available; ++count)
      if (backend_.create(DescriptorType::engine_config, &configs[count]) != Status::success)
        return false;
    int64_t filled = 0;
    if (backend_.get(heuristics, Name::engine_heuristic_results, Type::backend_descriptor, count,
                     &filled, configs) != Status::success)
      return false;
    found = filled < count ? filled : count;
    for (int64_t i = 0; i < found; ++i) {
      const EngineNotes notes = read_notes(backend_, configs[i]);
      unreadable_count += notes == EngineNotes::unreadable ? 1 : 0;
      nondeterministic[i] = notes == EngineNotes::nondeterministic;
      nondeterministic_count += nondeterministic[i] ? 1 : 0;
    }
    return true;
  }

  /// Puts an empty descriptor in a result's place: the library fills only those, and stops at
  /// another.
  bool renew(int64_t i) {
    backend_.destroy(configs[i]);
    if (backend_.create(DescriptorType::engine_config, &configs[i]) == Status::success)
      return true;
    configs[i] = configs[--count];
    return false;
  }

  int64_t count = 0; ///< descriptors made
  int64_t found = 0; ///< of those, filled by the library
  int64_t nondeterministic_count = 0;
  int64_t unreadable_count = 0;
  Descriptor configs[result_limit];
  bool nondeterministic[result_limit];

private:
  const Backend& backend_;
};

/// What the caller's descriptors were filled with.
struct Effective {
  int64_t count = 0; ///< the library stops at the first that it cannot fill
  bool is_nondeterministic = false;
};

/// Fills the caller's descriptors with the kept results, in their order but for the result `front`,
/// which comes first (-1: none does); the library's status.
Status fill(const Backend& backend, Descriptor heuristics, Results& results, int64_t front,
            int64_t requested, Effective& effective, Descriptor* theirs) {
  Descriptor mixed[result_limit];
  int64_t length = 0;
  int64_t kept = front >= 0 ? 1 : 0; // of theirs, the first is for the front
  for (; length < results.found && (kept < requested || length <= front); ++length) {
    const bool is_theirs =
        length == front || (!results.nondeterministic[length] && kept < requested);
    if (!is_theirs && !results.renew(length))
      return Status::allocation_failed;
    mixed[length] = !is_theirs        ? results.configs[length]
                    : length == front ? theirs[0]
                                      : theirs[kept++];
  }
  int64_t filled = 0;
  const Status status = backend.get(heuristics, Name::engine_heuristic_results,
                                    Type::backend_descriptor, length, &filled, mixed);
  if (front >= filled)
    return status; // theirs would have a hole
  for (int64_t i = 0; i < filled && i < length; ++i) {
    if (mixed[i] == results.configs[i])
      continue;
    ++effective.count;
    effective.is_nondeterministic |= read_notes(backend, mixed[i]) == EngineNotes::nondeterministic;
  }
  return status;
}

/// What recorded tuning does with a list: the place of the result that comes first, -1 without one.
template <typename Call>
int64_t tune(const Call& call, const Backend& backend, Descriptor heuristics,
             const Results& results) {
  const Autotune tuning = autotune();
  if (tuning != Autotune::record && tuning != Autotune::replay)
    return -1;
  // Under record too: a wrong file is refused now, not after the search.
  const uint32_t graph = note_of(heuristics).graph;
  Kept kept = find_kept(call, backend, graph, results.configs, results.found);
  if (tuning == Autotune::record || !options().forces())
    return -1;
  if (kept.place >= 0 && results.nondeterministic[kept.place])
    kept = {-1, {}, Reason::kept_choice_nondeterministic};
  if (kept.place >= 0)
    want(graph, kept.config, results.found - 1);
  call.record(kept.place >= 0 ? Action::replace : Action::observe, kept.why,
              {results.found, results.nondeterministic_count,
               results.found - results.nondeterministic_count});
  return kept.place;
}

/// A query for results, as the program asked it.
struct Query {
  Descriptor heuristics;
  int64_t requested;
  int64_t* returned; ///< may be nullptr
  void* elements;
};

template <typename Call>
Status pass(const Call& call, const Query& query) {
  return call.real(query.heuristics, Name::engine_heuristic_results, Type::backend_descriptor,
                   query.requested, query.returned, query.elements);
}

template <typename Call>
Status refuse(const Call& call, const Query& query, const Results& results, Reason why) {
  call.record(Action::refuse, why, {results.found, results.nondeterministic_count, 0});
  if (query.returned != nullptr)
    *query.returned = 0;
  return cudnn_not_supported(call.hook());
}

/// Answers a query with the results that are kept, the one in the place `front` first.
template <typename Call>
Status give_kept(const Call& call, const Backend& backend, const Query& query, Results& results,
                 int64_t front) {
  const int64_t bad = results.nondeterministic_count;
  Effective effective;
  const Status status = fill(backend, query.heuristics, results, front, query.requested, effective,
                             static_cast<Descriptor*>(query.elements));
  if (status != Status::success)
    return status;
  if (query.returned != nullptr)
    *query.returned = effective.count;
  if (!effective.is_nondeterministic) {
    if (bad == 0)
      return status; // the order alone was changed
    call.record(Action::replace, Reason::engines_left_out, {results.found, bad, effective.count});
    return status;
  }
  if (options().strict())
    return refuse(call, query, results, Reason::list_reordered);
  call.record(Action::nondeterministic, Reason::list_reordered,
              {results.found, bad, effective.count});
  return status;
}

/// Answers a query for results.
template <typename Call>
Status answer(const Call& call, const Query& query) {
  say_library(call.hook());
  const Backend backend = backend_of(call);
  Results results(backend);
  if (!backend.usable() || !results.read(query.heuristics)) {
    const Status status = pass(call, query);
    if (status == Status::success)
      call.record(Action::nondeterministic, Reason::list_unreadable, {0, 0, 0});
    return status;
  }
  const int64_t bad = results.nondeterministic_count;
  if (results.unreadable_count > 0) // they stay in the list; strict refuses their plans
    call.record(Action::nondeterministic, Reason::notes_unreadable, {results.found, bad, 0});
  const int64_t front = tune(call, backend, query.heuristics, results);
  if (bad == 0 && front <= 0) {
    const Status status = pass(call, query);
    if (results.unreadable_count == 0)
      call.record(Action::observe, Reason::deterministic_engines,
                  {results.found, bad, results.found});
    return status;
  }
  const bool has_deterministic_one = bad != results.found;
  if (has_deterministic_one && options().forces())
    return give_kept(call, backend, query, results, front);
  if (!has_deterministic_one && options().strict())
    return refuse(call, query, results, Reason::no_deterministic_engine);
  const Status status = pass(call, query);
  call.record(Action::nondeterministic,
              has_deterministic_one ? Reason::nondeterministic_engine
                                    : Reason::no_deterministic_engine,
              {results.found, bad, results.found});
  return status;
}

} // namespace
} // namespace detshim::cudnn

using namespace detshim;
using namespace detshim::cudnn;

DETSHIM_HOOK(cudnn, abi::cudnnStatus, cudnnBackendGetAttribute,
             (abi::cudnnBackendDescriptor_t descriptor, abi::cudnnBackendAttributeName name,
              abi::cudnnBackendAttributeType type, int64_t requested, int64_t* returned,
              void* elements),
             .action = Action::replace,
             .fields = {"found"_out, "nondeterministic"_out, "effective"_out},
             .summary = "Leaves nondeterministic engines out of a heuristics query's results; "
                        "other attributes pass.") {
  DETSHIM_ENTER_OUTERMOST(cudnnBackendGetAttribute);
  const bool is_results = name == Name::engine_heuristic_results;
  const bool is_of_graph = is_results || name == Name::engine_config_engine ||
                           name == Name::execution_plan_engine_config;
  if (!is_of_graph || type != Type::backend_descriptor || requested <= 0 || elements == nullptr ||
      call.passes())
    return call.real(descriptor, name, type, requested, returned, elements);
  const Status status = is_results
                            ? answer(call, {descriptor, requested, returned, elements})
                            : call.real(descriptor, name, type, requested, returned, elements);
  if (status != Status::success)
    return status;
  const int64_t effective = returned != nullptr && *returned < requested ? *returned : requested;
  bool is_followed = true;
  for (int64_t i = 0; i < effective; ++i) {
    Descriptor stale;
    is_followed &= inherit_graph(static_cast<Descriptor*>(elements)[i], descriptor, stale);
    release(call, stale);
  }
  if (!is_followed)
    record_overflow_once(call, {0, 0, effective});
  return status;
}
