// Decides which files a run has made, and keeps the runs from each other: before the first run,
// what stands at the outputs is set aside; behind each run, what it made is moved to that run's
// folder; in the end everything is put back.
//
// It reads the user's patterns, and what stands in the file system when it looks. A link that a run
// has made is not followed, and what lies behind it stays where it is: left_alone() names it, and
// the run is then not compared.
//
// It cannot know which process wrote a file. What something else writes at an output's place counts
// as the run's. What is written between two runs is taken for late work of the runs before.
#include "verify/outputs.h"

#include <spdlog/spdlog.h>

#include <system_error>

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace detshim {
namespace {

/// Under which name a file is kept: what is not below the working directory has a folder of its
/// own.
fs::path kept_name(const std::string& name) {
  const fs::path path = name;
  return path.is_absolute() ? "elsewhere" / path.relative_path() : "here" / path;
}

/// False if a file in it, or below, is not one of `all`. Links are not followed.
bool has_only(const fs::path& folder, const std::set<fs::path>& all) {
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (!fs::is_directory(at->symlink_status(error)) && !all.contains(at->path()))
      return false;
  return !error;
}

} // namespace

/// A program whose output found no room may not have noticed. Where a file system says nothing of
/// its room there is enough.
bool is_full(const fs::path& folder) {
  struct statvfs status = {};
  constexpr std::uint64_t too_little = 65536;
  if (::statvfs(folder.c_str(), &status) != 0)
    return false;
  const bool has_no_room =
      status.f_blocks > 0 && std::uint64_t{status.f_bavail} * status.f_frsize < too_little;
  return has_no_room || (status.f_files > 0 && status.f_favail == 0);
}

Outputs::~Outputs() {
  if (!aside_.is_holding())
    return;
  try {
    put_back(own_folder_ / "late");
  } catch (const std::exception& error) {
    spdlog::error("{}", error.what());
  }
}

std::optional<fs::path> Outputs::full_disk() const {
  if (is_full(search_.here()))
    return search_.here();
  for (const auto& [path, folder] : search_.find().folders)
    if (folder.holds_outputs && is_full(path))
      return path;
  return {};
}

void Outputs::put_aside(const fs::path& folder) {
  const FoundOutputs outputs = search_.find();
  std::map<fs::path, SetAside::OldFolder> folders;
  for (const auto& [path, passed] : outputs.folders)
    folders.emplace(path,
                    SetAside::OldFolder{passed.status, passed.is_mount_point, passed.is_ours});
  std::vector<SetAside::File> files;
  for (const FoundOutputs::File& file : outputs.files)
    files.push_back({file.path, kept_name(file.name)});
  aside_.take(folder, std::move(folders), files);
  aside_.restore_folders();
}

/// Of those on the way to a file that was moved, and of outputs: what was not there before, and is
/// empty.
void Outputs::remove_new_folders(const FoundOutputs& moved) const {
  std::set<fs::path> candidates;
  for (const FoundOutputs::File& file : moved.files)
    for (fs::path at = file.path.parent_path(); at.has_relative_path(); at = at.parent_path())
      candidates.insert(at);
  for (const auto& [path, folder] : moved.folders)
    if (folder.is_output)
      candidates.insert(path);
  for (auto at = candidates.rbegin(); at != candidates.rend(); ++at) { // the innermost first
    if (aside_.folders().contains(*at))
      continue;
    const Folder parent(at->parent_path());
    if (parent.is_open())
      ::unlinkat(parent.descriptor(), at->filename().c_str(), AT_REMOVEDIR);
  }
}

void Outputs::restore_folders(const FoundOutputs& outputs) {
  left_alone_ = aside_.restore_folders();
  std::error_code error; // a program may have removed the working directory, and made it anew
  if (!fs::equivalent(".", search_.here(), error)) [[maybe_unused]]
    const int done = ::chdir(search_.here().c_str());
  const std::optional<fs::path> changed = search_.changed_link();
  if (left_alone_.empty() && changed)
    left_alone_ = "'" + changed->string() + "' does not lead any more where it led";
  if (left_alone_.empty() && !outputs.new_links.empty())
    left_alone_ =
        "'" + outputs.new_links.front().string() + "' is a link that was not there before";
  if (left_alone_.empty() && !outputs.new_mounts.empty())
    left_alone_ = "'" + outputs.new_mounts.front().string() + "' was mounted since";
}

std::vector<OutputFile> Outputs::take(const fs::path& folder) {
  std::vector<OutputFile> files;
  FoundOutputs outputs = search_.find();
  std::erase_if(outputs.files, [&](const FoundOutputs::File& file) {
    return aside_.is_mounted_over(file.path.parent_path());
  });
  std::set<fs::path> all;
  for (const FoundOutputs::File& file : outputs.files)
    all.insert(file.path);
  for (const FoundOutputs::File& output : outputs.files) {
    OutputFile file;
    file.name = output.name;
    file.stored = folder / kept_name(output.name);
    file.patterns = output.patterns;
    std::error_code error;
    const fs::file_status status = fs::symlink_status(output.path, error);
    if (fs::is_symlink(status)) {
      file.target = fs::read_symlink(output.path, error).string();
      const fs::path target = fs::weakly_canonical(output.path, error);
      const bool is_compared = !fs::exists(target, error) || all.contains(target) ||
                               (fs::is_directory(target, error) && has_only(target, all));
      file.kind = OutputFile::link;
      file.leads_outside = !is_compared;
    } else if (!fs::is_regular_file(status)) {
      file.kind = OutputFile::other;
    } else {
      file.size = fs::file_size(output.path, error);
    }
    files.push_back(std::move(file));
  }
  for (const auto& [path, passed] : outputs.folders)
    if (!passed.empty_name.empty() && !aside_.is_mounted_over(path))
      files.push_back({.name = passed.empty_name,
                       .stored = {},
                       .kind = OutputFile::folder,
                       .target = {},
                       .patterns = passed.patterns});
  for (std::size_t i = 0; i < outputs.files.size(); ++i)
    move_file(outputs.files[i].path, files[i].stored);
  remove_new_folders(outputs);
  restore_folders(outputs);
  return files;
}

} // namespace detshim
