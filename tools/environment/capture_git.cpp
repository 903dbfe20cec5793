// The state of a git repository, and whether it is still as it was when a run began.
#include "environment/capture.h"
#include "support/wording.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string first_line_of(const fs::path& file) {
  const std::string text = whole_file(file);
  return text.substr(0, text.find('\n'));
}

/// True where git is told not to look for a repository, in that folder or above (GIT_CEILING_DIRECTORIES).
bool is_ceiling(const fs::path& folder) {
  const char* const ceilings = std::getenv("GIT_CEILING_DIRECTORIES");
  std::istringstream list(ceilings != nullptr ? ceilings : "");
  for (std::string one; std::getline(list, one, ':');)
    if (!one.empty() && fs::path(one).lexically_normal() == folder) return true;
  return false;
}

/// `.git` of the repository that holds the folder, behind the file that a worktree has in its place
/// (gitrepository-layout(5)).
fs::path git_folder(const std::string& folder) {
  std::error_code error, none_here;
  for (fs::path at = fs::absolute(folder, error).lexically_normal(); !error && !at.empty();
       at = at.parent_path()) {
    const fs::path git = at / ".git";
    if (fs::is_directory(git, none_here)) return git;
    if (const std::string link = first_line_of(git); link.starts_with("gitdir: "))
      return (at / link.substr(8)).lexically_normal();
    if (at == at.root_path() || is_ceiling(at.parent_path())) break;
  }
  return {};
}

/// Without what a shell or a hook has set of a repository, of traces and of programs.
std::vector<std::string> variables_for_git() {
  std::vector<std::string> variables;
  constexpr auto kept = std::to_array<std::string_view>(
      {"GIT_CONFIG", "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM=", "GIT_EXEC_PATH="});
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view variable = *one;
    if (!variable.starts_with("GIT_") ||
        std::ranges::any_of(kept, [&](std::string_view name) { return variable.starts_with(name); }))
      variables.emplace_back(variable);
  }
  // A missing object could be fetched, by a program that the repository names: no protocol is allowed.
  for (const char* own : {"GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
                          "GIT_ALLOW_PROTOCOL=none", "GIT_ASKPASS=", "SSH_ASKPASS="})
    variables.emplace_back(own);
  return variables;
}

/// Asks git in a folder, as without a configuration of the user's, which would change how a difference is
/// printed, and without the programs that a repository can name.
class Git {
public:
  /// `folder`: of the repository, or below it.
  Git(const std::string& folder, const AskLimits& limits)
      : limits_(limits), variables_(variables_for_git()), beginning_({"git", "--no-pager",
                                                                      "-C",  folder,
                                                                      "-c",  "color.ui=never",
                                                                      "-c",  "diff.noprefix=false",
                                                                      "-c",  "diff.mnemonicPrefix=false",
                                                                      "-c",  "diff.algorithm=default",
                                                                      "-c",  "diff.context=3",
                                                                      "-c",  "diff.orderFile=/dev/null",
                                                                      "-c",  "core.quotePath=true",
                                                                      "-c",  "core.fsmonitor=false",
                                                                      "-c",  "core.hooksPath=/dev/null",
                                                                      "-c",  "core.sshCommand="}) {
    switch_programs_off();
  }

  /// Why nothing is asked; empty where it can be.
  const std::string& problem() const { return problem_; }

  Reply ask(const std::vector<std::string>& words) const {
    std::vector<std::string> command = beginning_;
    command.insert(command.end(), words.begin(), words.end());
    return detshim::ask(command, limits_, &variables_);
  }

  /// Without the line's end.
  Reply line(const std::vector<std::string>& words) const {
    Reply answer = ask(words);
    while (answer.text && !answer.text->empty() && answer.text->back() == '\n') answer.text->pop_back();
    return answer;
  }

private:
  /// gitattributes(5): what a filter or a driver of differences is, the configuration says.
  void switch_programs_off() {
    const Reply names = ask({"config", "-z", "--includes", "--name-only", "--get-regexp",
                             R"(^(filter\..*\.(clean|smudge|process)|diff\..*\.(command|textconv))$)"});
    constexpr int none = 1;
    if (!names.text || (names.status != 0 && names.status != none)) {
      problem_ = names.text ? "git cannot read its configuration" : names.problem;
      return;
    }
    constexpr std::size_t most = 1000;
    std::istringstream stream(*names.text);
    std::size_t count = 0;
    for (std::string name; std::getline(stream, name, '\0');) {
      if (name.find_first_of("=\n") != std::string::npos || ++count > most) {
        problem_ = "its configuration names programs that cannot be switched off";
        return;
      }
      beginning_.insert(beginning_.end(), {"-c", name + "="});
      if (name.starts_with("filter."))
        beginning_.insert(beginning_.end(), {"-c", name.substr(0, name.rfind('.')) + ".required=false"});
    }
  }

