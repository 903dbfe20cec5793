// `detshim bisect`: programs of which it is known what they need, and what is no answer.
#include "run.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

enum { equal = 0, different = 1, unverified = 3 };

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Bisect : public testing::Test {
protected:
  Words words(const char* verb, const Words& options, const Words& program) const {
    Words all = {DETSHIM_COMMAND, verb, "--library", DETSHIM_LIBRARY};
    all.insert(all.end(), options.begin(), options.end());
    all.push_back("--");
    all.insert(all.end(), program.begin(), program.end());
    return all;
  }

  Result bisect(const Words& options, const Words& program) {
    return run(words("bisect", options, program), {}, folder());
  }

  /// The names behind "needed", in order.
  static Words needed(const Result& result) {
    Words names;
    for (const std::string& line : lines(result.out))
      if (line.starts_with("needed "))
        if (const std::size_t begin = line.find_first_not_of(' ', 6); begin != std::string::npos)
          names.push_back(line.substr(begin, line.find("  ", begin) - begin));
    return names;
  }

  /// What the line for the rest disables.
  static std::string rest(const Result& result) {
    const std::string name = "DETSHIM_DISABLE=";
    for (const std::string& line : lines(result.out))
      if (const std::size_t at = line.find(name); at != std::string::npos)
        return line.substr(at + name.size());
    return {};
  }

  fs::path folder() const { return scratch_.path(); }

  const Words python_{"/usr/bin/python3", "-c",
                      "import os, random, uuid; print(random.random(), os.urandom(4), uuid.uuid4())"};

private:
  const TemporaryFolder scratch_;
};

TEST_F(Bisect, FindsWhatPythonNeeds) {
  const Result result = bisect({}, python_);
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(needed(result), Words{"getrandom"}) << result.out;
  EXPECT_TRUE(contains(result.out, "differed 3 of 3 without it")) << result.out;
  EXPECT_TRUE(contains(result.out, "not seen to be needed: 20 equal runs")) << result.out;
  EXPECT_TRUE(contains(result.out, "address-space layout")) << result.out;
  EXPECT_TRUE(contains(result.out, "with getrandom alone")) << result.out;
  EXPECT_TRUE(contains(result.err, "detshim: runs 1-4: with everything")) << result.err;
  // And it holds: with the rest disabled equal, with this one as well not.
  const std::string others = rest(result);
  ASSERT_TRUE(contains(others, "env:CUBLAS_WORKSPACE_CONFIG")) << others;
  const auto verify = [&](const std::string& disabled) {
    return run(words("verify", {"--disable", disabled, "--accept", "disabled"}, python_), {}, folder());
  };
  const Result without_others = verify(others);
  EXPECT_NE(without_others.status, different) << without_others.out;
  EXPECT_FALSE(contains(without_others.out, "different ")) << without_others.out;
  EXPECT_EQ(verify(others + ",getrandom").status, different);
}

// One run of twelve shows it: the number of runs follows from how rare a difference is.
TEST_F(Bisect, TakesAsManyRunsAsARareDifferenceWants) {
  std::ofstream(folder() / "rare.py") << "import os\n"
                                         "drawn = os.urandom(4).hex()\n"
                                         "if not os.path.exists('runs'): open('first', 'w').write(drawn)\n"
                                         "runs = open('runs', 'a+')\nruns.write('.'); runs.flush()\n"
                                         "rare = os.fstat(runs.fileno()).st_size % 12 == 0\n"
                                         "print(drawn if rare else open('first').read())\n";
  // Without a seed of its hashes, which detshim sets otherwise, Python draws one first.
  const Result result =
      run(words("bisect", {"--most-runs", "3000", "--ignore", "*"}, {"/usr/bin/python3", "-S", "rare.py"}),
          {{"PYTHONHASHSEED", "0"}}, folder());
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(needed(result), Words{"getrandom"}) << result.out;
}

