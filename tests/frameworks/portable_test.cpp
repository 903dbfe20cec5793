// DETSHIM_PORTABLE: the same bits on three processors, which qemu emulates; without it they are
// others.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace {

/// SSE4.2; AVX; AVX2 with FMA.
const std::vector<std::string> processors = {"Nehalem", "IvyBridge", "Haswell"};
const std::string script = FRAMEWORKS_FOLDER "/processors.py";

/// The value that a program has of a variable that `detshim run` starts.
std::string given_by_run(const std::string& variable, const Environment& environment) {
  const TemporaryFolder scratch;
  Environment all = environment;
  all.insert({{"DETSHIM_LOG", scratch.log().string()}, {"DETSHIM_QUIET", "1"}});
  const Result told = run({DETSHIM_COMMAND, "run", "--", "printenv", variable}, all);
  return told.out.substr(0, told.out.find('\n'));
}

class Portable : public testing::Test {
protected:
  void SetUp() override {
    if (find_program("qemu-x86_64").empty())
      GTEST_SKIP() << "no qemu-user";
    if (run({"/usr/bin/python3", "-c", "import numpy"}).status != 0)
      GTEST_SKIP() << "no NumPy for /usr/bin/python3";
#if !defined(__x86_64__)
    GTEST_SKIP() << "emulates x86-64 on itself";
#endif
  }

  /// What the script prints on each processor.
  static std::set<std::string> answers(const Environment& environment,
                                       const std::vector<std::string>& on = processors) {
    std::set<std::string> all;
    for (const std::string& processor : on) {
      const TemporaryFolder scratch;
      // Not in qemu's own environment: the library is to be in what it emulates.
      std::vector<std::string> command = {"qemu-x86_64",       "-cpu", processor,          "-U",
                                          "OPENBLAS_CORETYPE", "-E",   "OMP_NUM_THREADS=1"};
      Environment own = environment;
      const bool is_preloaded = !environment.empty();
      if (is_preloaded)
        own.merge(under_shim(scratch));
      for (const auto& [name, value] : own) {
        if (name == "GLIBC_TUNABLES")
          continue; // has commas, at which qemu divides
        command.insert(command.end(), {"-E", name + "=" + value});
      }
      command.insert(command.end(), {"/usr/bin/python3", script});
      const auto tunables = environment.find("GLIBC_TUNABLES");
      const Result result = run(command, tunables == environment.end()
                                             ? Environment{}
                                             : Environment{{tunables->first, tunables->second}});
      EXPECT_EQ(result.status, 0) << processor << '\n' << result.err;
      EXPECT_NE(result.out, "") << processor;
      all.insert(result.out);
      if (!is_preloaded || !environment.contains("DETSHIM_PORTABLE"))
        continue;
      const std::vector<ProcessLog> logs = read_log(scratch.log());
      EXPECT_EQ(logs.size(), 1U);
      for (const ProcessLog& log : logs)
        told_processors.insert(log.records[0].value("cpu", "none"));
    }
    return all;
  }

  static inline std::set<std::string> told_processors;
};

TEST_F(Portable, GivesOneAnswerOnEachProcessor) {
  EXPECT_GT(answers({}).size(), 1U) << "the processors do not matter here, so nothing is shown";
  const Environment seed = {{"DETSHIM_SEED", "42"}};
  EXPECT_GT(answers(seed).size(), 1U);
  Environment portable = {{"DETSHIM_SEED", "42"}, {"DETSHIM_PORTABLE", "1"}};
  portable["GLIBC_TUNABLES"] = given_by_run("GLIBC_TUNABLES", portable);
  EXPECT_EQ(answers(portable).size(), 1U);
  EXPECT_EQ(told_processors.size(), processors.size()) << "the log tells them apart";
}