  AskLimits limits_;
  std::vector<std::string> variables_, beginning_;
  std::string problem_;
};

/// Why it did not say.
std::string problem_of(const Reply& answer, const std::string& cannot) {
  return answer.text ? "git cannot tell " + cannot : answer.problem;
}

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream stream(text);
  for (std::string name; std::getline(stream, name, '\0');) names.push_back(name);
  return names;
}

std::string count_changed(std::size_t count, const std::string& first) {
  return counted(count, "file") + " " + changed_since + ", the first " + first;
}

/// What the parts of an answer about one repository share.
struct Repository {
  const Git& git;
  fs::path top;
  const GitQuestion& question;
};

/// The states of repositories within this one, by their folders in it.
Told told_nested(const Repository& repository, const std::vector<std::string>& folders) {
  std::string all;
  std::error_code error;
  for (const std::string& name : folders) {
    const fs::path folder = fs::canonical(repository.top / name, error);
    if (error || !fs::exists(folder / ".git", error)) continue; // a submodule that was not checked out
    if (repository.question.is_within) return {"", "a repository within a repository within it: " + name};
    GitQuestion question = repository.question;
    question.commit.clear();
    question.is_within = true;
    const GitState state = git_state(folder, question);
    if (!state.problem().empty()) return {"", "the repository " + name + " within it: " + state.problem()};
    all += name + '\n' + state.text() + '\n';
  }
  return {all, ""};
}

/// What it holds; of a link, where it leads and what that holds.
Told told_contents(const fs::path& file, std::uintmax_t most) {
  std::error_code error;
  if (!fs::is_symlink(file, error)) return hash_of_file(file, most);
  const std::string target = fs::read_symlink(file, error).string();
  const fs::file_type type = fs::status(file, error).type();
  if (type == fs::file_type::directory) return {"", "it is a link to a folder, which is not looked into"};
  if (type != fs::file_type::regular) return {"a link to " + target, ""};
  Told told = hash_of_file(file, most);
  if (told.problem.empty()) told.text += " by " + target;
  return told;
}

/// What files hold that git was told to take for unchanged (`update-index --assume-unchanged`,
/// `--skip-worktree`), by which local settings are kept: `git diff` passes over them.
Told told_passed_over(const fs::path& top, const std::vector<std::string>& names) {
  constexpr std::uintmax_t most = 16U << 20;
  constexpr std::size_t most_files = 1000; // a sparse checkout leaves out many, which are not there
  std::string all;
  std::size_t count = 0;
  std::error_code error;
  for (const std::string& name : names) {
    if (!fs::exists(fs::symlink_status(top / name, error))) continue;
    const Told held = ++count > most_files ? Told{"", "more than 1,000"} : told_contents(top / name, most);
    if (!held.problem.empty()) return {"", "of files that git passes over, " + name + ": " + held.problem};
    all += name + '\n' + held.text + '\n';
  }
  return {all, ""};
}

Told told_changes(const Repository& repository) {
  const auto& [git, top, question] = repository;
  const Reply tracked = git.ask({"ls-files", "-z", "-v", "--stage"}); // "H 100644 <object> 0\tname"
  if (!tracked.problem.empty()) return {"", problem_of(tracked, "which files it follows")};
  std::size_t count = 0;
  std::string first;
  std::vector<std::string> submodules, passed_over;
  for (const std::string& entry : names_in(*tracked.text)) {
    const std::string name = entry.substr(std::min(entry.find('\t'), entry.size() - 1) + 1);
    if (entry.find("160000 ") == 2)
      submodules.push_back(name);
    else if (entry[0] == 'S' || (entry[0] >= 'a' && entry[0] <= 'z'))
      passed_over.push_back(name);
    if (entry.find("160000 ") != 2 && question.since.has_changed(top / name) && count++ == 0) first = name;
  }
  if (count > 0) return {"", count_changed(count, first)};
  // What git followed then is not known: something may have been taken out of it, or in, and changed back.
  if (question.since.has_changed(git_folder(top) / "index"))
    return {"", "git's index " + std::string(changed_since)};
  const Told within = told_nested(repository, submodules);
  if (!within.problem.empty()) return within;
  // Of a submodule the commit alone: git would ask another git there, which runs what that names.
  const Reply diff = git.ask({"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--binary",
                              "--submodule=short", "--ignore-submodules=dirty"});
  if (!diff.problem.empty()) return {"", problem_of(diff, "what was changed")};
  const Told hidden = told_passed_over(top, passed_over);
  if (!hidden.problem.empty()) return hidden;
  const std::string all = *diff.text + within.text + hidden.text;
  return {all.empty() ? "none" : hash_text(all), ""};
}

