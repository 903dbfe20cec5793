// Decides from patterns alone whether two commands may move the same files: they meet if some path
// may match both, and in doubt they do. A command is alive while it holds the lock on its claim.
// What one that was killed has set aside is put back before another begins.
//
// It cannot know of another user's commands: each user has a folder of claims. Nor can it put back
// what a command on another machine set aside where only that machine can see it.
#include "verify/output_claim.h"

#include "support/exit_status.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verify/folder.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace detshim {
namespace {

constexpr const char* glob_characters = "*?[]\\";

/// The file, locked for as long as it is open; not open where another has it.
OwnedDescriptor locked(const fs::path& file, int kind_of_lock) {
  OwnedDescriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (opened && ::flock(opened.number(), kind_of_lock) != 0)
    return {};
  return opened;
}

/// The folder of claims, for as long as one command looks and claims there. The first of these that
/// can be used: $XDG_STATE_HOME/detshim/outputs, $HOME/.local/state/detshim/outputs,
/// /tmp/detshim-outputs-UID.
class ClaimFolder {
public:
  ClaimFolder() {
    const fs::path state = variable("XDG_STATE_HOME"), home = variable("HOME");
    if (state.is_absolute())
      take(state / "detshim/outputs");
    if (home.is_absolute())
      take(home / ".local/state/detshim/outputs");
    take("/tmp/detshim-outputs-" + std::to_string(::geteuid()));
  }

  bool is_ours() const { return static_cast<bool>(lock_); }
  const fs::path& folder() const { return folder_; } ///< the last that was tried, if none is ours

private:
  void take(const fs::path& folder) {
    if (is_ours())
      return;
    folder_ = folder;
    std::error_code ignored;
    fs::create_directories(folder.parent_path(), ignored);
    ::mkdir(folder.c_str(), 0700);
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
        status.st_uid == ::geteuid() && (status.st_mode & 022) == 0)
      lock_ = locked(folder / "turn", LOCK_EX);
  }

  fs::path folder_;
  OwnedDescriptor lock_;
};

/// Another machine's claims may lie in the same folder, and what it set aside where only it can see
/// it.
std::string this_machine() { return "@" + host_name(); }

/// Without a slash at its end, as seen from everywhere.
std::string whole(const std::string& pattern) {
  std::string path = (fs::current_path() / pattern).lexically_normal().string();
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path;
}

/// True if some path matches both, or lies in a folder that does. May be true where none does.
bool may_meet(std::string_view one, std::string_view other) {
  const auto first = [](std::string_view text) {
    return std::min(text.find_first_of(glob_characters), text.size());
  };
  const std::size_t a = first(one), b = first(other);
  if (a == one.size() && b == other.size())
    return is_below(one, other) || is_below(other, one);
  if (a == one.size() && is_below(other.substr(0, b), one))
    return true;
  if (b == other.size() && is_below(one.substr(0, a), other))
    return true;
  const std::size_t common = std::min(a, b);
  if (one.substr(0, common) != other.substr(0, common))
    return false;
  // At one depth what they match has both endings.
  if (std::ranges::count(one, '/') != std::ranges::count(other, '/'))
    return true;
  const auto ending = [](std::string_view text) {
    return text.substr(text.find_last_of(glob_characters) + 1);
  };
  return ending(one).ends_with(ending(other)) || ending(other).ends_with(ending(one));
}

/// What a command has written of itself: where it keeps what it set aside, and its patterns.
struct Claim {
  std::string kept;
  std::vector<std::string> patterns;
};

Claim read_claim(const fs::path& file) {
  Claim claim;
  std::ifstream input(file);
  std::getline(input, claim.kept, '\0');
  for (std::string pattern; std::getline(input, pattern, '\0');)
    claim.patterns.push_back(pattern);
  return claim;
}

/// A pattern of another command's, and one of these, that some file may match both.
struct Meeting {
  std::string claimed, own;
};

