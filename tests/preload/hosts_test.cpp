// Programs that people run every day, with the library preloaded: the same output, the same exit
// status, and no log from those that draw nothing.
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

struct Host {
  std::string name;
  std::vector<std::string> command;
  bool draws = false;
};

void PrintTo(const Host& host, std::ostream* stream) { *stream << host.name; }

/// A folder with what the commands work on, always under the same name, so that outputs can be
/// compared.
class Workplace {
public:
  explicit Workplace(const TemporaryFolder& scratch) : path_(scratch.path() / "workplace") {
    fs::remove_all(path_);
    fs::create_directory(path_);
    std::ofstream{path_ / "hello.c"}
        << "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 3; }\n";
    std::ofstream{path_ / "Makefile"} << contents(PROGRAMS "echoes.mk");
    run({"git", "init", "--quiet"}, {}, path_);
  }

  const fs::path& path() const { return path_; }

private:
  fs::path path_;
};

class Hosts : public testing::TestWithParam<Host> {};

TEST_P(Hosts, RunAsWithoutTheLibrary) {
  const auto& [name, command, draws] = GetParam();
  if (find_program(command[0]).empty())
    GTEST_SKIP() << command[0] << " is not installed here";

  const TemporaryFolder scratch;
  const Result expected = run(command, {}, Workplace{scratch}.path());
  ASSERT_NE(expected.status, 127) << expected.err;

  for (const Environment& environment : {Environment{}, Environment{{"DETSHIM_SEED", "42"}}}) {
    const std::string with = environment.empty() ? "no seed" : "seed 42";
    const Workplace workplace{scratch};
    const Result result = run(command, under_shim(scratch, environment), workplace.path());
    EXPECT_EQ(result.status, expected.status) << with;
    EXPECT_EQ(result.out, expected.out) << with;
    EXPECT_EQ(result.err, expected.err) << with;
    EXPECT_FALSE(fs::exists(workplace.path() / "detshim-log")) << with;
    if (!draws) {
      EXPECT_FALSE(fs::exists(scratch.log())) << with;
    }
    fs::remove_all(scratch.log());
  }
}

const std::vector<Host> hosts = {
    {"true", {"true"}},
    {"sh", {"sh", "-c", "echo hi; echo ho >&2; exit 5"}},
    {"bash", {"bash", "-c", "echo hi"}},
    {"bash_pipeline",
     {"bash", "-c", "for i in 1 2 3; do echo $i; done | sort -r | (cat; exit 4)"},
     true}, // something is expanded in it, which may be a clock
    {"bash_pipeline_of_words", {"bash", "-c", "echo 1 | sort -r | (cat; exit 4)"}},
    {"ls", {"ls"}},
    {"env",
     {"env", "-i", "/bin/echo", "hi"},
     true}, // a record of its own: echo is without the library
    {"git", {"git", "status"}},
    {"make", {"make"}},
    {"make_parallel", {"make", "-j2", "-s"}},
    {"gcc_and_run", {"sh", "-c", "gcc -o hello hello.c && ./hello"}},
    {"python", {"python3", "-c", "pass"}, true},
    {"python_threads", {"python3", "-c", contents(PROGRAMS "threads_and_a_program.py")}, true},
    {"perl", {"perl", "-e", "1"}, true},
    {"perl_output", {"perl", "-e", "print qq(hi\\n); exit 6"}, true},
    {"node", {"node", "-e", "0"}, true},
    {"node_output",
     {"node", "-e", "console.log([1, 2].map(x => x * 2)); process.exitCode = 7"},
     true},
    {"java", {"java", "-XX:-UsePerfData", "-version"}, true},
    {"cmake", {"cmake", "--version"}, true},
    {"valgrind", {"valgrind", "-q", "/bin/echo", "hi"}, true},
};

INSTANTIATE_TEST_SUITE_P(All, Hosts, testing::ValuesIn(hosts), [](const auto& tested) {
  return tested.param.name;
});

} // namespace
