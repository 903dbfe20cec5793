// Decides which files the user's globs name, and through which links and mounts a search may go.
// The first search remembers where each link leads and which folders are mount points; later ones
// go through these alone, and report others. A link that another user has made to somebody else's
// folder is refused. A folder counts once for each part of a glob, by its device and inode.
//
// It cannot know what a program does with links between two searches: it sees where they lead when
// it looks.
#include "verify/output_search.h"

#include "support/exit_status.h"
#include "support/wording.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <tuple>
#include <utility>

#include <fnmatch.h>
#include <unistd.h>

namespace detshim {
namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end > at && path.substr(at, end - at) != ".")
      parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// What a part of a pattern says where it matches one name alone.
std::optional<std::string> as_name(const std::string& part) {
  std::string name;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '\\' && i + 1 < part.size())
      ++i;
    else if (std::strchr("*?[", part[i]) != nullptr)
      return {};
    name += part[i];
  }
  return name;
}

std::string as_pattern(const fs::path& path) {
  std::string pattern;
  for (const char c : path.string()) {
    if (std::strchr("*?[]\\", c) != nullptr)
      pattern += '\\';
    pattern += c;
  }
  return pattern;
}

/// The folder to which a link leads, as things stand, and the links on the way there. Nothing if it
/// leads to none.
std::optional<fs::path> follow(const fs::path& link, std::vector<fs::path>& links) {
  fs::path at = link.parent_path();
  std::deque<std::string> rest = {link.filename()};
  constexpr std::size_t most = 40; // as the kernel
  while (!rest.empty()) {
    const std::string part = rest.front();
    rest.pop_front();
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    const Folder folder(at);
    const std::optional<struct stat> status = folder.is_open() ? folder.status(part) : std::nullopt;
    if (!status)
      return {};
    if (S_ISLNK(status->st_mode)) {
      const std::optional<std::string> text = folder.link_text(part);
      if (!text || links.size() == most)
        return {};
      links.push_back(at / part);
      if (text->starts_with('/'))
        at = "/";
      const std::vector<std::string> parts = parts_of(*text);
      rest.insert(rest.begin(), parts.begin(), parts.end());
    } else if (S_ISDIR(status->st_mode)) {
      at /= part;
    } else {
      return {};
    }
  }
  return at;
}

} // namespace

/// One search. Given a `follower`, links are followed that are met for the first time.
class OutputSearch::Walk {
public:
  Walk(const OutputSearch& search, OutputSearch* follower) : search_(search), follower_(follower) {
    for (pattern_ = 0; pattern_ < search_.patterns_.size(); ++pattern_)
      walk(search_.patterns_[pattern_]);
    std::ranges::sort(found_.files, {}, &FoundOutputs::File::name);
  }

  FoundOutputs found() { return std::move(found_); }

private:
  using Key = std::tuple<dev_t, ino_t,
                         std::size_t>; ///< a folder, and which part of the pattern comes there
  static Key key(const struct stat& status, std::size_t part) {
    return {status.st_dev, status.st_ino, part};
  }

  void walk(const std::string& pattern) {
    parts_ = parts_of(pattern);
    must_be_folder_ = pattern.ends_with('/');
    visited_.clear();
    links_met_.clear();
    if (pattern.starts_with('/'))
      enter(Folder(fs::path("/")), "/", 0);
    else
      enter(Folder(search_.here_), "", 0);
    for (const auto& [link, target] : links_met_)
      if (!visited_.contains(target))
        found_.new_links.push_back(link);
  }

  /// Folders before links, so that what lies behind both has the folder's name.
  void enter(const Folder& folder, const fs::path& name, std::size_t part) {
    if (!folder.is_open())
      return; // removed meanwhile, or not ours to search
    const struct stat status = folder.status();
    if (key(status, 0) == key(search_.own_, 0) || !visited_.insert(key(status, part)).second)
      return;
    const bool is_mount_point = folder.is_mount_point();
    if (is_mount_point && !is_known_mount(folder)) {
      found_.new_mounts.push_back(folder.path());
      return;
    }
    note(folder, status, is_mount_point, name, part);
    if (part < parts_.size() && parts_[part] == "..") {
      const fs::path above = folder.path().parent_path();
      enter(Folder(above), above, part + 1);
      return;
    }
    const std::vector<std::string> names = candidates(folder, part);
    if (part == parts_.size() && names.empty())
      note_empty(folder, name);
    const std::vector<std::string> links = enter_all_but_links(folder, names, name, part);
    for (const std::string& link : links)
      enter_link(folder, link, name, part);
  }