std::optional<Meeting> first_meeting(const Claim& claim, const std::vector<std::string>& patterns) {
  for (const std::string& claimed : claim.patterns)
    for (const std::string& own : patterns)
      if (may_meet(whole(own), claimed))
        return Meeting{claimed, own};
  return {};
}

[[noreturn]] void refuse_while_at_work(const std::string& process, const Meeting& meeting) {
  throw UsageError("process " + printable(process) + " is at work on --output " +
                   in_quotes(meeting.claimed) + ", of which " + in_quotes(meeting.own) +
                   " may be part: wait until it has ended, or name other outputs");
}

/// Puts back what the command set aside, if it was killed. Throws UsageError if it is alive and
/// `must_be_alone`.
SetAside::Found look_at_claim(const fs::path& file, const std::vector<std::string>& patterns,
                              bool must_be_alone) {
  const std::string name = file.filename().string();
  const bool is_alive = !locked(file, LOCK_EX | LOCK_NB);
  const Claim claim = read_claim(file);
  const std::optional<Meeting> meeting = first_meeting(claim, patterns);
  if (is_alive) {
    if (meeting && must_be_alone)
      refuse_while_at_work(name, *meeting);
    return meeting ? SetAside::Found::at_work : SetAside::Found::nothing;
  }
  SetAside::Found left = SetAside::Found::nothing;
  if (meeting)
    left = SetAside::recover(claim.kept);
  if (name.ends_with(this_machine()) && !SetAside::may_be_left_in(claim.kept))
    ::unlink(file.c_str());
  return left;
}

/// Puts back what commands that were killed set aside of the same files. Throws UsageError if one
/// is alive and `must_be_alone`.
SetAside::Found look_at_claims(const fs::path& folder, const std::vector<std::string>& patterns,
                               bool must_be_alone) {
  SetAside::Found most = SetAside::Found::nothing;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (at->path().filename() != "turn")
      most = std::max(most, look_at_claim(at->path(), patterns, must_be_alone));
  return most;
}

} // namespace

OutputClaim::OutputClaim(const std::vector<std::string>& patterns, const fs::path& kept) {
  if (patterns.empty())
    return;
  const ClaimFolder claims;
  const fs::path& folder = claims.folder();
  if (!claims.is_ours())
    throw UsageError(
        "cannot keep in " + in_quotes(folder.string()) +
        " which outputs are at work: a folder of this user alone is needed, there or in "
        "$XDG_STATE_HOME/detshim/outputs");
  look_at_claims(folder, patterns, true);
  std::string own_name = std::to_string(::getpid()) + this_machine();
  while (fs::exists(folder / own_name))
    own_name = "+" + own_name; // of a killed one that set something aside
  claim_ = locked(folder / own_name, LOCK_EX | LOCK_NB);
  if (!claim_)
    throw UsageError("cannot write " + in_quotes((folder / own_name).string()));
  std::string text = kept.string() + '\0';
  for (const std::string& pattern : patterns)
    text += whole(pattern) + '\0';
  file_ = folder / own_name;
  [[maybe_unused]] const ssize_t written = ::write(claim_.number(), text.data(), text.size());
}

SetAside::Found OutputClaim::recover(std::vector<std::string> patterns,
                                     const fs::path& kept_beside) {
  SetAside::Found outcome = SetAside::Found::nothing;
  std::error_code error;
  for (fs::directory_iterator at(kept_beside, error), end; !error && at != end; at.increment(error))
    if (at->is_directory(error) && SetAside::may_be_left_in(at->path()))
      outcome = std::max(outcome, SetAside::recover(at->path()));
  patterns.emplace_back("."); // what is missing here may be read, too
  if (const ClaimFolder claims; claims.is_ours())
    outcome = std::max(outcome, look_at_claims(claims.folder(), patterns, false));
  return outcome;
}

OutputClaim::~OutputClaim() {
  if (claim_)
    ::unlink(file_.c_str());
}

} // namespace detshim
