// The state of a git repository, and whether it is still as it was when a run began.
#include "environment/capture.h"
#include "support/wording.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string first_line_of(const fs::path& file) {
  const std::string text = whole_file(file);
  return text.substr(0, text.find('\n'));
}

/// `.git` of the repository that holds the folder, behind the file that a worktree has in its place
/// (gitrepository-layout(5)).
fs::path git_folder(const std::string& folder) {
  std::error_code error;
  for (fs::path at = fs::absolute(folder, error).lexically_normal(); !error && !at.empty();
       at = at.parent_path()) {
    const fs::path git = at / ".git";
    if (fs::is_directory(git, error)) return git;
    if (const std::string link = first_line_of(git); link.starts_with("gitdir: "))
      return (at / link.substr(8)).lexically_normal();
    if (at == at.root_path()) break;
  }
  return {};
}

/// As without a configuration of the user's, which would change how a difference is printed; and without the
/// programs that a repository can name, as far as git lets one.
std::optional<std::string> git(const std::string& folder, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"git", "--no-optional-locks",
                                      "-C",  folder,
                                      "-c",  "color.ui=never",
                                      "-c",  "diff.noprefix=false",
                                      "-c",  "diff.mnemonicPrefix=false",
                                      "-c",  "diff.algorithm=default",
                                      "-c",  "diff.context=3",
                                      "-c",  "diff.orderFile=/dev/null",
                                      "-c",  "core.quotePath=true",
                                      "-c",  "core.fsmonitor=false",
                                      "-c",  "core.hooksPath=/dev/null"};
  command.insert(command.end(), words.begin(), words.end());
  return output_of(command);
}

std::optional<std::string> git_line(const std::string& folder, const std::vector<std::string>& words) {
  std::optional<std::string> text = git(folder, words);
  while (text && !text->empty() && text->back() == '\n') text->pop_back();
  return text;
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

Told told_changes(const fs::path& top, const Since& since) {
  if (!since.is_now()) {
    const auto tracked = git(top, {"ls-files", "-z", "--recurse-submodules"});
    if (!tracked) return {"", "git cannot tell which files it follows"};
    std::size_t count = 0;
    std::string first;
    for (const std::string& name : names_in(*tracked))
      if (since.has_changed(top / name) && count++ == 0) first = name;
    if (count > 0) return {"", count_changed(count, first)};
    // One that was added since was none that git followed.
    const auto added = git(top, {"diff", "--cached", "--name-only", "--diff-filter=A", "HEAD"});
    if (!added || (!added->empty() && since.has_changed(git_folder(top) / "index")))
      return {"", "git's index " + std::string(changed_since)};
  }
  const auto diff = git(top, {"diff", "HEAD", "--no-ext-diff", "--no-textconv", "--binary",
                              "--submodule=diff", "--ignore-submodules=none"});
  if (!diff) return {"", "git cannot tell what was changed"};
  return {diff->empty() ? "none" : hash_text(*diff), ""};
}

bool is_of_a_log(const std::string& name) { return ("/" + name).find("/detshim-log/") != std::string::npos; }

Told told_untracked(const fs::path& top, const Since& since) {
  const auto untracked = git(top, {"ls-files", "-z", "--others", "--exclude-standard"});
  if (!untracked) return {"", "git cannot tell which files it does not follow"};
  constexpr std::uintmax_t most = 256U << 20;
  std::uintmax_t read = 0;
  std::string all, first;
  std::size_t count = 0, changed = 0;
  for (const std::string& name : names_in(*untracked)) {
    if (is_of_a_log(name)) continue;
    const fs::path file = top / name;
    if (since.has_changed(file) && changed++ == 0) first = name;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(file, error);
    if (!error && (read += size) > most) return {"", "more than 256 MB of files that git does not follow"};
    if (changed == 0) all += name + '\n' + hash_text(whole_file(file)) + '\n';
    ++count;
  }
  if (changed > 0) return {"", count_changed(changed, first)};
  return {count == 0 ? "none" : counted(count, "untracked file") + " " + hash_text(all), ""};
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
  std::istringstream packed(whole_file(refs / "packed-refs"));
  for (std::string line; std::getline(packed, line);)
    if (line.ends_with(" " + head) && is_commit(line.substr(0, line.find(' '))))
      return line.substr(0, line.find(' '));
  return {};
}

GitState git_state(const std::string& folder, const Since& since, const std::string& commit) {
  const auto all = [](const std::string& why) { return GitState{{"", why}, {"", why}, {"", why}}; };
  if (!output_of({"git", "--version"})) return all("git is not here");
  const std::optional<std::string> top = git_line(folder, {"rev-parse", "--show-toplevel"});
  if (!top) return all("no git repository, or one that git does not read for you");
  const std::optional<std::string> head = git_line(folder, {"rev-parse", "HEAD"});
  if (!head) return all("a git repository without a commit");
  GitState state;
  state.commit.text = commit.empty() ? *head : commit;
  const fs::path moves = git_folder(folder) / "logs/HEAD";
  std::error_code error;
  const bool is_moved = commit.empty()
                            ? !since.is_now() && (!fs::exists(moves, error) || since.has_changed(moves))
                            : commit != *head;
  if (is_moved) {
    const std::string why = "the commit was " + std::string(changed_since);
    if (commit.empty()) state.commit = {"", why};
    state.changes.problem = state.untracked.problem = why;
    return state;
  }
  state.changes = told_changes(*top, since);
  state.untracked = told_untracked(*top, since);
  return state;
}

} // namespace detshim