  /// The first search knows what it comes upon.
  bool is_known_mount(const Folder& folder) {
    if (follower_ != nullptr)
      follower_->mounts_.insert(folder.path());
    return search_.mounts_.contains(folder.path());
  }

  void note_empty(const Folder& folder, const fs::path& name) {
    FoundOutputs::PassedFolder& empty = found_.folders.at(folder.path());
    empty.empty_name = name_of(name);
    empty.patterns.insert(pattern_);
  }

  /// Gives the links.
  std::vector<std::string> enter_all_but_links(const Folder& folder,
                                               const std::vector<std::string>& entries,
                                               const fs::path& name, std::size_t part) {
    std::vector<std::string> links;
    for (const std::string& entry : entries) {
      const std::optional<struct stat> status = folder.status(entry);
      if (!status)
        continue;
      if (S_ISLNK(status->st_mode))
        links.push_back(entry);
      else if (!S_ISDIR(status->st_mode))
        add(folder, entry, name, part);
      else if (!search_.links_.contains(folder.path() / entry))
        enter(Folder(folder, entry), name / entry, std::min(part + 1, parts_.size()));
    }
    return links;
  }

  void enter_link(const Folder& folder, const std::string& link, const fs::path& name,
                  std::size_t part) {
    const bool is_on_the_way =
        part + 1 < parts_.size() || (part < parts_.size() && must_be_folder_);
    const bool is_named = part + 1 == parts_.size() && as_name(parts_[part]);
    const bool follows = is_on_the_way || is_named;
    const fs::path path = folder.path() / link;
    struct stat target = {};
    const bool leads_to_folder = ::fstatat(folder.descriptor(), link.c_str(), &target, 0) == 0 &&
                                 S_ISDIR(target.st_mode) && key(target, 0) != key(search_.own_, 0);
    if (follower_ != nullptr && leads_to_folder && follows)
      follower_->note_link(path, search_.patterns_[pattern_]);
    const auto known = search_.links_.find(path);
    if (known != search_.links_.end() && follows) {
      if (follower_ != nullptr)
        note_behind(known->second, part + 1);
      enter(Folder(known->second), name / link, std::min(part + 1, parts_.size()));
    } else if (!is_on_the_way) {
      add(folder, link, name, part);
    } else if (leads_to_folder) {
      links_met_.emplace_back(path, key(target, part + 1));
    }
  }

  void note_behind(const fs::path& target, std::size_t part) {
    std::string behind = as_pattern(target);
    for (; part < parts_.size(); ++part)
      behind += "/" + parts_[part];
    follower_->behind_links_.push_back(behind);
  }

  std::vector<std::string> candidates(const Folder& folder, std::size_t part) const {
    const bool is_all = part == parts_.size();
    if (!is_all)
      if (const std::optional<std::string> name = as_name(parts_[part]))
        return {*name};
    std::optional<std::vector<std::string>> names = folder.names();
    if (!names && is_all && errno != ENOENT)
      throw UsageError("cannot read " + in_quotes(folder.path().string()) + ": " +
                       std::strerror(errno));
    if (!names)
      return {};
    if (!is_all)
      std::erase_if(*names, [&](const std::string& name) {
        return ::fnmatch(parts_[part].c_str(), name.c_str(), FNM_PERIOD) != 0;
      });
    return std::move(*names);
  }

