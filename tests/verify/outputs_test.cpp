// Outputs in random trees: whatever a program does with links, and whenever this command is killed,
// all that was there is there. DETSHIM_TEST_ROUNDS=10000 runs more rounds, DETSHIM_TEST_SEED=n
// others.
#include "files.h"

#include "support/exit_status.h"
#include "verify/outputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace detshim;

std::size_t number_from(const char* variable, std::size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
}

/// What stands at a name, links not followed. `with_inode`: a file was never copied, so hard links
/// are kept.
std::string what_it_is(const fs::path& path, bool with_inode) {
  struct stat status = {};
  ::lstat(path.c_str(), &status);
  std::ostringstream text;
  text << std::oct << status.st_mode << std::dec << ' ' << status.st_uid << ' ';
  if (with_inode && S_ISREG(status.st_mode))
    text << status.st_ino << ' ' << status.st_nlink << ' ';
  if (S_ISLNK(status.st_mode))
    text << fs::read_symlink(path).string();
  if (S_ISREG(status.st_mode))
    text << contents(path) << ' ' << status.st_mtim.tv_nsec;
  return text.str();
}

using Inventory = std::map<fs::path, std::string>;

Inventory inventory_of(const fs::path& folder, bool with_inode = false) {
  Inventory all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    all[entry.path()] = what_it_is(entry.path(), with_inode);
  return all;
}

/// A tree, globs into it, and what a program does there, all by one seed.
class Round {
public:
  Round(fs::path root, unsigned seed, bool may_mount)
      : root_(std::move(root)), random_(seed), is_one_device_(!may_mount) {
    work_ = root_ / "work";
    folders_ = {work_, root_ / "away"};
    for (const fs::path& folder : folders_)
      fs::create_directories(folder);
    for (std::size_t i = below(6) + 1; i > 0; --i) {
      folders_.push_back(one_of(folders_) / (i == 1 ? "new\nline" : "d" + std::to_string(i)));
      fs::create_directory(folders_.back());
      if (may_mount && below(4) == 0)
        mount(folders_.back());
    }
    for (std::size_t i = below(12) + 2; i > 0; --i)
      make_one(i);
    fs::create_directory(root_ / "kept");
    if (may_mount && below(3) == 0)
      mount(root_ / "kept");
    for (const int run : {1, 2, 3})
      fs::create_directory(kept(run));
    for (std::size_t i = below(3) + 1; i > 0; --i)
      patterns_.push_back(a_pattern());
    fs::current_path(work_);
  }

  fs::path kept(int run) const { return root_ / "kept" / std::to_string(run); }
  bool swaps() const { return swaps_; }
  const std::vector<std::string>& patterns() const { return patterns_; }
  const fs::path& work() const { return work_; }
  void let_it_swap() { swaps_ = true; }

  Inventory inventory() const {
    Inventory all = inventory_of(work_, is_one_device_);
    all.merge(inventory_of(root_ / "away", is_one_device_));
    return all;
  }

  /// As `verify` does it, with two runs.
  void verify(int number) {
    SetAside::recover(kept(1));
    const OutputSearch search(patterns_, kept(number));
    Outputs outputs(search, kept(number));
    outputs.put_aside(kept(number) / "before");
    for (const char* const run : {"run-1", "run-2"}) {
      run_program();
      outputs.take(kept(number) / run);
    }
    if (below(2) == 0)
      run_program(); // late
    outputs.put_back(kept(number) / "late");
  }

  std::size_t below(std::size_t end) { return random_() % end; }

private:
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  static void mount(const fs::path& folder) {
    if (::mount("none", folder.c_str(), "tmpfs", 0, nullptr) != 0)
      std::perror("mount");
  }

