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
#include <map>
#include <optional>
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
          if (fs::path site = fs::canonical(python.path() / name, error); !error)
            to.insert(site);
}

/// Those of an installation, and of the one that a virtual environment takes in. Returns where the
/// programs are of the installation that a virtual one was made of.
std::string add_installation(fs::path prefix, std::set<fs::path>& to) {
  add_sites(prefix, to);
  if (prefix == "/usr")
    add_sites("/usr/local", to); // Debian's Python has both
  std::string home;
  bool takes_in = false;
  for (const std::string& line : split(read_file(prefix / "pyvenv.cfg"), '\n')) { // PEP 405
    const std::size_t equals = line.find('=');
    if (equals == std::string::npos)
      continue;
    const std::string key = line.substr(0, line.find_last_not_of(' ', equals - 1) + 1);
    const std::size_t begin = line.find_first_not_of(' ', equals + 1);
    const std::string value = begin == std::string::npos ? "" : line.substr(begin);
    if (key == "home")
      home = value;
    takes_in |= key == "include-system-site-packages" && value == "true";
  }
  if (takes_in && !home.empty())
    add_sites(fs::path(home).parent_path(), to);
  return home;
}

/// The folder of an installation by its interpreter: /usr of /usr/bin/python3.
fs::path prefix_of(const std::string& interpreter) {
  return fs::path(interpreter).parent_path().parent_path();
}

/// The Python that a program is, or is written for by its first line: as it is named, not where
/// links lead. Empty where it is not one.
std::string interpreter_of(const std::string& program) {
  if (program.empty())
    return {};
  const auto absolute = [](const std::string& name) {
    std::error_code error;
    return name.empty() ? "" : fs::absolute(name, error).lexically_normal().string();
  };
  const std::string file = find_executable(program);
  constexpr std::size_t longest = 256; // execve(2)
  const std::string beginning = read_file(file, longest);
  if (!beginning.starts_with("#!"))
    return is_python(program) ? absolute(file) : "";
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
  for (auto entry = fs::directory_iterator(folder, error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string end = entry->path().extension();
    if (end == ".dist-info" || end == ".egg-info")
      return true;
  }
  return false;
}

std::string python_in_path(bool asks) {
  const std::string python = find_executable("python3");
  if (!asks || read_file(python, 2) != "#!")
    return python;
  const Reply reply = ask({python, "-c", "import sys; print(sys.executable, end='')"});
  return reply.problem.empty() ? *reply.text : python;
}

/// Where a Python looks for distributions: the program's own, else the first in VIRTUAL_ENV,
/// CONDA_PREFIX and PATH.
std::set<fs::path> sites_of(const std::string& program, bool asks) {
  std::set<fs::path> sites;
  std::error_code error;
  const auto add_python = [&](const fs::path& python) {
    const fs::path prefix = prefix_of(python);
    add_installation(
        fs::exists(prefix / "pyvenv.cfg", error) ? prefix : prefix_of(fs::canonical(python, error)),
        sites);
  };
  const std::string own = interpreter_of(program);
  if (!own.empty())
    add_python(own);
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); own.empty() && !prefix.empty())
      add_installation(prefix, sites);
  if (own.empty() && sites.empty())
    if (const std::string python = python_in_path(asks); !python.empty())
      add_python(python);
  if (const std::string home = variable("HOME");
      !home.empty() && variable("PYTHONNOUSERSITE").empty())
    add_sites(home + "/.local", sites);
  for (const std::string& folder : split(variable("PYTHONPATH"), ':'))
    if (const fs::path path = fs::canonical(folder, error); !error && is_site(path))
      sites.insert(path);
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
  std::string text; ///< ", from https://…"
  bool is_editable = false;
  std::string source; ///< the folder of an editable one
};
Origin origin_of(const fs::path& info) {
  const nlohmann::json json =
      nlohmann::json::parse(read_file(info / "direct_url.json"), nullptr, false);
  if (!json.is_object())
    return {};
  const std::string url = text_of(json, "url");
  std::string text = ", from " + without_login(url);
  if (const auto vcs = json.find("vcs_info"); vcs != json.end() && vcs->is_object())
    text += " commit " + text_of(*vcs, "commit_id");
  const auto folder = json.find("dir_info");
  const bool is_editable = folder != json.end() && folder->is_object() &&
                           folder->value("editable", nlohmann::json()) == nlohmann::json(true);
  if (!is_editable)
    return {text, false, ""};
  return {text + ", editable", true, url.starts_with("file://") ? decoded(url.substr(7)) : ""};
}

