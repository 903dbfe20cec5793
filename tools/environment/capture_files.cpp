// Files by what they hold: libraries that were mapped and the packages that brought them, the git
// state of the program's folder, caches that decide what a later run takes.
#include "environment/capture.h"

#include "common/secrets.h"
#include "common/text.h"
#include "report/log_report.h"
#include "scanner/elf_file.h"
#include "scanner/packages.h"
#include "support/lists.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

constexpr const char* no_files_said = "no process of the run said which files it had mapped";

std::optional<ElfFile> open_elf(const std::string& file) {
  try {
    return std::optional<ElfFile>(std::in_place, file);
  } catch (const ElfError&) {
    return std::nullopt;
  }
}

/// By which the loader asks for a library: libz.so.1. A child that was ended is known by its maps,
/// where it is libz.so.1.2.13.
std::string name_of_library(const std::string& file) {
  std::string name = base_name(file);
  const std::size_t suffix = name.find(".so.");
  const bool has_several_numbers =
      suffix != std::string::npos && name.find('.', suffix + 4) != std::string::npos;
  if (!has_several_numbers)
    return name;
  const std::optional<ElfFile> elf = open_elf(file);
  return elf && !elf->dynamic().name.empty() ? elf->dynamic().name : name;
}

/// Without one, what it holds, if that is still what was mapped.
Known build_of(const std::string& file, const Log& log, std::int64_t began) {
  const auto known = log.builds.find(file);
  if (known != log.builds.end() && !known->second.empty())
    return {"build " + joined(known->second), ""};
  if (was_changed_since(file, began))
    return {"", "it has no build id, and was changed since the run began"};
  // Of what a child had loaded that was ended, the file's own.
  if (const std::optional<ElfFile> elf = open_elf(file); elf && !elf->build_id().empty())
    return {"build " + elf->build_id(), ""};
  Known contents = hash_of_file(file);
  if (contents.problem.empty())
    contents.text = "no build id, contents " + contents.text;
  return contents;
}

/// Packages of dpkg by the files that they brought, of those that were asked for.
void capture_debian_packages(const std::set<std::string>& files, CapturedSection& to) {
  static Packages dpkg; // to read its lists takes a tenth of a second
  std::set<std::string> packages;
  for (const std::string& file : files)
    packages.insert(dpkg.package_of(file));
  std::ifstream status("/var/lib/dpkg/status");
  std::string package, architecture;
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Package: "))
      package = line.substr(9);
    if (line.starts_with("Architecture: "))
      architecture = line.substr(14);
    if (line.starts_with("Version: ") &&
        (packages.contains(package) || packages.contains(package + ":" + architecture)))
      to.set_fact({SubjectKind::debian, package}, line.substr(9));
  }
}

/// The names and sizes of all files below a folder; of one, what it holds.
Known state_of(const fs::path& place) {
  constexpr std::size_t most = 50'000; // a run that begins waits for it
  std::error_code error, ignored;
  std::map<std::string, std::string> files;
  if (fs::is_regular_file(place, ignored)) {
    Known known = hash_of_file(place);
    if (known.problem.empty())
      known.text.insert(0, "contents ");
    return known;
  }
  auto entry = fs::recursive_directory_iterator(place, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (files.size() >= most)
      return {"", "it holds more than 50,000 files"};
    if (entry->is_symlink(ignored) && entry->is_directory(ignored))
      return {"", "it holds a link to a folder, which is not looked into"};
    if (!entry->is_regular_file(ignored))
      continue;
    files[fs::relative(entry->path(), place, ignored).string()] =
        std::to_string(entry->file_size(ignored));
  }
  if (error)
    return {"", "it cannot be read"};
  std::string all;
  for (const auto& [name, size] : files)
    all += name + ' ' + size + '\n';
  return {counted(files.size(), "file") + (files.empty() ? "" : ", " + hash_text(all)), ""};
}

struct Cache {
  const char* name;
  const char* setting; ///< the variable that names its place
  const char*
      below; ///< "~": the home folder, "^": that of caches; empty: none without the variable
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
  if (std::string place = variable(cache.setting); !place.empty())
    return place;
  const std::string below = cache.below;
  const std::string home = variable("HOME"), folder = variable("XDG_CACHE_HOME");
  if (below.starts_with('~'))
    return home + below.substr(1);
  if (below.starts_with('^'))
    return (folder.empty() ? home + "/.cache" : folder) + below.substr(1);
  return below.ends_with('_') ? below + variable("USER") : below;
}

constexpr const char* cut_here = "…"; // as add_json has it

/// The words of a JSON array; that which was cut has none.
std::vector<std::string> words_of_arguments(const std::string& array) {
  const auto json = nlohmann::json::parse(array, nullptr, false);
  return json.is_array() ? json.get<std::vector<std::string>>() : std::vector<std::string>{};
}

} // namespace

