// `detshim report` from outside: its pages are read by a parser, which takes nothing that is not as
// it should be.
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

enum { done = 0, wrong_usage = 2 };

/// Would load something, and run something, if it were not text.
const std::string attack = "</script></title><img src=x onerror=alert(1)>\"'&lt;";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Report : public testing::Test {
protected:
  fs::path folder() const { return scratch_.path(); }
  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((folder() / file).parent_path());
    std::ofstream(folder() / file) << text;
  }

  Result detshim(Words words, const Environment& environment = {}) const {
    words.insert(words.begin(), DETSHIM_COMMAND);
    return run(words, environment, folder());
  }

  /// Runs a script of Python several times; what it left is in `kept`.
  void verify(const Words& options, const std::string& script, const Words& arguments = {}) const {
    write("train.py", script);
    Words words = {"verify", "--library", DETSHIM_LIBRARY, "--log", "kept"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", "/usr/bin/python3", "train.py"});
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Result result = detshim(words);
    ASSERT_TRUE(fs::exists(folder() / "kept" / "verify.json")) << result.out << result.err;
  }

  /// What the parser found in the page about `place`.
  Json page_of(const std::string& place) const {
    const Result result = detshim({"report", place, "-o", "page.html"});
    EXPECT_EQ(result.status, done) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    const Result checked = run({"/usr/bin/python3", CHECK_PAGE, (folder() / "page.html").string()});
    EXPECT_EQ(checked.status, 0) << checked.err;
    return Json::parse(checked.out, nullptr, false);
  }

  /// One line on stderr, and status 2.
  void expect_refused(const Words& words, const std::string& why) const {
    const Result result = detshim(words);
    EXPECT_EQ(result.status, wrong_usage);
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(contains(result.err, why)) << result.err;
    EXPECT_EQ(lines(result.err).size(), 1U) << result.err;
  }

  TemporaryFolder scratch_;
};

std::string start_line(int rank, const std::string& argument = "./train") {
  return R"({"t":"start","v":1,"detshim":"0.1.0","run":"20261121T003512-4711","pid":)" +
         std::to_string(4711 + rank) + R"(,"rank":)" + std::to_string(rank) +
         R"(,"path":"0","program":"/bin/train","args":[)" + Json(argument).dump() +
         R"(],"mode":"enforce","policy":"fixed","seed":"42","seed_from":"DETSHIM_SEED","layout":"fixed","env":[]})"
         "\n";
}

std::string call_line(int number, const std::string& what, const std::string& place) {
  return R"({"t":"call","n":)" + std::to_string(number) + R"(,"thread":"0",)" + what +
         R"(,"why":"so","at":"/bin/train+0x)" + place + "\"}\n";
}

const std::string end_line = R"({"t":"end","counts":{}})"
                             "\n";

const std::string drifting_script = contents(PROGRAMS "drifting.py");

TEST_F(Report, OfRunsThatDifferNamesTheLineAndTheStep) {
  verify({"--policy", "keep", "--metric", "loss (\\S+)"}, drifting_script);
  const Json page = page_of("kept");
  const std::string text = page["text"];
  EXPECT_EQ(page["headings"][0], "Verdict: different");
  EXPECT_TRUE(contains(text, "under one seed, and nothing else was changed")) << text;
  EXPECT_TRUE(contains(text, "train.py:4 shuffle")) << text;
  EXPECT_TRUE(contains(text, "libc.srand(time.time_ns() & 0xffffff)"))
      << "the line of source: " << text;
  EXPECT_TRUE(contains(text, "step 8 (stdout line 8)")) << text;
}

TEST_F(Report, OfEqualRunsNamesNoCause) {
  verify({"--metric", "loss (\\S+)"}, "for step in range(5): print('loss', step / 3)\n");
  const Json page = page_of("kept");
  EXPECT_FALSE(contains(page["text"], "First cause")) << page["text"];
  EXPECT_EQ(page["headings"][0], "Verdict: equal");
}