TEST_F(Bisect, FindsWhatACProgramNeeds) {
  const Result result = bisect({}, {NEEDS_PROGRAM});
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(needed(result), (Words{"getrandom", "lrand48"})) << result.out;
  EXPECT_TRUE(contains(rest(result), "open,")) << result.out;    // used, and what it gave was dropped
  EXPECT_TRUE(contains(rest(result), "srand48,")) << result.out; // lrand48 draws without it as well
}

TEST_F(Bisect, KnowsTheLayoutOfTheAddressSpace) {
  const Result result = bisect({}, {NEEDS_PROGRAM, "address"});
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  const Words names = needed(result); // lrand48 is repeatable with either of two hooks
  ASSERT_EQ(names.size(), 3u) << result.out;
  EXPECT_EQ(names.front(), "getrandom");
  EXPECT_TRUE(names[1].ends_with("rand48")) << names[1];
  EXPECT_EQ(names.back(), "address-space layout");
  EXPECT_FALSE(contains(result.out, "--keep-aslr")) << result.out;
}

TEST_F(Bisect, FindsTheOneVariableThatNobodyWasSeenToAskFor) {
  const Result result = bisect({}, {"/bin/sh", "-c", "[ -n \"$NCCL_ALGO\" ] && echo a || date +%N"});
  EXPECT_EQ(result.status, equal) << result.out << result.err;
  EXPECT_EQ(needed(result), Words{"env:NCCL_ALGO"}) << result.out;
  EXPECT_FALSE(contains(rest(result), "NCCL_ALGO")) << result.out;
  EXPECT_TRUE(contains(rest(result), "NCCL_PROTO")) << result.out;
}

TEST_F(Bisect, LeavesAloneWhatTheUserDisabled) {
  EXPECT_EQ(bisect({"--disable", "getrandom"}, {NEEDS_PROGRAM}).status, different);
  const Result result = bisect({"--disable", "open"}, {NEEDS_PROGRAM});
  EXPECT_EQ(result.status, unverified) << result.out << result.err; // as `verify` does it
  EXPECT_EQ(needed(result), (Words{"getrandom", "lrand48"})) << result.out;
  EXPECT_FALSE(contains(result.out, "can go      open")) << result.out;
  EXPECT_TRUE(rest(result).starts_with("open,")) << result.out; // the line replaces what the user had
}

/// The set is enough and needed: by the document alone.
// A search of days may be cut off: the same command with its folder goes on with the next trial.
TEST_F(Bisect, GoesOnWhereItWasInterrupted) {
  const fs::path log = folder() / "search", journal = log / "search.jsonl";
  const Words options = {"--log", log.string(), "--json"};
  const Json whole = Json::parse(bisect(options, {NEEDS_PROGRAM}).out, nullptr, false);
  ASSERT_TRUE(whole.is_object());
  const Words trials = lines(contents(journal));
  ASSERT_GT(trials.size(), 6u);
  std::ofstream cut(journal, std::ios::trunc);
  for (std::size_t i = 0; i < 4; ++i) cut << trials[i] << '\n'; // the search's own, and three
  cut << trials[4].substr(0, 10);
  cut.close();
  fs::remove(log / "trial-001" / "run-2" / "stdout");
  std::ofstream(log / "trial-005" / "left") << "of the trial that was cut off";
  const Json rest = Json::parse(bisect(options, {NEEDS_PROGRAM}).out, nullptr, false);
  EXPECT_EQ(rest["text"], whole["text"]);
  EXPECT_EQ(rest["trials"].size(), whole["trials"].size());
  EXPECT_FALSE(fs::exists(log / "trial-001" / "run-2" / "stdout")) << "it was made again";
  EXPECT_TRUE(fs::exists(log / "trial-005" / "left")) << "it may be what was set aside of the user's";
  EXPECT_EQ(lines(contents(journal)).size(), trials.size() + 1) << "with the half line";
  // Another comparison, and another program's search.
  Words further = options;
  further.insert(further.end(), {"--ignore", "stdout"});
  EXPECT_EQ(bisect(further, {NEEDS_PROGRAM}).status, 2);
  const Result other = bisect(options, {NEEDS_PROGRAM, "address"});
  EXPECT_EQ(other.status, 2);
  EXPECT_TRUE(contains(other.err, "is of a search for another command")) << other.err;
}

