// Distributions of Python as they lie on disk, which need not be what a lockfile says; and conda's.
//
// Sources: PEP 376 and 627 (RECORD), PEP 610 (direct_url.json), the site module (.pth files).
#include "environment/capture.h"
#include "report/json.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"
#include "support/ask.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

/// Folders named site-packages or dist-packages below that of an installation.
void add_sites(const fs::path& prefix, std::set<fs::path>& to) {
  std::error_code error;
  for (const char* lib : {"lib", "lib64"})
    for (const auto& python : fs::directory_iterator(prefix / lib, error))
      if (python.path().filename().string().starts_with("python"))
        for (const char* name : {"site-packages", "dist-packages"})
          if (fs::path site = fs::canonical(python.path() / name, error); !error) to.insert(site);
}

/// Those of an installation, and of the one that a virtual environment takes in. Returns where the programs
/// are of the installation that a virtual one was made of.
std::string add_installation(fs::path prefix, std::set<fs::path>& to) {
  add_sites(prefix, to);
  if (prefix == "/usr") add_sites("/usr/local", to); // Debian's Python has both
  std::string home;
  bool takes_in = false;
  for (const std::string& line : split(read_file(prefix / "pyvenv.cfg"), '\n')) { // PEP 405
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(' ', equals - 1) + 1);
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    const std::string value = begin == std::string::npos ? "" : line.substr(begin);
    if (key == "home") home = value;
    takes_in |= key == "include-system-site-packages" && value == "true";
  }
  if (takes_in && !home.empty()) add_sites(fs::path(home).parent_path(), to);
  return home;
}

/// The folder of an installation by its interpreter: /usr of /usr/bin/python3.
fs::path prefix_of(const std::string& interpreter) {
  return fs::path(interpreter).parent_path().parent_path();
}

/// The Python that a program is, or is written for by its first line: as it is named, not where links lead.
/// Empty where it is none.
std::string interpreter_of(const std::string& program) {
  if (program.empty()) return {};
  const auto absolute = [](const std::string& name) {
    std::error_code error;
    return name.empty() ? "" : fs::absolute(name, error).lexically_normal().string();
  };
  const std::string file = find_executable(program);
  constexpr std::size_t longest = 256; // execve(2)
  const std::string beginning = read_file(file, longest);
  if (!beginning.starts_with("#!")) return is_python(program) ? absolute(file) : "";
  std::istringstream line(beginning.substr(2, beginning.find('\n') - 2));
  std::string name, word;
  line >> name;
  if (fs::path(name).filename() == "env")
    while (line >> word)
      if (!word.starts_with('-') && word.find('=') == std::string::npos) {
        name = find_executable(word);
        break;
      }
  return is_python(name) ? absolute(name) : "";
}

/// True if distributions were installed there; modules alone are looked at by capture_modules().
bool is_site(const fs::path& folder) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string end = entry->path().extension();
    if (end == ".dist-info" || end == ".egg-info") return true;
  }
  return false;
}

std::string python_in_path(bool asks) {
  const std::string python = find_executable("python3");
  if (!asks || read_file(python, 2) != "#!") return python;
  const Reply reply = ask({python, "-c", "import sys; print(sys.executable, end='')"});
  return reply.problem.empty() ? *reply.text : python;
}

/// Where a Python looks for distributions: the program's own, else the first in VIRTUAL_ENV, CONDA_PREFIX and
/// PATH.
std::set<fs::path> sites_of(const std::string& program, bool asks) {
  std::set<fs::path> sites;
  std::error_code error;
  const auto add_python = [&](const fs::path& python) {
    const fs::path prefix = prefix_of(python);
    add_installation(
        fs::exists(prefix / "pyvenv.cfg", error) ? prefix : prefix_of(fs::canonical(python, error)), sites);
  };
  const std::string own = interpreter_of(program);
  if (!own.empty()) add_python(own);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); own.empty() && !prefix.empty())
      add_installation(prefix, sites);
  if (own.empty() && sites.empty())
    if (const std::string python = python_in_path(asks); !python.empty()) add_python(python);
  if (const std::string home = variable("HOME"); !home.empty() && variable("PYTHONNOUSERSITE").empty())
    add_sites(home + "/.local", sites);
  for (const std::string& folder : split(variable("PYTHONPATH"), ':'))
    if (const fs::path path = fs::canonical(folder, error); !error && is_site(path)) sites.insert(path);
  return sites;
}

