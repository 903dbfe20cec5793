#include "core/tuning/tuning_file.h"

#include "files.h"

#include <cerrno>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace detshim {
namespace {

using State = TuningStore::State;
constexpr TuningProblem small{"GPU \"A\"", "cublaslt", "13.1.0", "matmul", "64 x 64"};
constexpr TuningProblem large{"GPU \"A\"", "cublaslt", "13.1.0", "matmul", "4096 x 4096"};

class Tuning : public testing::Test {
protected:
  std::string text() const { return contents(path); }
  void put(const std::string& content) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  }
  /// What the file holds for a problem; empty if nothing.
  std::string in_file(const TuningProblem& problem) const {
    TuningStore store;
    char choice[tuning_choice_size] = {};
    EXPECT_EQ(store.read(path.c_str()), State::fine);
    const std::string found = store.find(problem, choice, sizeof choice) ? choice : "";
    store.clear();
    return found;
  }
  State read() const {
    TuningStore store;
    const State state = store.read(path.c_str());
    store.clear();
    return state;
  }
  int keep(const TuningProblem& problem, const char* choice) const {
    TuningStore store;
    store.read(path.c_str());
    const int error = store.keep(problem, choice, path.c_str());
    store.clear();
    return error;
  }

  const TemporaryFolder scratch;
  const std::string folder = scratch.path();
  const std::string path = folder + "/tuning.json";
};

TEST_F(Tuning, ComesBackFromTheFile) {
  EXPECT_EQ(read(), State::missing);
  EXPECT_EQ(keep(small, "7 workspace 0"), 0);
  EXPECT_EQ(keep(large, "9 workspace 1024"), 0);
  EXPECT_EQ(in_file(small), "7 workspace 0");
  EXPECT_EQ(in_file(large), "9 workspace 1024");
  TuningProblem other = small;
  other.problem = "64 x 6";
  EXPECT_EQ(in_file(other), "");
}

// docs/TUNING_FILE.md shows it so.
TEST_F(Tuning, IsReadableText) {
  keep(large, "9");
  const std::string expected =
      R"({"detshim_tuning": 2, "device": "GPU \"A\"", "library": "cublaslt", )"
      R"("version": "13.1.0", "operation": "matmul", "problem": "4096 x 4096", )"
      R"("choice": "9", "sum": ")";
  ASSERT_EQ(text().substr(0, expected.size()), expected);
  EXPECT_EQ(text().size(), expected.size() + 16 + 3);
}

TEST_F(Tuning, TheLastChoiceStays) {
  keep(small, "7");
  keep(large, "9");
  keep(small, "8");
  EXPECT_EQ(in_file(small), "8");
  const std::string before = text();
  EXPECT_EQ(keep(small, "8"), 0);
  EXPECT_EQ(text(), before) << "as in the file";
  TuningStore store;
  char choice[tuning_choice_size];
  EXPECT_EQ(store.keep(small, "9", path.c_str()), 0);
  EXPECT_EQ(store.keep(small, "8", path.c_str()), 0);
  EXPECT_TRUE(store.find(small, choice, sizeof choice));
  EXPECT_STREQ(choice, "8");
  store.clear();
}

TEST_F(Tuning, TextsThatDoNotFitAreNotKept) {
  const std::string long_text(2001, 'x'), long_choice(tuning_choice_size, 'x'), escaped(1000, '\1');
  TuningProblem problem = small;
  problem.problem = long_text.c_str();
  EXPECT_EQ(keep(problem, "7"), TuningStore::is_no_choice);
  problem.problem = escaped.c_str();
  EXPECT_EQ(keep(problem, "7"), TuningStore::is_no_choice);
  for (const char* choice : {long_choice.c_str(), "", "a\"b"})
    EXPECT_EQ(keep(small, choice), TuningStore::is_no_choice);
  EXPECT_EQ(read(), State::missing);
  const std::string longest(1900, 'x');
  problem.problem = longest.c_str();
  EXPECT_EQ(keep(problem, long_choice.c_str() + 1), 0);
  EXPECT_EQ(in_file(problem), long_choice.substr(1));
}