  void make_one(std::size_t i) {
    const fs::path path = one_of(folders_) / ("f" + std::to_string(i));
    switch (below(5)) {
    case 0:
      fs::create_directory_symlink(below(2) == 0
                                       ? one_of(folders_)
                                       : one_of(folders_).lexically_relative(path.parent_path()),
                                   path);
      return;
    case 1:
      if (!files_.empty()) {
        std::error_code other_device;
        fs::create_hard_link(one_of(files_), path, other_device);
        if (!other_device)
          return;
      }
      [[fallthrough]];
    case 2:
      if (below(4) == 0) {
        fs::create_symlink(below(2) == 0 ? "nowhere" : path.filename().string(), path);
        return;
      }
      [[fallthrough]];
    default:
      std::ofstream(path) << "precious " << i;
      files_.push_back(path);
    }
  }

  /// A path from the working directory, by names that are there, some of them by wildcards.
  std::string a_pattern() {
    fs::path at = work_;
    std::string pattern = below(6) == 0 ? root_.string() + "/work" : below(6) == 0 ? "../work" : "";
    for (std::size_t depth = below(4) + 1; depth > 0; --depth) {
      std::vector<fs::path> all;
      std::error_code error;
      for (const auto& entry : fs::directory_iterator(at, error))
        all.push_back(entry.path().filename());
      std::ranges::sort(all);
      const std::string name = all.empty() ? "new" : one_of(all).string();
      const std::string as[] = {name,   name, "*", name.substr(0, 1) + "*", "{" + name + ",x/y}",
                                "[df]*"};
      pattern += (pattern.empty() ? "" : "/") + as[below(std::size(as))];
      at /= name;
      if (!fs::is_directory(at, error))
        break;
    }
    return below(8) == 0 ? pattern + "/" : pattern;
  }

  /// Never destroys what it did not make.
  void run_program() {
    for (std::size_t i = below(8); i > 0; --i) {
      const fs::path folder = one_of(folders_), path = folder / ("f" + std::to_string(below(15)));
      std::error_code ignored;
      if (!is_one_device_ && below(4) == 0) { // another folder where there was none, and left there
        const fs::path mounted = folder / ("d" + std::to_string(20 + below(3)));
        if (fs::create_directory(mounted, ignored))
          ::mount(one_of(folders_).c_str(), mounted.c_str(), nullptr, MS_BIND, nullptr);
        continue;
      }
      switch (below(swaps_ ? 8 : 5)) {
      case 0:
        fs::create_directory(path, ignored);
        break;
      case 1:
        fs::create_symlink(one_of(folders_), path, ignored);
        break;
      case 5: { // a folder, or a link, becomes a link to elsewhere
        const fs::path other = folder.string() + ".moved";
        if (folder != work_ && !fs::exists(fs::symlink_status(other, ignored)))
          fs::rename(folder, other, ignored);
        fs::create_symlink(root_ / "away", folder, ignored);
        break;
      }
      case 6:
        if (fs::is_symlink(fs::symlink_status(path, ignored))) {
          fs::remove(path, ignored);
          fs::create_symlink(one_of(folders_), path, ignored);
        }
        break;
      case 7:
        if (folder != work_)
          fs::remove(folder, ignored); // where it is empty
        break;
      default:
        const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (file >= 0) {
          [[maybe_unused]] const ssize_t written = ::write(file, "of a run", 8);
          ::close(file);
        }
      }
    }
  }

  fs::path root_, work_;
  std::mt19937 random_;
  bool is_one_device_;
  std::vector<fs::path> folders_, files_;
  std::vector<std::string> patterns_;
  bool swaps_ = false;
};

/// Runs `work` in a child that is killed at its n-th entry to the kernel, or way out of it. Returns
/// how many there were; 0 if a child cannot be traced here.
std::size_t run_until(std::size_t n, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
      ::_exit(9);
    ::raise(SIGSTOP);
    try {
      work();
    } catch (const UsageError&) { // what was swapped, say
    }
    ::_exit(0);
  }
  std::size_t count = 0;
  int status = 0;
  while (::waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (count++ == n)
      ::kill(child, SIGKILL);
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 9 ? 0 : count;
}

