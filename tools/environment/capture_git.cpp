// The state of a git repository, as it is now.
#include "environment/capture.h"
#include "support/beside.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

/// True where git is told not to look for a repository, in that folder or above
/// (GIT_CEILING_DIRECTORIES).
bool is_ceiling(const fs::path& folder) {
  return std::ranges::any_of(split(variable("GIT_CEILING_DIRECTORIES"), ':'),
                             [&](const std::string& one) {
                               return !one.empty() && fs::path(one).lexically_normal() == folder;
                             });
}

/// Without what a shell or a hook has set of a repository, of traces and of programs; and without
/// the library, which is for the program that is about to start.
std::vector<std::string> variables_for_git() {
  std::vector<std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    if (variable.starts_with("LD_PRELOAD=") || variable.starts_with("DETSHIM_"))
      continue;
    if (!variable.starts_with("GIT_") ||
        starts_with_any_of(variable, {"GIT_CONFIG", "GIT_CEILING_DIRECTORIES=",
                                      "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_EXEC_PATH="}))
      variables.emplace_back(variable);
  }
  // A missing object could be fetched, by a program that the repository names: no protocol is
  // allowed.
  for (const char* own : {"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
                          "GIT_ALLOW_PROTOCOL=none", "GIT_ASKPASS=", "SSH_ASKPASS="})
    variables.emplace_back(own);
  return variables;
}

/// Asks git in a folder, as without a configuration of the user's, which would change how a
/// difference is printed, and without the programs that a repository can name.
class Git {
public:
  /// `folder`: of the repository, or below it.
  Git(const std::string& folder, const AskLimits& limits)
      : limits_(limits), variables_(variables_for_git()),
        beginning_({"git", "--no-pager", "-C", folder}) {
    for (const char* setting :
         {"color.ui=never", "diff.noprefix=false", "diff.mnemonicPrefix=false",
          "diff.algorithm=default", "diff.context=3", "diff.orderFile=/dev/null",
          "core.quotePath=true", "core.fsmonitor=false", "core.hooksPath=/dev/null",
          "core.sshCommand="})
      beginning_.insert(beginning_.end(), {"-c", setting});
  }

  /// Why nothing is asked; empty where it can be.
  const std::string& problem() const { return problem_; }

  Reply ask(const std::vector<std::string>& words) const {
    std::vector<std::string> command = beginning_;
    command.insert(command.end(), words.begin(), words.end());
    return detshim::ask(command, limits_, &variables_);
  }

  /// gitattributes(5): what a filter or a driver of differences is, the configuration says.
  void switch_programs_off() {
    const Reply names =
        ask({"config", "-z", "--includes", "--name-only", "--get-regexp",
             R"(^(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv))$)"});
    constexpr int none = 1;
    if (!names.text || (names.status != 0 && names.status != none)) {
      problem_ = names.text ? "git cannot read its configuration" : names.problem;
      return;
    }
    constexpr std::size_t most = 1000;
    std::size_t count = 0;
    for (const std::string& name : split(*names.text, '\0')) {
      if (name.find_first_of("=\n") != std::string::npos || ++count > most) {
        problem_ = "its configuration names programs that cannot be switched off";
        return;
      }
      beginning_.insert(beginning_.end(), {"-c", name + "="});
      if (name.starts_with("filter."))
        beginning_.insert(beginning_.end(),
                          {"-c", name.substr(0, name.rfind('.')) + ".required=false"});
    }
  }

private:
  AskLimits limits_;
  std::vector<std::string> variables_, beginning_;
  std::string problem_;
};

/// Why it did not say.
std::string problem_of(const Reply& answer, const std::string& cannot) {
  return answer.text ? "git cannot tell " + cannot : answer.problem;
}

/// What the parts of an answer about one repository share.
struct Repository {
  const Git& git;
  fs::path top;
  const GitQuestion& question;
};

