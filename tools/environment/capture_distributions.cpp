// Distributions of Python as they lie on disk, which need not be what a lockfile says; and conda's.
//
// Sources: PEP 376 and 627 (RECORD), PEP 610 (direct_url.json), the site module (.pth files).
#include "environment/capture.h"
#include "scanner/elf_file.h"
#include "scanner/preloading.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Folders named site-packages or dist-packages below that of an installation.
void add_sites(const fs::path& prefix, std::set<fs::path>& to) {
  std::error_code error;
  for (const char* lib : {"lib", "lib64"})
    for (const auto& python : fs::directory_iterator(prefix / lib, error))
      if (python.path().filename().string().starts_with("python"))
        for (const char* name : {"site-packages", "dist-packages"})
          if (fs::path site = fs::canonical(python.path() / name, error); !error) to.insert(site);
}

/// Those of an installation, and of the one that a virtual environment takes in.
void add_installation(fs::path prefix, std::set<fs::path>& to) {
  add_sites(prefix, to);
  std::istringstream lines(whole_file(prefix / "pyvenv.cfg")); // PEP 405
  std::string home;
  bool takes_in = false;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(' ', equals - 1) + 1);
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    const std::string value = begin == std::string::npos ? "" : line.substr(begin);
    if (key == "home") home = value;
    takes_in |= key == "include-system-site-packages" && value == "true";
  }
  if (takes_in && !home.empty()) add_sites(fs::path(home).parent_path(), to);
}

/// The folder of an installation by its interpreter: /usr of /usr/bin/python3.
fs::path prefix_of(const std::string& interpreter) {
  return fs::path(interpreter).parent_path().parent_path();
}

/// The Python that a program is, or is written for by its first line: as it is named, not where links lead.
/// Empty where it is none.
std::string interpreter_of(const std::string& program) {
  if (program.empty()) return {};
  const auto is_python = [](const std::string& name) {
    return fs::path(name).filename().string().find("python") != std::string::npos;
  };
  const auto absolute = [](const std::string& name) {
    std::error_code error;
    return name.empty() ? "" : fs::absolute(name, error).lexically_normal().string();
  };
  const std::string file = find_executable(program);
  constexpr std::size_t longest = 256; // execve(2)
  const std::string beginning = beginning_of_file(file, longest);
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

void add_user_sites(const std::string& home, const std::string& is_off, std::set<fs::path>& to) {
  if (!home.empty() && is_off.empty()) add_sites(home + "/.local", to);
}

/// Says so, and returns true, if that folder may be another than the one that had this name as the run began.
bool leads_elsewhere(const fs::path& place, const Since& since, CapturedSection& to) {
  std::error_code error;
  const fs::path config = prefix_of(place) / "pyvenv.cfg";
  const bool is_changed =
      since.has_way_changed(place) || (fs::exists(config, error) && since.has_changed(config));
  if (is_changed) to.unknown["python *"] = "what " + place.string() + " leads to was " + changed_since;
  return is_changed;
}

/// True if distributions were installed there; modules alone are looked at by capture_modules().
bool is_site(const fs::path& folder) {
  std::error_code error;
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string end = entry->path().extension();
    if (end == ".dist-info" || end == ".egg-info" || end == ".egg-link") return true;
  }
  return false;
}

void add_paths(const std::string& list, const Since& since, CapturedSection& unknown,
               std::set<fs::path>& to) {
  std::istringstream paths(list);
  std::error_code error;
  for (std::string folder; std::getline(paths, folder, ':');)
    if (const fs::path path = fs::canonical(folder, error);
        !error && is_site(path) && !leads_elsewhere(folder, since, unknown))
      to.insert(path);
}

/// As it was captured; empty where it was not set, or its value was not kept.
std::string variable_of(const Environment& environment, const std::string& name) {
  for (const CapturedSection& section : environment.sections)
    if (const auto found = section.facts.find("variable " + name); found != section.facts.end())
      return found->second;
  return {};
}