/// Percent signs as RFC 3986 has them.
std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto code = number_in<unsigned>(std::string_view(text).substr(i + 1, 2), 16);
    const bool is_code = text[i] == '%' && i + 2 < text.size() && code;
    result += is_code ? static_cast<char>(*code) : text[i];
    i += is_code ? 2 : 0;
  }
  return result;
}

/// Where a distribution came from, if not from an index.
struct Origin {
  std::string text;   ///< ", from https://…"
  std::string source; ///< the folder that an editable one stands for
};
Origin origin_of(const fs::path& info) {
  const nlohmann::json json = nlohmann::json::parse(read_file(info / "direct_url.json"), nullptr, false);
  if (!json.is_object()) return {};
  const std::string url = text_of(json, "url");
  std::string text = ", from " + without_login(url);
  if (const auto vcs = json.find("vcs_info"); vcs != json.end() && vcs->is_object())
    text += " commit " + text_of(*vcs, "commit_id");
  const auto folder = json.find("dir_info");
  if (folder == json.end() || !folder->is_object() ||
      folder->value("editable", nlohmann::json()) != nlohmann::json(true))
    return {text, ""};
  return {text + ", editable", url.starts_with("file://") ? decoded(url.substr(7)) : ""};
}

/// "numpy", "1.26.4" of METADATA.
std::string field_of(const std::string& metadata, const std::string& name) {
  for (const std::string& line : split(metadata, '\n')) {
    if (line.empty() || line == "\r") break;
    if (line.starts_with(name + ": ")) {
      const std::size_t end = line.find_last_not_of(" \r");
      return line.substr(name.size() + 2, end + 1 - name.size() - 2);
    }
  }
  return {};
}

constexpr const char* changed_since = " was changed since the run began";

/// The files that RECORD names and that are missing, of another size, or were written after the installation
/// had ended (RECORD is its last file), by what they hold.
Known state_of_files(const fs::path& site, const fs::path& info, const CaptureOptions& options) {
  struct stat installed;
  if (::stat((info / "RECORD").c_str(), &installed) != 0) return {};
  std::size_t count = 0;
  std::string first, damaged;
  std::uintmax_t left = 256U << 20; // bytes of damaged files that are read
  for (std::string& line : split(read_file(info / "RECORD"), '\n')) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t size_at = line.rfind(','),
                      hash_at = size_at == std::string::npos ? size_at : line.rfind(',', size_at - 1);
    if (hash_at == std::string::npos || line.ends_with(".pyc,,")) continue;
    std::string name = line.substr(0, hash_at);
    if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
    const std::string size = line.substr(size_at + 1);
    const fs::path file = site / name;
    if (options.began != 0 && was_changed_since(file, options.began)) return {"", name + changed_since};
    struct stat state;
    constexpr time_t long_enough = 60; // s: an installer writes its own files behind RECORD
    const bool is_there = ::stat(file.c_str(), &state) == 0;
    const bool is_damaged =
        !is_there || (!size.empty() && (size != std::to_string(state.st_size) ||
                                        state.st_mtime > installed.st_mtime + long_enough));
    if (!is_damaged) continue;
    const Known held = is_there ? hash_of_file(file, left) : Known{"missing", ""};
    if (!held.problem.empty()) return {"", name + ": " + held.problem};
    if (count++ == 0) first = name;
    if (is_there) left -= std::min(left, static_cast<std::uintmax_t>(state.st_size));
    damaged += name + ' ' + held.text + '\n';
  }
  return {count == 0 ? ""
                     : ", damaged: " + counted(count, "file") + ", the first " + first + ", what they hold " +
                           hash_text(damaged),
          ""};
}

