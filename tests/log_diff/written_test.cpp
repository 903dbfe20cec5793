// Logs as the library writes them, by hand: what real programs do not do at will.
#include "compared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A log of one run, written process by process.
class WrittenLog {
public:
  explicit WrittenLog(const TemporaryFolder& scratch,
                      const std::string& run = "20261121T003512-4711")
      : folder_(scratch.log()), run_(run) {
    std::filesystem::create_directory(folder_);
  }

  const std::filesystem::path& folder() const { return folder_; }

  /// A program of Python's that draws at a place called `frames`: JSON, as are `arguments`.
  WrittenLog& python(const std::string& folder, const std::string& arguments,
                     const std::string& frames) {
    start(0, "0", 1, folder.empty() ? "" : R"(,"cwd":")" + folder + "\"", "/usr/bin/python3.11",
          arguments);
    return line(R"({"t":"call","n":1,"thread":"0","lib":"libc","fn":"rand","do":"pin","why":"so",)"
                R"("at":"/bin/train+0x10","py":)" +
                frames + "}");
  }

  /// `more`: further keys of the start record.
  WrittenLog& start(int rank = 0, const std::string& path = "0", int version = 1,
                    const std::string& more = "", const std::string& program = "/bin/train",
                    const std::string& arguments = R"(["./train"])") {
    name_ = std::to_string(rank) + "-" + path + "-4711";
    entries_.clear();
    const std::string environment = std::exchange(environment_, "[]");
    line(R"({"t":"start","v":)" + std::to_string(version) + R"(,"detshim":"0.1.0","run":")" + run_ +
         R"(","pid":4711,"rank":)" + std::to_string(rank) + R"(,"path":")" + path +
         R"(","program":")" + program + R"(","args":)" + arguments +
         R"(,"mode":"enforce","policy":"fixed","seed":"42",)"
         R"("seed_from":"DETSHIM_SEED","layout":"random","env":)" +
         environment + more + "}");
    line(R"({"t":"build","file":"/bin/train","id":"1013a6748c4a685a161f164eb46f2cbbb05168f7"})");
    return *this;
  }

  /// `what`: library, function, action and fields as they stand in a record.
  WrittenLog& call(int number, const std::string& what, const std::string& place = "10",
                   const std::string& thread = "0", std::uint64_t calls = 1, bool is_exact = true,
                   const std::string& why = "so") {
    line(R"({"t":"call","n":)" + std::to_string(number) + R"(,"thread":")" + thread + "\"," + what +
         R"(,"why":")" + why + R"(","at":"/bin/train+0x)" + place + R"(","c":)" +
         std::to_string(entries_.size()) + "}");
    const char* const names[] = {"none",   "observe",          "pin",      "replace",
                                 "refuse", "nondeterministic", "uncovered"};
    const auto* const action = std::ranges::find_if(names, [&what](const char* name) {
      return contains(what, "\"do\":\"" + std::string(name) + "\"");
    });
    entries_.push_back(
        {calls, static_cast<std::uint64_t>(action - names) | (is_exact ? 1ULL << 32 : 0)});
    return *this;
  }

  WrittenLog& draw(int number, const std::string& place = "10", const std::string& thread = "0",
                   std::uint64_t calls = 1) {
    return call(number, R"("lib":"libc","fn":"rand","do":"pin")", place, thread, calls);
  }

  /// What the next program has in its environment, as JSON.
  WrittenLog& environment(const std::string& changes) {
    environment_ = changes;
    return *this;
  }

  /// Calls that were counted, and whose record is lost.
  WrittenLog& counted(std::uint64_t calls) {
    constexpr std::uint64_t pin = 2;
    entries_.push_back({calls, pin | 1ULL << 32});
    return *this;
  }

  WrittenLog& end(bool with_files = true, bool with_end = true) {
    if (with_files)
      line(
          R"({"t":"modules","files":["/bin/train"],"builds":["1013a6748c4a685a161f164eb46f2cbbb05168f7"]})");
    if (with_end)
      line(R"({"t":"end","counts":{}})");
    std::ofstream counts(folder_ / (name_ + ".counts"), std::ios::binary);
    std::string header("DETSHIMC\1\0\0\0\20\0\0\0", 16);
    header.resize(64);
    counts << header;
    counts.write(reinterpret_cast<const char*>(entries_.data()),
                 static_cast<std::streamsize>(entries_.size() * sizeof(Entry)));
    return *this;
  }

  WrittenLog& line(const std::string& text) { return bytes(text + "\n"); }

  WrittenLog& bytes(const std::string& text) {
    std::ofstream(folder_ / (name_ + ".jsonl"), std::ios::binary | std::ios::app) << text;
    return *this;
  }

