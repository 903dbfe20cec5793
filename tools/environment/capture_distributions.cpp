// Distributions of Python as they lie on disk, which need not be what a lockfile says; and conda's.
//
// Sources: PEP 376 and 627 (RECORD), PEP 610 (direct_url.json), the site module (.pth files).
#include "environment/capture.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <sys/stat.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string whole(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

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

/// Where the run's Python looks for distributions: by what it has mapped, else by what this shell has.
std::set<fs::path> sites_of(const CaptureOptions& options) {
  std::set<fs::path> sites;
  if (options.log != nullptr)
    for (const Process& process : options.log->processes)
      for (const std::string& file : process.modules)
        for (fs::path folder = fs::path(file).parent_path(); folder.has_relative_path();
             folder = folder.parent_path())
          if (folder.filename() == "site-packages" || folder.filename() == "dist-packages")
            sites.insert(folder);
  if (!sites.empty()) return sites;
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (const std::string prefix = variable(name); !prefix.empty()) add_sites(prefix, sites);
  std::istringstream folders(variable("PATH"));
  for (std::string folder; sites.empty() && std::getline(folders, folder, ':');) {
    std::error_code error;
    const fs::path python = fs::path(folder) / "python3";
    if (!fs::exists(python, error)) continue;
    add_sites(fs::path(folder).parent_path(), sites);
    add_sites(fs::canonical(python, error).parent_path().parent_path(), sites);
    break;
  }
  return sites;
}

/// A URL without a name and a password in it.
std::string without_user(const std::string& url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const std::size_t begin = scheme + 3, path = url.find('/', begin), at = url.rfind('@', path);
  return at == std::string::npos || at < begin ? url : url.substr(0, begin) + url.substr(at + 1);
}

/// Where it came from, if not from an index; of an editable one, the state of the folder that it stands for.
std::string origin_of(const fs::path& info) {
  const Json json = Json::parse(whole(info / "direct_url.json"), nullptr, false);
  if (!json.is_object()) return {};
  std::string text = ", from " + without_user(json.value("url", ""));
  if (const auto vcs = json.find("vcs_info"); vcs != json.end() && vcs->is_object())
    text += " commit " + vcs->value("commit_id", "?");
  const auto folder = json.find("dir_info");
  if (folder == json.end() || !folder->is_object() || !folder->value("editable", false)) return text;
  const std::string url = json.value("url", "");
  const std::string state = url.starts_with("file://") ? git_state(url.substr(7)) : "";
  return text + ", editable" + (state.empty() ? ", of no git repository" : ", " + state);
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

/// What of the files that RECORD names is missing, or of another size.
std::string damage_of(const fs::path& site, const fs::path& info) {
  std::istringstream lines(whole(info / "RECORD"));
  std::size_t missing = 0, other = 0;
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t size_at = line.rfind(','),
                      hash_at = size_at == std::string::npos ? size_at : line.rfind(',', size_at - 1);
    if (hash_at == std::string::npos || line.ends_with(".pyc,,")) continue;
    std::string name = line.substr(0, hash_at);
    if (name.size() > 1 && name.front() == '"') name = name.substr(1, name.size() - 2);
    struct stat state;
    const fs::path file = site / name;
    if (::stat(file.c_str(), &state) != 0) {
      ++missing;
    } else {
      const std::string size = line.substr(size_at + 1);
      if (size.empty() || size == std::to_string(state.st_size)) continue;
      ++other;
    }
    if (first.empty()) first = name;
  }
  if (missing + other == 0) return {};
  return ", damaged: " + std::to_string(missing) + " files missing and " + std::to_string(other) +
         " of another size, the first " + first;
}

void capture_site(const fs::path& site, CapturedSection& to) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(site, error)) {
    const std::string name = entry.path().filename();
    if (name.ends_with(".dist-info")) {
      const std::string metadata = whole(entry.path() / "METADATA");
      std::string what = field_of(metadata, "Version");
      if (what.empty()) what = "a version that its METADATA does not say";
      what += origin_of(entry.path()) + damage_of(site, entry.path());
      std::string distribution = field_of(metadata, "Name");
      if (distribution.empty()) distribution = name;
      std::string& fact = to.facts["python " + distribution];
      fact += (fact.empty() ? "" : "; and ") + what; // of several folders, the first in sys.path is imported
    } else if (name.ends_with(".egg-info") || name.ends_with(".egg-link")) {
      const fs::path metadata = entry.is_directory(error) ? entry.path() / "PKG-INFO" : entry.path();
      to.facts["python " + name] = field_of(whole(metadata), "Version");
    } else if (name.ends_with(".pth")) {
      to.facts["path file " + name] = whole(entry.path());
    }
  }
  if (error) to.unknown["distributions in " + site.string()] = error.message();
}

void capture_conda(CapturedSection& to) {
  const std::string prefix = variable("CONDA_PREFIX");
  if (prefix.empty()) return;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(prefix + "/conda-meta", error)) {
    const std::string name = entry.path().filename(); // "numpy-1.26.4-py311h64a7726_0.json"
    if (!name.ends_with(".json")) continue;
    const std::string stem = name.substr(0, name.size() - 5);
    const std::size_t build = stem.rfind('-'),
                      version = build == std::string::npos ? build : stem.rfind('-', build - 1);
    if (version != std::string::npos) to.facts["conda " + stem.substr(0, version)] = stem.substr(version + 1);
  }
  if (error) to.unknown["conda packages"] = error.message();
}

} // namespace

void capture_distributions(const CaptureOptions& options, Environment& to) {
  CapturedSection& section = to.of(EnvironmentSection::versions);
  const std::set<fs::path> sites = sites_of(options);
  for (const fs::path& site : sites) {
    section.facts["python's folder " + site.parent_path().filename().string()] = site.string();
    capture_site(site, section);
  }
  if (sites.empty()) section.unknown["python"] = "no Python was found in VIRTUAL_ENV, CONDA_PREFIX and PATH";
  capture_conda(section);
}

} // namespace detshim
