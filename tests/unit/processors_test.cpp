// How many processors a control group has the time of.
#include "files.h"

#include "run/processors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

class ControlGroup : public testing::Test {
protected:
  void write(const fs::path& file, const std::string& text) const {
    const fs::path whole = scratch_.path() / file;
    fs::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  int processors() const {
    return detshim::processors_of_control_group(scratch_.path() / "own", scratch_.path() / "root");
  }

  const TemporaryFolder scratch_;
};

TEST_F(ControlGroup, OfVersion2HasTheLeastQuotaOnItsWay) {
  EXPECT_EQ(processors(), 0);
  write("own", "0::/a/b\n");
  EXPECT_EQ(processors(), 0);
  write("root/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processors(), 0);
  write("root/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors(), 3);
  write("root/a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(processors(), 1);
  write("own", "0::/\n");
  EXPECT_EQ(processors(), 0);
  write("root/cpu.max", "400000 100000\n"); // in a container
  EXPECT_EQ(processors(), 4);
}

TEST_F(ControlGroup, OfVersion1HasItInTheFolderOfItsControllers) {
  write("own", "9:name=systemd:/\n4:cpu,cpuacct:/docker/4711\n3:cpuset:/\n0::/\n");
  write("root/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("root/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), 0);
  write("root/cpu,cpuacct/cpu.cfs_quota_us", "200000\n"); // whose path is the host's
  EXPECT_EQ(processors(), 2);
  write("root/cpu,cpuacct/docker/4711/cpu.cfs_quota_us", "100000\n");
  write("root/cpu,cpuacct/docker/4711/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors(), 1);
}

TEST(Processors, AreOneAtLeast) {
  EXPECT_GE(detshim::usable_processors(), 1);
  EXPECT_LE(detshim::usable_processors(), detshim::processors_to_run_on());
}

} // namespace