/// Where the run's Python looks for distributions: by what it has mapped and by the name that it was started
/// by; without a log, what this shell would start.
std::set<fs::path> sites_of(const CaptureOptions& options, Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  std::set<fs::path> sites;
  std::error_code error;
  if (options.log != nullptr) {
    bool is_python = false;
    for (const std::string& file : mapped_files(*options.log))
      for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
           folder = folder.parent_path())
        if (folder.filename() == "site-packages" || folder.filename() == "dist-packages")
          sites.insert(folder);
    for (const Process& process : options.log->processes) {
      for (const Start& start : process.starts) {
        if (fs::path(start.program).filename().string().find("python") == std::string::npos ||
            start.args.empty())
          continue;
        is_python = true;
        const std::string& name = start.args.front();
        if (name.starts_with('/') && leads_elsewhere(name, options.since, to)) continue;
        if (name.starts_with('/') && fs::exists(prefix_of(name) / "pyvenv.cfg", error))
          add_installation(prefix_of(name), sites);
        else if (name.starts_with('/'))
          add_installation(prefix_of(start.program), sites);
        else
          to.unknown["python's folders"] =
              "it was started as '" + name + "', by which its environment cannot be found";
      }
    }
    if (is_python) {
      add_user_sites(environment.places["home"], variable_of(environment, "PYTHONNOUSERSITE"), sites);
      add_paths(environment.places[module_folders], options.since, to, sites);
    }
    return sites;
  }
  const auto add_python = [&](const fs::path& python) {
    const fs::path prefix = prefix_of(python);
    add_installation(
        fs::exists(prefix / "pyvenv.cfg", error) ? prefix : prefix_of(fs::canonical(python, error)), sites);
  };
  const std::string own = interpreter_of(options.program);
  if (!own.empty()) add_python(own);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); own.empty() && !prefix.empty())
      add_installation(prefix, sites);
  std::istringstream folders(own.empty() ? variable("PATH") : "");
  for (std::string folder; sites.empty() && std::getline(folders, folder, ':');) {
    const fs::path python = fs::path(folder + "/python3").lexically_normal();
    if (!fs::exists(python, error)) continue;
    add_python(python);
    break;
  }
  add_user_sites(variable("HOME"), variable("PYTHONNOUSERSITE"), sites);
  add_paths(variable("PYTHONPATH"), options.since, to, sites);
  if (sites.empty()) to.unknown["python"] = "no Python was found in VIRTUAL_ENV, CONDA_PREFIX and PATH";
  return sites;
}

/// A URL without what may be a secret in it: a name and a password, a query, a fragment. One that still looks
/// drawn is a hash.
std::string without_secrets(std::string url) {
  url = url.substr(0, url.find_first_of("?#"));
  const std::size_t scheme = url.find("://"), at = url.rfind('@');
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  if (at != std::string::npos && at > begin && url.find(':', begin) < at)
    url = url.substr(0, begin) + url.substr(at + 1);
  return looks_drawn(url) ? "an address, hash " + hash_text(url) : url;
}

/// Percent signs as RFC 3986 has them.
std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_code = text[i] == '%' && i + 2 < text.size() &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                         std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    result += is_code ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    i += is_code ? 2 : 0;
  }
  return result;
}

/// A member that is a text; empty for any other.
std::string text_of(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : "";
}

/// Where a distribution came from, if not from an index.
struct Origin {
  std::string text;   ///< ", from https://…"
  std::string source; ///< the folder that an editable one stands for
};
Origin origin_of(const fs::path& info) {
  const Json json = Json::parse(whole_file(info / "direct_url.json"), nullptr, false);
  if (!json.is_object()) return {};
  const std::string url = text_of(json, "url");
  std::string text = ", from " + without_secrets(url);
  if (const auto vcs = json.find("vcs_info"); vcs != json.end() && vcs->is_object())
    text += " commit " + text_of(*vcs, "commit_id");
  const auto folder = json.find("dir_info");
  if (folder == json.end() || !folder->is_object() || folder->value("editable", Json()) != Json(true))
    return {text, ""};
  return {text + ", editable", url.starts_with("file://") ? decoded(url.substr(7)) : ""};
}

