// cuSOLVER: the dense solvers stay in their deterministic mode, which is the default.
#include "abi/cusolver.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constexpr Description has_no_mode = {
    .action = Action::nondeterministic,
    .summary = "Recorded: these solvers have no deterministic mode.",
};

/// The rank and the oversampling stand behind the sizes.
constexpr auto by_random_vectors = [](const auto& call, Word, Word, Word, Word, Word, Word, Word k,
                                      Word p, auto...) {
  call.record(Action::nondeterministic, Reason::random_start,
              {reinterpret_cast<int64_t>(k), reinterpret_cast<int64_t>(p)});
};

constexpr auto in_mode = [](const auto& call, void* handle, auto...) {
  using GetMode = cusolverStatus(void* handle, cusolverDeterministicMode* mode);
  auto mode =
      cusolverDeterministicMode::allow_non_deterministic; // before CUDA 12.2 there is no other
  if (auto* const get_mode = call.template sibling<GetMode>("cusolverDnGetDeterministicMode"))
    get_mode(handle, &mode);
  if (mode == cusolverDeterministicMode::deterministic)
    call.record(Action::observe, Reason::deterministic_setting, {static_cast<int>(mode)});
  else
    call.record(Action::nondeterministic, Reason::nondeterministic, {static_cast<int>(mode)});
};

constexpr auto made_handle = [](const auto& call, Word /*handle*/) {
  say_library(call.hook());
  if (call.template sibling<void()>("cusolverDnSetDeterministicMode") == nullptr)
    call.record(Action::nondeterministic, Reason::version_too_old, {});
};

using Create = CallOfWords<cusolverStatus, 1>;
using Xgesvdr = CallOfWords<cusolverStatus, 26>;
using Xgesvdp = CallOfWords<cusolverStatus, 24>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(
    cusolver, Create, cusolverDnCreate, say_after<made_handle>, .action = Action::nondeterministic,
    .summary = "Says which cuSOLVER answers, and whether it has a deterministic mode.");

using SetMode =
    OutermostCall<cusolverStatus(cusolverDnHandle_t handle, cusolverDeterministicMode mode)>;
DETSHIM_TEMPLATE_HOOK(cusolver, SetMode, cusolverDnSetDeterministicMode,
                      (keep_good<cusolverDeterministicMode::deterministic, Reason::nondeterministic,
                                 cusolverDeterministicMode::allow_non_deterministic>),
                      .action = Action::replace, .fields = {"requested"_in, "effective"_out},
                      .summary = "Keeps cuSOLVER's deterministic mode on.");

// cuSOLVER lets cuBLAS multiply, whose promise of repeatability ends at fixed-point emulation.
using SetMath = OutermostCall<cusolverStatus(cusolverDnHandle_t handle, int mode)>;
DETSHIM_TEMPLATE_HOOK(cusolver, SetMath, cusolverDnSetMathMode,
                      (record_emulation<cusolver_math_emulated_fixedpoint, Reason::left_alone>),
                      records_emulation);

DETSHIM_TEMPLATE_HOOK(
    cusolver, Xgesvdr, cusolverDnXgesvdr, say_after<by_random_vectors>,
    .action = Action::nondeterministic, .fields = {"rank"_in, "oversampling"_in},
    .summary =
        "Recorded: a decomposition by random vectors, whose seed is not known to be constant.");
DETSHIM_TEMPLATE_HOOK(
    cusolver, Xgesvdp, cusolverDnXgesvdp, say_after<in_mode>, .action = Action::nondeterministic,
    .fields = {"mode"_in},
    .summary =
        "Recorded with the handle's mode: only the deterministic one promises that it repeats.");

// Solvers that cusolverDnSetDeterministicMode says nothing of (cuSOLVER documentation, 2.1.9) are
// recorded as their handles are made.
#define WITHOUT_MODE(LIBRARY, NAME)                                                                \
  DETSHIM_TEMPLATE_HOOK(LIBRARY, Create, NAME,                                                     \
                        record_nondeterministic<Reason::no_deterministic_mode>, has_no_mode)
WITHOUT_MODE(cusolver, cusolverDnIRSParamsCreate);
WITHOUT_MODE(cusolver, cusolverSpCreate);
WITHOUT_MODE(cusolver, cusolverRfCreate);
WITHOUT_MODE(cusolvermg, cusolverMgCreate);