/// The state of the folder that an editable distribution stands for.
void capture_source(const std::string& name, const std::string& folder, const AskLimits& limits,
                    CapturedSection& code) {
  const std::string subject = "source of " + name;
  if (code.facts.contains(subject) || code.unknown.contains(subject)) return;
  const GitState state =
      folder.empty() ? GitState{{"", "it is no folder"}, {}, {}} : git_state(folder, {limits});
  code.put(subject, {state.text(), state.problem()});
}

/// "numpy".
std::string name_in(const std::string& metadata, const fs::path& info) {
  const std::string name = field_of(metadata, "Name");
  return name.empty() ? info.stem().string() : name;
}

void capture_distribution(const fs::path& site, const fs::path& info, const CaptureOptions& options,
                          Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  const std::string metadata = read_file(info / "METADATA");
  const std::string name = name_in(metadata, info);
  const std::string version = field_of(metadata, "Version");
  if (version.empty()) {
    to.unknown["python " + name] = "its METADATA cannot be read, or says no version";
    return;
  }
  const Known files = state_of_files(site, info, options);
  const Origin origin = origin_of(info);
  if (origin.text.ends_with(", editable"))
    capture_source(name, origin.source, options.limits, environment.of(EnvironmentSection::code));
  if (!files.problem.empty()) {
    to.unknown["python " + name] = files.problem;
    return;
  }
  std::string& fact = to.facts["python " + name];
  // Of several folders, the first in sys.path is imported.
  fact += (fact.empty() ? "" : "; and ") + version + origin.text + files.text;
}

/// True for what capture_site() reads of a folder, beside the files of distributions.
bool is_read(const std::string& name) {
  return name.ends_with(".dist-info") || name.ends_with(".egg-info") || name.ends_with(".pth") ||
         name == "sitecustomize.py" || name == "usercustomize.py";
}

void capture_site(const fs::path& site, const CaptureOptions& options, Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(site, error)) {
    const std::string name = entry.path().filename();
    if (options.began != 0 && is_read(name) && was_changed_since(entry.path(), options.began)) {
      to.unknown["python *"] = entry.path().string() + changed_since;
      continue;
    }
    std::error_code ignored;
    if (name.ends_with(".dist-info")) {
      capture_distribution(site, entry.path(), options, environment);
    } else if (name.ends_with(".egg-info")) {
      const std::string metadata =
          read_file(entry.is_directory(ignored) ? entry.path() / "PKG-INFO" : entry.path());
      const std::string distribution = field_of(metadata, "Name"), version = field_of(metadata, "Version");
      const std::string subject = "python " + (distribution.empty() ? name : distribution);
      to.put(subject, {version, version.empty() ? "its PKG-INFO cannot be read, or says no version" : ""});
    } else if (name.ends_with(".pth") || name == "sitecustomize.py" || name == "usercustomize.py") {
      const Known held = hash_of_file(entry.path()); // it may set variables
      to.put("start file " + name, {"contents " + held.text, held.problem});
    }
  }
  if (error) to.unknown["distributions in " + site.string()] = error.message();
}