TEST_F(Bisect, WritesJson) {
  const auto document_of = [&](const Words& options) {
    Words all = options;
    all.push_back("--json");
    const Result result = bisect(all, {NEEDS_PROGRAM});
    const Json document = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << result.out << result.err;
    return document;
  };
  const Json document = document_of({"--disable", "open"});
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["verdict"], "unverified") << document; // something is disabled, as `verify` has it
  Words needed;
  for (const Json& part : document["parts"]) {
    if (!part["needed"]) continue;
    needed.push_back(part["name"]);
    EXPECT_GT(part["without"]["differing"], 0) << part;
    EXPECT_EQ(part["kind"], "hook");
    EXPECT_GT(part["calls"], 0);
  }
  EXPECT_EQ(needed, (Words{"getrandom", "lrand48"})) << document;
  EXPECT_EQ(document["confirmed"]["kept"], needed) << document;
  EXPECT_EQ(document["keep_aslr"], true);
  EXPECT_EQ(document["trials"][0]["kept"].size(), document["parts"].size());

  const auto verify = [&](const std::string& disabled) {
    return run(words("verify", {"--keep-aslr", "--accept", "disabled"}, {NEEDS_PROGRAM}),
               {{"DETSHIM_DISABLE", disabled}}, folder())
        .status;
  };
  const std::string list = document["disable"];
  EXPECT_EQ(verify(list), equal) << list;
  for (const std::string& name : needed) EXPECT_EQ(verify(list + "," + name), different) << name;

  const Json few = document_of({"--most-runs", "9"});
  EXPECT_EQ(few["is_out_of_runs"], true);
  EXPECT_EQ(few["confirmed"], nullptr);
  const Json nothing = Json::parse(bisect({"--json"}, {"/bin/sh", "-c", "date +%N"}).out, nullptr, false);
  EXPECT_EQ(nothing["verdict"], "different");
  EXPECT_EQ(nothing["disable"], nullptr) << nothing;
}

TEST_F(Bisect, DoesNotTakeNothingForAnAnswer) {
  const Words clock{"/bin/sh", "-c", "date +%N"}, constant{"/bin/sh", "-c", "echo a"};
  EXPECT_EQ(bisect({}, clock).status, different);
  const Result alike = bisect({}, constant);
  EXPECT_EQ(alike.status, unverified);
  EXPECT_TRUE(contains(alike.out, "proves nothing")) << alike.out;
  EXPECT_EQ(bisect({}, {"/bin/sh", "-c", "echo a; exit 3"}).status, unverified);
  const Result few = bisect({"--most-runs", "9"}, {NEEDS_PROGRAM});
  EXPECT_EQ(few.status, unverified);
  EXPECT_TRUE(contains(few.out, "runs        8 of at most 9")) << few.out;
  for (const Words& options : std::vector<Words>{{"--most-runs", "3"}, {"-n", "1"}, {"--mode", "observe"}})
    EXPECT_TRUE(run(words("bisect", options, constant), {}, folder()).out.empty()) << options.front();
}

TEST_F(Bisect, PutsOutputsBackWhenItIsInterrupted) {
  std::ofstream(folder() / "out") << "before";
  Running running(
      words("bisect", {"--output", "out"}, {"/bin/sh", "-c", "echo half > out; : > begun; exec sleep 1000"}),
      {}, folder());
  while (!fs::exists(folder() / "begun") && !running.has_ended()) std::this_thread::yield();
  ::kill(running.process(), SIGINT);
  EXPECT_EQ(running.wait().status, 128 + SIGINT);
  EXPECT_EQ(contents(folder() / "out"), "before");
}

} // namespace
