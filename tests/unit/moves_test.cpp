// verify/folder.h: nothing is lost, overwritten, or moved along a link.
#include "files.h"

#include "support/exit_status.h"
#include "verify/folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <fstream>
#include <functional>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using detshim::move_file;
using detshim::UsageError;

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

/// In a child, whose status says whether all was as expected: what it does to itself stays there.
bool in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

/// From here on the kernel answers `number` with `error`: for file systems that are not there.
void refuse(long number, int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(number), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {4, code};
  ASSERT_EQ(::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ASSERT_EQ(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/// The ways in which the kernel may not be able to rename without overwriting.
struct Way {
  const char* name;
  int of_rename, of_link; ///< errors; 0: as it is
};

class Moves : public testing::TestWithParam<Way> {
protected:
  fs::path folder() const { return fs::canonical(scratch_.path()); }
  static void begin() {
    if (GetParam().of_rename != 0)
      refuse(SYS_renameat2, GetParam().of_rename);
    if (GetParam().of_link != 0)
      refuse(SYS_linkat, GetParam().of_link);
  }

private:
  const TemporaryFolder scratch_;
};
INSTANTIATE_TEST_SUITE_P(All, Moves,
                         testing::Values(Way{"renamed", 0, 0}, Way{"linked", EINVAL, 0},
                                         Way{"copied", EINVAL, EPERM},
                                         Way{"elsewhere", EXDEV, EXDEV}),
                         [](const auto& tested) {
                           return std::string(tested.param.name);
                         });

TEST_P(Moves, KeepsWhatAFileIs) {
  const fs::path from = folder() / "from", to = folder() / "new/folder/to";
  write(from, std::string(3'000'000, 'x'));
  ::chmod(from.c_str(), 04751);
  const bool has_attributes = ::setxattr(from.c_str(), "user.detshim", "kept", 4, 0) == 0;
  const timespec times[] = {{1000000000, 5}, {1000000000, 7}};
  ::utimensat(AT_FDCWD, from.c_str(), times, 0);
  EXPECT_TRUE(in_child([&] {
    begin();
    move_file(from, to);
  }));
  EXPECT_FALSE(fs::exists(from));
  EXPECT_EQ(contents(to), std::string(3'000'000, 'x'));
  struct stat status = {};
  ASSERT_EQ(::stat(to.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode, static_cast<mode_t>(S_IFREG | 04751));
  EXPECT_EQ(status.st_mtim.tv_sec, 1000000000);
  EXPECT_EQ(status.st_mtim.tv_nsec, 7);
  char value[8] = {};
  EXPECT_EQ(::getxattr(to.c_str(), "user.detshim", value, sizeof value), has_attributes ? 4 : -1);
}

TEST_P(Moves, KeepsWhatIsNoFile) {
  fs::create_symlink("nowhere", folder() / "link");
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0640), 0);
  EXPECT_TRUE(in_child([&] {
    begin();
    move_file(folder() / "link", folder() / "kept/link");
    move_file(folder() / "pipe", folder() / "kept/pipe");
  }));
  EXPECT_EQ(fs::read_symlink(folder() / "kept/link"), "nowhere");
  EXPECT_TRUE(fs::is_fifo(folder() / "kept/pipe"));
  EXPECT_FALSE(fs::exists(fs::symlink_status(folder() / "link")) || fs::exists(folder() / "pipe"));
}

TEST_P(Moves, OverwritesNothing) {
  write(folder() / "from", "mine");
  write(folder() / "file", "theirs");
  fs::create_symlink("file", folder() / "link");
  fs::create_symlink("nowhere", folder() / "dangling");
  fs::create_directory(folder() / "empty");
  EXPECT_TRUE(in_child([&] {
    begin();
    for (const char* const to : {"file", "link", "dangling", "empty"})
      EXPECT_THROW(move_file(folder() / "from", folder() / to), UsageError) << to;
  }));
  EXPECT_EQ(contents(folder() / "from"), "mine");
  EXPECT_EQ(contents(folder() / "file"), "theirs");
  EXPECT_EQ(fs::read_symlink(folder() / "link"), "file");
  EXPECT_EQ(fs::read_symlink(folder() / "dangling"), "nowhere");
  EXPECT_TRUE(fs::is_empty(folder() / "empty"));
}

TEST_P(Moves, GoesThroughNoLink) {
  fs::create_directories(folder() / "real/below");
  fs::create_symlink("real", folder() / "link");
  write(folder() / "real/below/file", "theirs");
  write(folder() / "mine", "mine");
  EXPECT_TRUE(in_child([&] {
    begin();
    EXPECT_THROW(move_file(folder() / "link/below/file", folder() / "to"), UsageError);
    EXPECT_THROW(move_file(folder() / "mine", folder() / "link/below/to"), UsageError);
    EXPECT_THROW(move_file(folder() / "mine", folder() / "link/to"), UsageError);
  }));
  EXPECT_EQ(contents(folder() / "real/below/file"), "theirs");
  EXPECT_EQ(contents(folder() / "mine"), "mine");
  EXPECT_FALSE(fs::exists(folder() / "to") || fs::exists(folder() / "real/to"));
}

// Who runs a copy must not become its new owner.
TEST_P(Moves, GivesACopyOfAnotherOwnerNoneOfTheOwnersRights) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root may give a folder away";
  constexpr uid_t nobody = 65534;
  write(folder() / "from", "root's");
  ::chmod((folder() / "from").c_str(), 06755);
  ASSERT_EQ(::chown(folder().c_str(), nobody, nobody), 0);
  EXPECT_TRUE(in_child([&] {
    ASSERT_EQ(::setresgid(nobody, nobody, nobody) | ::setresuid(nobody, nobody, nobody), 0);
    begin();
    move_file(folder() / "from", folder() / "to");
  }));
  struct stat status = {};
  ASSERT_EQ(::stat((folder() / "to").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, status.st_uid == 0 ? 06755U : 0755U);
}

TEST_P(Moves, LeavesNoCopyOfWhatItCannotRemove) {
  fs::create_directory(folder() / "closed");
  fs::create_directory(folder() / "to");
  write(folder() / "closed/file", "mine");
  constexpr uid_t nobody = 65534; // root may remove all
  for (const char* const path : {"", "to", "closed", "closed/file"})
    ASSERT_EQ(::geteuid() == 0 ? ::chown((folder() / path).c_str(), nobody, nobody) : 0, 0);
  ::chmod((folder() / "closed").c_str(), 0555);
  EXPECT_TRUE(in_child([&] {
    ASSERT_EQ(::geteuid() == 0 ? ::setresuid(nobody, nobody, nobody) : 0, 0);
    begin();
    EXPECT_THROW(move_file(folder() / "closed/file", folder() / "to/file"), UsageError);
  }));
  ::chmod((folder() / "closed").c_str(), 0755);
  EXPECT_EQ(contents(folder() / "closed/file"), "mine");
  EXPECT_TRUE(fs::is_empty(folder() / "to"));
}

} // namespace