TEST_F(Report, ShowsWhatAProgramSaysAsTextAndNothingElse) {
  const std::string name =
      "<img src=x onerror=alert(1)>\"&amp;.txt"; // a file's name holds no slash
  verify({"--policy", "keep", "--output", "*.txt", "--metric",
          "(?:<img src=x onerror=alert>|loss) (\\S+)"},
         contents(PROGRAMS "prints_its_arguments.py"), {attack, name});
  const Json page = page_of("kept"); // the parser finds no such element and no such attribute
  const std::string text = page["text"];
  EXPECT_TRUE(contains(text, "python3 train.py " + attack)) << "the argument: " << text;
  EXPECT_TRUE(contains(text, "output '" + name + "'")) << "the file's name: " << text;
  EXPECT_TRUE(contains(text, "metric '(?:<img src=x onerror=alert>|loss) (\\S+)'"))
      << "the metric: " << text;
  EXPECT_FALSE(contains(contents(folder() / "page.html"), "<img"));
}

TEST_F(Report, ShowsWhatALogHoldsAsTextAndNothingElse) {
  const std::string evil = Json(attack).dump();
  write("log/0-0-4711.jsonl",
        start_line(0, attack) + R"({"t":"library","lib":)" + evil + R"(,"file":)" + evil +
            R"(,"version":)" + evil + "}\n" +
            call_line(1,
                      R"("lib":)" + evil + R"(,"fn":)" + evil +
                          R"(,"do":"nondeterministic","requested":)" + evil,
                      "10") +
            R"({"t":"call","n":2,"thread":"0","lib":"libc","fn":"rand","do":"pin","why":)" + evil +
            R"(,"at":)" + evil +
            R"(,"py":["<b>:1 <script>"],"user":0})"
            "\n" +
            R"({"t":"bound","lib":"cublas","by":)" + evil + R"(,"how":"linked","functions":[)" +
            evil + "]}\n" + end_line);
  const Json page = page_of("log");
  EXPECT_TRUE(contains(page["text"], attack)) << page["text"];
  EXPECT_TRUE(contains(page["text"], "<b>:1 <script>")) << page["text"];
  EXPECT_FALSE(contains(contents(folder() / "page.html"), "<img"));
  EXPECT_FALSE(contains(contents(folder() / "page.html"), "<script"));
}

TEST_F(Report, OfALogHasItsVerdictAndItsCallsWorstFirst) {
  write("log/0-0-4711.jsonl",
        start_line(0) + call_line(1, R"("lib":"libc","fn":"rand","do":"pin")", "10") +
            call_line(2, R"("lib":"cudnn","fn":"cudnnPoor","do":"nondeterministic","algo":"3")",
                      "20") +
            end_line);
  const Json page = page_of("log");
  const Json document = Json::parse(detshim({"log", "--json", "log"}).out);
  EXPECT_EQ(page["headings"][0], "Verdict: " + document["verdict"].get<std::string>());
  const std::string text = page["text"];
  EXPECT_LT(text.find("nondeterministic - "), text.find("pinned - ")) << text;
  EXPECT_TRUE(contains(text, "cudnnPoor")) << text;
  for (const Json& reason : document["reasons"])
    EXPECT_TRUE(contains(text, reason["kind"])) << reason;
}

/// A document of a verification whose two runs have logs of three ranks; the second gave something
/// else for one shape.
class ReportOfRanks : public Report {
protected:
  void SetUp() override {
    for (const std::string run : {"run-1", "run-2"})
      for (int rank = 0; rank < 3; ++rank) {
        std::string log = start_line(rank);
        for (const char* const shape : {"64x64", "128x128"}) {
          const bool differs = rank == 1 && run == "run-2" && shape == std::string("128x128");
          log += call_line(
              shape == std::string("64x64") ? 1 : 2,
              std::string(
                  R"("lib":"cublas","fn":"cublasGemmEx","do":"replace","type":"f32","shape":")") +
                  shape + R"(","effective":")" + (differs ? "algo 7" : "algo 3") + "\"",
              "20");
        }
        write(fs::path("kept") / run / "log" /
                  (std::to_string(rank) + "-0-" + std::to_string(4711 + rank) + ".jsonl"),
              log + end_line);
      }
    document_ = {{"schema_version", 1},
                 {"verdict", "different"},
                 {"command", {"./train"}},
                 {"runs", {run_of("run 1"), run_of("run 2")}},
                 {"differences",
                  {{{"one", "run 1"},
                    {"other", "run 2"},
                    {"kind", "stdout"},
                    {"value", "1"},
                    {"other_value", "2"}}}}};
  }