void capture_conda(const fs::path& prefix, CapturedSection& to) {
  std::error_code error;
  if (prefix.empty() || !fs::is_directory(prefix / "conda-meta", error)) return;
  for (const auto& entry : fs::directory_iterator(prefix / "conda-meta", error)) {
    const std::string name = entry.path().filename(); // "numpy-1.26.4-py311h64a7726_0.json"
    if (!name.ends_with(".json")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::size_t build = stem.rfind('-'),
                      version = build == std::string::npos ? build : stem.rfind('-', build - 1);
    if (version != std::string::npos) to.facts["conda " + stem.substr(0, version)] = stem.substr(version + 1);
  }
  if (error) to.unknown["conda packages"] = error.message();
}

void capture_build(const fs::path& file, CapturedSection& to) {
  try {
    const std::string build = ElfFile(file).build_id();
    to.facts["interpreter"] = file.string() + (build.empty() ? "" : ", build " + build);
    to.unknown.erase("interpreter");
  } catch (const ElfError& problem) {
    to.unknown["interpreter"] = problem.what();
  }
}

/// The interpreter's file by its build, and what conda has installed.
void capture_interpreter(const std::string& program, bool asks, CapturedSection& to) {
  std::error_code error;
  const std::string home = variable("VIRTUAL_ENV"), own = interpreter_of(program);
  const std::string name = !own.empty() ? own : home.empty() ? python_in_path(asks) : home + "/bin/python3";
  const fs::path file = fs::canonical(name, error);
  capture_conda(own.empty() ? fs::path(variable("CONDA_PREFIX")) : prefix_of(file), to);
  if (error) return;
  capture_build(file, to);
}

constexpr const char* distribution_folders = "python's folders"; // a fact too

} // namespace

void capture_distributions(const CaptureOptions& options, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::versions);
  std::string folders;
  for (const fs::path& site : sites_of(options.program, options.asks)) {
    folders += (folders.empty() ? "" : ", ") + site.string();
    capture_site(site, options, to);
  }
  if (folders.empty())
    section.unknown["python"] = "no Python was found in VIRTUAL_ENV, CONDA_PREFIX and PATH";
  else
    section.facts[distribution_folders] = folders;
  capture_interpreter(options.program, options.asks, section);
  // Of two folders that have it, one cannot be read.
  for (const auto& [subject, why] : section.unknown) section.facts.erase(subject);
}

void check_distributions(const Log& log, bool is_here, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::versions);
  std::set<fs::path> sites;
  std::error_code error;
  for (const std::string& file : mapped_files(log))
    for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
         folder = folder.parent_path())
      if (folder.filename() == "site-packages" || folder.filename() == "dist-packages") sites.insert(folder);
  std::set<std::string> homes; // whose programs ran in a virtual environment
  for (const std::string& file : files_read(log, "pyvenv.cfg"))
    homes.insert(add_installation(fs::path(file).parent_path(), sites));
  bool had_python = false;
  for (const Process& process : log.processes)
    for (const Start& start : process.starts) {
      if (!is_python(start.program)) continue;
      had_python = true;
      if (is_here && !section.facts.contains("interpreter") && !was_changed_since(start.program, to.began))
        capture_build(start.program, section);
      // By a name without a folder it is that of the virtual environment which was read, if one was.
      const std::string name = start.args.empty() ? "" : start.args.front();
      const bool is_path = name.starts_with('/');
      const bool is_virtual = is_path && fs::exists(prefix_of(name) / "pyvenv.cfg", error);
      if (is_path || !homes.contains(fs::path(start.program).parent_path()))
        add_installation(prefix_of(is_virtual ? name : start.program), sites);
      if (is_here && !was_changed_since(prefix_of(start.program) / "conda-meta", to.began))
        capture_conda(prefix_of(start.program), section);
    }
  std::string& looked = section.facts[distribution_folders];
  CaptureOptions options;
  options.began = to.began;
  for (const fs::path& site : sites) {
    if ((", " + looked + ", ").find(", " + site.string() + ", ") != std::string::npos) continue;
    if (!is_here || was_changed_since(site, to.began)) {
      section.unknown["python *"] = site.string() + " was not looked into as the run began";
      continue;
    }
    looked += (looked.empty() ? "" : ", ") + site.string();
    capture_site(site, options, to);
  }
  if (!looked.empty() || !had_python) section.unknown.erase("python"); // none was found at the start
  if (looked.empty()) section.facts.erase(distribution_folders);
  if (!had_python) section.unknown.erase("interpreter");
  for (const auto& [subject, why] : section.unknown) section.facts.erase(subject);
}

} // namespace detshim
