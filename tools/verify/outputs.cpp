#include "verify/outputs.h"

#include "log_reader/printable.h"
#include "support/exit_status.h"
#include "verify/moves.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <system_error>

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

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

/// Calls visit(path) for all that is below a folder; links are not followed. Throws UsageError.
template <typename Visit>
void each_below(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    visit(at->path());
    if (is_folder(at->path())) each_below(at->path(), visit);
  }
  if (error) throw UsageError("cannot read '" + printable(folder.string()) + "': " + error.message());
}

/// All that is below a folder and is none itself.
std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  each_below(folder, [&files](const fs::path& path) {
    if (!is_folder(path)) files.push_back(path);
  });
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

/// A program whose output found no room may not have noticed. Where a file system says nothing of its room
/// there is enough.
bool is_full(const fs::path& folder) {
  struct statvfs status = {};
  constexpr std::uint64_t too_little = 65536;
  if (::statvfs(folder.c_str(), &status) != 0) return false;
  const bool has_no_room =
      status.f_blocks > 0 && std::uint64_t{status.f_bavail} * status.f_frsize < too_little;
  return has_no_room || (status.f_files > 0 && status.f_favail == 0);
}

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

std::optional<fs::path> Outputs::full_disk() const {
  std::set<fs::path> folders = {fs::current_path()};
  for (const Found& one : find()) folders.insert(one.path.parent_path());
  for (const std::string& pattern : patterns_) { // where a file may not even have been made
    const std::size_t slash = pattern.rfind('/');
    if (slash == std::string::npos) continue;
    for (const std::string& folder : expand(pattern.substr(0, slash + 1))) folders.insert(folder);
  }
  for (const std::string& pattern : patterns_)
    for (const std::string& path : expand(pattern))
      if (is_folder(path)) folders.insert(path);
  const auto full = std::ranges::find_if(folders, is_full);
  return full == folders.end() ? std::nullopt : std::optional(*full);
}

void Outputs::note_folders() {
  const fs::path here = fs::current_path() / "";
  const auto note = [&](const fs::path& folder, bool is_output) {
    struct stat status = {};
    if (!is_folder(folder) || ::stat(folder.c_str(), &status) != 0) return;
    const fs::path whole = fs::absolute(folder).lexically_normal() / "";
    // Others may write in a folder that is only on the way: its times are theirs.
    const bool is_ours = is_output || (whole != here && is_below(whole.parent_path(), here.parent_path()));
    folders_.emplace(whole, OldFolder{status, is_ours});
  };
  const auto add = [&](const fs::path& folder) { note(folder, false); };
  for (const std::string& pattern : patterns_) {
    // Each folder on the way, and all below what is a folder itself.
    for (std::size_t slash = pattern.find('/'); slash != std::string::npos;
         slash = pattern.find('/', slash + 1))
      std::ranges::for_each(expand(pattern.substr(0, slash)), add);
    for (const std::string& path : expand(pattern)) {
      if (!is_folder(path)) continue;
      note(path, true);
      each_below(path, [&](const fs::path& below) { note(below, true); });
    }
  }
}

void Outputs::make_old_folders() {
  std::error_code ignored;
  for (auto& [folder, old] : folders_) old.is_ours |= fs::create_directories(folder, ignored);
  restore_folders();
}

void Outputs::restore_folders() const {
  for (auto at = folders_.rbegin(); at != folders_.rend(); ++at) { // the innermost first
    const auto& [folder, old] = *at;
    struct stat now = {};
    const fs::path name = folder.parent_path(); // without its slash, behind which a link would be followed
    if (::lstat(name.c_str(), &now) != 0 || !S_ISDIR(now.st_mode)) continue;
    if (now.st_uid != old.status.st_uid || now.st_gid != old.status.st_gid) {
      [[maybe_unused]] const int owner = ::chown(folder.c_str(), old.status.st_uid, old.status.st_gid);
    }
    if (::lstat(name.c_str(), &now) == 0 && now.st_mode != old.status.st_mode) // chown may have changed it
      ::chmod(folder.c_str(), old.status.st_mode & 07777);
    if (!old.is_ours) continue;
    const timespec times[] = {old.status.st_atim, old.status.st_mtim};
    ::utimensat(AT_FDCWD, folder.c_str(), times, 0);
  }
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
      each_below(path, [&candidates](const fs::path& below) {
        if (is_folder(below)) candidates.insert(fs::absolute(below).lexically_normal());
      });
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
  restore_folders();
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
  for (std::size_t i = 0; i < found.size(); ++i) move_file(found[i].path, files[i].stored);
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
  restore_folders();
  return late;
}

} // namespace detshim