private:
  struct Entry {
    std::uint64_t calls, action_and_end;
  };
  std::filesystem::path folder_;
  std::string run_, name_, environment_ = "[]";
  std::vector<Entry> entries_;
};

class Written : public testing::Test {
protected:
  Compared compared() const { return compare(a_.folder(), b_.folder()); }

  /// The same in both.
  template <typename Write>
  void both(Write write) {
    write(a_);
    write(b_);
  }

  void expect_refused(const std::string& part) const {
    const Compared result = compared();
    EXPECT_EQ(result.status, 2) << result;
    EXPECT_EQ(result.text, "");
    EXPECT_TRUE(result.err.starts_with("detshim: ")) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_TRUE(contains(result.err, part)) << result.err;
  }

  void expect_unknown(const std::string& part) const {
    const Compared result = compared();
    EXPECT_EQ(result.status, 2) << result;
    EXPECT_EQ(result.document["result"], "unknown") << result;
    EXPECT_TRUE(result.has_unknown(part)) << result;
  }

  void expect_equal(std::size_t records) const {
    const Compared result = compared();
    EXPECT_EQ(result.status, 0) << result;
    EXPECT_EQ(result.document["identical_records"], records) << result;
  }

  TemporaryFolder scratch_a_, scratch_b_;
  WrittenLog a_{scratch_a_}, b_{scratch_b_, "20261121T003513-4712"};
};

const std::string seed_7 =
    R"("lib":"libc","fn":"srand","do":"pin","requested":"7","effective":"70")";
const std::string seed_8 =
    R"("lib":"libc","fn":"srand","do":"pin","requested":"8","effective":"80")";

std::string product(const std::string& found) {
  return R"("lib":"cudnn","fn":"cudnnGetConvolution","do":"observe","requested":"3x3","found":")" +
         found + "\"";
}

/// With `sum`, as a record that says something of what came out.
std::string reduction(int count, const std::string& sum = "") {
  return R"("lib":"nccl","fn":"ncclAllReduce","do":"observe","count":")" + std::to_string(count) +
         R"(","type":"7","operation":"0")" + (sum.empty() ? "" : R"(,"returned":")" + sum + "\"");
}

// Nothing shows that the two are one build.
TEST_F(Written, ProgramsOfTwoPathsWithoutABuildAreTwo) {
  const auto write = [](WrittenLog& log, const std::string& program) {
    log.start(0, "0", 1, "", program)
        .draw(1)
        .line(R"({"t":"modules","files":[")" + program + R"("],"builds":[""]})")
        .end(false);
  };
  write(a_, "/a/train");
  write(b_, "/b/train");
  const Compared result = compared();
  EXPECT_EQ(result.status, 1) << result;
  EXPECT_EQ(result.document["notes"].size(), 0U) << result;
}

TEST_F(Written, OrderOfArrivalMeansNothing) {
  a_.start().draw(1, "10", "0.1").draw(1, "20", "0.2").draw(2, "30", "0.1").end();
  b_.start().draw(1, "20", "0.2").draw(1, "10", "0.1").draw(2, "30", "0.1").end();
  expect_equal(3);
}

TEST_F(Written, OrderWithinAThreadDoes) {
  a_.start().call(1, seed_7, "10").draw(2, "20").call(3, seed_8, "30").end();
  b_.start().draw(1, "20").call(2, seed_7, "10").call(3, seed_8, "30").end();
  EXPECT_EQ(compared().status, 1);
  EXPECT_EQ(compared().first()["record"]["kind"], "order") << compared();
}

TEST_F(Written, AResultOfEqualInputsIsFirst) {
  a_.start().call(1, seed_7).draw(2, "20").call(3, product("1"), "30").call(4, seed_7, "40").end();
  b_.start().call(1, seed_7).draw(2, "20").call(3, product("2"), "30").call(4, seed_8, "40").end();
  const auto first = compared().first();
  EXPECT_EQ(first["record"]["function"], "cudnnGetConvolution") << compared();
  EXPECT_EQ(first["record"]["kind"], "result");
  EXPECT_EQ(first["record"]["has_inputs"], true);
  EXPECT_EQ(first["before"], 2);
}