/// "numpy", "1.26.4" of METADATA.
std::string field_of(const std::string& metadata, const std::string& name) {
  std::istringstream lines(metadata);
  for (std::string line; std::getline(lines, line) && !line.empty() && line != "\r";)
    if (line.starts_with(name + ": ")) {
      const std::size_t end = line.find_last_not_of(" \r");
      return line.substr(name.size() + 2, end + 1 - name.size() - 2);
    }
  return {};
}

/// What of the files that RECORD names is missing, of another size, or was written after the installation had
/// ended (RECORD is its last file); `deep`: and what they hold.
Told state_of_files(const fs::path& site, const fs::path& info, const CaptureOptions& options) {
  struct stat installed;
  if (::stat((info / "RECORD").c_str(), &installed) != 0) return {};
  std::size_t changed = 0;
  std::string first_changed;
  std::istringstream lines(whole_file(info / "RECORD"));
  std::size_t missing = 0, other = 0, later = 0;
  std::string first, contents, damaged;
  std::uintmax_t left = 256U << 20; // bytes of damaged files that are read
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t size_at = line.rfind(','),
                      hash_at = size_at == std::string::npos ? size_at : line.rfind(',', size_at - 1);
    if (hash_at == std::string::npos || line.ends_with(".pyc,,")) continue;
    std::string name = line.substr(0, hash_at);
    if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
    const std::string size = line.substr(size_at + 1);
    struct stat state;
    const fs::path file = site / name;
    if (options.since.has_changed(file) && changed++ == 0) first_changed = name;
    constexpr time_t long_enough = 60; // s: an installer writes its own files behind RECORD
    if (::stat(file.c_str(), &state) != 0)
      ++missing;
    else if (!size.empty() && size != std::to_string(state.st_size))
      ++other;
    else if (!size.empty() && state.st_mtime > installed.st_mtime + long_enough)
      ++later;
    else
      name.clear();
    if (first.empty()) first = name;
    if (!name.empty()) damaged += name + '\n';
    if (!name.empty() && ::stat(file.c_str(), &state) == 0) {
      const Told held = hash_of_file(file, left);
      if (!held.problem.empty()) return {"", "of its damaged files, " + name + ": " + held.problem};
      left -= std::min(left, static_cast<std::uintmax_t>(state.st_size));
      damaged += std::to_string(state.st_size) + ' ' + held.text + '\n';
    }
    if (!options.deep || size.empty()) continue;
    const Told held = hash_of_file(file);
    contents += held.problem.empty() ? held.text : held.problem;
  }
  const std::string damage = missing + other + later == 0
                                 ? ""
                                 : ", damaged: " + std::to_string(missing) + " files missing, " +
                                       std::to_string(other) + " of another size and " +
                                       std::to_string(later) + " written after its installation, the first " +
                                       first + ", what they hold " + hash_text(damaged);
  if (changed > 0)
    return {"", counted(changed, "file") + " of it " + changed_since + ", the first " + first_changed};
  return {damage + (options.deep ? contents_mark + hash_text(contents) : ""), ""};
}

/// The state of the folder that an editable distribution stands for. Of a run, only its start could tell.
void capture_source(const std::string& name, const std::string& folder, const CaptureOptions& options,
                    Environment& to) {
  CapturedSection& code = to.of(EnvironmentSection::code);
  const std::string subject = "source of " + name;
  if (code.facts.contains(subject) || code.unknown.contains(subject)) return;
  const GitState state =
      options.log == nullptr && !folder.empty() ? git_state(folder, {options.limits}) : GitState{};
  if (const std::string known = state.commit.text.empty() ? "" : state.text(); !known.empty())
    code.facts[subject] = known;
  else
    code.unknown[subject] = options.log != nullptr ? "it was not looked into as the run began"
                            : folder.empty()       ? "it is no folder"
                                                   : state.problem();
}

/// "numpy".
std::string name_in(const std::string& metadata, const fs::path& info) {
  const std::string name = field_of(metadata, "Name");
  return name.empty() ? info.stem().string() : name;
}