/// In a child, so that mounts and the working directory are its own. Returns what is wrong; empty
/// if nothing.
std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    std::string wrong;
    try {
      wrong = work();
    } catch (const std::exception& error) {
      wrong = error.what();
    }
    [[maybe_unused]] const ssize_t written = ::write(ends[1], wrong.data(), wrong.size());
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string wrong;
  char buffer[4096];
  for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    wrong.append(buffer, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = -1;
  ::waitpid(child, &status, 0);
  return status == 0 ? wrong : wrong + " ended with " + std::to_string(status);
}

std::string missing_from(const Inventory& before, const Inventory& now) {
  for (const auto& [path, what] : before) {
    const auto found = now.find(path);
    if (found == now.end())
      return path.string() + " is gone";
    if (found->second != what)
      return path.string() + " was '" + what + "' and is '" + found->second + "'";
  }
  return {};
}

/// Each text that was in a file is in one, wherever that lies.
std::string lost_of(const Inventory& before, const fs::path& root) {
  std::set<std::string> texts;
  for (const auto& [path, what] : inventory_of(root))
    if (fs::is_regular_file(fs::symlink_status(path)))
      texts.insert(contents(path));
  for (const auto& [path, what] : before)
    if (const std::size_t at = what.find("precious"); at != std::string::npos)
      if (!texts.contains(what.substr(at, what.rfind(' ') - at)))
        return path.string() + " is lost: " + what;
  return {};
}

bool may_mount() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

std::string one_round(unsigned seed, bool mounts, bool swaps) {
  const TemporaryFolder scratch;
  const fs::path root = fs::canonical(scratch.path());
  return in_child([&]() -> std::string {
    if (mounts && !may_mount())
      return "no mounts";
    ::freopen("/dev/null", "w", stderr);
    Round round(root, seed, mounts);
    if (swaps)
      round.let_it_swap();
    const Inventory before = round.inventory();
    const auto check = [&](const std::string& when) {
      std::string wrong = swaps ? lost_of(before, root) : missing_from(before, round.inventory());
      if (wrong.empty())
        return wrong;
      wrong += " " + when + ", --output";
      for (const std::string& pattern : round.patterns())
        wrong += " '" + pattern + "'";
      return wrong;
    };
    Round whole = round;
    const std::size_t all = run_until(~std::size_t{0}, [&] {
      whole.verify(3);
    });
    if (all == 0)
      return "no ptrace";
    if (std::string wrong = check("after a whole run"); !wrong.empty())
      return wrong;
    const std::size_t end = round.below(all);
    run_until(end, [&] {
      round.verify(1);
    });
    if (std::string wrong = lost_of(before, root); !wrong.empty())
      return wrong + " when it was killed";
    run_until(~std::size_t{0}, [&] {
      round.verify(2);
    });
    return check("after it was killed at " + std::to_string(end) + " of " + std::to_string(all) +
                 " and run again");
  });
}

void run_rounds(std::size_t usual, bool mounts, bool swaps) {
  const std::size_t rounds = number_from("DETSHIM_TEST_ROUNDS", usual),
                    first = number_from("DETSHIM_TEST_SEED", 1);
  for (std::size_t seed = first; seed < first + rounds; ++seed) {
    const std::string wrong = one_round(static_cast<unsigned>(seed), mounts, swaps);
    if (wrong.starts_with("no "))
      GTEST_SKIP() << wrong << " here";
    ASSERT_EQ(wrong, "") << "DETSHIM_TEST_SEED=" << seed;
  }
}

TEST(OutputsInRandomTrees, AreAsTheyWere) { run_rounds(20, false, false); }
TEST(OutputsInRandomTrees, AreAsTheyWereOnSeveralDevices) { run_rounds(15, true, false); }
TEST(OutputsInRandomTrees, AreNotLostWhereFoldersAreSwapped) { run_rounds(10, false, true); }

} // namespace