/// A folder that git reads into, by its name, and its ends.
bool is_below_a_log(const std::string& name) {
  return ("/" + name + "/").find("/detshim-log/") != std::string::npos;
}

/// docs/LOG_FORMAT.md, "The folder".
bool is_file_of_a_log(const fs::path& file) {
  const std::string name = file.filename(), end = file.extension();
  return end == ".jsonl" || end == ".counts" || end == ".ranks" ||
         (name.starts_with("environment.") && end == ".json");
}

/// When a file or folder was made, in nanoseconds since 1970; nothing where the file system does not say.
std::optional<std::int64_t> birth_of(const fs::path& file) {
  struct statx state;
  if (::statx(AT_FDCWD, file.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME, &state) != 0 ||
      (state.stx_mask & STATX_BTIME) == 0)
    return std::nullopt;
  return state.stx_btime.tv_sec * std::int64_t{1'000'000'000} + state.stx_btime.tv_nsec;
}

/// Whether files that git does not follow may have gone since: the folder that one was in has then a later
/// time. The run's own log changes the folder that it is made in too, and what changed that one before the
/// log was there does not show.
Told told_gone(const Repository& repository) {
  const Git& git = repository.git;
  const fs::path& top = repository.top;
  const GitQuestion& question = repository.question;
  if (question.since.is_now()) return {};
  const Reply ignored =
      git.ask({"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"});
  if (!ignored.problem.empty()) return {"", problem_of(ignored, "which files it ignores")};
  std::set<std::string> left_out;
  for (std::string name : names_in(*ignored.text)) {
    if (name.ends_with('/')) name.pop_back();
    left_out.insert(std::move(name));
  }
  std::error_code error;
  const fs::path log = question.log_folder.empty() ? fs::path() : fs::canonical(question.log_folder, error);
  const std::optional<std::int64_t> log_made = log.empty() ? std::nullopt : birth_of(log);
  const bool is_log_new = log_made && question.since.may_be_later(*log_made);
  const auto is_because_of_the_log = [&](const fs::path& folder) {
    if (!is_log_new) return false;
    if (folder == log) return true;
    // The folders that were made for it, and the one that the first of them was made in.
    for (fs::path made = log; made.has_relative_path() && made != top; made = made.parent_path())
      if (made.parent_path() == folder) {
        const std::optional<std::int64_t> born = birth_of(made);
        return born && !Since(*born + Since::tick).has_changed(folder);
      }
    return false;
  };
  constexpr std::size_t most = 200'000;
  std::size_t count = 0;
  if (question.since.has_changed(top) && !is_because_of_the_log(top))
    return {"", "the folder of the repository was " + std::string(changed_since) +
                    ": files may have gone from it"};
  auto entry = fs::recursive_directory_iterator(top, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (++count > most) return {"", "more than 200,000 files and folders"};
    if (entry->is_symlink(error) || !entry->is_directory(error)) continue;
    const std::string name = entry->path().lexically_relative(top).string();
    if (entry->path().filename() == ".git" || is_below_a_log(name) || left_out.contains(name) ||
        fs::exists(entry->path() / ".git", error)) {
      entry.disable_recursion_pending();
      continue;
    }
    if (question.since.has_changed(entry->path()) && !is_because_of_the_log(entry->path()))
      return {"", "its folder " + name + " was " + changed_since + ": files may have gone from it"};
  }
  if (error) return {"", "its folders cannot be read"};
  return {};
}

Told told_untracked(const Repository& repository) {
  const auto& [git, top, question] = repository;
  const Reply untracked = git.ask({"ls-files", "-z", "--others", "--exclude-standard"});
  if (!untracked.problem.empty()) return {"", problem_of(untracked, "which files it does not follow")};
  std::error_code error;
  const fs::path log = question.log_folder.empty() ? fs::path() : fs::canonical(question.log_folder, error);
  constexpr std::uintmax_t most = 256U << 20;
  std::uintmax_t read = 0;
  std::string all, first;
  std::size_t count = 0, changed = 0;
  std::vector<std::string> nested;
  for (const std::string& name : names_in(*untracked.text)) {
    if (is_below_a_log(name)) continue;
    const fs::path file = top / name;
    if (!log.empty() && file.parent_path() == log && is_file_of_a_log(file)) continue;
    if (name.ends_with('/')) { // a repository of its own: git does not look into it
      nested.push_back(name);
      continue;
    }
    ++count;
    if (question.since.has_changed(file) && changed++ == 0) first = name;
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && (read += size) > most) return {"", "more than 256 MB of files that git does not follow"};
    if (changed > 0) continue;
    const Told contents = told_contents(file, most);
    if (!contents.problem.empty()) return {"", name + ": " + contents.problem};
    all += name + '\n' + contents.text + '\n';
  }
  if (changed > 0) return {"", count_changed(changed, first)};
  if (question.since.has_changed(git_folder(top) / "index"))
    return {"", "git's index " + std::string(changed_since)};
  if (const fs::path excluded = git_folder(top) / "info/exclude";
      fs::exists(excluded, error) && question.since.has_changed(excluded))
    return {"", "what git ignores " + std::string(changed_since)};
  if (const Told gone = told_gone(repository); !gone.problem.empty()) return gone;
  const Told within = told_nested(repository, nested);
  if (!within.problem.empty()) return within;
  all += within.text;
  std::string text = count == 0 ? "" : counted(count, "untracked file");
  if (!within.text.empty())
    text += (text.empty() ? "" : " and ") +
            counted(nested.size(), "untracked repository", "untracked repositories");
  return {text.empty() ? "none" : text + " " + hash_text(all), ""};
}

} // namespace

