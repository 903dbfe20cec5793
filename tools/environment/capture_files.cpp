// Files by what they hold: libraries that were mapped and the packages that brought them, the git state of
// the program's folder, caches that decide what a later run takes.
#include "environment/capture.h"
#include "support/wording.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
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

/// The names and sizes of all files below a folder; `deep`: and what they hold. Nothing where it cannot be
/// read.
std::optional<std::string> state_of(const fs::path& folder, bool deep) {
  std::error_code error, ignored;
  std::map<std::string, std::string> files;
  std::string contents;
  auto entry = fs::recursive_directory_iterator(folder, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!entry->is_regular_file(ignored)) continue;
    files[fs::relative(entry->path(), folder, ignored).string()] = std::to_string(entry->file_size(ignored));
  }
  if (error) return std::nullopt;
  std::string all;
  for (const auto& [name, size] : files) {
    all += name + ' ' + size + '\n';
    if (!deep) continue;
    std::ifstream input(folder / name, std::ios::binary);
    if (!input) return std::nullopt;
    std::ostringstream bytes;
    bytes << input.rdbuf();
    contents += hash_text(bytes.view());
  }
  return counted(files.size(), "file") + (files.empty() ? "" : ", " + hash_text(all)) +
         (deep ? contents_mark + hash_text(contents) : "");
}

} // namespace

GitState git_state(const std::string& folder) {
  const auto git = [&folder](const std::vector<std::string>& words) {
    // As without a configuration of the user's, which would change how a difference is printed.
    std::vector<std::string> command = {"git", "--no-optional-locks",
                                        "-C",  folder,
                                        "-c",  "color.ui=never",
                                        "-c",  "diff.noprefix=false",
                                        "-c",  "diff.mnemonicPrefix=false",
                                        "-c",  "diff.algorithm=default",
                                        "-c",  "diff.context=3",
                                        "-c",  "diff.orderFile=/dev/null",
                                        "-c",  "core.quotePath=true"};
    command.insert(command.end(), words.begin(), words.end());
    return output_of(command);
  };
  const auto line = [](std::optional<std::string> text) {
    while (text && !text->empty() && text->back() == '\n') text->pop_back();
    return text;
  };
  if (!output_of({"git", "--version"})) return {"", "git is not here"};
  const std::optional<std::string> top = line(git({"rev-parse", "--show-toplevel"}));
  if (!top) return {"", "no git repository, or one that git does not read for you"};
  const std::optional<std::string> head = line(git({"rev-parse", "HEAD"}));
  if (!head) return {"", "a git repository without a commit"};
  const std::optional<std::string> diff = git({"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--binary",
                                               "--submodule=diff", "--ignore-submodules=none"});
  const std::optional<std::string> untracked = output_of(
      {"git", "--no-optional-locks", "-C", *top, "ls-files", "-z", "--others", "--exclude-standard"});
  if (!diff || !untracked) return {"", "git cannot tell what was changed"};
  GitState state{"commit " + *head, ""};
  if (!diff->empty()) state.text += ", changed " + hash_text(*diff);
  constexpr std::uintmax_t most = 256U << 20;
  std::uintmax_t read = 0;
  std::string others;
  std::size_t count = 0;
  std::istringstream names(*untracked);
  for (std::string name; std::getline(names, name, '\0'); ++count) {
    const fs::path file = fs::path(*top) / name;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && (read += size) > most) return {"", "more than 256 MB of files that git does not follow"};
    std::ifstream input(file, std::ios::binary);
    std::ostringstream bytes;
    bytes << input.rdbuf();
    others += name + '\n' + hash_text(bytes.view()) + '\n';
  }
  if (count > 0) state.text += ", " + counted(count, "untracked file") + " " + hash_text(others);
  return state;
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
  if (files.empty()) {
    libraries.unknown[""] = "no process of the run said which files it had mapped";
    packages.unknown["packages of the mapped files"] = "no process of the run said which files it had mapped";
    return;
  }
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
  const GitState state = git_state(".");
  CapturedSection& section = to.of(EnvironmentSection::code);
  if (state.problem.empty())
    section.facts["git state of the folder"] = state.text;
  else
    section.unknown["git state of the folder"] =
        state.problem + ": what the program's own files hold is not captured";
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
    CapturedSection& section = to.of(EnvironmentSection::caches);
    const fs::file_status status = fs::status(folder, error);
    if (folder.empty() || status.type() == fs::file_type::not_found) {
      section.facts[name] = "cold";
    } else if (const auto state = state_of(folder, options.deep)) {
      section.facts[name] = *state;
    } else {
      section.unknown[name] = "it cannot be read";
    }
  }
}

} // namespace detshim
