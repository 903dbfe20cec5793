// `detshim doctor`: a line for each thing that will not work, and nothing that runs.
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class Doctor : public testing::Test {
protected:
  static Result doctor(const Arguments& words, const Environment& environment = {}) {
    Arguments all = {DETSHIM_COMMAND, "doctor"};
    all.insert(all.end(), words.begin(), words.end());
    return run(all, environment);
  }

  /// The line on `subject` is a problem, and says that.
  static void expect_problem(const Result& result, const std::string& subject,
                             const std::string& text) {
    EXPECT_EQ(result.status, 3) << result.out << result.err;
    for (const std::string& line : lines(result.out))
      if (line.starts_with("problem  " + subject + " ")) {
        EXPECT_NE(line.find(text), std::string::npos) << line;
        return;
      }
    ADD_FAILURE() << "no problem with " << subject << " in:\n" << result.out << result.err;
  }

  static void expect_fine(const Result& result) {
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_EQ(result.out.find("problem"), std::string::npos) << result.out;
    EXPECT_LE(lines(result.out).size(), 10u);
  }

  const Environment seeded_ = {{"DETSHIM_SEED", "42"}};
  TemporaryFolder scratch_;
};

TEST_F(Doctor, FindsNothingWithWhatWorks) {
  expect_fine(doctor({"--", "/usr/bin/python3", "train.py"}, seeded_));
  expect_fine(doctor({"true"}, seeded_));
  expect_fine(doctor({}, seeded_));
  std::ofstream(scratch_.path() / "script")
      << "#!/bin/sh\ntouch " << (scratch_.path() / "was_run").string() << "\n";
  fs::permissions(scratch_.path() / "script", fs::perms::owner_all);
  expect_fine(doctor({scratch_.path() / "script"}, seeded_));
  EXPECT_FALSE(fs::exists(scratch_.path() / "was_run"));
  EXPECT_NE(doctor({"true"}).out.find("no DETSHIM_SEED"), std::string::npos);
}

TEST_F(Doctor, NamesProgramsThatAreOutOfReach) {
  expect_problem(doctor({STATIC_PROGRAM}), "program", "statically linked");
  expect_problem(doctor({"/no/such"}), "program", "it is not there");
  if (access(GO_PROGRAM, X_OK) == 0) {
    expect_problem(doctor({GO_PROGRAM}), "program", "Go program");
    expect_problem(doctor({GO_PROGRAM "_libc"}), "code", "made by Go");
  }
  if (geteuid() == 0) {
    const std::string copy = scratch_.path() / "od";
    fs::copy_file(find_program("od"), copy);
    ASSERT_EQ(chown(copy.c_str(), 65534, 65534), 0);
    fs::permissions(copy, fs::perms::set_uid, fs::perm_options::add);
    expect_problem(doctor({copy}), "program", "drops LD_PRELOAD");
  }
}

TEST_F(Doctor, NamesWhatIsInTheWay) {
  expect_problem(doctor({"ssh", "host", "true"}), "launcher", "starts its program elsewhere");
  expect_problem(doctor({"true"}, {{"LD_PRELOAD", "/no/such.so"}}), "preloads",
                 "will not find /no/such.so");
  expect_problem(doctor({"true"}, {{"DETSHIM_MODE", "observe"}}), "settings", "pins nothing");
  expect_problem(doctor({"true"}, {{"DETSHIM_LOG", "/etc/passwd/log"}}), "log", "is no folder");
  const fs::path folder = scratch_.path() / "a folder";
  fs::create_directory(folder);
  fs::copy_file(DETSHIM_LIBRARY, folder / "libdetshim.so");
  expect_problem(doctor({"--library", folder / "libdetshim.so", "true"}), "library",
                 "with a space or a colon");
  std::ofstream(scratch_.path() / "libdetshim.so") << "no library";
  expect_problem(doctor({"--library", scratch_.path() / "libdetshim.so", "true"}), "library",
                 "is no ELF file");
  EXPECT_NE(doctor({"true"}, {{"CUDA_INJECTION64_PATH", "/no/nsys.so"}})
                .out.find("CUDA_INJECTION64_PATH=/no/nsys.so"),
            std::string::npos);
}

} // namespace