class InputsAndResults : public Written,
                         public testing::WithParamInterface<std::pair<const char*, const char*>> {};

/// What differs, by what went in and what came out.
TEST_P(InputsAndResults, TellWhatDiffers) {
  const auto [other, kind] = GetParam();
  const auto reduced = [](const std::string& values) { // "64 aa": the count, and the sum
    return reduction(std::stoi(values), values.size() > 2 ? values.substr(3) : "");
  };
  a_.start().call(1, reduced("64 aa")).end();
  b_.start().call(1, reduced(other)).end();
  const Compared result = compared();
  EXPECT_EQ(result.status, 1) << result;
  EXPECT_EQ(result.document["sections"]["collectives"]["records"][0]["kind"], kind) << result;
}

INSTANTIATE_TEST_SUITE_P(All, InputsAndResults,
                         testing::Values(std::pair("64 bb", "result"), std::pair("65 bb", "input"),
                                         std::pair("65 aa", "absorbed")));

TEST_F(Written, WhatWasAbsorbedEndsNothing) {
  a_.start().call(1, reduction(64, "aa")).call(2, product("1"), "20").end();
  b_.start().call(1, reduction(65, "aa")).call(2, product("2"), "20").end();
  EXPECT_EQ(compared().first()["record"]["function"], "cudnnGetConvolution") << compared();
}

TEST_F(Written, AResultWithoutInputsSaysSo) {
  const auto given = [](const char* value) {
    return R"("lib":"cudart","fn":"cudaMalloc","do":"replace","effective":")" + std::string(value) +
           "\"";
  };
  a_.start().call(1, given("zero")).end();
  b_.start().call(1, given("nan")).end();
  EXPECT_EQ(compared().first()["record"]["kind"], "result") << compared();
  EXPECT_EQ(compared().first()["record"]["has_inputs"], false) << compared();
}

/// A cuDNN record with one value.
std::string record_of(const char* function, const char* field, const char* value) {
  return R"("lib":"cudnn","fn":")" + std::string(function) + R"(","do":"observe",")" + field +
         R"(":")" + value + "\"";
}

TEST_F(Written, AHookSaysThatItListsAlgorithms) {
  for (const char* found : {"8", "7"})
    (found[0] == '8' ? a_ : b_)
        .start()
        .call(1, record_of("cudnnGetConvolutionForwardAlgorithm_v7", "found", found))
        .end();
  EXPECT_EQ(compared().document["sections"]["tuning"]["differences"], 1) << compared();
}

TEST_F(Written, ANameSaysNothingOfARecord) {
  a_.start().call(1, record_of("cudnnFindNoHook", "unheard_of", "1")).end();
  b_.start().call(1, record_of("cudnnFindNoHook", "unheard_of", "2")).end();
  EXPECT_EQ(compared().document["sections"]["algorithms"]["differences"], 1) << compared();
  EXPECT_EQ(compared().first()["record"]["kind"], "input") << compared();
}

TEST_F(Written, AFieldIsAResultOfOneHookAndAnInputOfAnother) {
  const char* const size = "cudnnGetConvolutionBackwardFilterWorkspaceSize";
  a_.start().call(1, record_of(size, "workspace", "1")).end();
  b_.start().call(1, record_of(size, "workspace", "2")).end();
  EXPECT_EQ(compared().first()["record"]["kind"], "result") << compared();
}

TEST_F(Written, AFieldIsAnInputOfTheOther) {
  a_.start().call(1, record_of("cudnnConvolutionBackwardFilter", "workspace", "1")).end();
  b_.start().call(1, record_of("cudnnConvolutionBackwardFilter", "workspace", "2")).end();
  EXPECT_EQ(compared().first()["record"]["kind"], "input") << compared();
}

TEST_F(Written, FilesOfOneNameInTwoFoldersOfAProgramAreTwo) {
  a_.python("/home/me", R"(["python3","train.py"])", R"(["/home/me/model/utils.py:5 draw"])").end();
  b_.python("/home/me", R"(["python3","train.py"])", R"(["/home/me/data/utils.py:5 draw"])").end();
  EXPECT_EQ(compared().status, 1) << compared();
  const nlohmann::json draws = compared().document["sections"]["draws"]["records"];
  ASSERT_EQ(draws.size(), 2u) << draws;
  EXPECT_TRUE(contains(draws[0]["place"], "data/utils.py:5")) << draws;
  EXPECT_TRUE(contains(draws[1]["place"], "model/utils.py:5")) << draws;
}

