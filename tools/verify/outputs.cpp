#include "verify/outputs.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "verify/moves.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <system_error>

#include <glob.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> expand(const std::string& pattern) {
  glob_t found = {};
  std::vector<std::string> paths;
  if (::glob(pattern.c_str(), GLOB_BRACE, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return paths;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(fs::symlink_status(path, error));
}

/// All that is below a folder and is none itself; links are not followed.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (!is_folder(at->path())) files.push_back(at->path());
  if (error) throw UsageError("cannot read '" + printable(folder.string()) + "': " + error.message());
  return files;
}

/// Under which name a file is kept: what is not below the working directory has a folder of its own.
fs::path place_in(const fs::path& folder, const std::string& name) {
  const fs::path path = name;
  return path.is_absolute() ? folder / "elsewhere" / path.relative_path() : folder / "here" / path;
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [rest, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return rest == folder.end();
}

} // namespace

Outputs::Outputs(std::vector<std::string> patterns, const fs::path& own_folder)
    : patterns_(std::move(patterns)), own_folder_(fs::weakly_canonical(own_folder)) {}

Outputs::~Outputs() {
  if (aside_.empty()) return;
  try {
    put_back(last_folder_ / "late");
  } catch (const std::exception& error) {
    std::cerr << "detshim: " << error.what() << "; what stood there before is in '"
              << printable(last_folder_.string()) << "'\n";
  }
}

bool Outputs::is_own(const fs::path& path) const {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(path.parent_path().empty() ? "." : path.parent_path(), error);
  return is_below(folder, own_folder_);
}

std::vector<Outputs::Found> Outputs::find() const {
  const fs::path here = fs::current_path();
  std::map<std::string, Found> found;
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    const auto add = [&](const fs::path& path) {
      const fs::path whole = (here / path).lexically_normal();
      const std::string name =
          is_below(whole, here) ? whole.lexically_relative(here).string() : whole.string();
      if (!is_own(whole)) found.emplace(name, Found{name, whole, i});
    };
    for (const std::string& path : expand(patterns_[i])) {
      if (is_folder(path))
        std::ranges::for_each(files_below(path), add);
      else
        add(path);
    }
  }
  std::vector<Found> result;
  result.reserve(found.size());
  for (auto& [name, one] : found) result.push_back(std::move(one));
  return result;
}

void Outputs::note_folders() {
  const auto add = [this](const fs::path& folder) {
    if (is_folder(folder)) folders_.insert(fs::absolute(folder).lexically_normal() / "");
  };
  for (const std::string& pattern : patterns_) {
    // Each folder on the way, and all below what is a folder itself.
    for (std::size_t slash = pattern.find('/'); slash != std::string::npos;
         slash = pattern.find('/', slash + 1))
      std::ranges::for_each(expand(pattern.substr(0, slash)), add);
    for (const std::string& path : expand(pattern)) {
      add(path);
      if (!is_folder(path)) continue;
      for (const auto& below : fs::recursive_directory_iterator(path)) add(below.path());
    }
  }
}

void Outputs::make_old_folders() const {
  std::error_code ignored;
  for (const fs::path& folder : folders_) fs::create_directories(folder, ignored);
}

void Outputs::remove_new_folders(const std::vector<Found>& moved) const {
  std::set<fs::path> candidates;
  const fs::path root = "/";
  for (const Found& one : moved)
    for (fs::path at = one.path.parent_path(); at != root && at != at.parent_path(); at = at.parent_path())
      candidates.insert(at);
  for (const std::string& pattern : patterns_)
    for (const std::string& path : expand(pattern)) {
      if (!is_folder(path)) continue;
      const fs::path whole = fs::absolute(path).lexically_normal();
      candidates.insert(whole.has_filename() ? whole : whole.parent_path());
      for (const auto& below : fs::recursive_directory_iterator(path))
        if (is_folder(below.path())) candidates.insert(fs::absolute(below.path()).lexically_normal());
    }
  const fs::path here = fs::current_path() / "";
  std::error_code ignored;
  for (auto at = candidates.rbegin(); at != candidates.rend(); ++at) // the innermost first
    if (!folders_.contains(*at / "") && !is_below(here, *at) && fs::is_empty(*at, ignored))
      fs::remove(*at, ignored);
}

void Outputs::put_aside(const fs::path& folder) {
  last_folder_ = folder;
  note_folders();
  for (const Found& one : find()) {
    const fs::path to = place_in(folder, one.name);
    move_file(one.path, to);
    aside_.emplace_back(one.path, to);
  }
}

std::vector<OutputFile> Outputs::take(const fs::path& folder) {
  std::vector<OutputFile> files;
  const std::vector<Found> found = find();
  std::set<fs::path> all;
  for (const Found& one : found) all.insert(one.path);
  for (const Found& one : found) {
    OutputFile file{one.name, place_in(folder, one.name), OutputFile::regular, {}, one.pattern, 0};
    std::error_code error;
    const fs::file_status status = fs::symlink_status(one.path, error);
    if (fs::is_symlink(status)) {
      file.target = fs::read_symlink(one.path, error).string();
      const fs::path target = fs::weakly_canonical(one.path, error);
      const bool is_compared = !fs::exists(target, error) || all.contains(target) ||
                               (fs::is_directory(target, error) &&
                                std::ranges::all_of(files_below(target), [&](const fs::path& path) {
                                  return all.contains(path);
                                }));
      file.kind = is_compared ? OutputFile::link : OutputFile::open_end;
    } else if (!fs::is_regular_file(status)) {
      file.kind = OutputFile::other;
    } else {
      file.size = fs::file_size(one.path, error);
    }
    files.push_back(std::move(file));
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (files[i].kind != OutputFile::other) move_file(found[i].path, files[i].stored);
  remove_new_folders(found);
  make_old_folders();
  return files;
}

std::size_t Outputs::put_back(const fs::path& folder) {
  std::size_t late = 0;
  make_old_folders();
  while (!aside_.empty()) {
    const auto& [from, to] = aside_.back();
    if (fs::exists(fs::symlink_status(from))) {
      move_file(from, place_in(folder, std::to_string(++late)) / from.filename());
    }
    move_file(to, from);
    aside_.pop_back();
  }
  return late;
}

} // namespace detshim