  Json run_of(const std::string& name) const {
    std::string place = name;
    std::ranges::replace(place, ' ', '-');
    return {{"name", name},
            {"seconds", 1.5},
            {"ending", "status 0"},
            {"folder", (folder() / "kept" / place).string()}};
  }

  Json page() const {
    write("kept/verify.json", document_.dump());
    return page_of("kept");
  }

  Json document_;
};

TEST_F(ReportOfRanks, NamesTheRank) {
  const Json its = page();
  EXPECT_TRUE(contains(its["text"], "rank 1, origin")) << its["text"];
  EXPECT_TRUE(contains(its["text"], "algo 7")) << its["text"];
}

TEST_F(ReportOfRanks, OfAFolderThatWasMovedFindsTheRunsBesideTheDocument) {
  document_["runs"][0]["folder"] = "/not/there/run-1";
  document_["runs"][1]["folder"] = "/not/there/run-2";
  EXPECT_TRUE(contains(page()["text"], "cublasGemmEx")) << "the logs are found";
}

TEST_F(ReportOfRanks, SaysThatTheLogsCouldNotBeCompared) {
  fs::remove_all(folder() / "kept" / "run-2");
  const Json its = page();
  EXPECT_TRUE(contains(its["text"], "The logs of run 1 and run 2 could not be compared"))
      << its["text"];
}

TEST_F(ReportOfRanks, SaysWhereTheLogsDoNotDiffer) {
  fs::remove_all(folder() / "kept" / "run-2" / "log");
  fs::copy(folder() / "kept" / "run-1" / "log", folder() / "kept" / "run-2" / "log");
  const Json its = page();
  EXPECT_TRUE(contains(its["text"], "what made the runs differ left no record")) << its["text"];
}

TEST_F(ReportOfRanks, RefusesWhatIsNoDocument) {
  write("text.json", "{\"schema_version\": ");
  write("list.json", "[1, 2]");
  write("log.json", R"({"schema_version": 1, "verdict": "covered"})");
  for (const char* const file : {"text.json", "list.json", "log.json"})
    expect_refused({"report", file}, "is no document of `detshim verify --json`");
  Json newer = document_;
  newer["schema_version"] = 2;
  write("newer.json", newer.dump());
  expect_refused({"report", "newer.json"}, "is of schema version 2, this detshim reads 1");
  for (const char* const name : {"runs", "verdict", "differences"}) {
    Json bent = document_;
    bent[name] = 7;
    write("bent.json", bent.dump());
    expect_refused({"report", "bent.json"}, "a member has another type");
  }
  expect_refused({"report", "missing"}, "cannot read 'missing': No such file");
  EXPECT_FALSE(fs::exists(folder() / "report.html"));
}

TEST_F(ReportOfRanks, ReplacesAFileByAWholeOneOnly) {
  write("kept/verify.json", document_.dump());
  write("old.html", "old");
  // A file that may grow no further represents a full disk: it fails at the same call.
  const Result full =
      ::run({"/bin/sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$0\" report kept -o old.html",
             DETSHIM_COMMAND},
            {}, folder());
  EXPECT_EQ(full.status, wrong_usage);
  EXPECT_EQ(full.err, "detshim: cannot write 'old.html': File too large\n");
  EXPECT_EQ(contents(folder() / "old.html"), "old");
  expect_refused({"report", "kept", "-o", "kept"}, "cannot write 'kept': Is a directory");
  expect_refused({"report", "kept", "-o", "not/there.html"},
                 "cannot write 'not/there.html': No such file");
  fs::create_symlink("old.html", folder() / "link.html");
  EXPECT_EQ(detshim({"report", "kept", "-o", "link.html"}).status, done);
  EXPECT_TRUE(fs::is_symlink(folder() / "link.html"));
  EXPECT_EQ(contents(folder() / "old.html"), detshim({"report", "kept", "-o", "-"}).out);
  for (const auto& entry : fs::directory_iterator(folder()))
    EXPECT_NE(entry.path().extension(), ".part") << "nothing is left lying aside: " << entry.path();
}

