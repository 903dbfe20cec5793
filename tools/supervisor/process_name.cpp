#include "supervisor/process_name.h"

#include "common/names.h"
#include "common/philox.h"
#include "support/hash.h"
#include "support/variable.h"
#include "support/wording.h"

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace detshim {
namespace {

std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

/// Of the program's own name and those arguments that are no paths: these may be temporary files' names,
/// others in each run.
std::uint64_t hash_of_command(const std::string& command) {
  std::uint64_t hash = 0;
  bool is_program = true;
  for (const std::string& word : split(command, '\0')) {
    if (!std::exchange(is_program, false) && word.find('/') != std::string::npos) continue;
    for (const char c : base_name(word)) hash = derive(hash, static_cast<unsigned char>(c));
    hash = derive(hash, 0);
  }
  return hash;
}

} // namespace

std::optional<Mode> read_mode(std::string_view text) {
  for (std::size_t i = 0; i < std::size(mode_names); ++i)
    if (text == mode_names[i]) return static_cast<Mode>(i);
  return std::nullopt;
}

Launch read_launch(const std::function<const char*(const char*)>& value, std::uint64_t stale) {
  const auto read = [](const char* name, const void* data) {
    return (*static_cast<const std::function<const char*(const char*)>*>(data))(name);
  };
  return read_launch(EnvironmentReader{read, &value}, stale);
}

NamedProcess Namer::name(const Variables& environment, const std::string& command, int pid,
                         bool is_same_user) {
  RunVariable run;
  const auto own_value = [&](const char* name) {
    const auto found = environment.find(std::string_view(name));
    return found == environment.end() ? nullptr : found->second.c_str();
  };
  const char* const variable = is_same_user ? own_value(run_variable_name) : nullptr;
  const bool has_run = variable != nullptr && parse_run_variable(variable, run);
  if (!has_run) {
    run = first_;
    run.writer_pid = -1; // nobody wrote it for this process
  }
  // What is to stay random does so in an environment that was emptied, too (env -i).
  const auto value = [&](const char* option) {
    const char* const own = own_value(option);
    return own != nullptr || has_run ? own : std::getenv(option);
  };
  const Launch launch = read_launch(value, run.stale_ranks);

  NamedProcess name;
  name.rank = launch.rank;
  const char* const seed = value("DETSHIM_SEED");
  const std::optional<std::uint64_t> own_seed = read_seed(text_or_empty(seed));
  name.seed = own_seed.value_or(run.seed);
  name.seed_drawn = !own_seed && run.seed_drawn;
  name.mode = read_mode(text_or_empty(value("DETSHIM_MODE"))).value_or(own_seed ? Mode::enforce : run.mode);
  name.policy = run.policy;
  name.is_of_secret_script = run.is_of_secret_script;
  name.quiet = text_or_empty(value("DETSHIM_QUIET")) == "1";
  name.disabled = text_or_empty(value("DETSHIM_DISABLE"));
  name.keep_entropy = text_or_empty(value("DETSHIM_KEEP_ENTROPY"));
  name.run = run.run;
  name.begun = run.begun;
  name.log_folder.assign(run.log_folder, run.log_folder_length);
  name.log_is_default = run.log_is_default;
  if (const std::string folder = text_or_empty(value("DETSHIM_LOG"));
      is_same_user && folder.starts_with('/') && folder != name.log_folder) {
    name.log_folder = folder;
    name.log_is_default = false;
  }
  const std::uint64_t key_before = run.key;
  const bool has_own_seed = name.seed != run.seed;
  run.seed = name.seed;
  const bool is_own = arrive(run, launch, pid, has_own_seed) != Arrival::unnamed;
  name.key = run.key;
  std::memcpy(name.path, run.path, sizeof name.path);
  name.job = run.job.text;
  std::uint64_t& effective = given_[{name.run, name.key}];
  // Under a seed or a rank of its own a program is itself again each time that it is started.
  const bool starts_anew =
      run.writer_pid == pid && name.key != key_before && std::strcmp(name.path, "0") == 0;
  if (is_own && (effective == 0 || starts_anew)) {
    effective = 1;
    return name;
  }
  const std::uint64_t hash = hash_of_command(command);
  name.key = derive(derive(name.key, label_sighted), hash);
  const std::uint64_t ordinal = given_[{name.run, name.key}]++;
  if (ordinal != 0) name.key = derive(name.key, ordinal);
  extend_path(name.path, (".c" + hexadecimal(hash & 0xffff, 4)).c_str(), 0, name.key);
  if (ordinal != 0) extend_path(name.path, ".", ordinal, name.key);
  return name;
}

} // namespace detshim