std::string GitState::text() const {
  if (!problem().empty()) return {};
  return "commit " + commit.text + (changes.text == "none" ? "" : ", changed " + changes.text) +
         (untracked.text == "none" ? "" : ", " + untracked.text);
}

std::string GitState::problem() const {
  for (const Told* told : {&commit, &changes, &untracked})
    if (!told->problem.empty()) return told->problem;
  return {};
}

std::string read_git_commit(const std::string& folder) {
  const fs::path git = git_folder(folder);
  if (git.empty()) return {};
  std::string head = first_line_of(git / "HEAD");
  const auto is_commit = [](const std::string& text) {
    return text.size() >= 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  if (!head.starts_with("ref: ")) return is_commit(head) ? head : "";
  head = head.substr(5);
  const std::string common = first_line_of(git / "commondir"); // of a worktree
  const fs::path refs = common.empty() ? git : (git / common).lexically_normal();
  if (const std::string commit = first_line_of(refs / head); is_commit(commit)) return commit;
  // A run that begins does not wait for a long list: git is asked later.
  constexpr std::size_t longest = 65536;
  const std::string list = beginning_of_file(refs / "packed-refs", longest + 1);
  if (list.size() > longest) return {};
  std::istringstream packed(list);
  for (std::string line; std::getline(packed, line);)
    if (line.ends_with(" " + head) && is_commit(line.substr(0, line.find(' '))))
      return line.substr(0, line.find(' '));
  return {};
}

bool is_in_repository(const std::string& folder) {
  std::error_code error;
  fs::path at = fs::canonical(folder, error);
  if (error) return true;
  for (;; at = at.parent_path()) {
    const fs::file_status status = fs::symlink_status(at / ".git", error);
    if (status.type() != fs::file_type::not_found) return true;
    if (at == at.parent_path() || is_ceiling(at.parent_path())) return false;
  }
}

GitState git_state(const std::string& folder, const GitQuestion& question) {
  const auto all = [](const std::string& why) { return GitState{{"", why}, {"", why}, {"", why}}; };
  const Git git(folder, question.limits);
  if (!git.problem().empty()) return all(git.problem());
  const Reply top = git.line({"rev-parse", "--show-toplevel"});
  if (!top.problem.empty())
    return all(top.text ? "no git repository, or one that git does not read for you" : top.problem);
  std::error_code error;
  if (question.is_within && fs::path(*top.text) != fs::canonical(folder, error))
    return all("no repository that git reads for you");
  const Reply head = git.line({"rev-parse", "HEAD"});
  if (!head.problem.empty()) return all(head.text ? "a git repository without a commit" : head.problem);
  GitState state;
  state.commit.text = question.commit.empty() ? *head.text : question.commit;
  // Where git keeps no log of moves, a commit has written the index at least.
  const fs::path moves = git_folder(folder) / "logs/HEAD";
  const auto has_moved = [&] {
    if (fs::exists(moves, error)) return question.since.has_changed(moves);
    return question.since.has_changed(git_folder(folder) / "HEAD") ||
           question.since.has_changed(git_folder(folder) / "index");
  };
  const bool is_moved =
      question.commit.empty() ? !question.since.is_now() && has_moved() : question.commit != *head.text;
  if (is_moved) {
    const std::string why = "the commit was " + std::string(changed_since);
    if (question.commit.empty()) state.commit = {"", why};
    state.changes.problem = state.untracked.problem = why;
    return state;
  }
  const Repository repository{git, *top.text, question};
  state.changes = told_changes(repository);
  state.untracked = told_untracked(repository);
  return state;
}

} // namespace detshim