/// "numpy", "1.26.4" of METADATA.
std::string field_of(const std::string& metadata, const std::string& name) {
  for (const std::string& line : split(metadata, '\n')) {
    if (line.empty() || line == "\r")
      break;
    if (line.starts_with(name + ": ")) {
      const std::size_t end = line.find_last_not_of(" \r");
      return line.substr(name.size() + 2, end + 1 - name.size() - 2);
    }
  }
  return {};
}

constexpr const char* changed_since = " was changed since the run began";

constexpr const char* interpreter = "interpreter";
constexpr const char* any_python = "python"; ///< that one is there
const Subject all_distributions = {SubjectKind::python, ""};

/// A line of RECORD.
struct RecordedFile {
  std::string name;
  std::string size; ///< empty where none is written down
};

/// Nothing for a line that names no file, and for a cache of Python's, which has neither size nor
/// hash.
std::optional<RecordedFile> recorded_file_in(std::string line) {
  if (line.ends_with('\r'))
    line.pop_back();
  const std::size_t size_at = line.rfind(',');
  if (size_at == std::string::npos || size_at == 0 || line.ends_with(".pyc,,"))
    return std::nullopt;
  const std::size_t hash_at = line.rfind(',', size_at - 1);
  if (hash_at == std::string::npos)
    return std::nullopt;
  std::string name = line.substr(0, hash_at);
  if (name.size() > 1 && name.front() == '"')
    name = name.substr(1, name.size() - 2);
  return RecordedFile{name, line.substr(size_at + 1)};
}

/// The files by their names. A build may name one twice, as it was before and behind its last step
/// (NumPy's `__config__.py`): it is whole if one of the lines fits.
std::map<std::string, std::vector<RecordedFile>> recorded_files(const std::string& record) {
  std::map<std::string, std::vector<RecordedFile>> files;
  for (const std::string& line : split(record, '\n'))
    if (const std::optional<RecordedFile> file = recorded_file_in(line))
      files[file->name].push_back(*file);
  return files;
}

/// What is wrong with a distribution, or with one of its files.
enum class ProblemKind {
  none,
  missing,       ///< the file that RECORD names
  other_size,    ///< than RECORD has
  written_later, ///< than the installation ended
  changed_later, ///< the run began: what it was then is not known
};

/// RECORD is the last file of an installation.
ProblemKind problem_of(const fs::path& file, const RecordedFile& recorded, time_t installed,
                       std::int64_t began) {
  constexpr time_t long_enough = 60; // s: an installer writes its own files behind RECORD
  if (began != 0 && was_changed_since(file, began))
    return ProblemKind::changed_later;
  struct stat state;
  if (::stat(file.c_str(), &state) != 0)
    return ProblemKind::missing;
  if (recorded.size.empty())
    return ProblemKind::none;
  if (recorded.size != std::to_string(state.st_size))
    return ProblemKind::other_size;
  return state.st_mtime > installed + long_enough ? ProblemKind::written_later : ProblemKind::none;
}

/// The damaged files of a distribution, by what they hold.
class DamagedFiles {
public:
  /// Returns why that cannot be told.
  std::string add(const std::string& name, const fs::path& file, ProblemKind kind) {
    std::string held = "missing";
    if (kind != ProblemKind::missing) {
      const Known known = hash_of_file(file, bytes_left_);
      if (!known.problem.empty())
        return known.problem;
      held = known.text;
      std::error_code error;
      const std::uintmax_t size = fs::file_size(file, error);
      bytes_left_ -= error ? 0 : std::min(bytes_left_, size);
    }
    if (count_++ == 0)
      first_ = name;
    held_ += name + ' ' + held + '\n';
    return {};
  }

  std::string text() const {
    return count_ == 0 ? ""
                       : ", damaged: " + counted(count_, "file") + ", the first " + first_ +
                             ", what they hold " + hash_text(held_);
  }

private:
  std::size_t count_ = 0;
  std::string first_, held_;
  std::uintmax_t bytes_left_ = 256U << 20; ///< of what is read
};

/// What became of the files that RECORD names.
Known state_of_files(const fs::path& site, const fs::path& info, const CaptureOptions& options) {
  struct stat installed;
  if (::stat((info / "RECORD").c_str(), &installed) != 0)
    return {};
  DamagedFiles damaged;
  for (const auto& [name, lines] : recorded_files(read_file(info / "RECORD"))) {
    const fs::path file = site / name;
    ProblemKind kind = ProblemKind::missing;
    for (const RecordedFile& line : lines)
      if (kind != ProblemKind::none)
        kind = problem_of(file, line, installed.st_mtime, options.began);
    if (kind == ProblemKind::none)
      continue;
    if (kind == ProblemKind::changed_later)
      return {"", name + changed_since};
    const std::string problem = damaged.add(name, file, kind);
    if (!problem.empty())
      return {"", name + ": " + problem};
  }
  return {damaged.text(), ""};
}

