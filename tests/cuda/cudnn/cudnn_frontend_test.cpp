// NVIDIA's cudnn-frontend, the real headers: all calls of a program come from a few lines of them.
#include "cudnn_test.h"

#include <fstream>

namespace {

int line_of(const std::string& text) {
  std::ifstream stream(DETSHIM_TEST_FRONTEND);
  int number = 1;
  for (std::string line; std::getline(stream, line); ++number)
    if (line.find(text) != line.npos)
      return number;
  return 0;
}

TEST(Frontend, UsersAreToldApart) {
  const std::string program = test_folder() + "/cudnn_frontend";
  if (!std::filesystem::exists(program))
    GTEST_SKIP()
        << "the headers of nvidia-cudnn-frontend, or cuDNN (9.8 or later), are not installed";
  const TemporaryFolder scratch;
  const Result built =
      run({program, DETSHIM_TEST_DEVICE},
          under_shim(scratch, enforce + Environment{{"LD_LIBRARY_PATH", DETSHIM_TEST_CUDNN}}));
  ASSERT_EQ(built.out, "built\n") << built.err;

  const Result read = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const nlohmann::json document = nlohmann::json::parse(read.out);
  std::set<std::string> headers;
  std::map<std::string, std::set<int>> lines;
  for (const nlohmann::json& call : document["calls"])
    for (const nlohmann::json& place : call["places"]) {
      const nlohmann::json& user = place["user_line"];
      ASSERT_FALSE(user.is_null()) << place.dump(1);
      EXPECT_TRUE(user["file"].get<std::string>().ends_with("/cudnn_frontend.cpp")) << user;
      lines[call["function"]].insert(user["line"].get<int>());
      const std::string file = place["source"]["file"];
      headers.insert(file.substr(file.rfind('/') + 1));
    }
  EXPECT_EQ(headers, std::set<std::string>{"cudnn_frontend_shim.h"});
  EXPECT_EQ(lines["cudnnBackendFinalize"],
            (std::set{line_of("// all of the convolution"), line_of("// all of the gradient")}));
  EXPECT_EQ(lines["cudnnBackendGetAttribute"], (std::set{line_of("// plans of the convolution"),
                                                         line_of("// plans of the gradient")}));
}

} // namespace
