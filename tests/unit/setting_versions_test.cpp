#include "common/version_range.h"
#include "core/policy/setting_versions.h"
#include "core/policy/settings_table.h"
#include "files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace detshim {
namespace {

std::string version_of(const std::filesystem::path& path, const char* names) {
  Text<32> version;
  library_version(path.c_str(), names, version);
  return version.c_str();
}

void make_file(const std::filesystem::path& path) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << "x";
}

class VersionOfALibrary : public testing::Test {
protected:
  TemporaryFolder scratch_;
  const std::filesystem::path packages_ = scratch_.path() / "lib/python3.12/site-packages";
};

TEST_F(VersionOfALibrary, IsThatOfItsWheel) {
  make_file(packages_ / "torch/lib/libtorch.so");
  make_file(packages_ / "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so");
  for (const char* name :
       {"torchvision-0.25.0.dist-info", "torch-2.10.1+cu130.dist-info", "torch-extra",
        "nvidia_nccl_cu12-2.27.5.dist-info", "flash_attn-2.8.3.post2.dist-info"})
    make_file(packages_ / name / "METADATA");
  EXPECT_EQ(version_of(packages_ / "torch/lib/libtorch.so", "torch"), "2.10.1");
  EXPECT_EQ(version_of(packages_ / "torch/lib/libtorch.so", "jaxlib|torch"), "2.10.1");
  EXPECT_EQ(version_of(packages_ / "torch/lib/libtorch.so", "tor|torchvision"), "");
  make_file(packages_ / "nvidia/nccl/lib/libnccl.so.2");
  EXPECT_EQ(version_of(packages_ / "nvidia/nccl/lib/libnccl.so.2", "libnccl|nvidia_nccl*"),
            "2.27.5");
  EXPECT_EQ(version_of(packages_ / "nvidia/nccl/lib/libnccl.so.2", "libnccl"), "2");
  EXPECT_EQ(version_of(packages_ / "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so",
                       "flash_attn|flash_attn_2_cuda"),
            "2.8.3");
}

TEST_F(VersionOfALibrary, IsAtTheEndOfItsFilesName) {
  make_file(scratch_.path() / "libnccl.so.2.27.7");
  std::filesystem::create_symlink("libnccl.so.2.27.7", scratch_.path() / "libnccl.so.2");
  make_file(scratch_.path() / "libnccl_static.so.1");
  EXPECT_EQ(version_of(scratch_.path() / "libnccl.so.2.27.7", "libnccl"), "2.27.7");
  EXPECT_EQ(version_of(scratch_.path() / "libnccl.so.2", "libnccl"), "2.27.7");
  EXPECT_EQ(version_of(scratch_.path() / "libnccl_static.so.1", "libnccl"), "");
  EXPECT_EQ(version_of(scratch_.path() / "none.so", "libnccl"), "");
}

TEST(VersionRange, IncludesItsEndsAndWhatBeginsLikeThem) {
  for (const char* within : {"2.5", "2.5.1", "2.31", "2.32", "2.32.3", "2", ""})
    EXPECT_TRUE(version_is_within(within, "2.5..2.32")) << within;
  for (const char* outside : {"1", "1.99", "2.4", "2.4.99", "2.33", "2.320", "3"})
    EXPECT_FALSE(version_is_within(outside, "2.5..2.32")) << outside;
  EXPECT_TRUE(version_is_within("1", ""));
  EXPECT_TRUE(version_is_within("13.10.0", "10.2..13"));
}

// Of every value that is forced somebody has asked in which versions it is good, in which it harms,
// and where that stands. Where no version tells its reader, the whole of its documentation does.
TEST(VersionRange, IsInTheTableForEachSettingThatIsForced) {
  using namespace settings_table;
  const std::set<std::string> told_by_nothing = {
      "KMP_DETERMINISTIC_REDUCTION", "OMP_DYNAMIC",         "MKL_DYNAMIC", "MKL_CBWR",
      "FD_DETERMINISTIC_MODE",       "MAMBA_DETERMINISTIC", "I_MPI_CBWR",  "nnUNet_n_proc_DA"};
  for (size_t i = 0; i < setting_count; ++i) {
    const std::string known = settings[i].known, harms = settings[i].harms;
    EXPECT_NE(*settings[i].source, 0) << settings[i].name;
    EXPECT_TRUE(i < forced_count || (known.empty() && harms.empty())) << settings[i].name;
    if (i >= forced_count)
      continue;
    EXPECT_EQ(*settings[i].library == 0, told_by_nothing.contains(settings[i].name))
        << settings[i].name;
    if (*settings[i].library == 0)
      continue;
    ASSERT_NE(known.find(".."), std::string::npos) << settings[i].name;
    EXPECT_TRUE(version_is_within(known.substr(0, known.find("..")).c_str(), known.c_str()))
        << known;
    // A version that ends right programs is not a good one: that it is there is recorded.
    if (const size_t number = harms.find_first_of("0123456789");
        harms.find("ends in an error") < harms.size())
      EXPECT_EQ(harms.starts_with("before"),
                version_is_within(harms.c_str() + number, known.c_str()))
          << harms;
  }
}

} // namespace
} // namespace detshim
