#include "core/settings.h"

#include "core/environment.h"
#include "core/options.h"
#include "core/placement.h"
#include "core/text.h"

#include <cstdlib>

namespace detshim {
namespace {

constexpr Setting settings[] = {
    // cuBLAS reads it once, at the first cublasCreate_v2. Both values bound the workspaces of a handle so
    // that
    // several streams cannot share one (cuBLAS documentation, "Results Reproducibility").
    {"CUBLAS_WORKSPACE_CONFIG", ":4096:8", {":4096:8", ":16:8"}},
    // LLVM's and Intel's OpenMP read it at the first region: reductions are then combined along a tree that
    // the number of threads alone decides (LLVM's openmp/runtime/src/kmp_settings.cpp).
    {"KMP_DETERMINISTIC_REDUCTION", "TRUE", {"TRUE", "true", "1", "yes", "on"}},
    // True makes the number of threads follow the machine's load.
    {"OMP_DYNAMIC", "FALSE", {"FALSE", "false", "0"}, true},
    // NCCL reads these as a communicator is made (its environment variables' documentation, and tuning.cc).
    // Rings add in the order of the ranks. The algorithms that may stay are those that Megatron accepts for
    // repeatable runs; trees, whose shape follows the topology, are not among them.
    {"NCCL_ALGO", "Ring", {"Ring", "CollnetDirect", "CollnetChain", "^NVLS", "^NVLS,NVLSTree"}, false, true},
    {"NCCL_PROTO", "Simple", {"Simple", "LL", "LL128"}, false, true},
    {"NCCL_NVLS_ENABLE", "0", {"0"}},
    // 1 stays: a ring has no use for it, and the user's own CollnetDirect needs it.
    {"NCCL_COLLNET_ENABLE", "0", {"0", "1"}},
    // Kernels for registered windows ignore NCCL_ALGO.
    {"NCCL_WIN_ENABLE", "0", {"0"}},
};
constexpr int setting_count = sizeof settings / sizeof settings[0];

// Not in the table, because its value is the seed's. Python takes 0 to 2^32-1.
DETSHIM_STARTUP_DATA constinit char python_value[16] = {};
constexpr Setting python_hash_seed = {"PYTHONHASHSEED", python_value, {}};

DETSHIM_STARTUP_DATA constinit SettingChange changes[setting_count + 1] = {};
DETSHIM_STARTUP_DATA constinit int change_count = 0;
constinit SettingChange latest = {};

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_in_any_case(const char* a, const char* b) {
  while (*a != 0 && small(*a) == small(*b)) ++a, ++b;
  return *a == *b;
}

bool is_good(const Setting& setting, const char* value) {
  for (const char* good : setting.also_good)
    if (good != nullptr && (setting.any_case ? same_in_any_case(value, good) : same_text(value, good)))
      return true;
  return false;
}

/// Sets one variable where that is needed; false if it was good already.
bool take_over(const Setting& setting, SettingChange& change) {
  const char* value = getenv(setting.name);
  const bool good = value != nullptr ? is_good(setting, value) : setting.good_unset;
  if (good || setting_is_disabled(setting.name)) return false;
  change = {&setting, value != nullptr, {}, {}};
  for (unsigned i = 0; value != nullptr && value[i] != 0 && i + 1 < sizeof change.was; ++i)
    change.was[i] = value[i];
  return true;
}

/// Sets it in the constructor.
void put(SettingChange& change) {
  TextWriter(change.entry, sizeof change.entry)
      .add(change.setting->name)
      .add('=')
      .add(change.setting->value)
      .c_str();
  put_in_environment(change.entry);
}

} // namespace

bool setting_is_known(const char* name) {
  if (same_text(name, python_hash_seed.name)) return true;
  for (const Setting& setting : settings)
    if (same_text(setting.name, name)) return true;
  return false;
}

bool setting_is_good(const char* name, const char* value) {
  for (const Setting& setting : settings)
    if (same_text(setting.name, name)) return is_good(setting, value);
  return false;
}

void apply_settings() {
  if (!options().forces()) return;
  for (const Setting& setting : settings)
    if (take_over(setting, changes[change_count])) put(changes[change_count++]);
}

void set_python_hash_seed(uint64_t seed) {
  if (getenv(python_hash_seed.name) != nullptr || setting_is_disabled(python_hash_seed.name)) return;
  TextWriter(python_value, sizeof python_value).add(seed & 0xffffffff).c_str();
  changes[change_count] = {&python_hash_seed, false, {}, {}};
  put(changes[change_count++]);
}

const SettingChange* reapply_setting(const char* name) {
  if (!options().forces()) return nullptr;
  for (const Setting& setting : settings)
    if (same_text(setting.name, name) && take_over(setting, latest) &&
        setenv(setting.name, setting.value, 1) == 0)
      return &latest;
  return nullptr;
}

const SettingChange* setting_changes(int& count) {
  count = change_count;
  return changes;
}

} // namespace detshim