bool is_in_cache_of_kernels(const std::string& path) {
  return path.starts_with(variable("HOME") + "/.triton/") ||
         std::ranges::any_of(caches, [&](const Cache& cache) {
           const std::string place = place_of(cache);
           return !place.empty() && path.starts_with(place);
         });
}

std::set<std::string> mapped_files(const Log& log) {
  std::set<std::string> files;
  std::set<const std::string*> seen; // thousands of processes have one list
  for (const Process& process : log.processes)
    if (!process.modules.empty() && seen.insert(&*process.modules.begin()).second)
      files.insert(process.modules.begin(), process.modules.end());
  return files;
}

bool is_unreached(const Log& log) {
  return std::ranges::any_of(log.processes, [](const Process& process) {
    return contains(process.lost, process.pid, &Lost::pid);
  });
}

bool was_changed_since(const struct stat& state, std::int64_t began) {
  constexpr std::int64_t second = 1'000'000'000;
  return state.st_ctim.tv_sec * second + state.st_ctim.tv_nsec > began;
}

bool was_changed_since(const std::string& file, std::int64_t began) {
  struct stat state;
  return ::lstat(file.c_str(), &state) != 0 || was_changed_since(state, began);
}

void capture_libraries(const Log& log, Environment& to) {
  CapturedSection& libraries = to.of(EnvironmentSection::libraries);
  libraries = {};
  const std::set<std::string> files = mapped_files(log);
  if (files.empty() && !is_unreached(log))
    libraries.set_unknown(whole_section, no_files_said);
  for (const std::string& file : files) {
    if (base_name(file) == "libgcc_s.so.1")
      continue; // libc's, once a thread exits: a race in some programs
    libraries.add(name_of_library(file), build_of(file, log, to.began));
  }
}

void capture_packages(const Log& log, Environment& to) {
  CapturedSection& packages = to.of(EnvironmentSection::packages);
  const std::set<std::string> files = mapped_files(log);
  constexpr const char* database = "/var/lib/dpkg/status";
  std::error_code error;
  packages.forget_unknown(packages_of_files);
  if (files.empty())
    packages.set_unknown(packages_of_files, no_files_said);
  else if (!fs::exists(database, error))
    packages.set_unknown(packages_of_files, "no dpkg here; others are not read");
  else if (was_changed_since(database, to.began))
    packages.set_unknown(packages_of_files,
                         "packages were installed or removed since the run began");
  else
    capture_debian_packages(files, packages);
}

void capture_code(const AskLimits& limits, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::code);
  const Known none = {no_repository, ""};
  const GitState state =
      is_in_repository(".") ? git_state(".", {limits}) : GitState{none, none, none};
  section.set({SubjectKind::git, "commit"}, state.commit);
  section.set({SubjectKind::git, "changes"}, state.changes);
  section.set(untracked_files, state.untracked);
}

std::vector<std::string> shown_words(const std::vector<std::string>& words, DrawnParts drawn) {
  std::string bytes;
  for (const std::string& word : words)
    bytes += word + '\0';
  const std::size_t size = bytes.size();
  bytes += '\0'; // room for one more
  std::string room(4 * size + 1024, '\0');
  TextWriter line(room.data(), room.size());
  line.add('{');
  add_arguments(line, bytes.data(), size, drawn);
  const std::string text = line.c_str();
  const std::size_t begin = text.find('[');
  std::vector<std::string> shown = words_of_arguments(begin == text.npos ? "" : text.substr(begin));
  if (shown.size() < words.size())
    shown.emplace_back(cut_here);
  return shown;
}

void capture_command(const std::string& program, const std::vector<std::string>& words,
                     Environment& to) {
  constexpr std::size_t longest =
      2400; // a start record holds little more, and says not that it is cut
  CapturedSection& section = to.of(EnvironmentSection::code);
  section.set_fact("program", looks_drawn(program) ? hashed_value + hash_text(program) : program);
  std::string all;
  std::size_t count = 0;
  bool is_cut = false;
  for (const std::string& word : shown_words(words, DrawnParts::shown)) {
    is_cut |= word.ends_with(cut_here);
    all += (count++ == 0 ? "" : " ") +
           (looks_drawn(word)
                ? hashed_value + hash_text(word)
                : (word.find_first_of(" ;&|$()\'\"") == std::string::npos ? word
                                                                          : shell_command({word})));
  }
  if (is_cut || all.size() > longest)
    section.set_unknown("arguments", "they are longer than what is kept of them");
  else
    section.set_fact("arguments", all);
}

void capture_caches(Environment& to) {
  std::error_code error;
  CapturedSection& section = to.of(EnvironmentSection::caches);
  for (const Cache& cache : caches) {
    const std::string place = place_of(cache);
    if (place.empty() || fs::status(place, error).type() == fs::file_type::not_found)
      section.set_fact(cache.name, "cold");
    else
      section.set(cache.name, state_of(place));
  }
}

} // namespace detshim
