// Variables: by value where libraries read them, by hash where it is not known who does, and no secret at
// all.
#include "common/secrets.h"
#include "environment/capture.h"
#include "log_reader/lines.h"
#include "log_reader/open_file.h"
#include "log_reader/record.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include <unistd.h>

namespace detshim {
namespace {

bool is_one_of(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != names.end();
}

/// Of the shell's and the terminal's: no program's results hang on them, and every session has others.
bool is_of_the_shell(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>(
      {"_", "DETSHIM_RUN", "DETSHIM_LOG", "DETSHIM_QUIET", "_DETSHIM_THREADS", "SHLVL", "OLDPWD", "PWD",
       "PS1", "PS2", "TERM", "COLUMNS", "LINES", "WINDOWID", "SSH_TTY", "SSH_CLIENT", "SSH_CONNECTION",
       "XDG_SESSION_ID", "DBUS_SESSION_BUS_ADDRESS"});
  return is_one_of(name, names);
}

/// By which the processes of a job find each other and their launcher: sockets, folders, numbers that are new
/// each time. Names of jobs that programs read, as SLURM_JOB_ID, are none of these.
bool is_of_one_launch(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>(
      {"OMPI_FILE_LOCATION", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri",
       "OMPI_MCA_orte_jobfam_session_dir", "OMPI_MCA_orte_local_daemon_uri",
       "OMPI_MCA_orte_precondition_transports", "PMIX_ID", "PMIX_NAMESPACE", "PMIX_SERVER_TMPDIR",
       "PMIX_SYSTEM_TMPDIR", "PMI_FD", "PMI_PORT", "HYDI_CONTROL_FD", "SLURM_TASK_PID",
       "SLURM_SRUN_COMM_PORT", "SLURM_STEP_LAUNCHER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_ERROR_FILE"});
  return is_one_of(name, names) || name.starts_with("PMIX_SERVER_URI") ||
         (name.starts_with("PMIX_DSTORE_") && name.ends_with("_PATH"));
}

struct VariableKind {
  EnvironmentSection section = EnvironmentSection::others;
  bool is_kept = false; ///< by its value: what a library reads, by names of which the meaning is known
};

VariableKind kind_of(std::string_view name, const std::vector<std::string>& known_settings) {
  constexpr auto of_loader = std::to_array<std::string_view>(
      {"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "LD_BIND_NOW", "GLIBC_TUNABLES", "PYTHONPATH",
       "PYTHONHOME", "PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_HOME", "CUDA_PATH"});
  constexpr auto of_session = std::to_array<std::string_view>({"LANG", "LANGUAGE", "TZ"});
  constexpr auto of_packages = std::to_array<std::string_view>({"LOADEDMODULES", "_LMFILES_", "MODULEPATH"});
  constexpr auto kept = std::to_array<std::string_view>({"OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_",
                                                         "BLIS_", "ONEDNN_", "DNNL_", "CUBLAS", "CUDNN_",
                                                         "NCCL_", "ATEN_", "NPY_", "NUMBA_", "MALLOC_"});
  constexpr auto kept_names = std::to_array<std::string_view>(
      {"CUDA_VISIBLE_DEVICES", "CUDA_LAUNCH_BLOCKING", "CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_ORDER",
       "CUDA_CACHE_PATH", "CUDA_MODULE_LOADING", "PYTHONHASHSEED", "PYTHONNOUSERSITE", "PYTHONOPTIMIZE",
       "PYTHONUTF8", "XLA_FLAGS", "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"});
  constexpr auto hashed = std::to_array<std::string_view>(
      {"DETSHIM_", "CUDA_",   "NVIDIA_", "TORCH",  "PYTORCH_", "TF_",     "XLA_",
       "JAX_",     "TRITON_", "HF_",     "PYTHON", "CUPY_",    "HIP_",    "ROCM",
       "ROCR",     "MIOPEN_", "UCX_",    "MPI",    "OMPI_",    "PMIX_",   "FLASHINFER_",
       "NVTE_",    "VLLM_",   "MAMBA_",  "RAY_",   "DASK_",    "POLARS_", "RAYON_"});
  const auto begins_with_one_of = [name](const auto& prefixes) {
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
  };
  if (is_one_of(name, of_loader)) return {EnvironmentSection::loader, true};
  if (is_one_of(name, of_session) || name.starts_with("LC_")) return {EnvironmentSection::session, true};
  if (is_one_of(name, of_packages)) return {EnvironmentSection::packages, true};
  if (is_one_of(name, known_settings) || is_one_of(name, kept_names) || begins_with_one_of(kept))
    return {EnvironmentSection::settings, true};
  return {begins_with_one_of(hashed) ? EnvironmentSection::settings : EnvironmentSection::others, false};
}

/// "name:password". Devices' ports and sizes are numbers: "mlx5_0:1".
bool is_like_a_login(std::string_view value) {
  const std::size_t colon = value.find(':');
  if (colon == 0 || colon == std::string_view::npos || value.find_first_of(":/,=", colon + 1) != value.npos ||
      value.find_first_of("/,=") < colon)
    return false;
  return std::ranges::any_of(value.substr(colon + 1),
                             [](unsigned char c) { return std::isdigit(c) == 0 && c != '.'; });
}

/// True for a value that may hold a secret, or that a document cannot hold as it is.
bool is_doubtful(std::string_view value) {
  std::string lower(value);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto holds = [&lower](const char* word) { return lower.find(word) != std::string::npos; };
  const auto is_unusual = [](unsigned char c) { return c < ' ' || c >= 0x7F; };
  return looks_drawn(value) || is_like_a_login(value) || value.find('@') != std::string_view::npos ||
         holds("token") || holds("secret") || holds("passw") || holds("bearer") || holds("credential") ||
         holds("key=") || holds("access=") || std::ranges::any_of(value, is_unusual);
}

/// As a document holds it. A hash of a short secret can be searched for: of names that speak of one, that it
/// is set is all that is kept.
std::string kept_text(const std::string& name, const std::string& value, bool is_kept) {
  const bool is_secret =
      speaks_of_a_secret(name.c_str(), name.size()) || ends_in_key(name.c_str(), name.size());
  if (is_secret ? !is_too_plain_for_a_secret(value.c_str()) : holds_a_login(value.c_str()))
    return hidden_value;
  return is_kept && !is_doubtful(value) ? value : hashed_value + variable_hash(value);
}

/// Of the programs of a run, which hand them on: those of the first that says them count.
struct VariablesOfLog {
  std::map<std::string, std::string> hashes; ///< as the records have them; empty of a secret
  std::map<std::string, std::string> values; ///< of settings that are written down whole
  std::set<std::string> several;             ///< those of which processes have different hashes
};

/// By the processes of each rank; under an empty name, those that are none's: launchers, wrappers. Where
/// there are no ranks, or one, all are there.
using VariablesByRank = std::map<std::string, VariablesOfLog>;

/// "rank 2", "rank 2 of world spawn 1". Empty for a process that no launcher gave a rank.
std::string rank_name(const Process& process) {
  if (process.starts.empty() || process.starts.back().node.empty()) return {};
  const std::string world = process.world();
  return "rank " + std::to_string(process.rank) + (world.empty() ? "" : " of world " + world);
}

VariablesByRank read_variables(const Log& log) {
  VariablesByRank ranks;
  std::set<std::string> names;
  for (const Process& process : log.processes) names.insert(rank_name(process));
  names.erase("");
  const bool has_ranks = names.size() > 1;
  RecordParser parser;
  std::set<std::string> read,
      set_by_library; // as the first process is begun with another value than the next
  for (const Process& process : log.processes) {
    VariablesOfLog& variables = ranks[has_ranks ? rank_name(process) : ""];
    for (const Start& start : process.starts) {
      for (const NotedVariable& noted : start.noted)
        if (variables.values.emplace(noted.name, noted.value).first->second != noted.value &&
            !noted.name.starts_with("cache of "))
          variables.several.insert(noted.name);
      for (const EnvironmentChange& change : start.environment) {
        variables.values.emplace(change.name, change.now);
        set_by_library.insert(change.name);
      }
    }
    if (!read.insert(process.file).second) continue;
    const OpenFile file(log.folder + "/" + process.file);
    LineSplitter splitter;
    if (!file) continue;
    read_lines(file.descriptor(), splitter, [&](std::string_view text) {
      if (text.find("\"t\":\"variables\"") == std::string_view::npos) return;
      const std::optional<Line> line = parser.parse(text);
      const auto* const found = line ? std::get_if<VariableHashes>(&line->record) : nullptr;
      if (found != nullptr)
        for (const auto& [name, hash] : found->hashes)
          if (variables.hashes.emplace(name, hash).first->second != hash) variables.several.insert(name);
    });
  }
  for (const std::string& name : set_by_library)
    for (auto& [rank, variables] : ranks) variables.several.erase(name);
  return ranks;
}

/// As a fact has it. Nothing where its processes had several.
std::optional<std::string> text_in(const VariablesOfLog& variables, const std::string& name) {
  if (variables.several.contains(name)) return std::nullopt;
  if (const auto value = variables.values.find(name); value != variables.values.end())
    return kept_text(name, value->second, true);
  const auto hash = variables.hashes.find(name);
  if (hash == variables.hashes.end()) return not_set;
  return hash->second.empty() ? hidden_value : hashed_value + hash->second;
}

/// Of one variable that is not the same in all ranks.
using TextByRank = std::map<std::string, std::optional<std::string>>;

struct RunVariables {
  VariablesOfLog common;
  std::map<std::string, TextByRank> by_rank;
  std::set<std::string> silent; ///< ranks that say nothing of theirs
};

bool is_same_value(const std::string& one, const std::string& other) {
  return one == other || other == hashed_value + variable_hash(one) ||
         one == hashed_value + variable_hash(other);
}

/// What all ranks have alike is the run's, whatever their launcher has; of the rest, each rank has its own.
RunVariables variables_of_run(const Log& log) {
  RunVariables result;
  VariablesByRank ranks = read_variables(log);
  if (const auto none = ranks.find(""); none != ranks.end()) {
    result.common = std::move(none->second);
    ranks.erase(none);
  }
  std::set<std::string> names;
  for (auto rank = ranks.begin(); rank != ranks.end();) {
    for (const auto& [name, hash] : rank->second.hashes) names.insert(name);
    if (rank->second.hashes.empty()) {
      result.silent.insert(rank->first);
      rank = ranks.erase(rank);
    } else {
      for (const auto& [name, value] : rank->second.values)
        if (name.starts_with("cache of ")) // its place, and no variable
          result.common.values.emplace(name, value);
        else
          names.insert(name);
      ++rank;
    }
  }
  for (const std::string& name : names) {
    TextByRank texts;
    for (const auto& [rank, variables] : ranks) texts[rank] = text_in(variables, name);
    const std::optional<std::string>& first = texts.begin()->second;
    const bool is_same = std::ranges::all_of(
        texts, [&](const auto& one) { return one.second && first && is_same_value(*one.second, *first); });
    if (!is_same) {
      result.by_rank[name] = std::move(texts);
      continue;
    }
    const VariablesOfLog& of_first = ranks.begin()->second;
    if (const auto hash = of_first.hashes.find(name); hash != of_first.hashes.end())
      if (result.common.hashes.emplace(name, hash->second).first->second != hash->second)
        result.common.several.insert(name);
    if (const auto value = of_first.values.find(name); value != of_first.values.end())
      result.common.values.emplace(name, value->second);
  }
  // The launcher's own are no rank's.
  for (const auto& [name, texts] : result.by_rank) {
    result.common.hashes.erase(name);
    result.common.values.erase(name);
    result.common.several.erase(name);
  }
  return result;
}

/// What a log says of detshim's own, which is not among its variables.
void add_own_settings(const Log& log, CapturedSection& to) {
  for (const Process& process : log.processes) {
    if (process.starts.empty()) continue;
    const Start& start = process.starts.front();
    to.facts["detshim"] = "version " + start.detshim + ", mode " + start.mode + ", policy " + start.policy +
                          ", layout " + start.layout.value_or("not said") +
                          ", disabled: " + start.disabled.value_or("nothing");
    to.facts["seed"] = start.seed.value_or("none");
    return;
  }
}

/// LD_PRELOAD without detshim's own library, which is another fact.
std::string without_own_library(std::string list) {
  std::ranges::replace(list, ' ', ':');
  std::string others;
  std::istringstream entries(list);
  for (std::string entry; std::getline(entries, entry, ':');)
    if (!entry.empty() && base_name(entry) != "libdetshim.so") others += (others.empty() ? "" : ":") + entry;
  return others;
}

/// What the library does not write down: its own variables, and those that change with each command.
bool is_in_no_log(std::string_view name) {
  constexpr std::size_t longest = 128; // shim/core/log/variables.cpp
  return name.starts_with("DETSHIM_") || name == "LD_PRELOAD" || name.size() > longest;
}

/// Those that a record of the start has: the same again would be a second difference.
bool is_in_start_record(std::string_view name) {
  constexpr auto names = std::to_array<std::string_view>(
      {"DETSHIM_SEED", "DETSHIM_MODE", "DETSHIM_SEED_POLICY", "DETSHIM_DISABLE"});
  return is_one_of(name, names);
}

/// Those that differ between ranks, as "variable RANK, rank 2".
void put_ranks(const RunVariables& run, const CaptureOptions& options, Environment& to) {
  constexpr std::size_t most = 10'000; // facts: of the variables of Open MPI, 1,000 ranks have so many
  std::size_t count = 0;
  for (const auto& [name, texts] : run.by_rank) {
    if (is_of_the_shell(name) || is_of_one_launch(name)) continue;
    CapturedSection& its = to.of(kind_of(name, options.known_settings).section);
    count += texts.size();
    if (count > most)
      its.unknown["variable " + name] = "it differs between ranks, of which there are too many";
    if (count > most) continue;
    for (const auto& [rank, text] : texts) {
      const std::string subject = "variable " + name + ", " + rank;
      if (text)
        its.facts[subject] = *text;
      else
        its.unknown[subject] = "differs between processes of the rank";
    }
  }
  for (const std::string& rank : run.silent)
    to.of(EnvironmentSection::others).unknown["variables of " + rank] =
        "the log has none of its: it was killed, or is an older one's";
}

/// What the log has of them, in place of what was captured as the run began: a wrapper may have changed it.
void take_from_log(const CaptureOptions& options, Environment& to) {
  const RunVariables run = variables_of_run(*options.log);
  const VariablesOfLog& logged = run.common;
  if (logged.hashes.empty() && run.by_rank.empty()) {
    if (options.start == nullptr)
      for (const EnvironmentSection section :
           {EnvironmentSection::settings, EnvironmentSection::others, EnvironmentSection::loader,
            EnvironmentSection::session, EnvironmentSection::packages})
        to.of(section).unknown["variable *"] = "the log has none: it was killed, or is an older one's";
  } else {
    for (CapturedSection& section : to.sections)
      std::erase_if(section.facts, [&](const auto& fact) {
        constexpr std::string_view beginning = "variable ";
        if (!fact.first.starts_with(beginning)) return false;
        const std::string name = fact.first.substr(beginning.size());
        return is_in_start_record(name) || (!is_in_no_log(name) && !logged.hashes.contains(name));
      });
  }
  const auto put = [&](const std::string& name, const std::string& text) {
    if (is_of_the_shell(name) || is_of_one_launch(name)) return;
    const EnvironmentSection its = kind_of(name, options.known_settings).section;
    if (its == EnvironmentSection::settings) // the start does not know which of the others the library sets
      to.of(EnvironmentSection::others).facts.erase("variable " + name);
    std::string& fact = to.of(its).facts["variable " + name];
    // The hash that the log has of "name:password@host" can be searched for.
    if (fact != hidden_value && !is_same_value(fact, text)) fact = text;
  };
  for (const auto& [name, hash] : logged.hashes) put(name, hash.empty() ? hidden_value : hashed_value + hash);
  for (const auto& [name, value] : logged.values) {
    if (name.starts_with("cache of "))
      to.of(EnvironmentSection::caches).facts[name] = kept_text(name, value, true);
    else
      put(name, kept_text(name, value, true));
  }
  for (const std::string& name : logged.several) {
    if (is_of_the_shell(name) || is_of_one_launch(name)) continue;
    CapturedSection& its = to.of(kind_of(name, options.known_settings).section);
    if (const auto fact = its.facts.find("variable " + name);
        fact != its.facts.end() && fact->second != hidden_value) {
      its.facts.erase(fact);
      its.unknown["variable " + name] = "differs between processes of the run";
    }
  }
  put_ranks(run, options, to);
  add_own_settings(*options.log, to.of(EnvironmentSection::settings));
  if (options.start != nullptr) return;
  to.of(EnvironmentSection::settings).unknown["variable DETSHIM_*"] = "a log does not say all of them";
  to.of(EnvironmentSection::loader).unknown["variable LD_PRELOAD"] = "it is in no log";
  to.of(EnvironmentSection::loader).unknown["/etc/ld.so.preload"] = "it is in no log";
}

} // namespace

std::string variable_hash(std::string_view value) { return hash_text(value).substr(8); }

void capture_variables(const CaptureOptions& options, Environment& to) {
  if (options.log != nullptr) return take_from_log(options, to);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t end = text.find('=');
    if (end == std::string_view::npos || end == 0) continue;
    const std::string name(text.substr(0, end));
    std::string value(text.substr(end + 1));
    if (name == "LD_PRELOAD" && (value = without_own_library(value)).empty()) continue;
    if (is_of_the_shell(name) || is_of_one_launch(name)) continue;
    const VariableKind kind = kind_of(name, options.known_settings);
    to.of(kind.section).facts["variable " + name] = kept_text(name, value, kind.is_kept);
  }
  to.of(EnvironmentSection::loader).facts["/etc/ld.so.preload"] = whole_file("/etc/ld.so.preload");
}

} // namespace detshim