TEST_F(Written, FilesOfOneNameInTwoPackagesAreTwo) {
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  a_.python("/", R"(["python3","-c","x"])", "[\"" + packages + "torch/utils.py:5 draw\"]").end();
  b_.python("/", R"(["python3","-c","x"])", "[\"" + packages + "numpy/utils.py:5 draw\"]").end();
  EXPECT_EQ(compared().status, 1) << compared();
}

struct Move {
  const char* name;
  std::string folder, arguments, frames; ///< of A
  std::string folder_of_b, arguments_of_b, frames_of_b;
};

std::ostream& operator<<(std::ostream& out, const Move& move) { return out << move.name; }

class Moved : public Written, public testing::WithParamInterface<Move> {};

TEST_P(Moved, ProgramsAndPackagesAreTheSame) {
  const Move& move = GetParam();
  a_.python(move.folder, move.arguments, move.frames).end();
  b_.python(move.folder_of_b, move.arguments_of_b, move.frames_of_b).end();
  const Compared result = compared();
  EXPECT_EQ(result.document["identical_records"], 1) << result;
  EXPECT_EQ(result.differences("draws"), 0U) << result;
}

INSTANTIATE_TEST_SUITE_P(
    All, Moved,
    testing::Values(
        Move{"folder", "/a/one", R"(["python3","-X","dev","train.py"])",
             R"(["/a/one/model/utils.py:5 draw","/a/one/train.py:9 <module>"])", "/b",
             R"(["python3","-X","dev","train.py"])",
             R"(["/b/model/utils.py:5 draw","/b/train.py:9 <module>"])"},
        Move{"working_directory", "/a", R"(["python3","one/train.py"])",
             R"(["/a/one/utils.py:5 draw"])", "/a/one", R"(["python3","./train.py"])",
             R"(["/a/one/utils.py:5 draw"])"},
        Move{"module", "/a", R"(["python3","-um","one.train"])", R"(["/a/one/utils.py:5 draw"])",
             "/b/c", R"(["python3","-um","one.train"])", R"(["/b/c/one/utils.py:5 draw"])"},
        Move{
            "environment", "/a", R"(["python3","-c","x"])",
            R"(["/v/lib/python3.11/site-packages/torch/random.py:5 f","/usr/lib/python3.11/random.py:7 g"])",
            "/a", R"(["python3","-c","x"])",
            R"(["/w/lib64/python3.12/site-packages/torch/random.py:5 f","/w/lib/python3.12/random.py:7 g"])"},
        Move{"beside_the_program", "/a", R"(["python3","-c","x"])", R"(["/opt/mine/u.py:5 f"])",
             "/b", R"(["python3","-c","x"])", R"(["/srv/u.py:5 f"])"},
        Move{"unknown_folder", "", R"(["python3","train.py"])", R"(["/a/one/utils.py:5 draw"])", "",
             R"(["python3","train.py"])", R"(["/b/two/utils.py:5 draw"])"}),
    [](const auto& tested) {
      return std::string(tested.param.name);
    });

TEST_F(Written, ACountThatDiffersMayHaveDoneSoLater) {
  a_.start().draw(1, "10", "0", 5).call(2, product("1"), "20").end();
  b_.start().draw(1, "10", "0", 6).call(2, product("2"), "20").end();
  const auto causes = compared().document["ranks"][0]["causes"];
  ASSERT_EQ(causes.size(), 2u) << compared();
  EXPECT_EQ(causes[0]["record"]["kind"], "result");
  EXPECT_EQ(causes[1]["record"]["kind"], "count");
}

// A count that the run was killed in is at least so many.
TEST_F(Written, ACountThatIsNotExactDiffersWhereItIsMoreThanAllOfTheOthers) {
  const std::string what = R"("lib":"libc","fn":"rand","do":"pin")";
  const auto differ = [&](std::uint64_t one, bool is_exact, std::uint64_t other,
                          bool is_other_exact) {
    const TemporaryFolder a, b;
    WrittenLog(a).start().call(1, what, "10", "0", one, is_exact).end(true, is_exact);
    WrittenLog(b).start().call(1, what, "10", "0", other, is_other_exact).end(true, is_other_exact);
    return contains(compare(a.log(), b.log()).document.dump(), R"("kind":"count")");
  };
  EXPECT_TRUE(differ(500, true, 900, false));
  EXPECT_TRUE(differ(900, false, 500, true));
  EXPECT_FALSE(differ(900, true, 500, false));
  EXPECT_FALSE(differ(500, false, 900, true));
  EXPECT_FALSE(differ(500, false, 900, false));
}

