// Files by what they hold: libraries that were mapped and the packages that brought them, the git state of
// the program's folder, caches that decide what a later run takes.
#include "environment/capture.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Without one, what a file's size and time say.
std::string build_of(const std::string& file, const Log& log) {
  if (const auto known = log.builds.find(file); known != log.builds.end() && !known->second.empty()) {
    std::string text;
    for (const std::string& build : known->second) text += (text.empty() ? "build " : ", ") + build;
    return text;
  }
  struct stat state;
  if (::stat(file.c_str(), &state) != 0) return {};
  std::ifstream input(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << input.rdbuf();
  return "no build id, contents " + hash_text(bytes.view());
}

/// Packages of dpkg by the files that they brought, of those that were asked for.
void capture_packages(const std::set<std::string>& files, CapturedSection& to) {
  if (!fs::exists("/var/lib/dpkg/status")) {
    to.unknown["packages of the mapped files"] = "no dpkg here; others are not read";
    return;
  }
  std::error_code error;
  std::set<std::string> packages, names;
  for (const std::string& file : files) {
    names.insert(file);
    if (file.starts_with("/lib/")) names.insert("/usr" + file);
    if (file.starts_with("/usr/lib/")) names.insert(file.substr(4)); // merged /usr
    const fs::path real = fs::canonical(file, error);
    if (!error) names.insert(real.string());
  }
  for (const auto& entry : fs::directory_iterator("/var/lib/dpkg/info", error)) {
    if (entry.path().extension() != ".list") continue;
    std::ifstream list(entry.path());
    for (std::string line; std::getline(list, line);)
      if (names.contains(line)) {
        packages.insert(entry.path().stem());
        break;
      }
  }
  std::ifstream status("/var/lib/dpkg/status");
  std::string package, architecture;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Package: ")) package = line.substr(9);
    if (line.starts_with("Architecture: ")) architecture = line.substr(14);
    if (line.starts_with("Version: ") &&
        (packages.contains(package) || packages.contains(package + ":" + architecture)))
      to.facts["debian " + package] = line.substr(9);
  }
}

/// The names and sizes of all files below a folder; `deep`: their contents too.
std::string state_of(const fs::path& folder, bool deep) {
  std::error_code error;
  std::map<std::string, std::string> files;
  for (auto entry =
           fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!entry->is_regular_file(error)) continue;
    std::string what = std::to_string(entry->file_size(error));
    if (deep) {
      std::ifstream input(entry->path(), std::ios::binary);
      std::ostringstream bytes;
      bytes << input.rdbuf();
      what = hash_text(bytes.view());
    }
    files[fs::relative(entry->path(), folder, error).string()] = what;
  }
  std::string all;
  for (const auto& [name, what] : files) all += name + ' ' + what + '\n';
  return counted(files.size(), "file") + (files.empty() ? "" : ", " + hash_text(all));
}

} // namespace

std::string git_state(const std::string& folder) {
  const auto git = [&folder](std::vector<std::string> words) {
    std::vector<std::string> command = {"git", "--no-optional-locks", "-C", folder};
    command.insert(command.end(), words.begin(), words.end());
    return output_of(command);
  };
  std::optional<std::string> head = git({"rev-parse", "HEAD"});
  if (!head) return {};
  while (!head->empty() && head->back() == '\n') head->pop_back();
  const std::string diff = git({"diff", "HEAD", "--no-ext-diff", "--binary"}).value_or("");
  const std::string untracked = git({"ls-files", "--others", "--exclude-standard"}).value_or("");
  return "commit " + *head + (diff.empty() ? "" : ", changed " + hash_text(diff)) +
         (untracked.empty()
              ? ""
              : ", " +
                    counted(static_cast<std::size_t>(std::ranges::count(untracked, '\n')), "untracked file") +
                    " " + hash_text(untracked));
}

void capture_libraries(const CaptureOptions& options, Environment& to) {
  CapturedSection& libraries = to.of(EnvironmentSection::libraries);
  CapturedSection& packages = to.of(EnvironmentSection::packages);
  if (options.log == nullptr || options.log->processes.empty()) {
    libraries.unknown[""] = "no log of a run: which files a program maps is known once it has run";
    packages.unknown["packages of the mapped files"] = "no log of a run";
    return;
  }
  std::set<std::string> files;
  for (const Process& process : options.log->processes)
    for (const std::string& file : process.modules) files.insert(file);
  if (files.empty()) libraries.unknown[""] = "no process of the run said which files it had mapped";
  for (const std::string& file : files) {
    const std::string build = build_of(file, *options.log);
    if (build.empty()) {
      libraries.unknown[base_name(file)] = "it has no build id, and is gone";
      continue;
    }
    std::string& fact = libraries.facts[base_name(file)];
    fact += (fact.empty() ? "" : "; and ") + build;
  }
  capture_packages(files, packages);
}

void capture_code(const CaptureOptions&, Environment& to) {
  const std::string state = git_state(".");
  to.of(EnvironmentSection::code).facts["git state of the folder"] =
      state.empty() ? "no git repository" : state;
}

void capture_caches(const CaptureOptions& options, Environment& to) {
  const std::string home = variable("HOME"), user = variable("USER");
  const auto cache = variable("XDG_CACHE_HOME").empty() ? home + "/.cache" : variable("XDG_CACHE_HOME");
  const std::tuple<const char*, const char*, std::string> known[] = {
      // name, the variable that names it, where it is without one
      {"Triton's", "TRITON_CACHE_DIR", home + "/.triton/cache"},
      {"Inductor's", "TORCHINDUCTOR_CACHE_DIR", "/tmp/torchinductor_" + user},
      {"FlashInfer's", "FLASHINFER_WORKSPACE_BASE", cache + "/flashinfer"},
      {"JAX's", "JAX_COMPILATION_CACHE_DIR", ""},
      {"MIOpen's", "MIOPEN_USER_DB_PATH", home + "/.config/miopen"},
      {"CUDA's", "CUDA_CACHE_PATH", home + "/.nv/ComputeCache"},
      {"PyTorch's extensions", "TORCH_EXTENSIONS_DIR", cache + "/torch_extensions"},
  };
  std::error_code error;
  for (const auto& [name, setting, usual] : known) {
    const std::string folder = variable(setting).empty() ? usual : variable(setting);
    if (folder.empty() || !fs::is_directory(folder, error))
      to.of(EnvironmentSection::caches).facts[name] = "cold";
    else
      to.of(EnvironmentSection::caches).facts[name] = state_of(folder, options.deep);
  }
}

} // namespace detshim
