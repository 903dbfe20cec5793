// What a command that was killed has left, state by state: a file of the user's is never lost, and
// none is put over it that is not whole.
#include "files.h"

#include "verify/set_aside.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using namespace detshim;

const std::string precious = "all of what the user wrote";
const std::string half = "all of what";
const std::string of_program = "written by a run";
constexpr std::size_t length_of_mark = sizeof "moved"; // with its null

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

class KilledCommand : public testing::Test {
protected:
  void SetUp() override {
    root_ = fs::canonical(scratch_.path());
    runs_ = root_ / "runs";
    work_ = root_ / "work";
    fs::create_directories(runs_);
    fs::create_directories(work_);
    write(file(), precious);
    set_aside_and_die();
    ASSERT_FALSE(fs::exists(file()));
    ASSERT_EQ(contents(kept()), precious);
  }

  fs::path file() const { return work_ / "weights"; }
  fs::path kept() const { return runs_ / "before/here/weights"; }
  fs::path unfinished() const { return runs_ / "unfinished/1/weights"; }

  /// As the journal stands before the mark is written.
  void take_mark_back() const {
    const fs::path journal = runs_ / "before/journal";
    fs::resize_file(journal, fs::file_size(journal) - length_of_mark);
  }

  SetAside::Found recover() const { return SetAside::recover(runs_); }
  bool has_left_something() const { return SetAside::may_be_left_in(runs_); }

private:
  /// In a child, whose lock on the journal goes with it.
  void set_aside_and_die() const {
    const pid_t child = ::fork();
    if (child == 0) {
      SetAside aside;
      SetAside::OldFolder folder = {};
      ::stat(work_.c_str(), &folder.status);
      const SetAside::File moved = {file(), "here/weights"};
      aside.take(runs_ / "before", {{work_, folder}}, {moved});
      ::_exit(0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    ASSERT_EQ(status, 0);
  }

  const TemporaryFolder scratch_;
  fs::path root_, runs_, work_;
};

TEST_F(KilledCommand, LeavesAFileThatIsPutBack) {
  EXPECT_EQ(recover(), SetAside::Found::left);
  EXPECT_EQ(contents(file()), precious);
  EXPECT_FALSE(has_left_something());
}

TEST_F(KilledCommand, LeavesAFileThatIsPutBackInThePlaceOfWhatARunMade) {
  write(file(), of_program);
  EXPECT_EQ(recover(), SetAside::Found::left);
  EXPECT_EQ(contents(file()), precious);
  EXPECT_EQ(contents(unfinished()), of_program);
}

// Between two file systems a file is copied, and goes when its copy is whole.
TEST_F(KilledCommand, LeavesHalfACopyThatIsNotPutOverTheFile) {
  take_mark_back();
  write(file(), precious);
  write(kept(), half);
  recover();
  EXPECT_EQ(contents(file()), precious);
  EXPECT_FALSE(fs::exists(unfinished()));
}

TEST_F(KilledCommand, LeavesAFileWithoutItsMarkThatIsPutBack) {
  take_mark_back();
  EXPECT_EQ(recover(), SetAside::Found::left);
  EXPECT_EQ(contents(file()), precious);
}

// Where its place is taken, here by a folder that is not empty.
TEST(SetAsideFiles, ThatCouldNotLeaveStayWhereTheyAre) {
  const TemporaryFolder scratch;
  const fs::path root = fs::canonical(scratch.path()), work = root / "work", runs = root / "runs";
  const fs::path file = work / "weights";
  fs::create_directories(work);
  fs::create_directories(runs / "before/here/weights/full");
  write(file, precious);
  SetAside aside;
  SetAside::OldFolder folder = {};
  ::stat(work.c_str(), &folder.status);
  EXPECT_ANY_THROW(aside.take(runs / "before", {{work, folder}}, {{file, "here/weights"}}));
  aside.put_back(runs / "late");
  EXPECT_EQ(contents(file), precious);
  EXPECT_FALSE(fs::exists(runs / "late"));
}

} // namespace
