// Whose line of C++ led to a call: behind headers, behind libraries, on any stack.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

const std::string sources = CALLERS_SOURCES "/";
const Environment seed_42 = {{"DETSHIM_SEED", "42"}};

/// "layers.cpp:14" for the line of that program that holds `text`.
std::string line_of(const std::string& file, const std::string& text) {
  std::ifstream stream(sources + file);
  int number = 1;
  for (std::string line; std::getline(stream, line); ++number)
    if (line.find(text) != line.npos)
      return file + ":" + std::to_string(number);
  return "no " + text;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The places of a function's calls as `detshim log --json` has them.
std::vector<json> places(const TemporaryFolder& scratch, const std::string& function) {
  const Result read = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const json document = json::parse(read.out);
  std::vector<json> found;
  for (const json& call : document["calls"])
    if (call["function"].get<std::string>().find(function) != std::string::npos)
      for (const json& place : call["places"])
        found.push_back(place);
  return found;
}

/// "layers.cpp:14" of the user's line at each place.
std::multiset<std::string> users(const std::vector<json>& places) {
  std::multiset<std::string> lines;
  for (const json& place : places) {
    const json& line = place["user_line"];
    lines.insert(line.is_null()
                     ? "nobody"
                     : base_name(line["file"]) + ":" + std::to_string(line["line"].get<int>()));
  }
  return lines;
}

class Layers : public testing::TestWithParam<const char*> {};

TEST_P(Layers, AreToldApartBehindAHeader) {
  const std::string program = CALLERS_PROGRAMS + std::string("layers_") + GetParam();
  if (!std::filesystem::exists(program))
    GTEST_SKIP() << "not built: no such compiler or library";
  const TemporaryFolder scratch;
  const Result result = run({program}, under_shim(scratch, seed_42));
  EXPECT_EQ(result.status, 0) << result.err;

  const std::vector<json> devices = places(scratch, "random_device");
  EXPECT_EQ(users(devices),
            (std::multiset<std::string>{line_of("layers.cpp", "// encoder's seed"),
                                        line_of("layers.cpp", "// decoder's seed")}))
      << json(devices).dump(1);
  const std::multiset<std::string> graphs = users(places(scratch, "rand"));
  EXPECT_TRUE(graphs.contains(line_of("layers.cpp", "// first graph")));
  EXPECT_TRUE(graphs.contains(line_of("layers.cpp", "// second graph")));

  const std::string text =
      run({DETSHIM_COMMAND, "log", "--all", "--no-scan", scratch.log().string()}).out;
  EXPECT_NE(text.find(line_of("layers.cpp", "// decoder's seed") + " Decoder"), text.npos) << text;
  EXPECT_NE(text.find(line_of("layers.cpp", "// second graph") + " main -> "), text.npos) << text;
}

INSTANTIATE_TEST_SUITE_P(Callers, Layers,
                         testing::Values("gcc_O0", "gcc_O2", "gcc_O0_without_pointers", "clang_O0",
                                         "clang_O2", "libcxx_O0", "libcxx_O2"),
                         [](const auto& each) {
                           return std::string(each.param);
                         });

/// The log of `users LIBRARY ...` with the wrapper.
Result run_users(const TemporaryFolder& scratch, std::vector<std::string> more = {}) {
  std::vector<std::string> command = {CALLERS_PROGRAMS "users", CALLERS_PROGRAMS "libwrapper.so"};
  command.insert(command.end(), more.begin(), more.end());
  return run(command, under_shim(scratch, seed_42));
}

TEST(Wrapper, DoesNotHideItsUsers) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run_users(scratch).status, 0);
  const std::vector<json> drawn = places(scratch, "rand");
  EXPECT_EQ(users(drawn), (std::multiset<std::string>{line_of("users.cpp", "// encoder's draw"),
                                                      line_of("users.cpp", "// decoder's draw")}));
  for (const json& place : drawn) {
    ASSERT_FALSE(place["frames"].empty()) << place;
    EXPECT_NE(place["at"].get<std::string>().find("libwrapper.so+0x"), std::string::npos) << place;
    EXPECT_EQ(place["frames"][0]["at"].get<std::string>().find(CALLERS_PROGRAMS "users+0x"), 0u)
        << place;
  }
  const std::string text =
      run({DETSHIM_COMMAND, "log", "--all", "--no-scan", scratch.log().string()}).out;
  EXPECT_NE(text.find(line_of("users.cpp", "// encoder's draw") +
                      " encoder -> libwrapper.so(wrapper_draw+"),
            text.npos)
      << text;
}

