// What a log says of the kernels that were launched. Programs are nvcc's; the runtime and the
// driver are doubles, under which nothing runs: what is judged is the kernels' code.
#include "files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace {

using nlohmann::json;
using Arguments = std::vector<std::string>;

const std::string folder = KERNEL_PROGRAMS "/";

class Kernels : public testing::Test {
protected:
  /// Runs the program under the library, and reads its log.
  json judged(const Arguments& command, Environment more = {}) {
    std::filesystem::remove_all(scratch_.log());
    more["LD_LIBRARY_PATH"] = KERNEL_DOUBLES;
    more.try_emplace("DETSHIM_SEED", "42");
    result_ = run(command, under_shim(scratch_, more));
    EXPECT_EQ(result_.status, 0) << result_.out << result_.err;
    return read();
  }

  json read() const {
    const Result log = run({DETSHIM_COMMAND, "log", scratch_.log().string(), "--json"});
    const json document = json::parse(log.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << log.out << log.err;
    return document.is_object() ? document : json::object();
  }

  Result result_;
  TemporaryFolder scratch_;
};

/// The only reason.
json only_reason(const json& document) {
  EXPECT_EQ(document["reasons"].size(), 1U) << document["reasons"];
  return document["reasons"].empty() ? json::object() : document["reasons"][0];
}

TEST_F(Kernels, ThatAddInARaceAreNamedWithTheirLineAndLaunches) {
  const json document = judged({folder + "launches", "racing:200", "quiet:3"});
  EXPECT_EQ(document["verdict"], "partial");
  const json reason = only_reason(document);
  EXPECT_EQ(reason["kind"], "kernels");
  EXPECT_EQ(reason["function"], "racing_sum<float>");
  EXPECT_EQ(reason["text"], detshim::reason_text({.finding = detshim::Finding::racing_kernel,
                                                  .function = "racing_sum<float>",
                                                  .place = "launches.cu:8",
                                                  .count = 200}));
}

TEST_F(Kernels, ThatRaceAndAreNotLaunchedDoNotCount) {
  const json document = judged({folder + "launches", "quiet:3"});
  EXPECT_EQ(document["verdict"], "covered") << document["reasons"];
  EXPECT_EQ(document["own_kernels"], json::array({folder + "launches"}));
}

TEST_F(Kernels, ThatMayDependOnTheOrderAreUnverified) {
  const json reason = only_reason(judged({folder + "launches", "ticket", "quiet"}));
  EXPECT_EQ(reason["verdict"], "unverified");
  EXPECT_EQ(reason["names"], json::array({"ticket (launches.cu:18, ATOMG.ADD)"})) << reason;
}

TEST_F(Kernels, OfAFileThatChangedSinceAreUnknown) {
  const std::filesystem::path copy = scratch_.path() / "copied";
  std::filesystem::copy_file(folder + "launches", copy);
  EXPECT_EQ(judged({copy.string(), "quiet"})["verdict"], "covered");
  std::filesystem::copy_file(folder + "loads", copy,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(read()["verdict"], "unverified");
}

// ---- Code that is loaded as the program runs ----

class LoadedKernels : public Kernels, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Code, LoadedKernels,
                         testing::Values("sums.cubin", "sums.ptx", "sums.fatbin"),
                         [](const auto& file) {
                           std::string name = file.param;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST_P(LoadedKernels, AreKeptAndJudged) {
  const std::filesystem::path code = scratch_.path() / "code";
  const auto load = [&](const Arguments& kernels) {
    std::filesystem::copy_file(folder + GetParam(), code,
                               std::filesystem::copy_options::overwrite_existing);
    Arguments command{folder + "loads", code.string()};
    command.insert(command.end(), kernels.begin(), kernels.end());
    json document = judged(command);
    std::filesystem::remove(code); // what is read is the log's copy
    return document;
  };
  load({"add_bits"});
  EXPECT_EQ(read()["verdict"], "covered") << read()["reasons"];
  load({"sum_f32"});
  const json reason = only_reason(read());
  EXPECT_EQ(reason["verdict"], "partial") << reason;
  EXPECT_EQ(reason["function"], "sum_f32");
  // The second kernel has the handle of the first, whose module is gone.
  load({"add_bits", "sum_f32"});
  EXPECT_EQ(read()["verdict"], "partial") << read()["reasons"];
  // A name that is in no code that was loaded.
  load({"add_bits", "elsewhere"});
  EXPECT_EQ(only_reason(read())["verdict"], "unverified") << read()["reasons"];
}

TEST_F(Kernels, LoadedFromAFileAreJudged) {
  const json document =
      judged({folder + "loads", "file", folder + "sums.cubin", "add_bits", "sum_f32"});
  EXPECT_EQ(only_reason(document)["function"], "sum_f32") << document["reasons"];
}

TEST_F(Kernels, AreNeitherKeptNorCountedWhereTheHooksAreOff) {
  result_ =
      run({folder + "loads", folder + "sums.cubin", "add_bits"},
          under_shim(scratch_, {{"LD_LIBRARY_PATH", KERNEL_DOUBLES}, {"DETSHIM_DISABLE", "cuda"}}));
  EXPECT_EQ(result_.status, 0) << result_.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.log()));
}

TEST_F(Kernels, ThatAreLaunchedWithoutANameAreUnknown) {
  for (const std::string way : {"node", "changed", "grid"}) {
    const json reason =
        only_reason(judged({folder + "loads", folder + "sums.cubin", "add_bits", way}));
    EXPECT_EQ(reason["verdict"], "unverified") << way;
    EXPECT_NE(reason["text"].get<std::string>().find("a graph or an old launch"), std::string::npos)
        << reason;
  }
}

// What is kept first is not to take the folder before the run's log has it.
TEST_F(Kernels, LoadedFirstAreInTheNewestLog) {
  Environment environment =
      under_shim(scratch_, {{"LD_LIBRARY_PATH", KERNEL_DOUBLES}, {"DETSHIM_SEED", "42"}});
  environment.erase("DETSHIM_LOG");
  EXPECT_EQ(run({folder + "loads", folder + "sums.cubin", "sum_f32"}, environment, scratch_.path())
                .status,
            0);
  const Result log = run({DETSHIM_COMMAND, "log", "--json"}, {}, scratch_.path());
  EXPECT_EQ(json::parse(log.out, nullptr, false)["verdict"], "partial") << log.out << log.err;
}

// ---- scan --gpu ----

TEST_F(Kernels, OfPtxAreReadWhateverItsLayout) {
  const std::string
      begin =
          ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n",
      end = "ret;\n}\n";
  const std::filesystem::path file = scratch_.path() / "k.ptx";
  const auto answer = [&](const std::string& text) {
    std::ofstream(file) << text;
    const Result result = run({DETSHIM_COMMAND, "scan", "--gpu", "--json", file.string()});
    const json document = json::parse(result.out, nullptr, false);
    return document.is_object() && document["kernels"].size() == 1
               ? document["kernels"][0].value("answer", "")
               : result.err;
  };
  EXPECT_EQ(answer(begin + end), "none");
  for (const std::string body :
       {"red.global.add.f32 [%rd1], %f1;", "/* sum */ red.global.add.f32 [%rd1], %f1;",
        "red/**/.global.add.f32 [%rd1], %f1;", "red\n.global.add.f32 [%rd1], %f1;",
        "@!%p1 red.global.add.f32 [%rd1], %f1;", "$L1: red.global.add.f32 [%rd1], %f1;",
        ".loc 1 2 3 red.global.add.f32 [%rd1], %f1;",
        "{ red.global.add.v2.f32 [%rd1], {%f1, %f2}; }",
        "// none\r\nred.global.add.f32 [%rd1], %f1;"})
    EXPECT_EQ(answer(begin + body + end), "adds") << body;
  EXPECT_EQ(answer("/* " + std::string(5000, '*') + " */" + begin +
                   "red.global.add.f32 [%rd1], %f1;" + end),
            "adds");
  EXPECT_EQ(answer(begin + "atom.global.add.u32 %r1, [%rd1], 1; st.u32 [%rd2], %r1;" + end), "may");
  EXPECT_EQ(answer(begin + "atom.global.add.u32 %r1, [%rd1], 1;" + end), "none");
}

TEST_F(Kernels, ThatAProgramHasAsDataAreFound) {
  const std::filesystem::path object = scratch_.path() / "data.o";
  ASSERT_EQ(
      run({"/usr/bin/ld", "-r", "-b", "binary", "-o", object.string(), "sums.cubin"}, {}, folder)
          .status,
      0);
  const Result found = run({DETSHIM_COMMAND, "scan", "--gpu", "--json", object.string()});
  std::set<std::string> names;
  const json document = json::parse(found.out, nullptr, false);
  for (const json& kernel : document["kernels"])
    names.insert(kernel["name"]);
  EXPECT_TRUE(names.contains("sum_f32")) << found.out << found.err;
}

TEST_F(Kernels, AreListedByScan) {
  const Result text = run({DETSHIM_COMMAND, "scan", "--gpu", folder + "launches"});
  EXPECT_EQ(text.status, 3);
  EXPECT_NE(text.out.find("launches.cu:8"), text.out.npos) << text.out;
  EXPECT_NE(text.out.find("ATOMG.ADD"), text.out.npos) << text.out;
  const Result json_text =
      run({DETSHIM_COMMAND, "scan", "--gpu", "--json", "--arch", "sm_80", folder + "sums.fatbin"});
  const json document = json::parse(json_text.out, nullptr, false);
  ASSERT_TRUE(document.is_object()) << json_text.out << json_text.err;
  EXPECT_GT(document["kernels"].size(), 10U);
  for (const json& kernel : document["kernels"])
    EXPECT_EQ(kernel["file"], folder + "sums.fatbin");
  EXPECT_EQ(run({DETSHIM_COMMAND, "scan", "--gpu", folder + "quiet.cubin"}).status, 0);
  EXPECT_NE(run({DETSHIM_COMMAND, "scan", "--gpu", KERNEL_PROGRAMS}).out.find("sums.cubin: "),
            std::string::npos);
}

TEST_F(Kernels, WrongUseHasOneClearLine) {
  for (const auto& [arguments, says] :
       {std::pair<Arguments, std::string>{{"/bin/true"}, "holds no code for a GPU"},
        {{"/nonexistent"}, "/nonexistent"},
        {{"--arch", "sm_x", "/bin/true"}, "sm_x"}}) {
    Arguments command{DETSHIM_COMMAND, "scan", "--gpu"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Result wrong = run(command);
    EXPECT_EQ(wrong.status, 2) << wrong.err;
    EXPECT_NE(wrong.err.find(says), std::string::npos) << wrong.err;
    EXPECT_EQ(std::ranges::count(wrong.err, '\n'), 1) << wrong.err;
  }
}

} // namespace