TEST_F(Written, OfCausesThatAreEquallyStrongTheEarliestIsFirst) {
  a_.start();
  b_.start();
  for (int number = 1; number <= 20; ++number) {
    const std::string place = std::to_string(10 + number);
    a_.draw(number, place, "0", 5);
    b_.draw(number, place, "0", 6);
  }
  a_.end();
  b_.end();
  const auto causes = compared().document["ranks"][0]["causes"];
  ASSERT_GT(causes.size(), 2u) << compared();
  EXPECT_EQ(causes[0]["record"]["position"], 0) << causes[0];
  EXPECT_EQ(causes[1]["record"]["position"], 1) << causes[1];
}

// What is printed shows that something differed before it, and may not be all: what comes behind it
// stays in question.
TEST_F(Written, AnOutputThatDiffersTakesNoCauseAway) {
  const auto print = [](WrittenLog& log, const std::string& digest) -> WrittenLog& {
    return log.start().line(
        R"({"t":"digest","n":1,"thread":"0","lib":"libc","fn":"puts","to":"stdout","first":"1",)"
        R"("digests":"1","bytes":"4","digest":")" +
        digest + R"(","launches":"0","draws":"0","drawn":"0","at":"/bin/train+0x10"})");
  };
  const auto seed = [](const std::string& value) {
    return R"("lib":"libc","fn":"srand","do":"observe","requested":")" + value + "\"";
  };
  print(a_, "11").call(2, seed("1"), "20").end();
  print(b_, "22").call(2, seed("2"), "20").end();
  const auto causes = compared().document["ranks"][0]["causes"];
  ASSERT_EQ(causes.size(), 2u) << compared();
  EXPECT_EQ(causes[0]["record"]["function"], "srand") << compared();
}

TEST_F(Written, RecordsWithoutTheirNumbersAreRefused) {
  for (WrittenLog* log : {&a_, &b_})
    log->start().draw(0).end();
  EXPECT_EQ(compared().status, 2);
}

TEST_F(Written, PrintsThatNeitherRunCouldReadAreNotKnown) {
  for (WrittenLog* log : {&a_, &b_})
    log->start()
        .line(
            R"({"t":"digest","n":1,"thread":"0","lib":"cuda","fn":"cuGraphLaunch","to":"host","first":"1",)"
            R"("digests":"1","bytes":"4","unread":"1","why":"a graph","launches":"1","draws":"0","drawn":"0","at":"/bin/train+0x10"})")
        .end();
  const Compared result = compared();
  EXPECT_EQ(result.status, 2) << result;
  EXPECT_EQ(result.document["result"], "unknown") << result;
  EXPECT_EQ(result.document["unknown"].size(), 2u) << result; // in A, in B
}

TEST_F(Written, PrintsThatWereReadAreKnown) {
  both([](WrittenLog& log) {
    log.start()
        .line(
            R"({"t":"digest","n":1,"thread":"0","lib":"libc","fn":"write","to":"stdout","first":"1",)"
            R"("digests":"1","bytes":"4","digest":"00000000000000aa","launches":"1","draws":"0",)"
            R"("drawn":"0","at":"/bin/train+0x10"})")
        .end();
  });
  EXPECT_EQ(compared().status, 0) << compared();
}

TEST_F(Written, AVariableThatWasSetOtherwiseIsNamed) {
  const auto set = [](const std::string& value) {
    return R"([{"name":"OMP_NUM_THREADS","now":")" + value + "\"}]";
  };
  a_.environment(set("1")).start().end();
  b_.environment(set("2")).start().end();
  EXPECT_EQ(compared().differences("settings"), 1U) << compared();
  const TemporaryFolder folder;
  WrittenLog same(folder);
  same.environment(set("1")).start().end();
  EXPECT_EQ(compare(a_.folder(), same.folder()).status, 0);
}

// Of a file whose build one log does not say nothing is known.
TEST_F(Written, AFileWithoutABuildIsNotKnown) {
  const auto with_build = [](WrittenLog& log, const std::string& build) {
    log.start()
        .line(R"({"t":"modules","files":["/bin/train","/lib/libx.so"],"builds":[)"
              R"("1013a6748c4a685a161f164eb46f2cbbb05168f7",")" +
              build + "\"]}")
        .end(false);
  };
  const std::string one(40, '1'), other(40, '2');
  with_build(a_, one);
  for (const auto& [build, result] : {std::pair(one, "equal"), std::pair(other, "different"),
                                      std::pair(std::string(), "unknown")}) {
    const TemporaryFolder folder;
    WrittenLog log(folder);
    with_build(log, build);
    EXPECT_EQ(compare(a_.folder(), log.folder()).document["result"], result) << build;
  }
}