/// The state of the folder of an editable distribution.
void capture_source(const std::string& name, const std::string& folder, const AskLimits& limits,
                    CapturedSection& code) {
  const Subject subject = {SubjectKind::source, name};
  if (code.values.contains(subject))
    return;
  const GitState state =
      folder.empty() ? GitState{{"", "it is no folder"}, {}, {}} : git_state(folder, {limits});
  code.set(subject, {state.text(), state.problem()});
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
  const Subject subject = {SubjectKind::python, name};
  if (version.empty())
    return to.set_unknown(subject, "its METADATA cannot be read, or says no version");
  const Known files = state_of_files(site, info, options);
  const Origin origin = origin_of(info);
  if (origin.is_editable)
    capture_source(name, origin.source, options.limits, environment.of(EnvironmentSection::code));
  // Of several folders, the first in sys.path is imported.
  to.add(subject, {version + origin.text + files.text, files.problem});
}

/// What lies in a folder of distributions, by its name.
enum class SiteEntry {
  other,
  distribution, ///< by PEP 376
  egg,          ///< by setuptools
  start_file,   ///< what the site module runs
};

SiteEntry kind_of_entry(const std::string& name) {
  if (name.ends_with(".dist-info"))
    return SiteEntry::distribution;
  if (name.ends_with(".egg-info"))
    return SiteEntry::egg;
  const bool is_start =
      name.ends_with(".pth") || name == "sitecustomize.py" || name == "usercustomize.py";
  return is_start ? SiteEntry::start_file : SiteEntry::other;
}

void capture_egg(const fs::path& info, CapturedSection& to) {
  std::error_code error;
  const std::string metadata = read_file(fs::is_directory(info, error) ? info / "PKG-INFO" : info);
  const std::string name = field_of(metadata, "Name"), version = field_of(metadata, "Version");
  const bool is_known = !version.empty();
  to.add({SubjectKind::python, name.empty() ? info.filename().string() : name},
         {version, is_known ? "" : "its PKG-INFO cannot be read, or says no version"});
}

void capture_site(const fs::path& site, const CaptureOptions& options, Environment& environment) {
  CapturedSection& to = environment.of(EnvironmentSection::versions);
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(site, error)) {
    const std::string name = entry.path().filename();
    const SiteEntry kind = kind_of_entry(name);
    if (kind == SiteEntry::other)
      continue;
    if (options.began != 0 && was_changed_since(entry.path(), options.began)) {
      to.set_unknown(all_distributions, entry.path().string() + changed_since);
      continue;
    }
    if (kind == SiteEntry::distribution) {
      capture_distribution(site, entry.path(), options, environment);
    } else if (kind == SiteEntry::egg) {
      capture_egg(entry.path(), to);
    } else {
      const Known held = hash_of_file(entry.path()); // it may set variables
      to.add({SubjectKind::start_file, name}, {"contents " + held.text, held.problem});
    }
  }
  if (error)
    to.set_unknown(all_distributions, site.string() + ": " + error.message());
}

void capture_conda(const fs::path& prefix, CapturedSection& to) {
  std::error_code error;
  if (prefix.empty() || !fs::is_directory(prefix / "conda-meta", error))
    return;
  for (const auto& entry : fs::directory_iterator(prefix / "conda-meta", error)) {
    const std::string name = entry.path().filename(); // "numpy-1.26.4-py311h64a7726_0.json"
    if (!name.ends_with(".json"))
      continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::size_t build = stem.rfind('-'),
                      version = build == std::string::npos ? build : stem.rfind('-', build - 1);
    if (version != std::string::npos && version != 0)
      to.set_fact({SubjectKind::conda, stem.substr(0, version)}, stem.substr(version + 1));
  }
  if (error)
    to.set_unknown({SubjectKind::conda, ""}, error.message());
}

void capture_build(const fs::path& file, CapturedSection& to) {
  try {
    const std::string build = ElfFile(file).build_id();
    to.set_fact(interpreter, file.string() + (build.empty() ? "" : ", build " + build));
  } catch (const ElfError& problem) {
    to.set_unknown(interpreter, problem.what());
  }
}