// The faster level: other code than that of the oldest processors, and refused on those.
TEST_F(Portable, GivesOneAnswerOnEachProcessorWithAvx2) {
  const std::vector<std::string> with_avx2 = {"Haswell", "EPYC"};
  Environment avx2 = {{"DETSHIM_SEED", "42"}, {"DETSHIM_PORTABLE", "avx2"}};
  const Result refused =
      run({"qemu-x86_64", "-cpu", "Nehalem", "-E", "DETSHIM_SEED=42", "-E", "DETSHIM_PORTABLE=avx2",
           "-E", "LD_PRELOAD=" + under_shim(TemporaryFolder{}).at("LD_PRELOAD"), "/bin/true"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("DETSHIM_PORTABLE=\"avx2\" is not accepted"), std::string::npos)
      << refused.err;
  avx2["GLIBC_TUNABLES"] = "glibc.cpu.hwcaps=-AVX512F";
  const std::set<std::string> fast = answers(avx2, with_avx2);
  EXPECT_EQ(fast.size(), 1U);
  Environment oldest = {{"DETSHIM_SEED", "42"}, {"DETSHIM_PORTABLE", "1"}};
  oldest["GLIBC_TUNABLES"] = given_by_run("GLIBC_TUNABLES", oldest);
  EXPECT_NE(answers(oldest, {"Haswell"}), fast);
}

TEST(PortableSettings, AreInTheEnvironmentAndGiveWayToTheUsers) {
  const Environment portable = {{"DETSHIM_SEED", "42"}, {"DETSHIM_PORTABLE", "1"}};
  const auto given = [&](const std::string& variable, Environment more = {}) {
    const TemporaryFolder scratch;
    more.merge(Environment{portable});
    return run({"printenv", variable}, under_shim(scratch, more)).out;
  };
  EXPECT_EQ(given("MKL_CBWR"), "COMPATIBLE\n");
  EXPECT_EQ(given("MKL_CBWR", {{"MKL_CBWR", "AUTO"}}), "COMPATIBLE\n");
  EXPECT_EQ(given("MKL_CBWR", {{"MKL_CBWR", "AVX2"}}), "AVX2\n");
  EXPECT_EQ(given("MKL_CBWR", {{"DETSHIM_PORTABLE", "0"}}), "AUTO\n");
  EXPECT_EQ(given("MKL_CBWR", {{"DETSHIM_DISABLE", "env:MKL_CBWR"}}), "");
  EXPECT_EQ(given("OPENBLAS_CORETYPE", {{"OPENBLAS_CORETYPE", "Haswell"}}), "Haswell\n");
  EXPECT_EQ(given("ATEN_CPU_CAPABILITY"), "default\n");
  EXPECT_EQ(given("ATEN_CPU_CAPABILITY", {{"DETSHIM_PORTABLE", "0"}}), "");
  EXPECT_EQ(given("ATEN_CPU_CAPABILITY", {{"DETSHIM_DISABLE", "env:ATEN_CPU_CAPABILITY"}}), "");
  EXPECT_EQ(given("ATEN_CPU_CAPABILITY", {{"DETSHIM_MODE", "record"}}), "");
  EXPECT_EQ(given("OMP_NUM_THREADS"), "1\n");
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    const Environment avx2 = {{"DETSHIM_PORTABLE", "avx2"}};
    EXPECT_EQ(given("MKL_CBWR", avx2), "COMPATIBLE\n");
    EXPECT_EQ(given("ONEDNN_MAX_CPU_ISA", avx2), "AVX2\n");
    EXPECT_EQ(given("OPENBLAS_CORETYPE", avx2), "Haswell\n");
    EXPECT_EQ(given("ATEN_CPU_CAPABILITY", avx2), "avx2\n");
    EXPECT_TRUE(given("NPY_DISABLE_CPU_FEATURES", avx2).starts_with("AVX512F"));
    EXPECT_EQ(given("GLIBC_TUNABLES", avx2).find("-AVX2"), std::string::npos);
    EXPECT_NE(given("GLIBC_TUNABLES", avx2).find("-AVX512F"), std::string::npos);
    const Environment by_run = {{"DETSHIM_SEED", "42"}, {"DETSHIM_PORTABLE", "avx2"}};
    EXPECT_EQ(given_by_run("GLIBC_TUNABLES", by_run) + "\n", given("GLIBC_TUNABLES", avx2));
  }
  // A program's children have the tunables; the program itself has them by `detshim run`.
  const std::string tunables =
      given("GLIBC_TUNABLES", {{"GLIBC_TUNABLES", "glibc.malloc.check=0"}});
  EXPECT_TRUE(tunables.starts_with("glibc.malloc.check=0:glibc.cpu.hwcaps=-AVX")) << tunables;
  EXPECT_EQ(given("GLIBC_TUNABLES", {{"GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA"}}),
            "glibc.cpu.hwcaps=-FMA\n");
#endif
  EXPECT_TRUE(given_by_run("GLIBC_TUNABLES", portable).starts_with("glibc.cpu.hwcaps=-AVX"));
  EXPECT_EQ(given_by_run("GLIBC_TUNABLES", {{"DETSHIM_SEED", "42"}}), "");
}

} // namespace
