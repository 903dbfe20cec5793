// cuSOLVER: the dense solvers stay in their deterministic mode, which is the default.
#include "abi/cusolver.h"
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
  call.record(Action::unfixed, Reason::no_deterministic_mode, {});
  return status;
}

constexpr Description has_no_mode = {
    .action = Action::unfixed,
    .summary = "Recorded: these solvers have no deterministic mode.",
};

using CreateIrs = OutermostCall<cusolverStatus(cusolverDnIRSParams_t* params)>;
using CreateSp = OutermostCall<cusolverStatus(cusolverSpHandle_t* handle)>;
using CreateRf = OutermostCall<cusolverStatus(cusolverRfHandle_t* handle)>;
using CreateMg = OutermostCall<cusolverStatus(cusolverMgHandle_t* handle)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnCreate, (cusolverDnHandle_t * handle),
             .action = Action::unfixed,
             .summary = "Says which cuSOLVER answers, and whether it has a deterministic mode.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnCreate);
  const cusolverStatus status = call.real(handle);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  if (call.beside<void()>("cusolverDnSetDeterministicMode") == nullptr)
    call.record(Action::unfixed, Reason::version_too_old, {});
  return status;
}

DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnSetDeterministicMode,
             (cusolverDnHandle_t handle, cusolverDeterministicMode mode), .action = Action::replace,
             .fields = {"asked", "given"}, .summary = "Keeps cuSOLVER's deterministic mode on.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnSetDeterministicMode);
  if (call.passes()) return call.real(handle, mode);
  record_library_once(call, cusolver_library);
  const int asked = static_cast<int>(mode);
  const bool is_replaced = mode == cusolverDeterministicMode::allow_non_deterministic && options().forces();
  const auto given = is_replaced ? cusolverDeterministicMode::deterministic : mode;
  const cusolverStatus status = call.real(handle, given);
  if (status != cusolverStatus::success) return status; // the handle's fault: both modes are good ones
  if (is_replaced)
    call.record(Action::replace, Reason::nondeterministic, {asked, static_cast<int>(given)});
  else if (mode == cusolverDeterministicMode::allow_non_deterministic)
    call.record(Action::unfixed, Reason::nondeterministic, {asked, asked});
  else
    call.record(Action::observe, Reason::left_alone, {asked, asked});
  return status;
}

// cuSOLVER lets cuBLAS multiply, whose promise of repeatability ends at fixed-point emulation.
DETSHIM_HOOK(cusolver, cusolverStatus, cusolverDnSetMathMode, (cusolverDnHandle_t handle, int mode),
             .action = Action::unfixed, .fields = {"mode"},
             .summary = "Records modes with fixed-point emulation, which cuBLAS does not promise to be "
                        "repeatable.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnSetMathMode);
  const cusolverStatus status = call.real(handle, mode);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  if ((mode & cusolver_math_emulated_fixedpoint) != 0)
    call.record(Action::unfixed, Reason::emulation, {mode});
  else
    call.record(Action::observe, Reason::left_alone, {mode});
  return status;
}

DETSHIM_HOOK(
    cusolver, cusolverStatus, cusolverDnXgesvdr,
    (cusolverDnHandle_t handle, cusolverDnParams_t params, signed char job_u, signed char job_v, int64_t m,
     int64_t n, int64_t k, int64_t p, int64_t iterations, cudaDataType type_a, void* a, int64_t lda,
     cudaDataType type_s, void* s, cudaDataType type_u, void* u, int64_t ldu, cudaDataType type_v, void* v,
     int64_t ldv, cudaDataType compute_type, void* device_buffer, size_t device_size, void* host_buffer,
     size_t host_size, int* info),
    .action = Action::unfixed, .fields = {"rank", "oversampling"},
    .summary = "Recorded: a decomposition by random vectors, whose seed is not known to be constant.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnXgesvdr);
  const cusolverStatus status =
      call.real(handle, params, job_u, job_v, m, n, k, p, iterations, type_a, a, lda, type_s, s, type_u, u,
                ldu, type_v, v, ldv, compute_type, device_buffer, device_size, host_buffer, host_size, info);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  call.record(Action::unfixed, Reason::random_start, {int64_t{k}, int64_t{p}});
  return status;
}

DETSHIM_HOOK(
    cusolver, cusolverStatus, cusolverDnXgesvdp,
    (cusolverDnHandle_t handle, cusolverDnParams_t params, int job, int economy, int64_t m, int64_t n,
     cudaDataType type_a, void* a, int64_t lda, cudaDataType type_s, void* s, cudaDataType type_u, void* u,
     int64_t ldu, cudaDataType type_v, void* v, int64_t ldv, cudaDataType compute_type, void* device_buffer,
     size_t device_size, void* host_buffer, size_t host_size, int* info, double* perturbation),
    .action = Action::unfixed, .fields = {"mode"},
    .summary = "Recorded with the handle's mode: only the deterministic one promises that it repeats.") {
  DETSHIM_ENTER_OUTERMOST(cusolverDnXgesvdp);
  const cusolverStatus status =
      call.real(handle, params, job, economy, m, n, type_a, a, lda, type_s, s, type_u, u, ldu, type_v, v, ldv,
                compute_type, device_buffer, device_size, host_buffer, host_size, info, perturbation);
  if (call.passes() || status != cusolverStatus::success) return status;
  record_library_once(call, cusolver_library);
  using GetMode = cusolverStatus(cusolverDnHandle_t handle, cusolverDeterministicMode * mode);
  auto mode = cusolverDeterministicMode::allow_non_deterministic; // before CUDA 12.2 there is no other
  if (auto* const get_mode = call.beside<GetMode>("cusolverDnGetDeterministicMode")) get_mode(handle, &mode);
  if (mode == cusolverDeterministicMode::deterministic)
    call.record(Action::observe, Reason::deterministic_setting, {static_cast<int>(mode)});
  else
    call.record(Action::unfixed, Reason::nondeterministic, {static_cast<int>(mode)});
  return status;
}

// The solvers that cusolverDnSetDeterministicMode says nothing of.
DETSHIM_TEMPLATE_HOOK(cusolver, CreateIrs, cusolverDnIRSParamsCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolver, CreateSp, cusolverSpCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolver, CreateRf, cusolverRfCreate, create_without_mode<cusolver_library>,
                      has_no_mode);
DETSHIM_TEMPLATE_HOOK(cusolvermg, CreateMg, cusolverMgCreate, create_without_mode<cusolvermg_library>,
                      has_no_mode);