void capture_distribution(const fs::path& site, const fs::path& info, const CaptureOptions& options,
                          Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  const std::string metadata = whole_file(info / "METADATA");
  const std::string name = name_in(metadata, info);
  const std::string version = field_of(metadata, "Version");
  if (version.empty()) {
    to.unknown["python " + name] = "its METADATA cannot be read, or says no version";
    return;
  }
  const Told files = state_of_files(site, info, options);
  const Origin origin = origin_of(info);
  if (origin.text.ends_with(", editable")) capture_source(name, origin.source, options, environment);
  const bool is_new = options.since.has_changed(info) || options.since.has_changed(info / "METADATA");
  if (is_new || !files.problem.empty()) {
    to.unknown["python " + name] = is_new ? changed_since : files.problem;
    return;
  }
  std::string& fact = to.facts["python " + name];
  // Of several folders, the first in sys.path is imported.
  fact += (fact.empty() ? "" : "; and ") + version + origin.text + files.text;
}

/// An environment that was put in another's place keeps the times of all that is in it: those of the folders
/// between its root, as /venv of /venv/lib/python3.11/site-packages, and the site change as they are renamed.
std::string replaced_folder(const fs::path& site, const Since& since) {
  fs::path folder = site;
  for (int i = 0; i < 3; ++i) {
    folder = folder.parent_path();
    if (folder.has_relative_path() && since.has_changed(folder)) return folder;
  }
  return {};
}

void capture_site(const fs::path& site, const CaptureOptions& options, Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  std::error_code error;
  if (const std::string folder = replaced_folder(site, options.since); !folder.empty()) {
    for (const char* subject : {"python *", "link *", "start file *"})
      to.unknown[subject] = "what is in " + folder + " was " + changed_since;
    return;
  }
  if (options.since.has_changed(site)) // something may have gone
    to.unknown["python *"] = "what is in " + site.string() + " was " + changed_since;
  for (const auto& entry : fs::directory_iterator(site, error)) {
    const std::string name = entry.path().filename();
    std::error_code ignored;
    if (name.ends_with(".dist-info")) {
      capture_distribution(site, entry.path(), options, environment);
      continue;
    }
    const bool is_one_file = name.ends_with(".egg-link") || name.ends_with(".pth") ||
                             name == "sitecustomize.py" || name == "usercustomize.py";
    if (is_one_file && options.since.has_changed(entry.path())) {
      to.unknown[(name.ends_with(".egg-link") ? "link " : "start file ") + name] = changed_since;
    } else if (name.ends_with(".egg-info")) {
      const fs::path information = entry.is_directory(ignored) ? entry.path() / "PKG-INFO" : entry.path();
      const std::string metadata = whole_file(information);
      const std::string distribution = field_of(metadata, "Name");
      const std::string subject = "python " + (distribution.empty() ? name : distribution);
      const std::string version = field_of(metadata, "Version");
      if (options.since.has_changed(entry.path()) || options.since.has_changed(information))
        to.unknown[subject] = changed_since;
      else if (version.empty())
        to.unknown[subject] = "its PKG-INFO cannot be read, or says no version";
      else
        to.facts[subject] = version;
    } else if (name.ends_with(".egg-link")) {
      to.facts["link " + name] = whole_file(entry.path());
    } else if (is_one_file) {
      const Told held = hash_of_file(entry.path()); // it may set variables
      if (held.problem.empty())
        to.facts["start file " + name] = "contents " + held.text;
      else
        to.unknown["start file " + name] = held.problem;
    }
  }
  if (error) to.unknown["distributions in " + site.string()] = error.message();
}