/// 14,000 places of two functions.
std::string long_log() {
  std::string log = start_line(0);
  for (int i = 1; i <= 14'000; ++i) {
    char place[16];
    std::snprintf(place, sizeof place, "%x", i * 16);
    log += call_line(i,
                     R"("lib":"libc","fn":")" + std::string(i % 4 != 0 ? "rand" : "srand") +
                         R"(","do":")" + (i % 8 == 0 ? "nondeterministic" : "pin") +
                         R"(","requested":")" + std::to_string(i) + "\"",
                     place);
  }
  return log + end_line;
}

TEST_F(Report, OfManyRecordsSaysWhatItLeavesOut) {
  write("log/0-0-4711.jsonl", long_log());
  const std::string text = page_of("log")["text"];
  EXPECT_TRUE(contains(text, "rand at least 10500 calls")) << text;
  EXPECT_TRUE(contains(text, "and 10497 more")) << "places: " << text;
}

/// In headless Chromium, on a telephone and on a desk, by day and by night. A ratio of 4.5 is what
/// WCAG 2.1 asks of text (1.4.3), level AA.
class ReportInABrowser : public Report {
protected:
  void SetUp() override {
    if (run({"chromium", "--version"}).status != 0)
      GTEST_SKIP() << "no Chromium";
  }

  void expect_good_to_read(const std::string& place) const {
    page_of(place);
    const Result looked =
        run({"/usr/bin/python3", LOOK_AT_PAGE, (folder() / "page.html").string()});
    const Json found = Json::parse(looked.out, nullptr, false);
    ASSERT_TRUE(found.is_object()) << looked.err;
    ASSERT_EQ(found["looks"].size(), 4U);
    for (const Json& look : found["looks"]) {
      EXPECT_LE(look["width"], look["window"]) << look;
      EXPECT_GE(look["contrast"][0], 4.5) << look;
    }
  }
};

TEST_F(ReportInABrowser, OfRunsThatDifferIsGoodToRead) {
  verify({"--control", "--metric", R"(loss=(\S+))"}, drifting_script);
  expect_good_to_read("kept");
}

TEST_F(ReportInABrowser, OfManyRecordsIsGoodToRead) {
  write("log/0-0-4711.jsonl", long_log());
  expect_good_to_read("log");
}

TEST_F(Report, DoesNotQuoteAFileThatIsNoSource) {
  write("secret", "one\nthe key\n");
  write("train.py", "one\nthe key\n");
  for (const std::string file : {"secret", "train.py"}) {
    const std::string py = R"(,"py":[")" + (folder() / file).string() + R"(:2 main"],"user":0)";
    for (const std::string run : {"run-1", "run-2"})
      write(file + "-kept/" + run + "/log/0-0-4711.jsonl",
            start_line(0) +
                call_line(1,
                          R"("lib":"libc","fn":"srand","do":"pin","requested":")" + run +
                              R"(","effective":")" + run + "\"" + py,
                          "10") +
                end_line);
    const auto run_of = [&](const std::string& name, const std::string& place) {
      return Json{{"name", name}, {"folder", (folder() / (file + "-kept") / place).string()}};
    };
    write(file + "-kept/verify.json",
          Json{{"schema_version", 1},
               {"verdict", "different"},
               {"runs", {run_of("run 1", "run-1"), run_of("run 2", "run-2")}},
               {"differences", {{{"one", "run 1"}, {"other", "run 2"}, {"kind", "stdout"}}}}}
              .dump());
    const Json page = page_of(file + "-kept");
    EXPECT_EQ(contains(page["text"], "the key"), file == "train.py") << page["text"];
  }
}

} // namespace
