// The table of docs/DOCTOR.md: what `detshim doctor` and `detshim run` say where detshim cannot
// work, or not wholly, is made to happen here and held to the document.
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gnu/libc-version.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

std::string text_of(const fs::path& file) {
  std::ifstream input(file);
  return {std::istreambuf_iterator<char>(input), {}};
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

class Situations : public testing::Test {
protected:
  Situations() {
    fs::permissions(scratch_.path(), fs::perms::others_read | fs::perms::others_exec,
                    fs::perm_options::add);
  }

  std::string file(const std::string& name) const { return scratch_.path() / name; }

  std::string script(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    fs::permissions(file(name),
                    fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
    return file(name);
  }

  /// Builds a program that does nothing; empty where there is no such compiler.
  std::string build(const Arguments& compiler, const std::string& name,
                    const std::string& source = "int main(void) { return 0; }\n") const {
    if (find_program(compiler[0]).empty())
      return {};
    std::ofstream(file(name + ".c")) << source;
    Arguments command = compiler;
    command.insert(command.end(), {file(name + ".c"), "-o", file(name)});
    EXPECT_EQ(run(command).status, 0);
    return file(name);
  }

  /// As code in Markdown, with no path of this machine in it.
  std::string normal(std::string text) const {
    replace_all(text, scratch_.path().string() + "/", "");
    replace_all(text, DETSHIM_LIBRARY, "libdetshim.so");
    replace_all(text, DETSHIM_COMMAND, "detshim");
    replace_all(text, std::string("on glibc ") + gnu_get_libc_version(), "on glibc 2.36");
    replace_all(text, "|", "\\|");
    const std::string fence = text.find('`') == std::string::npos ? "`" : "``";
    return fence + text + fence;
  }

  /// Its first problem, or what it notes of other libraries.
  std::string doctor(const Arguments& command, const Environment& environment = {},
                     const Arguments& before = {},
                     const std::string& library = DETSHIM_LIBRARY) const {
    Arguments words = before;
    words.insert(words.end(), {DETSHIM_COMMAND, "doctor", "--library", library, "--"});
    words.insert(words.end(), command.begin(), command.end());
    Environment all = {{"DETSHIM_SEED", "42"}, {"DETSHIM_LOG", file("log")}};
    for (const auto& [name, value] : environment)
      all[name] = value;
    const std::vector<std::string> said = lines(run(words, all).out);
    for (const char* level : {"problem ", "note     preloads "}) // other notes are this machine's
      for (const std::string& line : said)
        if (line.starts_with(level))
          return normal(line);
    return "nothing";
  }

  /// The first line that it writes to stderr.
  std::string run_line(const Arguments& command, const Environment& environment = {},
                       const Arguments& before = {},
                       const std::string& library = DETSHIM_LIBRARY) const {
    Arguments words = before;
    words.insert(words.end(), {DETSHIM_COMMAND, "run", "--library", library, "--"});
    words.insert(words.end(), command.begin(), command.end());
    Environment all = {{"DETSHIM_SEED", "42"}, {"DETSHIM_LOG", file("log")}};
    for (const auto& [name, value] : environment)
      all[name] = value;
    const Result result = run(words, all);
    for (const std::string& line : lines(result.err))
      if (line.find("; see: detshim log") == std::string::npos ||
          line.find(" is not reached: ") != std::string::npos)
        return normal(line);
    return "nothing";
  }

  static void expect_row(const std::string& situation, const std::string& doctor,
                         const std::string& run) {
    const std::string row = "| " + situation + " | " + doctor + " | " + run + " |";
    EXPECT_NE(text_of(DOCTOR_DOCUMENT).find(row + "\n"), std::string::npos)
        << "docs/DOCTOR.md lacks\n"
        << row;
  }

  void expect_program(const std::string& situation, const std::string& program,
                      const Arguments& before = {}) const {
    if (!program.empty())
      expect_row(situation, doctor({program}, {}, before), run_line({program}, {}, before));
  }

  const Arguments draw_ = {"od", "-An", "-N4", "/dev/urandom"};
  TemporaryFolder scratch_;
};

TEST_F(Situations, Programs) {
  expect_program("a statically linked program", build({"gcc", "-static"}, "static"));
  if (access(GO_PROGRAM, X_OK) == 0) {
    fs::copy_file(GO_PROGRAM, file("go"));
    expect_program("a program of Go's without libc", file("go"));
  }
  expect_program("a program linked with musl", build({"musl-gcc"}, "musl"));
#if defined(__x86_64__)
  expect_program("a program for another processor", build({"aarch64-linux-gnu-gcc"}, "other"));
#endif
  expect_program("a script whose interpreter is not there",
                 script("script", "#!/no/such/python\n"));
  expect_program("a script whose interpreter is out of reach",
                 script("script2", "#!" + file("static") + "\n"));
  expect_program("a program that is not there", "no-such-program");
}

TEST_F(Situations, Rights) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root";
  fs::copy_file(find_program("od"), file("setuid"));
  ASSERT_EQ(chown(file("setuid").c_str(), 65534, 65534), 0);
  fs::permissions(file("setuid"), fs::perms::set_uid, fs::perm_options::add);
  expect_program("a setuid program of another user's", file("setuid"));
  fs::copy_file(find_program("od"), file("capable"));
  if (run({"setcap", "cap_net_raw+ep", file("capable")}).status != 0)
    GTEST_SKIP() << "no setcap";
  const Arguments as_nobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
  Arguments command = as_nobody;
  command.emplace_back("true");
  if (access(DETSHIM_COMMAND, X_OK) != 0 || run(command).status != 0)
    GTEST_SKIP() << "no setpriv";
  command.back() = DETSHIM_COMMAND;
  command.emplace_back("--version");
  if (run(command).status != 0)
    GTEST_SKIP() << "nobody else reaches the command here";
  expect_program("a program with file capabilities", file("capable"), as_nobody);
}

TEST_F(Situations, Preloads) {
  const std::string other =
      build({"gcc", "-shared", "-fPIC"}, "libsaver.so",
            "void* malloc(unsigned long size);\nvoid* saved(void) { return malloc(1); }\n");
  expect_row("another library is preloaded too", doctor({"true"}, {{"LD_PRELOAD", other}}),
             run_line({"true"}, {{"LD_PRELOAD", other}}));
  const Environment missing = {{"LD_PRELOAD", "/no/such.so"}};
  expect_row("one that is preloaded is not there", doctor({"true"}, missing),
             run_line({"true"}, missing));
}

TEST_F(Situations, Settings) {
  const Environment misspelt = {{"DETSHIM_SEEED", "4"}};
  std::string said = run_line(draw_, misspelt);
  const std::size_t list = said.find("; the options are ");
  ASSERT_NE(list, std::string::npos) << said;
  said = said.substr(0, list) + "; the options are …" + (said.starts_with("``") ? "``" : "`");
  expect_row("a `DETSHIM_` variable that is no option", doctor({"true"}, misspelt), said);
  expect_row("a seed that is no number", doctor({"true"}, {{"DETSHIM_SEED", "x"}}),
             run_line(draw_, {{"DETSHIM_SEED", "x"}}));
}

TEST_F(Situations, Logs) {
  const Environment no_folder = {{"DETSHIM_LOG", "/etc/passwd/log"}};
  expect_row("the log's folder is a file", doctor({"true"}, no_folder), run_line(draw_, no_folder));
  const Arguments full = {"bwrap", "--bind", "/",    "/",       "--dev",
                          "/dev",  "--size", "4096", "--tmpfs", "/mnt"};
  Arguments probe = full;
  probe.emplace_back("true");
  if (run(probe).status != 0)
    GTEST_SKIP() << "no bwrap, or the kernel refuses a namespace";
  const Environment in_it = {{"DETSHIM_LOG", "/mnt/log"}};
  expect_row("the disk is full where the log goes", doctor({"true"}, in_it, full),
             run_line(draw_, in_it, full));
}

TEST_F(Situations, Containers) {
  const std::string folder = fs::path(DETSHIM_LIBRARY).parent_path();
  const Arguments inside = {"bwrap", "--bind",  "/",    "/",    "--dev", "/dev", "--proc",
                            "/proc", "--tmpfs", folder, "head", "-c",    "4",    "/dev/urandom"};
  if (run(inside).status != 0)
    GTEST_SKIP() << "no bwrap, or the kernel refuses a namespace";
  expect_row("the library is not in the container", doctor(inside), run_line(inside));
}

// As on a machine whose glibc is older than the one that the library was linked to.
TEST_F(Situations, Glibc) {
  std::ofstream(file("versions")) << "GLIBC_9.99 { global: from_the_future; };\n";
  fs::create_directory(file("newer"));
  const std::string libc = build({"gcc", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libc.so.6",
                                  "-Wl,--version-script=" + file("versions")},
                                 "newer/libc.so.6", "void from_the_future(void) {}\n");
  build({"gcc", "-shared", "-fPIC", "-nostdlib"}, "unlinked.so",
        "void from_the_future(void);\nvoid use(void) { from_the_future(); }\n");
  ASSERT_EQ(run({"gcc", "-shared", "-fPIC", "-nostdlib", file("unlinked.so.c"), libc, "-o",
                 file("libdetshim.so")})
                .status,
            0);
  const std::string program = build({"gcc"}, "program");
  const auto normal_version = [](std::string line) { // the system's folder of libraries
    replace_all(line, "/lib/" MULTIARCH "/", "/lib/");
    return line;
  };
  expect_row("the library needs a newer glibc",
             normal_version(doctor({program}, {}, {}, file("libdetshim.so"))),
             normal_version(run_line({program}, {}, {}, file("libdetshim.so"))));
}

} // namespace
