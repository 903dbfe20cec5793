// Files by what they hold: libraries that were mapped and the packages that brought them, the git state of
// the program's folder, caches that decide what a later run takes.
#include "environment/capture.h"

#include "common/arguments.h"
#include "common/text.h"
#include "scanner/preloading.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr const char* lock_subject = "uv's lock";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Without one, what it holds, if that is still what was mapped.
Told build_of(const std::string& file, const CaptureOptions& options) {
  const auto known = options.log->builds.find(file);
  if (known != options.log->builds.end() && !known->second.empty()) {
    std::string text;
    for (const std::string& build : known->second) text += (text.empty() ? "build " : ", ") + build;
    return {text, ""};
  }
  struct stat state;
  if (::stat(file.c_str(), &state) != 0) return {"", "it has no build id, and is gone"};
  if (options.since.has_changed(file))
    return {"", std::string("it has no build id, and was ") + changed_since};
  Told contents = hash_of_file(file);
  if (contents.problem.empty()) contents.text = "no build id, contents " + contents.text;
  return contents;
}

/// Packages of dpkg by the files that they brought, of those that were asked for.
void capture_debian_packages(const std::set<std::string>& files, const Since& since, CapturedSection& to) {
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
    std::istringstream list(whole_file(entry.path()));
    for (std::string line; std::getline(list, line);)
      if (names.contains(line)) {
        const std::string name = entry.path().stem();
        if (since.has_changed(entry.path()))
          to.unknown["debian " + name.substr(0, name.find(':'))] = changed_since;
        else
          packages.insert(name);
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

/// Packages of rpm likewise: rpm(8), --queryformat.
void capture_rpms(const std::set<std::string>& files, std::int64_t began, CapturedSection& to) {
  std::vector<std::string> command = {"rpm", "-q", "--queryformat",
                                      "%{NAME}\t%{EVR}.%{ARCH}\t%{INSTALLTIME}\n", "-f"};
  command.insert(command.end(), files.begin(), files.end());
  std::istringstream lines(output_of(command, true).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find('\t'),
                      second = first == std::string::npos ? first : line.find('\t', first + 1);
    if (second == std::string::npos) continue; // "file … is not owned by any package"
    const std::string name = "rpm " + line.substr(0, first);
    constexpr std::int64_t nanoseconds = 1'000'000'000;
    if (std::atoll(line.c_str() + second + 1) > began / nanoseconds)
      to.unknown[name] = changed_since;
    else
      to.facts[name] = line.substr(first + 1, second - first - 1);
  }
}

/// By whatever brought them.
void capture_packages_of(const std::set<std::string>& files, const CaptureOptions& options,
                         std::int64_t began, CapturedSection& to) {
  const bool has_dpkg = fs::exists("/var/lib/dpkg/status"), has_rpm = !find_executable("rpm").empty();
  if (!has_dpkg && !has_rpm)
    to.unknown["packages of the mapped files"] = "no dpkg and no rpm here; others are not read";
  if (has_dpkg) capture_debian_packages(files, options.since, to);
  if (has_rpm) capture_rpms(files, began, to);
}

/// The names and sizes of all files below a folder, or of one; `deep`: and what they hold.
Told state_of(const fs::path& place, bool deep) {
  constexpr std::size_t most = 50'000; // a run that begins waits for it
  std::error_code error, ignored;
  std::map<std::string, std::string> files;
  std::string contents;
  if (fs::is_regular_file(place, ignored)) {
    Told told = hash_of_file(place);
    if (told.problem.empty()) told.text.insert(0, "contents ");
    return told;
  }
  auto entry = fs::recursive_directory_iterator(place, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (files.size() >= most) return {"", "it holds more than 50,000 files"};
    if (entry->is_symlink(ignored) && entry->is_directory(ignored))
      return {"", "it holds a link to a folder, which is not looked into"};
    if (!entry->is_regular_file(ignored)) continue;
    files[fs::relative(entry->path(), place, ignored).string()] = std::to_string(entry->file_size(ignored));
  }
  if (error) return {"", "it cannot be read"};
  std::string all;
  for (const auto& [name, size] : files) {
    all += name + ' ' + size + '\n';
    if (!deep) continue;
    const Told told = hash_of_file(place / name);
    if (!told.problem.empty()) return told;
    contents += told.text;
  }
  return {counted(files.size(), "file") + (files.empty() ? "" : ", " + hash_text(all)) +
              (deep ? contents_mark + hash_text(contents) : ""),
          ""};
}

/// The words of a JSON array; that which was cut has none.
std::vector<std::string> words_of_arguments(const std::string& array) {
  const auto json = nlohmann::json::parse(array, nullptr, false);
  return json.is_array() ? json.get<std::vector<std::string>>() : std::vector<std::string>{};
}

void put(CapturedSection& section, const std::string& subject, const Told& told) {
  if (told.problem.empty())
    section.facts[subject] = told.text;
  else
    section.unknown[subject] = told.problem;
}

/// What uv has installed.
void capture_lock(CapturedSection& to) {
  std::error_code error;
  for (fs::path at = fs::current_path(error); !error && !at.empty(); at = at.parent_path()) {
    if (const fs::path lock = at / "uv.lock"; ::access(lock.c_str(), F_OK) == 0)
      return put(to, lock_subject, state_of(lock, false));
    if (at == at.root_path()) break;
  }
  to.facts[lock_subject] = "none";
}

} // namespace

std::set<std::string> mapped_files(const Log& log) {
  std::set<std::string> files;
  std::set<const std::string*> seen; // thousands of processes have one list
  for (const Process& process : log.processes)
    if (!process.modules.empty() && seen.insert(&*process.modules.begin()).second)
      files.insert(process.modules.begin(), process.modules.end());
  return files;
}

void capture_libraries(const CaptureOptions& options, Environment& to) {
  CapturedSection& libraries = to.of(EnvironmentSection::libraries);
  CapturedSection& packages = to.of(EnvironmentSection::packages);
  constexpr const char* subject = "packages of the mapped files";
  libraries.unknown.erase("");
  libraries.facts.clear();
  packages.unknown.erase(subject);
  const auto give_up = [&](const char* why) { libraries.unknown[""] = packages.unknown[subject] = why; };
  if (options.log == nullptr)
    return give_up("no log of a run: which files a program maps is known once it has run");
  const std::set<std::string> files = mapped_files(*options.log);
  if (files.empty()) return give_up("no process of the run said which files it had mapped");
  for (const std::string& file : files) {
    const Told build = build_of(file, options);
    if (!build.problem.empty()) {
      libraries.unknown[base_name(file)] = build.problem;
      continue;
    }
    std::string& fact = libraries.facts[base_name(file)];
    fact += (fact.empty() ? "" : "; and ") + build.text;
  }
}

void capture_packages(const CaptureOptions& options, Environment& to) {
  if (options.log == nullptr) return;
  const std::set<std::string> files = mapped_files(*options.log);
  if (!files.empty()) capture_packages_of(files, options, to.began, to.of(EnvironmentSection::packages));
}

void capture_code(const AskLimits& limits, Environment& to) {
  capture_lock(to.of(EnvironmentSection::versions));
  CapturedSection& section = to.of(EnvironmentSection::code);
  if (!is_in_repository(".")) {
    for (const char* subject : {"git commit", "git changes", "git untracked files"})
      section.facts[subject] = no_repository;
    return;
  }
  const GitState state = git_state(".", {limits});
  put(section, "git commit", state.commit);
  put(section, "git changes", state.changes);
  put(section, "git untracked files", state.untracked);
}

namespace {
constexpr std::size_t longest_arguments =
    2400; // a start record holds little more, and says not that it is cut
}

void capture_command(const std::string& program, const std::vector<std::string>& words, Environment& to) {
  std::string bytes;
  for (const std::string& word : words) bytes += word + '\0';
  const std::size_t size = bytes.size();
  bytes += '\0'; // room for one more
  std::string room(4 * size + 1024, '\0');
  TextWriter line(room.data(), room.size());
  line.add('{');
  add_arguments(line, bytes.data(), size);
  const std::string text = line.c_str();
  CapturedSection& section = to.of(EnvironmentSection::code);
  section.facts["program"] = looks_drawn(program) ? hashed_value + hash_text(program) : program;
  const std::size_t begin = text.find('[');
  std::string all;
  std::size_t count = 0;
  bool is_cut = false;
  for (const std::string& word : words_of_arguments(begin == std::string::npos ? "" : text.substr(begin))) {
    is_cut |= word.ends_with("…");
    all += (count++ == 0 ? "" : " ") + (looks_drawn(word) ? hashed_value + hash_text(word) : word);
  }
  section.facts.erase("arguments");
  section.unknown.erase("arguments");
  if (is_cut || count < words.size() || all.size() > longest_arguments)
    section.unknown["arguments"] = "they are longer than what is kept of them";
  else
    section.facts["arguments"] = all;
}

namespace {

struct Cache {
  const char* name;
  const char* setting; ///< the variable that names its place
  const char* below;   ///< "~": the home folder, "^": that of caches; empty: none without the variable
};
constexpr Cache caches[] = {
    {"Triton's", "TRITON_CACHE_DIR", "~/.triton/cache"},
    {"Inductor's", "TORCHINDUCTOR_CACHE_DIR", "/tmp/torchinductor_"},
    {"FlashInfer's", "FLASHINFER_WORKSPACE_BASE", "^/flashinfer"},
    {"JAX's", "JAX_COMPILATION_CACHE_DIR", ""},
    {"MIOpen's", "MIOPEN_USER_DB_PATH", "~/.config/miopen"},
    {"CUDA's", "CUDA_CACHE_PATH", "~/.nv/ComputeCache"},
    {"PyTorch's extensions", "TORCH_EXTENSIONS_DIR", "^/torch_extensions"},
    {"TensorRT's timing", "ORT_TENSORRT_TIMING_CACHE_PATH", ""},
    {"TensorRT's engines", "ORT_TENSORRT_CACHE_PATH", ""},
};

std::string place_of(const Cache& cache) {
  if (std::string place = variable(cache.setting); !place.empty()) return place;
  const std::string below = cache.below;
  const std::string home = variable("HOME"), folder = variable("XDG_CACHE_HOME");
  if (below.starts_with('~')) return home + below.substr(1);
  if (below.starts_with('^')) return (folder.empty() ? home + "/.cache" : folder) + below.substr(1);
  return below.ends_with('_') ? below + variable("USER") : below;
}

} // namespace

void capture_caches(bool deep, Environment& to) {
  std::error_code error;
  CapturedSection& section = to.of(EnvironmentSection::caches);
  for (const Cache& cache : caches) {
    const std::string place = place_of(cache);
    if (place.empty() || fs::status(place, error).type() == fs::file_type::not_found)
      section.facts[cache.name] = "cold";
    else
      put(section, cache.name, state_of(place, deep));
  }
}

} // namespace detshim