TEST_F(Written, WhatIsTooManyForOneRecordIsAlignedBehindIt) {
  a_.start();
  b_.start();
  for (int i = 1; i <= 300; ++i)
    a_.draw(i, std::to_string(i));
  for (int i = 1; i <= 299; ++i)
    b_.draw(i, std::to_string(i <= 150 ? i : i + 1));
  a_.end();
  b_.end();
  const auto first = compared().first();
  EXPECT_EQ(first["record"]["kind"], "only_a") << compared();
  EXPECT_EQ(first["record"]["position"], 150);
  EXPECT_EQ(compared().document["identical_records"], 299);
}

std::vector<std::string> roles_in(const Compared& compared) {
  std::vector<std::string> roles(4);
  for (const auto& rank : compared.document["ranks"])
    roles.at(rank["rank"].get<std::size_t>()) = rank["role"];
  return roles;
}

TEST_F(Written, ARankThatGotItFromOthersIsAReceiver) {
  for (int rank = 0; rank < 4; ++rank) {
    a_.start(rank)
        .call(1, rank == 2 ? product("1") : seed_7)
        .call(2, reduction(64, "aa"), "20")
        .end();
    b_.start(rank)
        .call(1, rank == 2 ? product("2") : seed_7)
        .call(2, reduction(64, "bb"), "20")
        .end();
  }
  const Compared result = compared();
  EXPECT_EQ(roles_in(result),
            (std::vector<std::string>{"receiver", "receiver", "origin", "receiver"}))
      << result;
  EXPECT_EQ(result.first()["rank"], 2);
  EXPECT_EQ(result.differences("collectives"), 4u);
}

TEST_F(Written, AClocksValueThatARankHasNotReadWasSent) {
  const auto seed = [](int value) {
    return R"("lib":"libc","fn":"srand","do":"nondeterministic","requested":")" +
           std::to_string(value) + R"(","effective":")" + std::to_string(value) + "\"";
  };
  for (int rank = 0; rank < 4; ++rank) {
    const char* const why = rank == 0 ? "so" : "unexplained_seed";
    a_.start(rank).call(1, seed(111), "10", "0", 1, true, why).end();
    b_.start(rank).call(1, seed(222), "10", "0", 1, true, why).end();
  }
  EXPECT_EQ(roles_in(compared()),
            (std::vector<std::string>{"origin", "receiver", "receiver", "receiver"}))
      << compared();
}

TEST_F(Written, ACollectiveOfAnotherSizeIsTheRanksOwn) {
  a_.start().call(1, reduction(64)).end();
  b_.start().call(1, reduction(65)).end();
  EXPECT_EQ(compared().document["ranks"][0]["role"], "origin") << compared();
  EXPECT_EQ(compared().first()["record"]["kind"], "input"); // no result is recorded
}

TEST_F(Written, SettingsThatOneRunAloneHadAreNamed) {
  const TemporaryFolder plain_folder;
  WrittenLog plain(plain_folder);
  plain.start().end();
  for (const char* setting : {R"(,"cpu":"avx2")", R"(,"disabled":"curand")"}) {
    const TemporaryFolder folder;
    WrittenLog set(folder);
    set.start(0, "0", 1, setting).end();
    EXPECT_EQ(compare(plain.folder(), set.folder()).differences("settings"), 1U) << setting;
    EXPECT_EQ(compare(set.folder(), set.folder()).differences("settings"), 0U) << setting;
  }
}

// A program that lies elsewhere is the same where it is the same build.
TEST_F(Written, AProgramElsewhereIsTheSameByItsBuild) {
  const std::string same = "1013a6748c4a685a161f164eb46f2cbbb05168f7", other = std::string(40, '2');
  a_.start().end();
  for (const std::string& build : {same, other}) {
    const TemporaryFolder folder;
    WrittenLog moved(folder);
    moved.start(0, "0", 1, "", "/opt/train")
        .line(R"({"t":"modules","files":["/opt/train"],"builds":[")" + build + "\"]}")
        .end(false);
    EXPECT_EQ(compare(a_.folder(), moved.folder()).differences("settings"), build == same ? 0U : 1U)
        << build;
  }
}

