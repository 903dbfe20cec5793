// What installed packages name things by stays the kernel's; what they seed by, and all that the
// user's own code draws, follows from the seed.
#include "log_files.h"
#include "report/verdict_texts.h"
#include "run.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

const std::string python = "/usr/bin/python3";

/// A folder with a package that pip has installed, as far as its path tells, and a script of the
/// user's.
class Project {
public:
  explicit Project(const std::string& script) {
    std::filesystem::create_directory(temporary());
    put(packages() / "namer" / "__init__.py", contents(PROGRAMS "package_that_names.py"));
    put(packages() / "datasets" / "__init__.py", "");
    put(packages() / "datasets" / "fingerprint.py",
        contents(PROGRAMS "modules/datasets_fingerprint.py"));
    put(packages() / "matplotlib" / "__init__.py", "");
    put(packages() / "matplotlib" / "backends" / "__init__.py", "");
    put(packages() / "matplotlib" / "backends" / "backend_svg.py",
        "import uuid\ndef make_id(): return str(uuid.uuid4())\n");
    put(packages() / "pydantic" / "__init__.py", "def made(factory): return factory()\n");
    put(packages() / "tinyec.py",
        "import os, secrets\ndef key(): return secrets.randbelow(2 ** 256)\n");
    put(packages() / "pyotp.py",
        "import random\ndef key(): return '%x' % random.SystemRandom().getrandbits(160)\n");
    put(packages() / "mnemonic.py", "import os\ndef key(): return os.urandom(16).hex()\n");
    put(folder_.path() / "script.py",
        "import os, random, secrets, sys, tempfile, uuid\nimport namer\n" + script);
  }

  std::filesystem::path packages() const { return folder_.path() / "lib" / "site-packages"; }
  /// Pinned names are those of every project under that seed: two of them in one folder would meet.
  std::filesystem::path temporary() const { return folder_.path() / "tmp"; }
  std::string script() const { return folder_.path() / "script.py"; }
  const TemporaryFolder& scratch() const { return folder_; }

  Result run_under(const std::string& seed, const Environment& more = {}) const {
    Environment environment = in_folder({{"DETSHIM_SEED", seed}});
    for (const auto& [name, value] : more)
      environment[name] = value;
    std::filesystem::remove_all(folder_.log());
    return run({python, script()}, under_shim(folder_, environment), folder_.path());
  }

