// The random devices: however they are read, they have no end, give the same bytes, and cost no
// memory.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using Arguments = std::vector<std::string>;

const Environment seed{{"DETSHIM_SEED", "42"}};

Result pinned(const Arguments& command, const Environment& environment = seed) {
  const TemporaryFolder scratch;
  return run(command, under_shim(scratch, environment));
}

class DeviceWays : public testing::TestWithParam<const char*> {};

TEST_P(DeviceWays, GoOnForEverAndAreRepeatable) {
  const Arguments command = {DEVICE_WAYS, GetParam()};
  const Result native = run(command);
  ASSERT_EQ(native.status, 0) << native.err;
  const Result first = pinned(command);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(pinned(command), first);
  EXPECT_NE(native.out, first.out) << "nothing was pinned";
  EXPECT_NE(pinned(command, {{"DETSHIM_SEED", "43"}}).out, first.out);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceWays,
                         testing::Values("read", "by_number", "dup", "read_chk", "readv", "pread",
                                         "pread_chk", "preadv", "preadv2", "fread", "fread_chk",
                                         "unbuffered", "fdopen", "getc", "getc_unlocked", "uflow",
                                         "fgets", "fgets_chk", "fscanf", "getline", "reopened"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

class DeviceBytes : public testing::TestWithParam<const char*> {};

// The bytes do not depend on the way, nor on the sizes of the reads.
TEST_P(DeviceBytes, AreTheSameInEachWay) {
  EXPECT_EQ(pinned({DEVICE_WAYS, GetParam()}).out, pinned({DEVICE_WAYS, "read"}).out);
}

INSTANTIATE_TEST_SUITE_P(All, DeviceBytes,
                         testing::Values("by_number", "dup", "read_chk", "readv", "pread",
                                         "pread_chk", "preadv", "preadv2", "fread", "fread_chk",
                                         "unbuffered", "fdopen", "getc", "getc_unlocked", "uflow",
                                         "getline", "reopened"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST(Device, RefusesWhatTheKernelsRefuses) {
  EXPECT_EQ(pinned({DEVICE_WAYS, "refused"}), run({DEVICE_WAYS, "refused"}));
}

// As by kernels from 5.10 to 5.18.
TEST(Device, RefusesToBeSent) { EXPECT_EQ(pinned({DEVICE_WAYS, "sent"}).out, "11\n"); }

TEST(Device, IsACharacterDeviceToStatx) {
  const Arguments command = {DEVICE_WAYS, "status"};
  const Result native = run(command);
  ASSERT_EQ(native.status, 0) << native.err;
  EXPECT_EQ(pinned(command), native);
  EXPECT_NE(pinned(command, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "statx"}}).out,
            native.out);
}

// What the kernel answers where memory is not there, or in part: no signal, and as many bytes.
TEST(Device, AndEntropyFillWhatMemoryThereIs) {
  const Arguments command = {BORDERS_PROGRAM, "memory"};
  const Result native = run(command);
  ASSERT_EQ(native.status, 0) << native.err;
  EXPECT_EQ(pinned(command), native);
}

TEST(Device, IsWrittenToByThoseAloneThatOpenedItForThat) {
  const TemporaryFolder there, first, second;
  const Arguments command = {BORDERS_PROGRAM, "rights"};
  const Result native = run(command, {}, there.path());
  ASSERT_EQ(native.status, 0) << native.err;
  EXPECT_EQ(run(command, under_shim(first, seed), first.path()), native);
  // and the bytes are those of the run, whatever was written
  EXPECT_EQ(run(command, under_shim(second, seed), second.path()), native);
  EXPECT_EQ(contents(first.path() / "bytes"), contents(second.path() / "bytes"));
  EXPECT_NE(contents(first.path() / "bytes"), contents(there.path() / "bytes"));
}

TEST(Device, CostsNoMemory) { EXPECT_EQ(pinned({DEVICE_WAYS, "memory"}).out, "bounded\n"); }

/// The records of a kind that the processes of a run left, by their path or program.
std::vector<std::string> recorded(const TemporaryFolder& scratch, const std::string& action) {
  std::vector<std::string> all;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      if (call["do"] == action)
        all.push_back(call.value("path", call.value("program", "")));
  return all;
}

// `od </dev/urandom` from a shell that the library is not in.
TEST(DeviceThatWasOpenBefore, IsPinnedAndRecorded) {
  for (const char* redirection : {" standard_input </dev/urandom", " stdin </dev/urandom",
                                  " standard_input 11</dev/urandom <&11"}) {
    const auto drawn = [&](const char* number, const TemporaryFolder& scratch) {
      std::string command;
      for (const auto& [name, value] : under_shim(scratch, {{"DETSHIM_SEED", number}}))
        command += name + "='" + value + "' ";
      return run({"bash", "-c", command + DEVICE_WAYS + redirection});
    };
    const TemporaryFolder first, second, other;
    const Result result = drawn("42", first);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.out, pinned({DEVICE_WAYS, "read"}).out) << redirection;
    EXPECT_EQ(drawn("42", second), result);
    EXPECT_NE(drawn("43", other).out, result.out);
    const std::vector<std::string> paths = recorded(first, "pin");
    ASSERT_FALSE(paths.empty()) << redirection;
    EXPECT_EQ(paths[0], "descriptor 0, open before the program began");
  }
}

TEST(DeviceThatWasOpenBefore, IsLeftAloneOnRequest) {
  const TemporaryFolder scratch;
  std::string command;
  for (const auto& [name, value] :
       under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", "open"}}))
    command += name + "='" + value + "' ";
  command += DEVICE_WAYS " standard_input </dev/urandom";
  EXPECT_NE(run({"bash", "-c", command}).out, run({"bash", "-c", command}).out);
}

// A program that the library is not in reads without a hook: it gets the device itself, which has
// no end, and that is said.
TEST(DeviceThatIsInherited, HasNoEndInAProgramThatIsNotCovered) {
  const std::string python =
      "import os; fd = os.open('/dev/urandom', os.O_RDONLY); os.dup2(fd, 0); ";
  const std::vector<Arguments> heirs = {
      {"sh", "-c", DEVICE_WAYS_STATIC " standard_input </dev/urandom; true"},
      {"bash", "-c", "exec 0</dev/urandom; exec " DEVICE_WAYS_STATIC " standard_input"},
      {"sh", "-c", "env -i " DEVICE_WAYS " standard_input </dev/urandom; true"},
      {"/usr/bin/python3", "-c",
       python + "pid = os.posix_spawn('" DEVICE_WAYS_STATIC
                "', ['x', 'standard_input'], os.environ); "
                "os.waitpid(pid, 0); print(len(os.read(0, 100000)))"},
      {"/usr/bin/python3", "-c",
       python + "import subprocess; subprocess.run(['" DEVICE_WAYS_STATIC "', 'standard_input'])"}};
  for (const Arguments& heir : heirs) {
    const TemporaryFolder scratch;
    const Result native = run(heir);
    ASSERT_EQ(native.status, 0) << native.err;
    const Result result = run(heir, under_shim(scratch, seed));
    EXPECT_EQ(result.status, 0) << heir.back();
    EXPECT_EQ(result.err, "") << heir.back();
    EXPECT_EQ(lines(result.out).size(), lines(native.out).size()) << heir.back();
    const std::vector<std::string> names = recorded(scratch, "uncovered");
    EXPECT_NE(std::find(names.begin(), names.end(), "descriptor 0"), names.end()) << heir.back();
  }
}

// libc reads such a FILE itself, and it can be no other: the kernel's bytes, and it is said.
TEST(DeviceOfAReopenedFile, IsRecordedAsUnfixed) {
  const TemporaryFolder scratch;
  const Result result = run({DEVICE_WAYS, "reopened_other"}, under_shim(scratch, seed));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(recorded(scratch, "nondeterministic"), std::vector<std::string>{"/dev/urandom"});
  EXPECT_EQ(recorded(scratch, "pin"), std::vector<std::string>{});
}

} // namespace