TEST_F(Written, LogsThatLackSomethingAreRefused) {
  const auto whole = [](WrittenLog& log) {
    log.start().draw(1).end();
  };
  whole(a_);
  expect_refused("no log in");
  b_.start().draw(1).end().bytes("{\"t\":\"ca");
  expect_refused("is torn");
}

TEST_F(Written, DamagedLogsAreRefused) {
  a_.start().draw(1).end();
  b_.start().draw(1).line("{\"t\":\"call\",\"n\":2,\"thr").end();
  expect_refused("has a damaged line at byte");
}

TEST_F(Written, MissingCountsAreNamed) {
  both([](WrittenLog& log) {
    log.start().draw(1).end();
  });
  std::filesystem::remove(b_.folder() / "0-0-4711.counts");
  expect_refused("0-0-4711.counts' is missing");
}

TEST_F(Written, CommandLinesThatAreCutAreComparedByTheirHash) {
  a_.start(0, "0", 1, R"(,"args_cut":true,"args_hash":"0000000000000001")").draw(1).end();
  b_.start(0, "0", 1, R"(,"args_cut":true,"args_hash":"0000000000000002")").draw(1).end();
  EXPECT_EQ(compared().status, 1) << compared();
  a_.start(0, "0", 1, R"(,"args_cut":true)").draw(1).end();
  EXPECT_EQ(compared().status, 2) << compared();
}

TEST_F(Written, CallsWithoutARecordAreRefused) {
  a_.start().draw(1).counted(0).end();
  b_.start().draw(1).end();
  expect_equal(1);
  const TemporaryFolder folder;
  WrittenLog lost(folder);
  lost.start().draw(1).counted(3).end();
  EXPECT_EQ(compare(a_.folder(), lost.folder()).status, 2);
  EXPECT_EQ(compare(lost.folder(), lost.folder()).status, 2);
}

TEST_F(Written, MissingRecordsAreNamed) {
  a_.start().draw(1).draw(2, "20").end();
  b_.start().draw(1).draw(3, "20").end();
  expect_refused("have a gap");
}

TEST_F(Written, LaterFormatsAreRefused) {
  a_.start().draw(1).end();
  b_.start(0, "0", 9).draw(1).end();
  expect_refused("is of format 9");
}

TEST_F(Written, WhatIsNotKnownIsNotEqual) {
  both([](WrittenLog& log) {
    log.start().draw(1).end(false);
  });
  expect_unknown("the files that were loaded");
}

TEST_F(Written, AProcessWithoutAnEndIsNotEqual) {
  both([](WrittenLog& log) {
    log.start().draw(1).end(true, false);
  });
  expect_unknown("has no end");
}

void execute(WrittenLog& log, const std::string& program) {
  log.start().draw(1).end(true, false);
  log.line(R"({"t":"exec","thread":"0","program":")" + program + R"(","time":"5"})");
}

TEST_F(Written, AProcessThatExecutedAnotherProgramHasEnded) {
  execute(a_, "/bin/true");
  execute(b_, "/usr/bin/true");
  EXPECT_EQ(compared().status, 0) << compared();
}

TEST_F(Written, ProgramsThatWereExecutedAreCompared) {
  execute(a_, "/bin/true");
  execute(b_, "/bin/false");
  EXPECT_EQ(compared().status, 1) << compared();
}

TEST_F(Written, AProcessThatCouldNotExecuteAnotherProgramHasNoEnd) {
  both([](WrittenLog& log) {
    log.start().draw(1).line(R"({"t":"exec","thread":"0","program":"/bin/true","time":"5"})");
    log.line(R"({"t":"exec","thread":"0","error":2})").end(true, false);
  });
  expect_unknown("has no end");
}

TEST_F(Written, WhetherAPoolsWorkerEndsOrIsEndedIsARace) {
  a_.start().draw(1).line(R"({"t":"killed","pid":4712,"signal":15})").end();
  a_.start(0, "0.1").draw(1).end(false, false);
  b_.start().draw(1).end();
  b_.start(0, "0.1").draw(1).line(R"({"t":"modules","files":[],"builds":[]})").end();
  expect_unknown("process 0.1 has no end");
  EXPECT_EQ(compared().document["notes"].size(), 1u) << compared();
}

