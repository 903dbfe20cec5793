// cuBLAS: the workspace setting is in force before the first handle, and atomics stay off.
#include "abi/cublas.h"
#include "core/settings.h"
#include "hooks/library_version.h"
#include "loader/hook.h"

#include <cstdlib>

namespace detshim {
namespace {

using namespace abi;

constexpr const char* workspace_setting = "CUBLAS_WORKSPACE_CONFIG";
constinit uint32_t library_said = 0;

template <typename Call>
void say_library(const Call& call) {
  record_library_once(call.hook(), library_said, [&](auto& text) {
    auto* get = call.template beside<cublasStatus(libraryProperty, int*)>("cublasGetProperty");
    int number = 0;
    for (const auto property :
         {libraryProperty::major_version, libraryProperty::minor_version, libraryProperty::patch_level}) {
      if (get == nullptr || get(property, &number) != cublasStatus::success) return;
      if (property != libraryProperty::major_version) text.add('.');
      text.add(static_cast<uint64_t>(number));
    }
  });
}

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(
    cublas, cublasStatus, cublasCreate_v2, (cublasHandle_t * handle), .action = Action::replace,
    .fields = {"asked", "given"},
    .summary =
        "Sees that CUBLAS_WORKSPACE_CONFIG is repeatable before cuBLAS reads it at the first handle.") {
  DETSHIM_ENTER_OUTERMOST(cublasCreate_v2);
  if (call.passes()) return call.real(handle);
  say_library(call);
  // The program may have changed it since the constructor set it (Python's os.environ does).
  if (const SettingChange* change = reapply_setting(workspace_setting)) {
    call.record(Action::replace, "the program had undone CUBLAS_WORKSPACE_CONFIG",
                {change->was_set ? change->was : "", change->setting->value});
    return call.real(handle);
  }
  const char* value = getenv(workspace_setting);
  if (value != nullptr && setting_is_good(workspace_setting, value))
    call.record(Action::observe, "CUBLAS_WORKSPACE_CONFIG bounds each stream's workspace", {value, value});
  else
    call.record(Action::unfixed, "without CUBLAS_WORKSPACE_CONFIG several streams may share a workspace",
                {value != nullptr ? value : "", ""});
  return call.real(handle);
}

DETSHIM_HOOK(
    cublas, cublasStatus, cublasSetAtomicsMode, (cublasHandle_t handle, cublasAtomicsMode mode),
    .action = Action::replace, .fields = {"asked", "given"},
    .summary = "Keeps atomics off: with them symv and hemv add in an order that differs from run to run.") {
  DETSHIM_ENTER_OUTERMOST(cublasSetAtomicsMode);
  if (call.passes()) return call.real(handle, mode);
  if (mode == cublasAtomicsMode::not_allowed) {
    call.record(Action::observe, "atomics are off", {0, 0});
    return call.real(handle, mode);
  }
  if (!options().forces()) {
    call.record(Action::unfixed, "atomics add in any order; this mode leaves algorithms alone", {1, 1});
    return call.real(handle, mode);
  }
  call.record(Action::replace, "atomics add in any order", {1, 0});
  return call.real(handle, cublasAtomicsMode::not_allowed);
}
