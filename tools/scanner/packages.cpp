#include "scanner/packages.h"

#include "support/files.h"
#include "support/wording.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

namespace detshim {
namespace {

/// True if a line of `text` begins with `wanted` and a comma.
bool has_line(std::string_view text, const std::string& wanted) {
  for (std::size_t at = 0; (at = text.find(wanted, at)) != std::string_view::npos; ++at)
    if ((at == 0 || text[at - 1] == '\n') && at + wanted.size() < text.size() &&
        text[at + wanted.size()] == ',')
      return true;
  return false;
}

/// The names under which a package may list the file: /lib was a folder before it was a link to
/// /usr/lib.
std::vector<std::string> names_of(const std::string& file) {
  std::error_code error;
  const fs::path real = fs::canonical(file, error);
  std::vector<std::string> names{file};
  if (!error && real != file)
    names.push_back(real.string());
  if (names.back().starts_with("/usr/"))
    names.push_back(names.back().substr(4));
  return names;
}

} // namespace

bool Packages::brought(const std::string& file) {
  const auto [known, is_new] = known_.try_emplace(file, false);
  if (is_new) {
    const std::string plain = fs::path(file).lexically_normal(); // wheels reach theirs by ../../lib
    known->second = is_of_a_wheel(plain) || is_of_conda(plain) || !package_of(plain).empty();
  }
  return known->second;
}

void Packages::read_dpkg_lists() {
  std::error_code error;
  for (fs::directory_iterator entry(dpkg_info_, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".list")
      continue;
    std::string_view list = dpkg_lists_.emplace_back(read_file(entry->path()));
    while (!list.empty()) {
      const std::size_t length = list.find('\n');
      dpkg_files_.emplace(list.substr(0, length), entry->path().stem());
      list.remove_prefix(std::min(length, list.size() - 1) + 1);
    }
  }
}

std::string Packages::package_of(const std::string& file) {
  if (starts_with_any_of(file, {"/home/", "/root/", "/tmp/"}))
    return {}; // FHS 3.0, 3.8, 3.14, 3.18: no package's place
  if (dpkg_lists_.empty())
    read_dpkg_lists();
  for (const std::string& name : names_of(file))
    if (const auto owner = dpkg_files_.find(name); owner != dpkg_files_.end())
      return owner->second;
  return {};
}

const std::vector<std::string>& Packages::records_in(const std::string& folder) {
  const auto [known, is_new] = records_.try_emplace(folder);
  if (!is_new)
    return known->second;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".dist-info" &&
        !fs::exists(entry->path() / "direct_url.json", error))
      known->second.push_back(read_file(entry->path() / "RECORD"));
  return known->second;
}

/// RECORD: a line for each file, its path from the folder of the .dist-info, a comma, and more.
bool Packages::is_of_a_wheel(const std::string& file) {
  const fs::path path(file);
  for (fs::path folder = path.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    const std::string name = folder.filename().string();
    if (name == "site-packages" || name == "dist-packages")
      return is_recorded(file, folder);
    if (name != "lib")
      continue;
    // oneMKL's and its kin lay their libraries beside Python's: lib/libmkl_core.so.2.
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error))
      if (entry->path().filename().string().starts_with("python") &&
          is_recorded(file, entry->path() / "site-packages"))
        return true;
  }
  return false;
}

bool Packages::is_recorded(const std::string& file, const std::string& site_packages) {
  const std::string wanted = fs::path(file).lexically_relative(site_packages).string();
  return std::ranges::any_of(records_in(site_packages), [&wanted](const std::string& record) {
    return has_line(record, wanted);
  });
}

/// conda-meta/mkl-2024.0-0.json of an environment has the files of a package.
const std::set<std::string>& Packages::conda_files_in(const std::string& prefix) {
  const auto [known, is_new] = conda_files_.try_emplace(prefix);
  if (!is_new)
    return known->second;
  std::error_code error;
  for (fs::directory_iterator entry(prefix + "/conda-meta", error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".json")
      continue;
    const nlohmann::json package = nlohmann::json::parse(read_file(entry->path()), nullptr, false);
    if (!package.is_object() || !package.contains("files"))
      continue;
    for (const nlohmann::json& file : package["files"])
      if (file.is_string())
        known->second.insert(file.get<std::string>());
  }
  return known->second;
}

bool Packages::is_of_conda(const std::string& file) {
  const fs::path path(file);
  for (fs::path folder = path.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    std::error_code error;
    if (fs::is_directory(folder / "conda-meta", error))
      return conda_files_in(folder).contains(path.lexically_relative(folder).string());
  }
  return false;
}

} // namespace detshim