  Result run_without() const { return run({python, script()}, in_folder({}), folder_.path()); }

private:
  static void put(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  Environment in_folder(Environment more) const {
    more["PYTHONPATH"] = packages();
    more["TMPDIR"] = temporary();
    more["PYTHONDONTWRITEBYTECODE"] = "1";
    return more;
  }

  TemporaryFolder folder_;
};

struct Line {
  std::string name;
  std::string text;
};

std::ostream& operator<<(std::ostream& out, const Line& line) { return out << line.name; }

/// One of several lines, out of a file of them.
Line lines_of(const std::string& name, const std::string& file) {
  return {name, section(PROGRAMS + file, name)};
}

std::string name_of(const testing::TestParamInfo<Line>& tested) { return tested.param.name; }

bool is_missing(const Line& line) {
  return line.text.find("numpy") != std::string::npos &&
         run({python, "-c", "import numpy"}).status != 0;
}

/// What the log says of a draw: the record with that line of the package.
bool has_named(const Project& project, const std::string& function) {
  for (const ProcessLog& process : read_log(project.scratch().log()))
    for (const auto& call : process.calls())
      if (call["do"] == "observe" && call["why"] == "names_things" && process.count(call) > 0 &&
          call["py"].dump().find(function) != std::string::npos)
        return true;
  return false;
}

std::string verdict_of(const Project& project) {
  const Result log = run({DETSHIM_COMMAND, "log", "--json", project.scratch().log()});
  return nlohmann::json::parse(log.out)["verdict"];
}

// ------------------------------------------------------------------ names of packages

class PackageNames : public testing::TestWithParam<Line> {};

TEST_P(PackageNames, StayRandomAndAreNoReason) {
  // The user's numbers beside it are the same in each run.
  const Project project(std::string{"print(random.random())\nopen('name', 'w').write("} +
                        GetParam().text + ")\nprint(random.random(), uuid.uuid4())\n");
  const std::string file = project.scratch().path() / "name";
  const Result first = project.run_under("42");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_TRUE(has_named(project, "namer")) << "no record of it";
  EXPECT_EQ(verdict_of(project), "covered");
  const std::string name = contents(file);
  const Result second = project.run_under("42");
  EXPECT_NE(contents(file), name);
  EXPECT_EQ(second.out, first.out);
  EXPECT_NE(project.run_under("43").out, first.out);
}

TEST_P(PackageNames, ArePinnedOnRequest) {
  if (GetParam().name == "uuid1")
    GTEST_SKIP() << "holds the time";
  const Project project(std::string{"print("} + GetParam().text + ")\n");
  const Environment all{{"DETSHIM_NAMES", "pinned"}}, this_one{{"DETSHIM_KEEP_ENTROPY", "-namer"}};
  EXPECT_NE(project.run_without().out, project.run_without().out);
  for (const Environment& more : {all, this_one}) {
    const Result first = project.run_under("42", more);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_EQ(project.run_under("42", more).out, first.out);
    EXPECT_NE(project.run_under("43", more).out, first.out);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PackageNames,
    testing::Values(Line{"uuid4", "namer.by_uuid4()"}, Line{"uuid1", "namer.by_uuid1()"},
                    Line{"token_hex", "namer.by_token_hex()"},
                    Line{"token_bytes", "namer.by_token_bytes()"},
                    Line{"choice", "namer.by_choice()"}, Line{"choices", "namer.by_choices()"},
                    Line{"nested", "namer.by_nested()"}, Line{"mkdtemp", "namer.by_mkdtemp()"},
                    Line{"temporary_file", "namer.by_file()"},
                    Line{"dataclass", "namer.by_dataclass()"}, Line{"class", "namer.by_class()"}),
    name_of);

/// The texts of the log's `input` reasons.
std::vector<std::string> inputs_of(const Project& project) {
  const Result log = run({DETSHIM_COMMAND, "log", "--json", project.scratch().log()});
  const nlohmann::json document = nlohmann::json::parse(log.out);
  std::vector<std::string> inputs;
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == "input")
      inputs.push_back(reason["text"]);
  return inputs;
}

class PrintedNames : public testing::TestWithParam<Line> {};

Line printed(const std::string& name) { return lines_of(name, "prints_a_name.py"); }

TEST_P(PrintedNames, AreAReasonOfTheLineThatAsked) {
  const Project project(GetParam().text);
  const Result first = project.run_under("42");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(inputs_of(project),
            std::vector<std::string>{detshim::reason_text(
                {.finding = detshim::Finding::input_read, .names = {"script.py:3 (name)"}})});
  const Result second = project.run_under("42");
  EXPECT_NE(second.out + second.err, first.out + first.err);
}

INSTANTIATE_TEST_SUITE_P(All, PrintedNames,
                         testing::Values(printed("uuid4"), printed("uuid1"), printed("upper"),
                                         printed("class"), printed("stderr"), printed("logging"),
                                         printed("second"), printed("thread")),
                         name_of);

class UnprintedNames : public testing::TestWithParam<Line> {};

TEST_P(UnprintedNames, AreNoReason) {
  const Project project(GetParam().text);
  const Result result = project.run_under("42");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(inputs_of(project), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(
    All, UnprintedNames,
    testing::Values(Line{"other_digits",
                         "name = namer.by_uuid4()\nprint('0123456789abcdef' * 9)\n"},
                    Line{"users_own", "name = namer.by_uuid4()\nprint(uuid.uuid4())\n"},
                    Line{"by_the_package", "namer.say_name()\n"},
                    Line{"in_a_file", "open('name', 'w').write(namer.by_uuid4())\n"}),
    name_of);

TEST(PackageNames, OfAGeneratorOfItsOwnStayRandom) {
  const Project project("import datasets.fingerprint\nprint(datasets.fingerprint.fingerprint())\n");
  const Environment pinned{{"DETSHIM_NAMES", "pinned"}};
  EXPECT_NE(project.run_under("42").out, project.run_under("42").out);
  EXPECT_EQ(project.run_under("42", pinned).out, project.run_under("42", pinned).out);
}

TEST(PackageNames, ThatStayInAFileArePinned) {
  const Project project("import matplotlib.backends.backend_svg as svg\nprint(svg.make_id())\n");
  EXPECT_NE(project.run_without().out, project.run_without().out);
  EXPECT_EQ(project.run_under("42").out, project.run_under("42").out);
  EXPECT_NE(project.run_under("43").out, project.run_under("42").out);
}

// ------------------------------------------------------------------ keys of packages

TEST(PackageKeys, StayRandomWhateverTheyAreDrawnBy) {
  const Project project("import mnemonic, pyotp, tinyec\n"
                        "print(mnemonic.key(), pyotp.key(), tinyec.key(), sep='\\n')\n");
  const Environment pinned{{"DETSHIM_NAMES", "pinned"}};
  for (const Environment& more : {Environment{}, pinned}) {
    const auto first = lines(project.run_under("42", more).out),
               second = lines(project.run_under("42", more).out);
    ASSERT_EQ(first.size(), 3u);
    ASSERT_EQ(second.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NE(first[i], second[i]) << i;
  }
}

// ------------------------------------------------------------------ what follows from the seed

class Pinned : public testing::TestWithParam<Line> {};

Line of_the_user(const std::string& name) { return lines_of(name, "draws_of_the_user.py"); }

TEST_P(Pinned, FollowFromTheSeed) {
  if (is_missing(GetParam()))
    GTEST_SKIP() << "no NumPy";
  const Project project(GetParam().text);
  EXPECT_NE(project.run_without().out, project.run_without().out);
  const Result first = project.run_under("42");
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(first.out.empty());
  EXPECT_EQ(project.run_under("42").out, first.out);
  EXPECT_NE(project.run_under("43").out, first.out);
}

INSTANTIATE_TEST_SUITE_P(
    Packages, Pinned,
    testing::Values(Line{"urandom", "print(namer.own_urandom())"},
                    Line{"random", "print(namer.own_random())"},
                    Line{"global_random", "print(namer.own_global())"},
                    Line{"randbits", "print(namer.own_randbits())"},
                    Line{"randbelow", "print(namer.own_below())"},
                    Line{"system_number", "print(namer.own_system_number())"},
                    Line{"choice", "print(namer.own_choice())"},
                    Line{"sample", "print(namer.own_sample())"},
                    Line{"numpy", "print(namer.own_numpy())"},
                    Line{"numpy_legacy", "print(namer.own_numpy_legacy())"},
                    Line{"seeded_by_uuid", "print(namer.own_seeded_by_uuid())"},
                    Line{"seeded_by_token", "print(namer.own_seeded_by_token())"},
                    Line{"seed_of_another_function", "print(namer.own_fresh_seed())"}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Users, Pinned,
    testing::Values(Line{"uuid4", "print(uuid.uuid4())"},
                    Line{"token", "print(secrets.token_hex(8))"},
                    Line{"choice",
                         "print(''.join(secrets.choice('abcdefghijklmnop') for _ in range(16)))"},
                    of_the_user("mkdtemp"), of_the_user("function"), of_the_user("class"),
                    of_the_user("dataclass"), of_the_user("called_back"),
                    Line{"executed", "exec('print(uuid.uuid4())')"},
                    Line{"executed_apart", "exec('import uuid; print(uuid.uuid4())', {})"},
                    of_the_user("thread"), of_the_user("pool_thread"), of_the_user("child"),
                    of_the_user("numpy")),
    name_of);

// ------------------------------------------------------------------ one generator of temporary
// names

const std::string mixed_names = PROGRAMS "names_of_both.py";

TEST(TemporaryNames, OfTheUserArePinnedBesideThoseOfPackages) {
  const Project project(section(mixed_names, "by_turns"));
  EXPECT_NE(project.run_without().out, project.run_without().out);
  const Result first = project.run_under("42");
  ASSERT_EQ(first.status, 0) << first.err;
  const Result second = project.run_under("42");
  EXPECT_EQ(second.out, first.out);
  EXPECT_NE(second.err, first.err);
  EXPECT_NE(project.run_under("43").out, first.out);
}

TEST(TemporaryNames, OfTheUserAloneAreThoseOfEachVersion) {
  const Project alone(section(mixed_names, "of_the_user_alone"));
  const Project before(section(mixed_names, "of_the_user_first"));
  EXPECT_EQ(before.run_under("42").out, alone.run_under("42").out);
  const Environment pinned{{"DETSHIM_NAMES", "pinned"}};
  EXPECT_EQ(alone.run_under("42", pinned).out, alone.run_under("42").out);
}

// ------------------------------------------------------------------ a run that meets the names of
// one before

constexpr const char* said = "DETSHIM_KEEP_ENTROPY=uuid,secrets,tempfile makes new ones";

bool says_so(const Result& result) { return result.err.find(said) != std::string::npos; }

/// In the project's folder, loudly; without a `log` in the default's place.
Result run_again(const Project& project, const std::string& seed, Environment more = {}) {
  more["DETSHIM_SEED"] = seed;
  more["LD_PRELOAD"] = DETSHIM_LIBRARY;
  more["PYTHONPATH"] = project.packages();
  more["PYTHONDONTWRITEBYTECODE"] = "1";
  return run({python, project.script()}, more, project.scratch().path());
}

class RepeatedNames : public testing::TestWithParam<Line> {};

TEST_P(RepeatedNames, OfARunThatFailsAreSaid) {
  const Project project("os.mkdir('run-' + uuid.uuid4().hex)\n");
  const std::string log = GetParam().text;
  const std::string folder = project.scratch().path() / (log.empty() ? "detshim-log/latest" : log);
  const Environment to = log.empty() ? Environment{} : Environment{{"DETSHIM_LOG", folder}};
  const Result first = run_again(project, "42", to);
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(says_so(first)) << first.err;
  const Result second = run_again(project, "42", to);
  EXPECT_EQ(second.status, 1);
  EXPECT_TRUE(says_so(second)) << second.err;
  const std::string text = run({DETSHIM_COMMAND, "log", folder}).out;
  EXPECT_NE(text.find("hint: a process ended with status 1"), std::string::npos) << text;
  Environment keep = to;
  keep["DETSHIM_KEEP_ENTROPY"] = "uuid";
  EXPECT_EQ(run_again(project, "42", keep).status, 0);
  EXPECT_EQ(run_again(project, "43", to).status, 0);
}

INSTANTIATE_TEST_SUITE_P(All, RepeatedNames,
                         testing::Values(Line{"default_log", ""}, Line{"named_log", "mine"}),
                         name_of);

TEST(RepeatedNames, AreNotSaidOfOtherErrors) {
  const Project unnamed("print(random.random())\nsys.exit(3)\n"),
      named("uuid.uuid4()\nsys.exit(int(open('s').read()))\n");
  for (int i = 0; i < 2; ++i) {
    const Result result = run_again(unnamed, "42");
    EXPECT_EQ(result.status, 3);
    EXPECT_FALSE(says_so(result)) << result.err;
  }
  const auto end_with = [&](const char* status, const std::string& seed) {
    std::ofstream(named.scratch().path() / "s") << status;
    const Result result = run_again(named, seed);
    EXPECT_EQ(result.status, std::atoi(status)) << result.err;
    return says_so(result);
  };
  EXPECT_FALSE(end_with("4", "42")); // the first
  EXPECT_FALSE(end_with("4", "43")); // another seed
  EXPECT_FALSE(end_with("0", "42"));
  EXPECT_TRUE(end_with("4", "42"));
}

// ------------------------------------------------------------------ the option

TEST(Names, RefuseAnotherWord) {
  const Project project("");
  const Result result = project.run_under("42", {{"DETSHIM_NAMES", "fixed"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("DETSHIM_NAMES=\"fixed\" is not accepted: random or pinned"),
            std::string::npos)
      << result.err;
}

} // namespace
