// cuTENSOR: two switches by which its results differ from run to run.
//
// With the incremental autotuning mode, each plan of a contraction is made of another kernel until the
// fastest is known, and types.h says: "we cannot guarantee bit-wise identical results". Contractions of
// block-sparse tensors are not reproducible unless it is asked for, which can be since 2.8 (cutensor.h, at
// cutensorCreateBlockSparseContraction).
//
// Symbols: cutensor.h of cuTENSOR 2.8.1, and of 1.7.0 for cutensorContractionFindSetAttribute.
#include "abi/cutensor.h"
#include "core/tuning/tuning.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

/// Sets an attribute of a preference, by either version's function.
template <typename Call, typename Handle, typename Preference>
cutensorStatus set_preference(const Call& call, Handle handle, Preference preference, int attribute,
                              const void* value, size_t size) {
  constexpr auto incremental = cutensorAutotuneMode::incremental;
  cutensorAutotuneMode requested = cutensorAutotuneMode::none;
  const bool is_mode = attribute == cutensor_autotune_mode && value != nullptr && size == sizeof requested;
  if (is_mode) __builtin_memcpy(&requested, value, sizeof requested);
  if (call.passes() || !is_mode || requested != incremental)
    return call.real(handle, preference, attribute, value, size);
  const bool is_left = !gives_one_candidate();
  const cutensorAutotuneMode effective = is_left ? requested : cutensorAutotuneMode::none;
  const cutensorStatus status = call.real(handle, preference, attribute, &effective, sizeof effective);
  if (status != cutensorStatus::success) return status;
  const int mode = static_cast<int>(requested);
  if (is_left)
    call.record(Action::nondeterministic,
                autotune() == Autotune::off ? Reason::timed_by_library : Reason::choice_cannot_be_kept,
                {mode, mode});
  else
    call.record(Action::replace, Reason::expected_best, {mode, static_cast<int>(effective)});
  return status;
}

/// Of operation descriptors.
using SetAttribute = cutensorStatus(const void* handle, cutensorOperationDescriptor_t operation,
                                    int attribute, const void* value, size_t size);

template <typename Call, typename... Words>
cutensorStatus contract(const Call& call, Word handle, cutensorOperationDescriptor_t* operation,
                        Words... others) {
  const cutensorStatus status = call.real(handle, operation, others...);
  if (call.passes() || status != cutensorStatus::success) return status;
  if (!options().forces()) {
    call.record(Action::nondeterministic, Reason::nondeterministic, {});
    return status;
  }
  auto* const set = call.template sibling<SetAttribute>("cutensorOperationDescriptorSetAttribute");
  const int32_t reproducible = 1;
  if (set != nullptr && set(handle, *operation, cutensor_blocksparse_reproducible, &reproducible,
                            sizeof reproducible) == cutensorStatus::success) {
    call.record(Action::replace, Reason::nondeterministic, {});
    return status;
  }
  auto* const destroy = call.template sibling<cutensorStatus(cutensorOperationDescriptor_t)>(
      "cutensorDestroyOperationDescriptor");
  if (!options().strict() || destroy == nullptr) {
    call.record(Action::nondeterministic, Reason::version_too_old, {});
    return status;
  }
  destroy(*operation);
  *operation = nullptr;
  call.record(Action::refuse, Reason::version_too_old, {});
  return cutensorStatus::not_supported;
}

constexpr Description tunes_nothing = {
    .action = Action::replace,
    .fields = {"requested", "effective"},
    .summary = "Replaces incremental autotuning, which chooses kernels by time, by none.",
};

using SetPreference =
    OutermostCall<cutensorStatus(Word, Word, int attribute, const void* value, size_t size)>;
using Contract = CallOfWords<cutensorStatus, 12, Word, cutensorOperationDescriptor_t*>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_TEMPLATE_HOOK(cutensor, SetPreference, cutensorPlanPreferenceSetAttribute, set_preference,
                      tunes_nothing);
DETSHIM_TEMPLATE_HOOK(cutensor, SetPreference, cutensorContractionFindSetAttribute, set_preference,
                      tunes_nothing);

DETSHIM_TEMPLATE_HOOK(
    cutensor, Contract, cutensorCreateBlockSparseContraction, contract, .action = Action::refuse,
    .summary = "Asks for reproducible results of block-sparse contractions, which cuTENSOR gives since 2.8.");

DETSHIM_HOOK(cutensor, cutensorStatus, cutensorOperationDescriptorSetAttribute,
             (const void* handle, cutensorOperationDescriptor_t operation, int attribute, const void* value,
              size_t size),
             .action = Action::replace, .fields = {"requested", "effective"},
             .summary = "Keeps block-sparse contractions reproducible.") {
  DETSHIM_ENTER_OUTERMOST(cutensorOperationDescriptorSetAttribute);
  int32_t requested = 1;
  if (attribute == cutensor_blocksparse_reproducible && value != nullptr && size == sizeof requested)
    __builtin_memcpy(&requested, value, sizeof requested);
  if (call.passes() || requested != 0) return call.real(handle, operation, attribute, value, size);
  const int32_t effective = options().forces() ? 1 : 0;
  const cutensorStatus status = call.real(handle, operation, attribute, &effective, sizeof effective);
  if (status != cutensorStatus::success) return status;
  if (effective != requested)
    call.record(Action::replace, Reason::nondeterministic, {requested, effective});
  else
    call.record(Action::nondeterministic, Reason::nondeterministic, {requested, effective});
  return status;
}