/// The interpreter's file by its build, and what conda has installed.
void capture_interpreter(const std::string& program, bool asks, CapturedSection& to) {
  std::error_code error;
  const std::string home = variable("VIRTUAL_ENV"), own = interpreter_of(program);
  const std::string name = !own.empty()   ? own
                           : home.empty() ? python_in_path(asks)
                                          : home + "/bin/python3";
  const fs::path file = fs::canonical(name, error);
  capture_conda(own.empty() ? fs::path(variable("CONDA_PREFIX")) : prefix_of(file), to);
  if (error)
    return;
  capture_build(file, to);
}

/// Keeps which folders were looked into: for a reader, and for those who look again.
void keep_folders(const std::set<fs::path>& sites, Environment& to) {
  std::string text, lines;
  for (const fs::path& site : sites) {
    text += (text.empty() ? "" : ", ") + site.string();
    lines += site.string() + '\n';
  }
  to.of(EnvironmentSection::versions).set_fact("python's folders", text);
  to.places[distribution_places] = lines;
}

/// The distributions that a run had after all, by its log.
class RunDistributions {
public:
  RunDistributions(const Log& log, bool is_here, Environment& to)
      : log_(log), is_here_(is_here), to_(to), section_(to.of(EnvironmentSection::versions)) {}

  void check() {
    add_sites_of_mapped_files();
    add_virtual_environments();
    for (const Process& process : log_.processes)
      for (const Start& start : process.starts)
        if (is_python(start.program))
          add_start(start);
    look_into_sites();
    if (!has_python_) {
      section_.forget_unknown(any_python);
      section_.forget_unknown(interpreter);
    }
  }

private:
  /// True if what is there now is what the run met as it began.
  bool is_as_it_was(const fs::path& place) const {
    return is_here_ && !was_changed_since(place, to_.began);
  }

  void add_sites_of_mapped_files() {
    for (const std::string& file : mapped_files(log_))
      for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
           folder = folder.parent_path())
        if (folder.filename() == "site-packages" || folder.filename() == "dist-packages")
          sites_.insert(folder);
  }

  void add_virtual_environments() {
    for (const std::string& file : files_read(log_, "pyvenv.cfg"))
      homes_.insert(add_installation(fs::path(file).parent_path(), sites_));
  }

  void add_start(const Start& start) {
    has_python_ = true;
    if (section_.fact(interpreter) == nullptr && is_as_it_was(start.program))
      capture_build(start.program, section_);
    add_installation_of(start);
    const fs::path prefix = prefix_of(start.program);
    if (is_as_it_was(prefix / "conda-meta"))
      capture_conda(prefix, section_);
  }

  /// A program that was started by a name without a folder is that of the virtual environment that
  /// was read, if one was.
  void add_installation_of(const Start& start) {
    std::error_code error;
    const std::string name = start.args.empty() ? "" : start.args.front();
    const bool is_path = name.starts_with('/');
    if (!is_path && homes_.contains(fs::path(start.program).parent_path()))
      return;
    const bool is_virtual = is_path && fs::exists(prefix_of(name) / "pyvenv.cfg", error);
    add_installation(prefix_of(is_virtual ? name : start.program), sites_);
  }

  /// Into those that nobody looked into as the run began.
  void look_into_sites() {
    std::set<fs::path> looked;
    for (const std::string& site : split(to_.place(distribution_places), '\n'))
      looked.insert(site);
    CaptureOptions options;
    options.began = to_.began;
    for (const fs::path& site : sites_) {
      if (looked.contains(site))
        continue;
      if (!is_as_it_was(site)) {
        section_.set_unknown(all_distributions,
                             site.string() + " was not looked into as the run began");
        continue;
      }
      looked.insert(site);
      capture_site(site, options, to_);
    }
    if (looked.empty())
      return;
    keep_folders(looked, to_);
    section_.forget_unknown(any_python); // none was found at the start
  }

  const Log& log_;
  const bool is_here_;
  Environment& to_;
  CapturedSection& section_;
  std::set<fs::path> sites_;
  std::set<std::string> homes_; ///< where the programs are of which virtual environments were made
  bool has_python_ = false;
};

} // namespace

void capture_distributions(const CaptureOptions& options, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::versions);
  const std::set<fs::path> sites = sites_of(options.program, options.asks);
  for (const fs::path& site : sites)
    capture_site(site, options, to);
  if (sites.empty())
    section.set_unknown(any_python, "no Python was found in VIRTUAL_ENV, CONDA_PREFIX and PATH");
  else
    keep_folders(sites, to);
  capture_interpreter(options.program, options.asks, section);
}

void check_distributions(const Log& log, bool is_here, Environment& to) {
  RunDistributions(log, is_here, to).check();
}

} // namespace detshim
