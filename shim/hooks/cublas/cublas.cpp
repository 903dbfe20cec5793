// cuBLAS: the workspace setting is in force before the first handle, atomics stay off, and
// algorithms are not chosen by time.
#include "abi/cublas.h"
#include "common/run_variable.h"
#include "core/policy/settings.h"
#include "core/policy/settings_table.h"
#include "core/tuning/tuning.h"
#include "hooks/cublas/variables.h"
#include "hooks/digests/cublas/products.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constexpr const char* workspace_setting = "CUBLAS_WORKSPACE_CONFIG";

// cuBLAS reads CUBLAS_WORKSPACE_CONFIG once, at the first handle: what holds is what it was then.
enum class Pool : uint8_t { unknown, bounded, shared };
constinit Pool pool = Pool::unknown;

Pool pool_of_environment() {
  const char* value = environment_value(workspace_setting);
  return value != nullptr && setting_is_good(workspace_setting, value) ? Pool::bounded
                                                                       : Pool::shared;
}

/// To be called before the real cublasCreate_v2, by whomever it is called.
void note_pool() {
  Pool unknown = Pool::unknown;
  Pool now = pool_of_environment();
  __atomic_compare_exchange(&pool, &unknown, &now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

// Programs time CUBLAS_GEMM_ALGO0 … 23 and ALGO0_TENSOR_OP … 15 one by one and then name the
// fastest. All of them are replaced by the default of their kind; from Ampere on they mean it
// anyway (cublasGemmAlgo_t, cuBLAS reference).
/// What becomes of a product of the cublasGemmEx family.
struct GemmChoice {
  cublasGemmAlgo effective;
  Action action = Action::none; ///< none: nothing to record
  Reason why = Reason::none;
};

GemmChoice choose_gemm(cublasGemmAlgo requested) {
  if (requested == cublasGemmAlgo::standard || requested == cublasGemmAlgo::standard_tensor)
    return {requested}; // most calls
  const bool is_plain = requested >= cublasGemmAlgo::first && requested <= cublasGemmAlgo::last;
  const bool is_tensor =
      requested >= cublasGemmAlgo::first_tensor && requested <= cublasGemmAlgo::last_tensor;
  const bool is_timed_by_library = requested == cublasGemmAlgo::autotune;
  if (!is_plain && !is_tensor && !is_timed_by_library)
    return {requested};
  const Reason why = is_timed_by_library ? Reason::timed_by_library : Reason::program_may_time;
  if (!gives_one_candidate())
    return {requested, Action::nondeterministic, why};
  return {is_tensor ? cublasGemmAlgo::standard_tensor : cublasGemmAlgo::standard, Action::replace,
          why};
}

/// The body of a hook of that family. A product that fails has used no algorithm: nothing is
/// recorded.
template <auto describe, typename Call, typename... Arguments>
cublasStatus multiply(const Call& call, Arguments... arguments) {
  if (call.passes())
    return call.real(arguments...);
  auto& algorithm = argument_of_type<cublasGemmAlgo>(arguments...);
  const auto requested = static_cast<int64_t>(algorithm);
  const GemmChoice choice = choose_gemm(algorithm);
  algorithm = choice.effective;
  const cublasStatus status = call_digested<describe>(call, arguments...);
  if (status != cublasStatus::success)
    return status;
  const auto effective = static_cast<int64_t>(choice.effective);
  if (argument_of_type<cublasComputeType>(arguments...) == cublasComputeType::emulated_fixedpoint)
    call.record(Action::nondeterministic, Reason::emulation, {requested, effective});
  if (choice.action != Action::none)
    call.record(choice.action, choice.why, {requested, effective});
  return status;
}

template <auto describe>
using Product = DescribedCall<cublasStatus, describe>;

constexpr Description replaces_timed = {
    .action = Action::replace,
    .fields = {"requested"_in, "effective"_out},
    .summary =
        "Replaces AUTOTUNE and numbered algorithms, which are timed, by the default; records "
        "fixed-point emulation.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(cublas, cublasStatus, cublasCreate_v2, (cublasHandle_t * handle),
             .action = Action::replace, .fields = {"requested"_in, "effective"_out, "variable"_in},
             .summary = "Sees that CUBLAS_WORKSPACE_CONFIG is repeatable before cuBLAS reads it at "
                        "the first handle.") {
  DETSHIM_ENTER_OUTERMOST(cublasCreate_v2);
  if (call.passes()) {
    note_pool();
    return call.real(handle);
  }
  // The program may have changed it since the constructor set it (Python's os.environ does).
  const SettingChange* const change = reapply_setting(workspace_setting);
  note_pool();
  const cublasStatus status = call.real(handle);
  if (status != cublasStatus::success)
    return status;
  record_cublas_variables(call);
  const char* const value = environment_value(workspace_setting);
  if (change != nullptr)
    call.record(Action::replace, Reason::setting_restored,
                {change->was != nullptr ? change->was : "", change->now, workspace_setting});
  else if (pool_of_environment() == Pool::bounded)
    call.record(Action::observe, Reason::workspace_bounded, {value, value, workspace_setting});
  else
    call.record(Action::nondeterministic, Reason::workspace_shared,
                {value != nullptr ? value : "", "", workspace_setting});
  return status;
}

// libnvblas, which stands in front of a program's BLAS, makes its handle here too.
using Create = CallOfWords<cublasStatus, 1>;
DETSHIM_TEMPLATE_HOOK(
    cublas, Create, cublasXtCreate, record_nondeterministic<Reason::work_divided_as_free>,
    .action = Action::nondeterministic,
    .summary = "Recorded: cublasXt and NVBLAS divide the work among devices and the processor.");

using SetAtomics = OutermostCall<cublasStatus(cublasHandle_t handle, cublasAtomicsMode mode)>;
DETSHIM_TEMPLATE_HOOK(
    cublas, SetAtomics, cublasSetAtomicsMode,
    (keep_good<cublasAtomicsMode::not_allowed, Reason::atomic_adds, cublasAtomicsMode::allowed>),
    .action = Action::replace, .fields = {"requested"_in, "effective"_out},
    .summary =
        "Keeps atomics off: with them symv and hemv add in an order that differs from run to run.");

// cublasSetStream_v2 gives the handle the default pool again, also where the program had set a
// workspace of its own (cublas_v2.h's reference, 2.4.7). Nothing is put back. The program's own
// buffer may be freed by then, or in use by the handle's former stream: two streams in one buffer
// is the very race that is to be avoided. Our own buffer for each handle and stream would have to
// be allocated, perhaps during a capture, and its size would take part in choosing algorithms.
// Neither is needed: with CUBLAS_WORKSPACE_CONFIG in force the default pool is one of the ways to
// repeatable results that the reference gives for several streams (2.1.4). What remains is to say
// where it is not in force.
constexpr auto set_stream = [](const auto& call, auto...) {
  Pool now;
  __atomic_load(&pool, &now, __ATOMIC_RELAXED);
  if (now == Pool::bounded)
    call.record(Action::observe, Reason::workspace_bounded, {"default"});
  else if (now == Pool::shared)
    call.record(Action::nondeterministic, Reason::workspace_shared, {"default"});
  else
    call.record(Action::observe, Reason::first_handle_unseen, {"default"});
};
using SetStream = CallOfWords<cublasStatus, 2>;
DETSHIM_TEMPLATE_HOOK(cublas, SetStream, cublasSetStream_v2, say_after<set_stream>,
                      .action = Action::nondeterministic, .fields = {"workspace"_in},
                      .summary = "Recorded: the handle is back at cuBLAS's own workspaces, which "
                                 "CUBLAS_WORKSPACE_CONFIG must bound.");

constexpr auto set_workspace = [](const auto& call, Word, Word, size_t size) {
  call.record(Action::observe, Reason::own_workspace, {uint64_t{size}});
};
using SetWorkspace = OutermostCall<cublasStatus(Word handle, Word workspace, size_t size)>;
DETSHIM_TEMPLATE_HOOK(
    cublas, SetWorkspace, cublasSetWorkspace_v2, say_after<set_workspace>,
    .action = Action::observe, .fields = {"size"_in},
    .summary = "Recorded: algorithms are chosen by the workspace's size too, so it shows "
               "when two logs are compared.");

using SetMath = OutermostCall<cublasStatus(cublasHandle_t handle, int mode)>;
DETSHIM_TEMPLATE_HOOK(
    cublas, SetMath, cublasSetMathMode,
    (record_emulation<cublas_math_emulated_fixedpoint, Reason::repeatable_per_device>),
    records_emulation);

constexpr auto set_strategy = [](const auto& call, Word, cublasEmulationStrategy strategy) {
  const auto number = static_cast<int64_t>(strategy);
  if (strategy == cublasEmulationStrategy::standard)
    call.record(Action::observe, Reason::default_choice, {number});
  else
    call.record(Action::nondeterministic, Reason::emulation, {number});
};
using SetStrategy = OutermostCall<cublasStatus(Word handle, cublasEmulationStrategy strategy)>;
DETSHIM_TEMPLATE_HOOK(cublas, SetStrategy, cublasSetEmulationStrategy, say_after<set_strategy>,
                      .action = Action::nondeterministic, .fields = {"strategy"_in},
                      .summary =
                          "Records that fixed-point emulation is asked for, which cuBLAS does not "
                          "promise to be repeatable.");

// A product in its two widths of sizes.
#define BOTH_WIDTHS(NAME, DESCRIBE)                                                                \
  DETSHIM_TEMPLATE_HOOK(cublas, Product<DESCRIBE<int>>, NAME, multiply<DESCRIBE<int>>,             \
                        replaces_timed);                                                           \
  DETSHIM_TEMPLATE_HOOK(cublas, Product<DESCRIBE<int64_t>>, NAME##_64,                             \
                        multiply<DESCRIBE<int64_t>>, replaces_timed)

BOTH_WIDTHS(cublasGemmEx, describe_gemm_ex);
BOTH_WIDTHS(cublasGemmBatchedEx, describe_batched_ex);
BOTH_WIDTHS(cublasGemmStridedBatchedEx, describe_strided_ex);
