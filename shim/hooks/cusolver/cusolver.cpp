// cuSOLVER: the dense solvers stay in their deterministic mode, which is the default.
#include "abi/cusolver.h"
#include "hooks/support/functions.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

// Solvers that cusolverDnSetDeterministicMode says nothing of (cuSOLVER documentation, 2.1.9) are recorded as
// their handles are made.

template <VersionedLibrary& library, typename Call, typename Handle>
cusolverStatus create_without_mode(const Call& call, Handle* handle) {
  const cusolverStatus status = call.real(handle);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, library);
  call.record(Action::nondeterministic, Reason::no_deterministic_mode, {});
  return status;
}

constexpr Description has_no_mode = {
    .action = Action::nondeterministic,
    .summary = "Recorded: these solvers have no deterministic mode.",
};

/// The rank and the oversampling stand behind the sizes.
template <typename Call, typename... Words>
cusolverStatus decompose_by_random_vectors(const Call& call, void* handle, void* params, void* job_u,
                                           void* job_v, void* m, void* n, void* k, void* p, Words... others) {
  const cusolverStatus status = call.real(handle, params, job_u, job_v, m, n, k, p, others...);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  call.record(Action::nondeterministic, Reason::random_start,
              {reinterpret_cast<int64_t>(k), reinterpret_cast<int64_t>(p)});
  return status;
}

template <typename Call, typename... Words>
cusolverStatus decompose_in_mode(const Call& call, void* handle, Words... others) {
  const cusolverStatus status = call.real(handle, others...);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  using GetMode = cusolverStatus(void* handle, cusolverDeterministicMode* mode);
  auto mode = cusolverDeterministicMode::allow_non_deterministic; // before CUDA 12.2 there is no other
  if (auto* const get_mode = call.template sibling<GetMode>("cusolverDnGetDeterministicMode"))
    get_mode(handle, &mode);
  if (mode == cusolverDeterministicMode::deterministic)
    call.record(Action::observe, Reason::deterministic_setting, {static_cast<int>(mode)});
  else
    call.record(Action::nondeterministic, Reason::nondeterministic, {static_cast<int>(mode)});
  return status;
}

using Xgesvdr = CallOfWords<cusolverStatus, 26>;
using Xgesvdp = CallOfWords<cusolverStatus, 24>;
using CreateIrs = OutermostCall<cusolverStatus(cusolverDnIRSParams_t* params)>;
using CreateSp = OutermostCall<cusolverStatus(cusolverSpHandle_t* handle)>;
using CreateRf = OutermostCall<cusolverStatus(cusolverRfHandle_t* handle)>;
using CreateMg = OutermostCall<cusolverStatus(cusolverMgHandle_t* handle)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnCreate, (cusolverDnHandle_t * handle),
             .action = Action::nondeterministic,
             .summary = "Says which cuSOLVER answers, and whether it has a deterministic mode.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnCreate);
  const cusolverStatus status = call.real(handle);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  if (call.sibling<void()>("cusolverDnSetDeterministicMode") == nullptr)
    call.record(Action::nondeterministic, Reason::version_too_old, {});
  return status;
}

DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnSetDeterministicMode,
             (cusolverDnHandle_t handle, cusolverDeterministicMode mode), .action = Action::replace,
             .fields = {"requested", "effective"}, .summary = "Keeps cuSOLVER's deterministic mode on.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnSetDeterministicMode);
  if (call.passes()) return call.real(handle, mode);
  record_library_once(call, cusolver_library);
  const int requested = static_cast<int>(mode);
  const bool is_replaced = mode == cusolverDeterministicMode::allow_non_deterministic && options().forces();
  const auto effective = is_replaced ? cusolverDeterministicMode::deterministic : mode;
  const cusolverStatus status = call.real(handle, effective);
  if (status != cusolverStatus::success) return status; // the handle's fault: both modes are good ones
  if (is_replaced)
    call.record(Action::replace, Reason::nondeterministic, {requested, static_cast<int>(effective)});
  else if (mode == cusolverDeterministicMode::allow_non_deterministic)
    call.record(Action::nondeterministic, Reason::nondeterministic, {requested, requested});
  else
    call.record(Action::observe, Reason::left_alone, {requested, requested});
  return status;
}

// cuSOLVER lets cuBLAS multiply, whose promise of repeatability ends at fixed-point emulation.
DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnSetMathMode, (cusolverDnHandle_t handle, int mode),
             .action = Action::nondeterministic, .fields = {"mode"},
             .summary = "Records modes with fixed-point emulation, which cuBLAS does not promise to be "
                        "repeatable.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnSetMathMode);
  const cusolverStatus status = call.real(handle, mode);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  if ((mode & cusolver_math_emulated_fixedpoint) != 0)
    call.record(Action::nondeterministic, Reason::emulation, {mode});
  else
    call.record(Action::observe, Reason::left_alone, {mode});
  return status;
}

DETSHIM_TEMPLATE_HOOK(
    cusolver, Xgesvdr, cusolverDnXgesvdr, decompose_by_random_vectors, .action = Action::nondeterministic,
    .fields = {"rank", "oversampling"},
    .summary = "Recorded: a decomposition by random vectors, whose seed is not known to be constant.");
DETSHIM_TEMPLATE_HOOK(
    cusolver, Xgesvdp, cusolverDnXgesvdp, decompose_in_mode, .action = Action::nondeterministic,
    .fields = {"mode"},
    .summary = "Recorded with the handle's mode: only the deterministic one promises that it repeats.");

// The solvers that cusolverDnSetDeterministicMode says nothing of.
DETSHIM_TEMPLATE_HOOK(cusolver, CreateIrs, cusolverDnIRSParamsCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolver, CreateSp, cusolverSpCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolver, CreateRf, cusolverRfCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolvermg, CreateMg, cusolverMgCreate, create_without_mode<cusolvermg_library>,
                      has_no_mode);
