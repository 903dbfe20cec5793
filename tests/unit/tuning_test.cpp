#include "core/tuning/tuning_file.h"

#include "files.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
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
  int write(const TuningProblem& problem, const char* choice) const {
    TuningStore store;
    EXPECT_TRUE(store.keep(problem, choice));
    const int error = store.write(path.c_str());
    store.clear();
    return error;
  }
  bool others_left() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path() != path && entry.path() != path + ".lock") return true;
    return false;
  }

  const TemporaryFolder scratch;
  const std::string folder = scratch.path();
  const std::string path = folder + "/tuning.json";
};

TEST_F(Tuning, ComesBackFromTheFile) {
  EXPECT_EQ(read(), State::missing);
  EXPECT_EQ(write(small, "7 workspace 0"), 0);
  EXPECT_EQ(write(large, "9 workspace 1024"), 0);
  EXPECT_EQ(in_file(small), "7 workspace 0");
  EXPECT_EQ(in_file(large), "9 workspace 1024");
  TuningProblem other = small;
  other.problem = "64 x 6";
  EXPECT_EQ(in_file(other), "");
  EXPECT_FALSE(others_left());
}

// docs/TUNING_FILE.md shows it so.
TEST_F(Tuning, IsReadableText) {
  write(large, "9");
  write(small, "7");
  const std::string start = R"({"device": "GPU \"A\"", "library": "cublaslt", "version": "13.1.0", )"
                            R"("operation": "matmul", "problem": ")";
  const std::string expected = "{\"detshim_tuning\": 1, \"choices\": [\n" + start +
                               "4096 x 4096\", \"choice\": \"9\"},\n" + start +
                               "64 x 64\", \"choice\": \"7\"}\n], \"sum\": \"";
  ASSERT_EQ(text().substr(0, expected.size()), expected);
  EXPECT_EQ(text().size(), expected.size() + 16 + 3);
}

TEST_F(Tuning, TheLastChoiceStays) {
  write(small, "7");
  write(small, "8");
  EXPECT_EQ(in_file(small), "8");
  TuningStore store;
  char choice[tuning_choice_size];
  ASSERT_EQ(store.read(path.c_str()), State::fine);
  EXPECT_TRUE(store.keep(small, "8"));
  EXPECT_FALSE(store.has_unwritten()) << "as in the file";
  EXPECT_TRUE(store.keep(small, "9"));
  EXPECT_TRUE(store.keep(small, "8"));
  EXPECT_TRUE(store.find(small, choice, sizeof choice));
  EXPECT_STREQ(choice, "8");
  store.clear();
}

TEST_F(Tuning, TextsThatDoNotFitAreNotKept) {
  TuningStore store;
  const std::string long_text(2001, 'x'), long_choice(tuning_choice_size, 'x'), escaped(1000, '\1');
  TuningProblem problem = small;
  problem.problem = long_text.c_str();
  EXPECT_FALSE(store.keep(problem, "7"));
  problem.problem = escaped.c_str();
  EXPECT_FALSE(store.keep(problem, "7"));
  EXPECT_FALSE(store.keep(small, long_choice.c_str()));
  EXPECT_FALSE(store.keep(small, ""));
  EXPECT_FALSE(store.keep(small, "a\"b"));
  const std::string longest(1900, 'x');
  problem.problem = longest.c_str();
  EXPECT_TRUE(store.keep(problem, long_choice.c_str() + 1));
  EXPECT_EQ(store.write(path.c_str()), 0);
  EXPECT_EQ(in_file(problem), long_choice.substr(1));
  store.clear();
}