  void note(const Folder& folder, const struct stat& status, bool is_mount_point,
            const fs::path& name, std::size_t part) {
    const fs::path whole = (search_.here_ / name).lexically_normal();
    FoundOutputs::PassedFolder& passed =
        found_.folders.emplace(folder.path(), FoundOutputs::PassedFolder{status, is_mount_point})
            .first->second;
    passed.is_output |= part == parts_.size();
    passed.holds_outputs |= part + 1 >= parts_.size();
    // Others may write in a folder that is only on the way: its times are theirs.
    passed.is_ours |= passed.is_output ||
                      (!name.empty() && whole != search_.here_ && is_below(whole, search_.here_));
  }

  std::string name_of(const fs::path& name) const {
    const fs::path whole = (search_.here_ / name).lexically_normal();
    return (is_below(whole, search_.here_) ? whole.lexically_relative(search_.here_) : whole)
        .string();
  }

  void add(const Folder& folder, const std::string& file, const fs::path& name, std::size_t part) {
    if (part + 1 < parts_.size() || (part < parts_.size() && must_be_folder_))
      return;
    const fs::path path = folder.path() / file;
    if (search_.links_.contains(path))
      return; // others go through it
    const struct stat status = folder.status();
    const auto [known, is_new] =
        files_.emplace(std::tuple(status.st_dev, status.st_ino, file), found_.files.size());
    if (!is_new) {
      found_.files[known->second].patterns.insert(pattern_);
      return;
    }
    found_.files.push_back({name_of(name / file), path, {pattern_}});
  }

  const OutputSearch& search_;
  OutputSearch* follower_;
  std::size_t pattern_ = 0;
  FoundOutputs found_;
  std::vector<std::string> parts_;
  bool must_be_folder_ = false;
  std::set<Key> visited_;
  std::map<std::tuple<dev_t, ino_t, std::string>, std::size_t>
      files_; ///< where they are in `found_`
  std::vector<std::pair<fs::path, Key>> links_met_;
};

OutputSearch::OutputSearch(std::vector<std::string> patterns, const fs::path& own_folder)
    : patterns_(std::move(patterns)), here_(fs::current_path()), own_(Folder(own_folder).status()) {
  Walk(*this, this);
}

void OutputSearch::note_link(const fs::path& link, const std::string& pattern) {
  std::vector<fs::path> passed;
  const std::optional<fs::path> target = follow(link, passed);
  if (!target)
    return;
  const uid_t owner = Folder(*target).status().st_uid;
  for (const fs::path& link_passed : passed) {
    const std::optional<struct stat> status =
        Folder(link_passed.parent_path()).status(link_passed.filename());
    if (status && status->st_uid != 0 && status->st_uid != ::geteuid() && status->st_uid != owner)
      throw UsageError("--output " + in_quotes(pattern) + " leads through " +
                       in_quotes(link_passed.string()) + ", a link that user " +
                       std::to_string(status->st_uid) + " has made to " +
                       in_quotes(target->string()) + " of user " + std::to_string(owner) +
                       ": name that folder itself");
    std::vector<fs::path> ignored;
    if (const std::optional<fs::path> leads_to = follow(link_passed, ignored))
      links_.emplace(link_passed, *leads_to);
  }
}

std::vector<std::string> OutputSearch::all_patterns() const {
  std::vector<std::string> all = patterns_;
  all.insert(all.end(), behind_links_.begin(), behind_links_.end());
  return all;
}

bool OutputSearch::would_find(const fs::path& file) const {
  return std::ranges::any_of(all_patterns(), [&](const std::string& pattern) {
    std::string whole = (here_ / pattern).lexically_normal().string();
    if (whole.ends_with('/'))
      whole.pop_back();
    for (fs::path at = file; at.has_relative_path(); at = at.parent_path())
      if (::fnmatch(whole.c_str(), at.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0)
        return true;
    return false;
  });
}

FoundOutputs OutputSearch::find() const { return Walk(*this, nullptr).found(); }

std::optional<fs::path> OutputSearch::changed_link() const {
  for (const auto& [link, target] : links_) {
    std::vector<fs::path> ignored;
    if (follow(link, ignored) != target)
      return link;
  }
  return {};
}

} // namespace detshim
