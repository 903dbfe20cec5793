// Programs that libdetshim.so does not come up in: `detshim run` does not run them, and what starts
// one in another file system reports it.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

class Preloading : public testing::Test {
protected:
  /// Builds `source` with that compiler; empty where it is not installed.
  std::string build(const Arguments& compiler, const std::string& source, const std::string& name) {
    if (find_program(compiler[0]).empty())
      return {};
    std::ofstream(scratch_.path() / (name + ".c")) << source;
    Arguments command = compiler;
    for (const std::string& word :
         {(scratch_.path() / (name + ".c")).string(), std::string("-o"), file(name)})
      command.push_back(word);
    const Result built = run(command);
    EXPECT_EQ(built.status, 0) << built.err;
    return file(name);
  }

  std::string file(const std::string& name) const { return scratch_.path() / name; }

  void expect_not_run(const std::string& program, const std::string& why) {
    expect_not_run(run(detshim_run(scratch_, {}, {program})), program, why);
  }

  static void expect_not_run(const Result& result, const std::string& program,
                             const std::string& why) {
    EXPECT_EQ(result.status, 126) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("detshim: '" + program +
                                       "' is not run: libdetshim.so does not come up"))
        << result.err;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  }

  const std::string hello_ = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n";
  TemporaryFolder scratch_;
};

// It may be a launcher (tini): what it starts is covered.
TEST_F(Preloading, ReachesWhatAStaticProgramStarts) {
  const std::string tini = build(
      {"gcc", "-static"},
      "#include <unistd.h>\nint main(int n, char** a) { return execv(a[1], a + 1); }\n", "tini");
  const Arguments command = {tini, "/usr/bin/od", "-An", "-N8", "/dev/urandom"};
  const Result result = run(detshim_run(scratch_, {"--seed", "42"}, command));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.err.find("tini' is not reached: statically linked"), std::string::npos)
      << result.err;
  EXPECT_EQ(run(detshim_run(scratch_, {"--seed", "42", "--quiet"}, command)).out, result.out);
}

// The probe itself leaves nothing in the log of a run that it is part of.
TEST_F(Preloading, IsAskedWithinARun) {
  const TemporaryFolder scratch;
  const std::string script = "'" DETSHIM_COMMAND "' run --quiet --library '" DETSHIM_LIBRARY
                             "' -- od -An -N8 /dev/urandom";
  const Result result = run(detshim_run(scratch, {"--seed", "42"}, {"sh", "-c", script}));
  EXPECT_EQ(lines(result.err).size(), 1U) << result.err; // the closing line
  const Result check = run({DETSHIM_COMMAND, "log", "--check", scratch.log().string()});
  EXPECT_EQ(check.status, 0) << check.out;
}

TEST_F(Preloading, IsNotMisledByALoaderThatTalks) {
  for (const char* what : {"files", "all"}) {
    const Result result = run(detshim_run(scratch_, {"--quiet"}, {"true"}), {{"LD_DEBUG", what}});
    EXPECT_EQ(result.status, 0) << result.err.substr(0, 300);
  }
}

TEST_F(Preloading, DoesNotReachAProgramWithOtherRights) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root";
  fs::copy_file(find_program("od"), file("od"));
  ASSERT_EQ(chown(file("od").c_str(), 65534, 65534), 0);
  fs::permissions(file("od"), fs::perms::set_uid, fs::perm_options::add);
  expect_not_run(file("od"), "drops LD_PRELOAD");
}

TEST_F(Preloading, DoesNotReachAProgramOfMusl) {
  const std::string program = build({"musl-gcc"}, hello_, "hello");
  if (program.empty())
    GTEST_SKIP() << "no musl-gcc";
  expect_not_run(program, "linked with musl");
}

// The loader of glibc puts a folder for $LIB, and musl's, which does not, passes over what is not
// there.
TEST_F(Preloading, ByAFolderThatTheLoaderNamesLeavesMuslAlone) {
  const std::string program = build({"musl-gcc"}, hello_, "hello");
  if (program.empty())
    GTEST_SKIP() << "no musl-gcc";
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"}) {
    fs::create_directories(file(folder));
    fs::copy_file(DETSHIM_LIBRARY, file(folder) + "/libdetshim.so");
  }
  const Environment environment =
      under_shim(scratch_, {{"LD_PRELOAD", file("$LIB/libdetshim.so")}, {"DETSHIM_SEED", "42"}});
  const Result alone = run({program}, environment);
  EXPECT_EQ(alone.out + alone.err, "hello\n");
  const Result child =
      run({"sh", "-c", "od -An -N4 /dev/urandom; " + program + "; true"}, environment);
  EXPECT_EQ(lines(child.out).size(), 2u) << child.out;
  EXPECT_EQ(child.err, "");
  Arguments uncovered;
  for (const ProcessLog& log : read_log(scratch_.log()))
    for (const auto& call : log.calls())
      if (call["do"] == "uncovered")
        uncovered.push_back(call["why"]);
  EXPECT_EQ(uncovered, Arguments{"musl_program"});
}