TEST_F(Written, CountsThatAreNotExactAreNotEqual) {
  both([](WrittenLog& log) {
    log.start().call(1, R"("lib":"libc","fn":"rand","do":"pin")", "10", "0", 100, false).end();
  });
  expect_unknown("how often calls were made");
}

TEST_F(Written, RecordsOfUnknownKindsAreCompared) {
  a_.start().draw(1).line(R"({"t":"hash","n":1,"of":"1"})").end();
  b_.start().draw(1).line(R"({"t":"hash","n":1,"of":"2"})").end();
  EXPECT_EQ(compared().status, 1) << compared();
  EXPECT_EQ(compared().differences("libraries"), 1u) << compared();
}

TEST_F(Written, ARunOfAFolderIsNamedBehindIt) {
  a_.start().draw(1).end();
  WrittenLog second(scratch_a_, "20261121T003599-4799");
  second.start(0, "1").draw(1, "20").end();
  const std::filesystem::path first_run = a_.folder() / "20261121T003512-4711";
  EXPECT_EQ(compare(first_run, first_run).status, 0);
  EXPECT_EQ(compare(first_run, a_.folder()).status, 1);
  EXPECT_EQ(compare(a_.folder(), a_.folder()).document["a"]["other_runs"], 1)
      << "the newest is taken";
  EXPECT_TRUE(contains(compare(a_.folder() / "no_such", first_run).err, "'no_such'"));
}

TEST_F(Written, WhatResultsMayDifferByIsToldWhereTheRecordsAgree) {
  const auto begin = [](WrittenLog& log, const char* hash) {
    // A launcher's own socket is another one in each launch.
    log.start().draw(1).line(std::string(R"({"t":"variables","hashes":{"LANG":"0000000a","A":")") +
                             hash + R"(","PMIX_ID":")" + hash + R"(","A_TOKEN":""}})");
  };
  begin(a_, "00000001");
  begin(b_, "00000002");
  a_.end();
  b_.end();
  // Another run in the same folder is not looked at.
  WrittenLog(scratch_a_, "20261121T003599-4799")
      .start(0, "1")
      .call(1, R"("lib":"libc","fn":"qsort","do":"nondeterministic","why":"an example")")
      .end();
  const Compared agreeing = compare(a_.folder() / "20261121T003512-4711", b_.folder());
  EXPECT_EQ(agreeing.status, 0) << agreeing;
  ASSERT_EQ(agreeing.document["suspects"].size(), 1u) << agreeing;
  const nlohmann::json suspect = agreeing.document["suspects"][0];
  EXPECT_EQ(suspect["kind"], "variable") << agreeing;
  EXPECT_TRUE(contains(suspect["text"], " A ")) << agreeing;
  EXPECT_TRUE(contains(agreeing.text, suspect["text"])) << agreeing;
}

TEST_F(Written, NothingIsSuspectedWhereACallIsNamed) {
  for (WrittenLog* log : {&a_, &b_})
    log->start().line(R"({"t":"variables","hashes":{}})");
  a_.draw(1)
      .call(2, R"("lib":"libc","fn":"qsort","do":"nondeterministic","why":"an example")")
      .end();
  b_.draw(1).end();
  const Compared result = compared();
  EXPECT_FALSE(result.first().is_null()) << result;
  EXPECT_TRUE(result.document["suspects"].empty()) << result;
}

TEST_F(Written, NothingReachesTheTerminal) {
  a_.start()
      .call(1, R"("lib":"libc","fn":"srand","do":"pin","requested":"\u001b[31m7","effective":"7")")
      .end();
  b_.start()
      .call(1, R"("lib":"libc","fn":"srand","do":"pin","requested":"\u001b[31m8","effective":"8")")
      .end();
  const Compared result = compared();
  EXPECT_EQ(result.status, 1);
  EXPECT_FALSE(contains(result.text, "\x1b")) << result;
  EXPECT_TRUE(contains(result.text, "\\x1b[31m7")) << result;
}

TEST(LogDiffCommand, BadInputIsOneLineAndStatus2) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"log", "diff"},
                                             {"log", "diff", "/no/such"},
                                             {"log", "diff", "/no/such", "/nor/such"},
                                             {"log", "diff", "/", "/", "--bogus"},
                                             {"log", "diff", "/dev/null", "/dev/null"}}) {
    std::vector<std::string> command{DETSHIM_COMMAND};
    command.insert(command.end(), words.begin(), words.end());
    const Result result = run(command);
    EXPECT_EQ(result.status, 2) << result.out;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("detshim: ")) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }
}

} // namespace