/// The states of repositories within this one, by their folders in it.
Known nested_state(const Repository& repository, const std::vector<std::string>& folders) {
  std::string all;
  std::error_code error;
  for (const std::string& name : folders) {
    const fs::path folder = fs::canonical(repository.top / name, error);
    if (error || !fs::exists(folder / ".git", error))
      continue; // a submodule that was not checked out
    if (repository.question.is_within)
      return {"", "a repository within a repository within it: " + name};
    GitQuestion question = repository.question;
    question.is_within = true;
    const GitState state = git_state(folder, question);
    if (!state.problem().empty())
      return {"", "the repository " + name + " within it: " + state.problem()};
    all += name + '\n' + state.text() + '\n';
  }
  return {all, ""};
}

/// What it holds; of a link, where it leads and what that holds.
Known contents_state(const fs::path& file, std::uintmax_t most) {
  std::error_code error;
  if (!fs::is_symlink(file, error))
    return hash_of_file(file, most);
  const std::string target = fs::read_symlink(file, error).string();
  const fs::file_type type = fs::status(file, error).type();
  if (type == fs::file_type::directory)
    return {"", "it is a link to a folder, which is not looked into"};
  if (type != fs::file_type::regular)
    return {"a link to " + target, ""};
  Known known = hash_of_file(file, most);
  if (known.problem.empty())
    known.text += " by " + target;
  return known;
}

/// What those of the files hold that are there, by their names.
Known files_state(const fs::path& top, const std::vector<std::string>& names) {
  std::uintmax_t left = 64U << 20; // a run that begins waits for it
  std::string all;
  std::error_code error;
  for (const std::string& name : names) {
    if (!fs::exists(fs::symlink_status(top / name, error)))
      continue; // a sparse checkout leaves out many
    const std::uintmax_t size = fs::file_size(top / name, error);
    if (!error && size > left)
      return {"", "more than 64 MB"};
    left -= error ? 0 : size;
    const Known held = contents_state(top / name, left + size);
    if (!held.problem.empty())
      return {"", name + ": " + held.problem};
    all += name + '\n' + held.text + '\n';
  }
  return {all, ""};
}

Known changes_state(const Repository& repository) {
  const auto& [git, top, question] = repository;
  // Of a submodule the commit alone: git would ask another git there, which runs what that names.
  auto requested = beside([&git = git] {
    return git.ask({"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--binary",
                    "--submodule=short", "--ignore-submodules=dirty"});
  });
  const Reply tracked = git.ask({"ls-files", "-z", "-v", "--stage"}); // "H 100644 <object> 0\tname"
  if (!tracked.problem.empty())
    return {"", problem_of(tracked, "which files it follows")};
  std::vector<std::string> submodules, passed_over;
  for (const std::string& entry : split(*tracked.text, '\0')) {
    const std::string name = entry.substr(std::min(entry.find('\t'), entry.size() - 1) + 1);
    if (entry.find("160000 ") == 2)
      submodules.push_back(name);
    else if (entry[0] == 'S' || (entry[0] >= 'a' && entry[0] <= 'z'))
      passed_over.push_back(name);
  }
  const Known within = nested_state(repository, submodules);
  if (!within.problem.empty())
    return within;
  const Reply diff = requested.get();
  if (!diff.problem.empty())
    return {"", problem_of(diff, "what was changed")};
  // `git diff` passes over what it was told to take for unchanged (`update-index
  // --assume-unchanged`, `--skip-worktree`), by which local settings are kept.
  const Known hidden = files_state(top, passed_over);
  if (!hidden.problem.empty())
    return {"", "of files that git passes over, " + hidden.problem};
  const std::string all = *diff.text + within.text + hidden.text;
  return {all.empty() ? "none" : hash_text(all), ""};
}

/// docs/LOG_FORMAT.md, "The folder".
bool is_file_of_a_log(const fs::path& file) {
  const std::string name = file.filename(), end = file.extension();
  return end == ".jsonl" || end == ".counts" || end == ".ranks" || end == ".seed" ||
         end == ".files" || end == ".readings" ||
         (name.starts_with("environment.") && end == ".json");
}