TEST_F(Preloading, DoesNotReachAnotherProcessor) {
  const char* const other =
#if defined(__x86_64__)
      "aarch64-linux-gnu-gcc";
#else
      "x86_64-linux-gnu-gcc";
#endif
  const std::string program = build({other}, hello_, "hello");
  if (program.empty())
    GTEST_SKIP() << "no " << other;
  expect_not_run(program, "another processor");
}

// As on a machine whose glibc is older than the one that the library was linked to.
TEST_F(Preloading, SaysWhatTheLoaderSays) {
  std::ofstream(file("versions")) << "GLIBC_9.99 { global: from_the_future; };\n";
  fs::create_directory(file("newer"));
  const std::string newer_libc =
      build({"gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libc.so.6",
             "-Wl,--version-script=" + file("versions")},
            "void from_the_future(void) {}\n", "newer/libc.so.6");
  ASSERT_FALSE(newer_libc.empty()) << "no gcc";
  build({"gcc", "-shared", "-fPIC", "-nostdlib"},
        "void from_the_future(void);\nvoid use(void) { from_the_future(); }\n", "unlinked.so");
  const Result linked = run({"gcc", "-shared", "-fPIC", "-nostdlib", file("unlinked.so.c"),
                             newer_libc, "-o", file("libdetshim.so")});
  ASSERT_EQ(linked.status, 0) << linked.err;
  const std::string program = build({"gcc"}, hello_, "hello");
  expect_not_run(run({DETSHIM_COMMAND, "run", "--library", file("libdetshim.so"), "--", program}),
                 program, "GLIBC_9.99");
}

TEST_F(Preloading, LeavesToTheKernelWhatIsNoProgram) {
  EXPECT_EQ(run(detshim_run(scratch_, {}, {"no-such-program"})).status, 127);
  EXPECT_EQ(run(detshim_run(scratch_, {}, {scratch_.path()})).status, 126);
  std::ofstream(file("script")) << "echo by a shell\n"; // execvp() hands it to sh
  fs::permissions(file("script"), fs::perms::owner_all);
  EXPECT_EQ(run(detshim_run(scratch_, {"--quiet"}, {file("script")})).out, "by a shell\n");
  std::ofstream(file("gone")) << "#!/no/such/interpreter\n";
  fs::permissions(file("gone"), fs::perms::owner_all);
  EXPECT_EQ(run(detshim_run(scratch_, {"--quiet"}, {file("gone")})).status, 127);
}

// A library that the loader finds is preloaded in the sandbox too; another is said to be missing.
TEST_F(Preloading, InAnotherFileSystemIsSaid) {
  const Arguments sandbox = {"bwrap", "--bind", "/", "/", "--dev", "/dev", "--proc", "/proc"};
  const Arguments draw = {"head", "-c", "4", "/dev/urandom"};
  const auto in_sandbox = [&](const Arguments& more, const Arguments& program) {
    Arguments command = sandbox;
    command.insert(command.end(), more.begin(), more.end());
    command.insert(command.end(), program.begin(), program.end());
    return command;
  };
  if (run(in_sandbox({}, {"true"})).status != 0)
    GTEST_SKIP() << "no bwrap, or the kernel refuses a namespace";
  const std::string folder = fs::path(DETSHIM_LIBRARY).parent_path();
  const Arguments options = {"--seed", "42"};
  const Result covered = run(detshim_run(scratch_, options, in_sandbox({}, draw)));
  EXPECT_EQ(covered.out, run(detshim_run(scratch_, options, in_sandbox({}, draw))).out);
  const std::string reason = "library missing"; // its code, as it is printed
  EXPECT_EQ(covered.err.find(reason), std::string::npos) << covered.err;
  const TemporaryFolder other;
  const Result missing = run(detshim_run(other, options, in_sandbox({"--tmpfs", folder}, draw)));
  EXPECT_NE(missing.err.find(reason), std::string::npos) << missing.err;
  EXPECT_NE(run({DETSHIM_COMMAND, "log", "--check", other.log().string()}).status, 0);
}

} // namespace