void capture_conda(const fs::path& prefix, const CaptureOptions& options, CapturedSection& to) {
  std::error_code error;
  if (prefix.empty() || !fs::is_directory(prefix / "conda-meta", error)) return;
  if (options.since.has_changed(prefix / "conda-meta"))
    to.unknown["conda *"] = std::string("what is installed was ") + changed_since;
  for (const auto& entry : fs::directory_iterator(prefix / "conda-meta", error)) {
    const std::string name = entry.path().filename(); // "numpy-1.26.4-py311h64a7726_0.json"
    if (!name.ends_with(".json")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::size_t build = stem.rfind('-'),
                      version = build == std::string::npos ? build : stem.rfind('-', build - 1);
    if (version == std::string::npos) continue;
    const std::string subject = "conda " + stem.substr(0, version);
    if (options.since.has_changed(entry.path()))
      to.unknown[subject] = changed_since;
    else
      to.facts[subject] = stem.substr(version + 1);
  }
  if (error) to.unknown["conda packages"] = error.message();
}

/// The interpreter's file by its build, and which uv made its environment. `which`: empty for the only one.
void capture_interpreter(const std::string& started_as, const fs::path& file, const std::string& which,
                         const CaptureOptions& options, CapturedSection& to) {
  const std::string subject = "interpreter" + which;
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) {
    to.unknown[subject] = "it is no regular file, or gone";
    return;
  }
  try {
    const std::string build = ElfFile(file).build_id();
    if (options.since.has_changed(file) || options.since.has_way_changed(started_as))
      to.unknown[subject] = changed_since;
    else
      to.facts[subject] = file.string() + (build.empty() ? "" : ", build " + build);
  } catch (const ElfError& error) {
    to.unknown[subject] = error.what();
  }
  const fs::path config = prefix_of(started_as) / "pyvenv.cfg";
  std::istringstream lines(whole_file(config));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("uv = ")) {
      if (options.since.has_changed(config))
        to.unknown["uv" + which] = changed_since;
      else
        to.facts["uv" + which] = line.substr(5);
    }
}

void capture_interpreters(const CaptureOptions& options, CapturedSection& to) {
  if (options.log == nullptr) {
    std::error_code error;
    const std::string home = variable("VIRTUAL_ENV");
    const std::string own = interpreter_of(options.program);
    const std::string name = !own.empty()   ? own
                             : home.empty() ? find_executable("python3")
                                            : home + "/bin/python3";
    const fs::path file = fs::canonical(name, error);
    if (!error) capture_interpreter(name, file, "", options, to);
    capture_conda(own.empty() ? fs::path(variable("CONDA_PREFIX")) : prefix_of(file), options, to);
    return;
  }
  std::map<std::string, std::string> programs; // by the name that each was started as
  for (const Process& process : options.log->processes)
    for (const Start& start : process.starts) {
      if (fs::path(start.program).filename().string().find("python") == std::string::npos ||
          start.args.empty())
        continue;
      const std::string& name = start.args.front().starts_with('/') ? start.args.front() : start.program;
      programs.emplace(name, start.program);
    }
  for (const auto& [name, program] : programs) {
    capture_interpreter(name, program, programs.size() == 1 ? "" : " " + name, options, to);
    capture_conda(prefix_of(program), options, to);
  }
}

} // namespace

void capture_distributions(const CaptureOptions& options, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::versions);
  std::string folders;
  for (const fs::path& site : sites_of(options, to)) {
    folders += (folders.empty() ? "" : ", ") + site.string();
    capture_site(site, options, to);
  }
  if (!folders.empty()) section.facts["python's folders"] = folders;
  capture_interpreters(options, section);
  // Of two folders that have it, one was changed.
  for (const auto& [subject, why] : section.unknown) section.facts.erase(subject);
}

void capture_sources(const CaptureOptions& options, Environment& to) {
  Environment ignored; // what is not known of sites will be found out once the run has said where they are
  std::error_code error;
  for (const fs::path& site : sites_of(options, ignored))
    for (const auto& entry : fs::directory_iterator(site, error)) {
      const fs::path& info = entry.path();
      if (info.extension() != ".dist-info") continue;
      if (const Origin origin = origin_of(info); origin.text.ends_with(", editable"))
        capture_source(name_in(whole_file(info / "METADATA"), info), origin.source, options, to);
    }
}

} // namespace detshim