/// The folders of logs, by how their files of records are called: <rank>-<path>-<pid>.jsonl.
std::set<fs::path> folders_of_logs(const std::vector<std::string>& names) {
  std::set<fs::path> folders;
  for (const fs::path file : names) {
    const std::string name = file.filename();
    if (file.extension() == ".jsonl" && std::isdigit(static_cast<unsigned char>(name[0])) != 0 &&
        std::ranges::count(name, '-') >= 2)
      folders.insert(file.parent_path());
  }
  return folders;
}

Known untracked_state(const Repository& repository) {
  const auto& [git, top, question] = repository;
  const Reply untracked = git.ask({"ls-files", "-z", "--others", "--exclude-standard"});
  if (!untracked.problem.empty())
    return {"", problem_of(untracked, "which files it does not follow")};
  std::error_code error;
  const std::vector<std::string> names = split(*untracked.text, '\0');
  const std::set<fs::path> logs = folders_of_logs(names);
  std::vector<std::string> files, nested;
  for (const std::string& name : names) {
    const bool is_log = is_file_of_a_log(name) && logs.contains(fs::path(name).parent_path());
    if (is_log || ("/" + name).find("/detshim-log/") != std::string::npos)
      continue;
    (name.ends_with('/') ? nested : files)
        .push_back(name); // a repository of its own: git does not look into it
  }
  const Known held = files_state(top, files);
  if (!held.problem.empty())
    return {"", "of files that git does not follow, " + held.problem};
  const Known within = nested_state(repository, nested);
  if (!within.problem.empty())
    return within;
  const std::string all = held.text + within.text;
  std::string text = files.empty() ? "" : counted(files.size(), "untracked file");
  if (!within.text.empty())
    text += (text.empty() ? "" : " and ") +
            counted(nested.size(), "untracked repository", "untracked repositories");
  return {text.empty() ? "none" : text + " " + hash_text(all), ""};
}

} // namespace

std::string GitState::text() const {
  if (!problem().empty())
    return {};
  return "commit " + commit.text + (changes.text == "none" ? "" : ", changed " + changes.text) +
         (untracked.text == "none" ? "" : ", " + untracked.text);
}

std::string GitState::problem() const {
  for (const Known* known : {&commit, &changes, &untracked})
    if (!known->problem.empty())
      return known->problem;
  return {};
}

bool is_in_repository(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::canonical(folder, error);
  if (error)
    return true;
  for (;; at = at.parent_path()) {
    const fs::file_status status = fs::symlink_status(at / ".git", error);
    if (status.type() != fs::file_type::not_found)
      return true;
    if (at == at.parent_path() || is_ceiling(at.parent_path()))
      return false;
  }
}

GitState git_state(const std::string& folder, const GitQuestion& question) {
  const auto all = [](const std::string& why) {
    return GitState{{"", why}, {"", why}, {"", why}};
  };
  // Side by side where they can be: a run that begins waits for them.
  const Git with_programs(folder, question.limits);
  auto requested = beside([&] {
    return with_programs.ask({"rev-parse", "--show-toplevel", "HEAD"});
  });
  Git git = with_programs;
  git.switch_programs_off();
  const Reply place = requested.get();
  if (!git.problem().empty())
    return all(git.problem());
  if (!place.text)
    return all(place.problem);
  std::istringstream lines(*place.text);
  std::string top, commit;
  if (!std::getline(lines, top) || top.empty() || top[0] != '/')
    return all("no git repository, or one that git does not read for you");
  std::error_code error;
  if (question.is_within && fs::path(top) != fs::canonical(folder, error))
    return all("no repository that git reads for you");
  if (!std::getline(lines, commit) || !place.problem.empty())
    return all("a git repository without a commit");
  const Repository repository{git, top, question};
  auto untracked = beside([&] {
    return untracked_state(repository);
  });
  return {{commit, ""}, changes_state(repository), untracked.get()};
}

} // namespace detshim
