// Variables: by value where libraries read them, by hash where it is not known who does, and no
// secret at all.
#include "common/run_agreements.h"
#include "common/secrets.h"
#include "environment/capture.h"
#include "log_reader/launch_variables.h"
#include "support/files.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

#include <unistd.h>

namespace detshim {
namespace {

/// Of the shell's and the terminal's: no program's results hang on them, and every session has
/// others.
bool is_of_the_shell(std::string_view name) {
  if (std::ranges::any_of(cache_variables, [name](const char* one) {
        return name == one;
      }))
    return true;
  return is_any_of(name,
                   {"_", "DETSHIM_RUN", "DETSHIM_LOG", "DETSHIM_QUIET", "SHLVL", "OLDPWD", "PWD",
                    "PS1", "PS2", "TERM", "COLUMNS", "LINES", "WINDOWID", "SSH_TTY", "SSH_CLIENT",
                    "SSH_CONNECTION", "XDG_SESSION_ID", "DBUS_SESSION_BUS_ADDRESS"}) ||
         name.starts_with("_DETSHIM_");
}

struct VariableKind {
  EnvironmentSection section = EnvironmentSection::others;
  bool is_kept =
      false; ///< by its value: what a library reads, by names of which the meaning is known
};

VariableKind kind_of(std::string_view name) {
  if (is_any_of(name, {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_BIND_NOW", "GLIBC_TUNABLES",
                       "PYTHONPATH", "PYTHONHOME", "PATH", "VIRTUAL_ENV", "CONDA_PREFIX",
                       "CUDA_HOME", "CUDA_PATH"}))
    return {EnvironmentSection::loader, true};
  if (is_any_of(name, {"LANG", "LANGUAGE", "TZ"}) || name.starts_with("LC_"))
    return {EnvironmentSection::session, true};
  if (is_any_of(name, {"LOADEDMODULES", "_LMFILES_", "MODULEPATH"}))
    return {EnvironmentSection::packages, true};
  if (is_any_of(name,
                {"PYTHONHASHSEED", "PYTHONNOUSERSITE", "PYTHONOPTIMIZE", "PYTHONUTF8", "XLA_FLAGS",
                 "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR", "NVIDIA_TF32_OVERRIDE",
                 "TF_ENABLE_ONEDNN_OPTS", "TORCH_CUDNN_V8_API_DISABLED", "VLLM_BATCH_INVARIANT",
                 "POLARS_MAX_THREADS", "CUPY_SEED"}))
    return {EnvironmentSection::settings, true};
  if (name.find("DETERMINISTIC") != name.npos || name.find("TUN") != name.npos ||
      starts_with_any_of(name, {"OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_", "BLIS_", "ONEDNN_",
                                "DNNL_", "CUDA_", "CUBLAS", "CUDNN_", "NCCL_", "MIOPEN_FIND_",
                                "ATEN_", "NPY_", "NUMBA_", "MALLOC_"}))
    return {EnvironmentSection::settings, true};
  const bool is_of_framework = starts_with_any_of(
      name, {"DETSHIM_", "NVIDIA_", "TORCH",  "PYTORCH_", "TF_",     "XLA_",        "JAX_",
             "TRITON_",  "HF_",     "PYTHON", "CUPY_",    "HIP_",    "ROCM",        "ROCR",
             "MIOPEN_",  "UCX_",    "MPI",    "OMPI_",    "PMIX_",   "FLASHINFER_", "NVTE_",
             "VLLM_",    "MAMBA_",  "RAY_",   "DASK_",    "POLARS_", "RAYON_"});
  return {is_of_framework ? EnvironmentSection::settings : EnvironmentSection::others, false};
}

/// "name:password". Devices' ports and sizes are numbers: "mlx5_0:1".
bool is_like_a_login(std::string_view value) {
  const std::size_t colon = value.find(':');
  if (colon == 0 || colon == std::string_view::npos ||
      value.find_first_of(":/,=", colon + 1) != value.npos || value.find_first_of("/,=") < colon)
    return false;
  return std::ranges::any_of(value.substr(colon + 1), [](unsigned char c) {
    return std::isdigit(c) == 0 && c != '.';
  });
}

/// True for a value that may hold a secret, or that a document cannot hold as it is.
bool is_doubtful(std::string_view value) {
  std::string lower(value);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  const auto holds = [&lower](const char* word) {
    return lower.find(word) != std::string::npos;
  };
  const auto is_unusual = [](unsigned char c) {
    return c < ' ' || c >= 0x7F;
  };
  return looks_drawn(value) || is_like_a_login(value) ||
         value.find('@') != std::string_view::npos || holds("token") || holds("secret") ||
         holds("passw") || holds("bearer") || holds("credential") || holds("key=") ||
         holds("access=") || std::ranges::any_of(value, is_unusual);
}

/// As a document holds it. A hash of a short secret can be searched for: of what may be one, that
/// it is set is all that is kept.
Value kept_value(const std::string& name, const std::string& value, bool is_kept) {
  if (is_secret_variable(name.c_str(), name.size(), value.c_str()))
    return {ValueState::hidden, ""};
  const bool is_shown = is_kept && !is_doubtful(value);
  return {ValueState::known, is_shown ? value : hashed_value + variable_hash(value)};
}

/// Those that a record of the start has: the same again would be a second difference.
bool is_in_start_record(std::string_view name) {
  return is_any_of(name,
                   {"DETSHIM_SEED", "DETSHIM_MODE", "DETSHIM_SEED_POLICY", "DETSHIM_DISABLE"});
}

/// Which seeds are replaced is known from there. Nothing where none do.
void capture_learned_seeds(const std::string& file, Environment& to) {
  const auto evidence = nlohmann::json::parse(read_file(file), nullptr, false);
  if (!evidence.is_object() || !evidence.contains(learned_seeds_key))
    return;
  if (const auto& entries = evidence[learned_seeds_key]; !entries.empty())
    to.of(EnvironmentSection::settings).set_fact("learned seeds", hash_text(entries.dump()));
}

} // namespace

std::string variable_hash(std::string_view value) { return hash_text(value).substr(8); }

void capture_variables(Environment& to) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t end = text.find('=');
    if (end == std::string_view::npos || end == 0)
      continue;
    const std::string name(text.substr(0, end));
    std::string value(text.substr(end + 1));
    if (name == "LD_PRELOAD" && (value = joined(other_preloads(), ":")).empty())
      continue;
    if (name == "DETSHIM_LEARNED_SEEDS") {
      capture_learned_seeds(value, to);
      continue;
    }
    if (is_of_the_shell(name) || is_of_one_launch(name) || is_in_start_record(name))
      continue;
    const VariableKind kind = kind_of(name);
    to.of(kind.section).values[{SubjectKind::variable, name}] =
        kept_value(name, value, kind.is_kept);
  }
  to.of(EnvironmentSection::loader).set_fact("/etc/ld.so.preload", read_file("/etc/ld.so.preload"));
}

void capture_own_settings(const Log& log, Environment& to) {
  for (const Process& process : log.processes) {
    if (process.starts.empty())
      continue;
    const Start& start = process.starts.front();
    CapturedSection& section = to.of(EnvironmentSection::settings);
    section.set_fact("detshim", "version " + start.detshim + ", mode " + start.mode + ", policy " +
                                    start.policy + ", layout " + start.layout.value_or("not said") +
                                    ", disabled: " + start.disabled.value_or("nothing"));
    section.set_fact("seed", start.seed.value_or("none"));
    return;
  }
}

} // namespace detshim