/// The addresses are random, what the log says is not.
TEST(Wrapper, HasTheSameUsersInEachRun) {
  std::vector<json> calls[2];
  for (std::vector<json>& each : calls) {
    const TemporaryFolder scratch;
    run_users(scratch);
    const std::vector<ProcessLog> logs = read_log(scratch.log());
    ASSERT_EQ(logs.size(), 1u);
    each = logs[0].calls("rand");
  }
  EXPECT_EQ(calls[0], calls[1]);
}

TEST(Wrapper, IsLookedAtAThousandTimes) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run_users(scratch, {"many"}).status, 0);
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  const std::vector<json> calls = logs[0].calls("rand");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(logs[0].count(calls[0]) + logs[0].count(calls[1]), 10000u);
  for (const json& call : calls)
    EXPECT_GE(logs[0].count(call), 512u) << call;
}

TEST(Wrapper, WithUsersWithoutNumberStaysSmall) {
  const TemporaryFolder scratch;
  EXPECT_EQ(run_users(scratch, {"deep"}).status, 0);
  const std::vector<ProcessLog> logs = read_log(scratch.log());
  ASSERT_EQ(logs.size(), 1u);
  const std::vector<json> calls = logs[0].calls("rand");
  EXPECT_LE(calls.size(), 1001u);
  uint64_t sum = 0;
  for (const json& call : calls)
    sum += logs[0].count(call);
  EXPECT_EQ(sum, 5000u);
}

class Stacks : public testing::TestWithParam<const char*> {};

TEST_P(Stacks, AreReadAsFarAsTheyGo) {
  const TemporaryFolder scratch;
  const std::string kind = GetParam();
  for (const char* const build : {"stacks_O0", "stacks_O2"}) {
    std::vector<std::string> command = {CALLERS_PROGRAMS + std::string(build), kind};
    if (kind == "unmapped")
      for (int i = 0; i < 4; ++i)
        command.push_back(CALLERS_PROGRAMS +
                          std::string(i % 2 == 0 ? "libwrapper.so" : "libwrapper_O0.so"));
    std::filesystem::remove_all(scratch.log());
    const Result result = run(command, under_shim(scratch, seed_42));
    EXPECT_EQ(result.status, 0) << build << result.err;
    EXPECT_EQ(result.out, "drawn\n");
    const std::vector<json> drawn = places(scratch, "rand");
    EXPECT_TRUE(users(drawn).contains(line_of("stacks.cpp", "// the draw"))) << json(drawn).dump(1);
    // Who called draw() is there, but where a library called it.
    std::set<std::string> functions;
    for (const json& place : drawn)
      for (const json& frame : place["frames"])
        if (!frame["source"].is_null()) {
          functions.insert(frame["source"]["function"].get<std::string>());
          for (const json& caller : frame["source"]["inlined_into"])
            functions.insert(caller["function"].get<std::string>());
        }
    const std::map<std::string, std::string> callers = {{"main", "main"},
                                                        {"deep", "recurse"},
                                                        {"aligned", "aligned"},
                                                        {"aligned", "main"},
                                                        {"large", "large"},
                                                        {"large", "main"},
                                                        {"thread", "in_thread"},
                                                        {"small_thread", "in_thread"},
                                                        {"coroutine", "in_coroutine"},
                                                        {"coroutine_in_thread", "in_coroutine"},
                                                        {"unmapped", "main"}};
    if (callers.contains(kind) && std::string(build) == "stacks_O0") {
      EXPECT_TRUE(functions.contains(callers.at(kind))) << json(drawn).dump(1);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Callers, Stacks,
                         testing::Values("main", "thread", "small_thread", "signal", "signal_stack",
                                         "lonely_signal_stack", "coroutine", "coroutine_in_thread",
                                         "deep", "aligned", "large", "without_tables", "exit",
                                         "unmapped"),
                         [](const auto& each) {
                           return std::string(each.param);
                         });

} // namespace