TEST_F(Tuning, DamageAtAnyByteIsSeen) {
  keep(small, "7 workspace 0");
  const size_t first = text().size();
  keep(large, "9 workspace 1024");
  const std::string good = text();
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char change : {char(1), char(2), char(0x20), char(0x80)}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      put(bad);
      ASSERT_NE(read(), State::fine) << "byte " << at << " changed by " << int{change};
    }
    put(good.substr(0, at));
    ASSERT_EQ(read(), at == 0 || at == first ? State::fine : State::damaged) << "cut after " << at;
    put(good.substr(0, at) + good.substr(at + 1));
    ASSERT_NE(read(), State::fine) << "without byte " << at;
    put(good.substr(0, at) + ' ' + good.substr(at));
    ASSERT_NE(read(), State::fine) << "a space before " << at;
  }
  put(good + "\n");
  EXPECT_EQ(read(), State::damaged);
  put(good);
  EXPECT_EQ(read(), State::fine);
}

TEST_F(Tuning, AnUnfinishedLineDoesNotCountWhileOthersWrite) {
  keep(small, "7");
  const std::string good = text();
  put(good + good.substr(0, 40));
  TuningStore store;
  char choice[tuning_choice_size];
  EXPECT_EQ(store.read(path.c_str()), State::damaged);
  EXPECT_EQ(store.line(), 2u);
  EXPECT_EQ(store.read(path.c_str(), true), State::fine);
  EXPECT_TRUE(store.find(small, choice, sizeof choice));
  put(good.substr(0, 40));
  EXPECT_EQ(store.read(path.c_str(), true), State::fine);
  EXPECT_TRUE(store.is_empty());
  store.clear();
}

TEST_F(Tuning, AnotherFormatIsNamed) {
  keep(small, "7");
  std::string other = text();
  other.replace(other.find(": 2,"), 4, ": 1,");
  put(other);
  TuningStore store;
  EXPECT_EQ(store.read(path.c_str()), State::other_format);
  EXPECT_EQ(store.format(), 1u);
  store.clear();
}

TEST_F(Tuning, AnotherDeviceOrVersionIsTold) {
  keep(small, "7");
  TuningStore store;
  char there[100];
  ASSERT_EQ(store.read(path.c_str()), State::fine);
  EXPECT_EQ(store.differs(large, there, sizeof there), TuningStore::Differs::no);
  TuningProblem other = small;
  other.device = "GPU B";
  EXPECT_EQ(store.differs(other, there, sizeof there), TuningStore::Differs::device);
  EXPECT_STREQ(there, R"(GPU \"A\")");
  other = small;
  other.version = "13.1";
  EXPECT_EQ(store.differs(other, there, sizeof there), TuningStore::Differs::version);
  EXPECT_STREQ(there, "13.1.0");
  other.library = "cudnn";
  EXPECT_EQ(store.differs(other, there, sizeof there), TuningStore::Differs::no);
  store.clear();
}

TEST_F(Tuning, ProcessesThatAddAtOnceLoseNothing) {
  constexpr int processes = 8, entries = 12;
  const auto shape = [](int process, int entry) {
    return "problem " + std::to_string(process) + "." + std::to_string(entry);
  };
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    if (child == 0) {
      bool good = true;
      TuningStore store;
      for (int entry = 0; entry < entries; ++entry) {
        const std::string own = shape(process, entry);
        TuningProblem problem = small;
        problem.problem = own.c_str();
        good = good && store.keep(problem, own.substr(8).c_str(), path.c_str()) == 0;
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  for (int process = 0; process < processes; ++process)
    for (int entry = 0; entry < entries; ++entry) {
      const std::string own = shape(process, entry);
      TuningProblem problem = small;
      problem.problem = own.c_str();
      EXPECT_EQ(in_file(problem), own.substr(8));
    }
}

TEST_F(Tuning, AFullDiskLeavesTheFileAsItWas) {
  keep(small, "7");
  const std::string before = text();
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = before.size(); // past it the kernel would kill with SIGXFSZ
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool failed = keep(large, "9") == -EFBIG && text() == before;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
    _exit(failed && keep(large, "9") == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(in_file(small), "7");
  EXPECT_EQ(in_file(large), "9");
}

TEST_F(Tuning, AFolderThatIsNotThereIsAnError) {
  TuningStore store;
  EXPECT_EQ(store.keep(small, "7", (folder + "/none/tuning.json").c_str()), -ENOENT);
  EXPECT_EQ(TuningStore::probe((folder + "/none/tuning.json").c_str()), -ENOENT);
  EXPECT_EQ(store.read(folder.c_str()), State::unreadable);
  store.clear();
}

} // namespace
} // namespace detshim