TEST_F(Tuning, DamageAtAnyByteIsSeen) {
  write(small, "7 workspace 0");
  write(large, "9 workspace 1024");
  const std::string good = text();
  for (size_t at = 0; at < good.size(); ++at) {
    for (const char change : {char(1), char(2), char(0x20), char(0x80)}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ change);
      put(bad);
      ASSERT_NE(read(), State::fine) << "byte " << at << " changed by " << int{change};
    }
    put(good.substr(0, at));
    ASSERT_EQ(read(), State::damaged) << "cut after " << at;
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

TEST_F(Tuning, DamageIsNamedByItsLine) {
  write(small, "7");
  write(large, "9");
  std::string bad = text();
  bad[bad.find("64 x 64")] = '"';
  put(bad);
  TuningStore store;
  EXPECT_EQ(store.read(path.c_str()), State::damaged);
  EXPECT_EQ(store.line(), 3u);
  store.clear();
}

TEST_F(Tuning, EntriesOutOfOrderAreDamage) {
  // Also with a right sum: what this library would not write, it does not read.
  const std::string start =
      R"({"device": "d", "library": "l", "version": "1", "operation": "o", "problem": ")";
  for (const std::string second : {"a", "b", "c"}) {
    std::string made = "{\"detshim_tuning\": 1, \"choices\": [\n" + start + "b\", \"choice\": \"1\"},\n" +
                       start + second + "\", \"choice\": \"1\"}\n";
    uint64_t sum = 0xCBF29CE484222325;
    for (const unsigned char c : made) sum = (sum ^ c) * 0x100000001B3;
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(sum));
    put(made + "], \"sum\": \"" + digits + "\"}\n");
    EXPECT_EQ(read(), second == "c" ? State::fine : State::damaged) << second;
  }
}

TEST_F(Tuning, AnotherFormatIsNamed) {
  write(small, "7");
  std::string other = text();
  other.replace(other.find(": 1,"), 4, ": 2,");
  put(other);
  TuningStore store;
  EXPECT_EQ(store.read(path.c_str()), State::other_format);
  EXPECT_EQ(store.format(), 2u);
  // And it is not written over.
  EXPECT_TRUE(store.keep(small, "8"));
  EXPECT_LT(store.write(path.c_str()), 0);
  EXPECT_EQ(text(), other);
  EXPECT_TRUE(store.has_unwritten());
  store.clear();
}

TEST_F(Tuning, AnotherDeviceOrVersionIsTold) {
  write(small, "7");
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
        good = good && store.keep(problem, own.substr(8).c_str());
        int error;
        while ((error = store.write(path.c_str())) == -11) {
        }
        good = good && error == 0;
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

TEST_F(Tuning, AKilledWriterLeavesAWholeFile) {
  write(small, "0");
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      TuningStore store;
      for (int i = 0;; ++i) {
        store.keep(small, std::to_string(i).c_str());
        store.write(path.c_str());
      }
    }
    usleep(static_cast<useconds_t>(2000 + 700 * round));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_EQ(read(), State::fine);
    EXPECT_EQ(write(large, std::to_string(round).c_str()), 0) << "the killed one's lock is free";
  }
  EXPECT_EQ(in_file(large), "19");
}

TEST_F(Tuning, AFullDiskLeavesTheFileAsItWas) {
  write(small, "7");
  const std::string before = text();
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = before.size(); // past it the kernel would kill with SIGXFSZ
    setrlimit(RLIMIT_FSIZE, &limit);
    TuningStore store;
    const bool kept = store.keep(large, "9");
    const bool failed = store.write(path.c_str()) < 0;
    const bool waits = store.has_unwritten();
    limit.rlim_cur = limit.rlim_max; // room again: what waited is written
    setrlimit(RLIMIT_FSIZE, &limit);
    const bool again = text() == before && store.write(path.c_str()) == 0;
    _exit(kept && failed && waits && again ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(in_file(small), "7");
  EXPECT_EQ(in_file(large), "9");
  EXPECT_FALSE(others_left());
}

TEST_F(Tuning, AFolderThatIsNotThereIsAnError) {
  TuningStore store;
  EXPECT_TRUE(store.keep(small, "7"));
  EXPECT_EQ(store.write((folder + "/none/tuning.json").c_str()), -ENOENT);
  EXPECT_TRUE(store.has_unwritten());
  EXPECT_EQ(store.read(folder.c_str()), State::unreadable);
  store.clear();
}

} // namespace
} // namespace detshim
