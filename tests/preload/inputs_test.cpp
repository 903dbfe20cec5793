// What the user's own code reads that no seed pins, and what runs beside each other, is in the log with its
// line.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

/// The texts of the reasons of that kind in the log of a command; it draws nothing.
Words reasons_of(const TemporaryFolder& scratch, const std::string& kind, const Words& command,
                 const std::string& disabled = "") {
  std::filesystem::remove_all(scratch.log());
  const Environment environment{{"DETSHIM_SEED", "42"}, {"DETSHIM_DISABLE", disabled}};
  const Result result = run(command, under_shim(scratch, environment), scratch.path());
  EXPECT_EQ(result.status, 0) << result.err;
  Words found;
  const Result log = run({DETSHIM_COMMAND, "log", "--json", "--no-scan", scratch.log().string()});
  const auto document = nlohmann::json::parse(log.out, nullptr, false);
  if (!document.is_object()) return found; // no log
  for (const auto& reason : document["reasons"])
    if (reason["kind"] == kind) found.push_back(reason["text"]);
  return found;
}

/// One line for each call, as `case` N at line N.
struct Input {
  const char* name;
  const char* call;
  const char* what;
};
constexpr Input inputs[] = {
    {"stat", "stat(\"/\", &status)", "file_time"},
    {"stat64", "stat64(\"/\", &status64)", "file_time"},
    {"lstat", "lstat(\"/\", &status)", "file_time"},
    {"lstat64", "lstat64(\"/\", &status64)", "file_time"},
    {"fstatat", "fstatat(AT_FDCWD, \"/\", &status, 0)", "file_time"},
    {"fstatat64", "fstatat64(AT_FDCWD, \"/\", &status64, 0)", "file_time"},
    {"statx", "statx(AT_FDCWD, \"/\", 0, STATX_ALL, &statusx)", "file_time"},
    {"socket", "socket(AF_INET, SOCK_STREAM, 0)", "network"},
    {"setitimer", "setitimer(ITIMER_VIRTUAL, &interval, nullptr)", "timer"},
    {"timer_settime",
     "(timer_create(CLOCK_MONOTONIC, &event, &timer), timer_settime(timer, 0, &later, nullptr))", "timer"},
    {"alarm", "alarm(1000)", "timer"},
    {"aio_read", "aio_read(&request)", "timer"},
    {"aio_read64", "aio_read64(&request64)", "timer"},
    {"aio_write", "aio_write(&request)", "timer"},
    {"aio_write64", "aio_write64(&request64)", "timer"},
    {"ualarm", "ualarm(999999, 0)", "timer"},
    {"get_avphys_pages", "get_avphys_pages()", "system"},
    {"fstat", "fstat(0, &status)", "file_time"},
    {"fstat64", "fstat64(0, &status64)", "file_time"},
    {"sysinfo", "sysinfo(&machine)", "system"},
    {"getloadavg", "getloadavg(loads, 1)", "system"},
    {"sched_getcpu", "sched_getcpu()", "system"},
    {"statvfs", "statvfs(\"/\", &space)", "system"},
    {"statvfs64", "statvfs64(\"/\", &space64)", "system"},
    {"sysconf", "sysconf(_SC_AVPHYS_PAGES)", "system"},
    {"opendir", "opendir(\"/proc\")", "system"},
    {"shmget", "shmget(1, 1, 0)", "name"},
    {"msgget", "msgget(1, 0)", "name"},
    {"semget", "semget(1, 1, 0)", "name"},
    {"mkstemp", "mkstemp(none)", "name"},
    {"mkstemp64", "mkstemp64(none)", "name"},
    {"mkdtemp", "mkdtemp(none)", "name"},
    {"mktemp", "mktemp(none)", "name"},
    {"tmpnam", "tmpnam(nullptr)", "name"},
    {"tempnam", "tempnam(nullptr, nullptr)", "name"},
    {"fopen", "fopen(\"/proc/self/stat\", \"r\")", "system"},
    {"open", "open(\"/sys/kernel\", O_RDONLY)", "system"},
};

TEST(Inputs, OfTheUsersCodeAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream source(scratch.path() / "reader.cpp");
  source
      << "#include <aio.h>\n#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n"
         "#include <fcntl.h>\n#include <sys/socket.h>\n#include <sys/stat.h>\n#include <sys/time.h>\n"
         "#include <unistd.h>\n#include <sys/sysinfo.h>\n#include <sys/shm.h>\n#include <sys/msg.h>\n"
         "#include <sys/sem.h>\n#include <sys/statvfs.h>\n#include <dirent.h>\n#include <sched.h>\n"
         "struct statvfs space; struct statvfs64 space64; struct sysinfo machine; double loads[3]; char "
         "none[] = \"\";\n"
         "struct stat status; struct stat64 status64; struct statx statusx; itimerval interval; timer_t "
         "timer;\n"
         "sigevent event{.sigev_notify = SIGEV_NONE}; itimerspec later; aiocb request; aiocb64 request64;\n"
         "int main(int, char** words) { switch (atoi(words[1])) {\n";
  constexpr int first_line = 22;
  int line = first_line;
  for (const Input& input : inputs) source << "case " << line++ << ": (void)!" << input.call << "; break;\n";
  source << "} }\n";
  source.close();
  const Result built =
      run({"g++", "-g", "-std=gnu++20", "-w", "-o", "reader", "reader.cpp"}, {}, scratch.path());
  ASSERT_EQ(built.status, 0) << built.err;
  line = first_line;
  for (const Input& input : inputs) {
    const std::string place = "reader.cpp:" + std::to_string(line) + " (" + input.what + ")";
    const Words command = {"./reader", std::to_string(line++)};
    EXPECT_EQ(reasons_of(scratch, "input", command), Words{"your code reads what no seed pins: " + place})
        << input.name;
    EXPECT_EQ(reasons_of(scratch, "input", command, input.name), Words{}) << input.name;
  }
  EXPECT_EQ(reasons_of(scratch, "input", {"./reader", "0"}), Words{});
}

TEST(Inputs, OfClocksByOtherWaysAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c")
      << "#include <sys/resource.h>\n#include <sys/syscall.h>\n#include <time.h>\n#include <unistd.h>\n"
         "int main(void) {\nstruct rusage used; struct timespec now;\ngetrusage(RUSAGE_SELF, &used);\n"
         "syscall(SYS_gettid);\nsyscall(SYS_clock_gettime, 0, &now);\nsyscall(SYS_getuid);\nchar room[400];\n"
         "ftime(room);\nadjtimex(room);\nreadlink(\"/proc/self\", room, 9);\n"
         "getpgrp();\ngetpgid(0);\ngetsid(0);\nntp_gettime(room);\nntp_gettimex(room);\nsysconf(_SC_PAGESIZE)"
         ";\n}\n";
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}),
            Words{"your code reads a clock or an id: reader.c:15, reader.c:16, reader.c:17 and 2 more"});
  // Those that --freeze cannot answer.
  EXPECT_EQ(
      reasons_of(scratch, "input", {"./reader"}),
      Words{"your code reads what no seed pins: reader.c:12 (system), reader.c:13 (system), reader.c:14 "
            "(name) and 3 more"});
}

// What draws later has another name; the readings are this process's.
TEST(Inputs, OfAProcessThatHandsItsNameToItsFirstChildAreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c")
      << "#include <stdlib.h>\n#include <time.h>\nint main(void) {\ntime(0);\n"
         "return system(\"true\");\n}\n";
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  EXPECT_EQ(reasons_of(scratch, "clock", {"./reader"}),
            Words{"your code reads a clock or an id: reader.c:4"});
}

// A clock that a seed takes alone is pinned with it; one that goes elsewhere too is not.
TEST(Inputs, OfAClockForASeedAloneAreNone) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c")
      << "#include <stdio.h>\n#include <stdlib.h>\n#include <sys/time.h>\n#include <time.h>\n#include "
         "<unistd.h>\n"
         "int main(void) {\ntime_t now; struct timeval time_of_day;\n#line 1\n"
         "DRAW;\n"
         "printf(\"%d\\n\", rand());\n(void)now, (void)time_of_day;\n}\n";
  const auto readings = [&](const std::string& draw) {
    std::vector<Words> found;
    for (const std::string level : {"-O0", "-O2"}) {
      const Result built = run({"gcc", "-g", "-w", level, "-D", "DRAW=" + draw, "-o", "reader", "reader.c"},
                               {}, scratch.path());
      EXPECT_EQ(built.status, 0) << built.err;
      found.push_back(reasons_of(scratch, "clock", {"./reader"}));
    }
    return found;
  };
  const std::vector<Words> none(2), named(2, {"your code reads a clock or an id: reader.c:1"});
  for (const char* draw :
       {"srand(time(NULL))", "srand48(time(NULL))", "srand(getpid())", "srand(time(NULL) + 3)"})
    EXPECT_EQ(readings(draw), none) << draw;
  const char* const between = "int seed = time(NULL); __asm__(\"nop\\nnop\\nnop\\nnop\"); srand(seed)";
  EXPECT_EQ(readings(between).back(), Words{}); // without optimization the seed is kept in memory
  for (const char* draw :
       {"srand(time(NULL) + 3 + puts(\"\"))", "srand(now = time(NULL)); printf(\"%ld\", now)",
        "srand(time(&now)); printf(\"%ld\", now)",
        "gettimeofday(&time_of_day, NULL); srand(time_of_day.tv_sec); printf(\"%ld\", time_of_day.tv_usec)"})
    EXPECT_EQ(readings(draw), named) << draw;
}

// "?" where the interpreter has no UTF-8 for it.
TEST(Inputs, OfAScriptWhoseNameIsNoUtf8AreNamed) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "tr\xe9in.py") << "import time\nprint(time.time_ns())\n";
  EXPECT_EQ(reasons_of(scratch, "clock", {"/usr/bin/python3", "tr\xe9in.py"}),
            Words{"your code reads a clock or an id: ?:2"});
}

TEST(Inputs, OfPythonByOtherWaysAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "train.py")
      << "import os, threading\nos.times()\nthreading.get_native_id()\n"
         "os.getpgrp()\nos.getsid(0)\nos.statvfs('/')\n"
         "os.listdir('/proc')\nos.listdir('.')\nos.getppid()\n";
  const Words command = {"python3", "train.py"};
  EXPECT_EQ(reasons_of(scratch, "clock", command),
            Words{"your code reads a clock or an id: train.py:2, train.py:3, train.py:4 and 2 more"});
  EXPECT_EQ(reasons_of(scratch, "input", command),
            Words{"your code reads what no seed pins: train.py:6 (system), train.py:7 (system)"});
}

#ifdef __x86_64__
TEST(Inputs, OfInstructionsAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "reader.c")
      << "int main(void) {\nlong id = 39;\n__builtin_ia32_rdtsc();\n"
         "__asm__ volatile(\"syscall\" : \"+a\"(id) : : \"rcx\", \"r11\", \"memory\");\n}\n";
  ASSERT_EQ(run({"gcc", "-g", "-w", "-o", "reader", "reader.c"}, {}, scratch.path()).status, 0);
  ASSERT_EQ(run({DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--", "./reader"}, {}, scratch.path())
                .status,
            0);
  const std::string log = run({DETSHIM_COMMAND, "log"}, {}, scratch.path()).out;
  EXPECT_NE(log.find("reader.c:3 (clock)"), std::string::npos) << log;
  EXPECT_NE(log.find("reader.c:4 (raw system call)"), std::string::npos) << log;
}
#endif

TEST(Inputs, OfAProgramThatIsStartedAreNamedByIt) {
  const TemporaryFolder scratch;
  const auto log_of = [&](const std::string& program) {
    const std::string code =
        "import os, subprocess; os.urandom(1); subprocess.run('" + program + "'.split())";
    EXPECT_EQ(run({DETSHIM_COMMAND, "run", "--library", DETSHIM_LIBRARY, "--", "/usr/bin/python3", "-S", "-c",
                   code},
                  {}, scratch.path())
                  .status,
              0);
    return run({DETSHIM_COMMAND, "log"}, {}, scratch.path()).out;
  };
  EXPECT_NE(log_of("date").find("your code reads a clock or an id: program date"), std::string::npos);
  EXPECT_NE(log_of("cat /proc/uptime").find("program cat (system)"), std::string::npos);
  for (const char* program : {"git --version", "find -name x", "ls", "cp /etc/hostname x"})
    EXPECT_NE(log_of(program).find("verdict: covered"), std::string::npos) << program;
}

TEST(Inputs, OfPythonAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& code) {
    std::ofstream(scratch.path() / "t.py") << "import os, socket\n" << code << '\n';
    const Words found = reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"});
    return found.empty() ? "" : found[0].substr(found[0].find(": ") + 2);
  };
  EXPECT_EQ(inputs_of("os.path.getmtime('/')"), "t.py:2 (file_time)");
  EXPECT_EQ(inputs_of("os.stat('/')"), "t.py:2 (file_time)");
  EXPECT_EQ(inputs_of("socket.socket()"), "t.py:2 (network)");
  EXPECT_EQ(inputs_of("open('/proc/self/stat')"), "t.py:2 (system)");
  EXPECT_EQ(inputs_of("if os.fork() == 0: os._exit(0)\nos.wait()"), "t.py:2 (name)"); // an id of the kernel's
  EXPECT_EQ(inputs_of("os.path.exists('/')"), ""); // who asks only that, reads no time
}

TEST(Inputs, OfAChildThatMayHaveEndedAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  const auto inputs_of = [&](const std::string& code, const std::string& disabled = "") {
    std::ofstream(scratch.path() / "t.py")
        << "import subprocess\nend = subprocess.Popen(['cat'], stdin=subprocess.PIPE)\n"
        << code << '\n';
    const Words found = reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "t.py"}, disabled);
    return found.empty() ? "" : found[0].substr(found[0].find(": ") + 2);
  };
  EXPECT_EQ(inputs_of("end.poll()\nend.communicate()"), "t.py:3 (timer)");
  EXPECT_EQ(inputs_of("end.poll()\nend.communicate()", "waitpid"), "");
  EXPECT_EQ(inputs_of("end.communicate()\nend.wait()"), ""); // until it has
  EXPECT_EQ(inputs_of("end.communicate()\nend.poll()\nsubprocess.run(['true'])"), "");
}

// Nothing sees that the threads of a region share nothing.
TEST(Inputs, OfRegionsOfSeveralThreadsAreNamedWithTheirLine) {
  const TemporaryFolder scratch;
  std::ofstream(scratch.path() / "regions.c")
      << "#include <omp.h>\nint main(int count, char** words) {\n  double sum = 0;\n  omp_lock_t lock;\n"
         "  omp_init_lock(&lock), omp_set_num_threads(1);\n  for (int i = 1; i < count; ++i)\n    switch "
         "(words[i][0]) {\n"
         "    case 'a':\n#pragma omp parallel for num_threads(2)\n      for (int i = 0; i < 9; ++i) sum = "
         "i;\n      break;\n"
         "    case 'b':\n#pragma omp parallel for num_threads(2) schedule(dynamic)\n      for (int i = 0; i "
         "< 9; ++i) sum = i;\n      break;\n"
         "    case 'c':\n#pragma omp parallel num_threads(2)\n      omp_set_lock(&lock), sum = sum * 0.9, "
         "omp_unset_lock(&lock);\n      break;\n"
         "    case 'd':\n#pragma omp parallel num_threads(2)\n#pragma omp critical\n      sum = sum * 0.9;\n "
         "     break;\n"
         "    case 'f':\n#pragma omp parallel sections num_threads(2)\n      {\n#pragma omp section\n        "
         "sum = 1;\n      }\n"
         "      break;\n"
         "    case 'g':\n      for (int n = 0; n < 2; ++n)\n#pragma omp parallel for num_threads(2) if (n > "
         "0)\n"
         "        for (int i = 0; i < 9; ++i) sum = i;\n      break;\n"
         "    case 'e':\n#pragma omp parallel for num_threads(1)\n      for (int i = 0; i < 9; ++i) sum = "
         "i;\n"
         "    }\n  return sum < 0;\n}\n";
  struct Case {
    const char* which;
    const char* lines[2]; ///< where it may be named, the last of gcc's too
    const char* hooks;
  };
  const Case cases[] = {
      {"a", {":9", ":10"}, "GOMP_parallel,__kmpc_for_static_init_4"},
      {"b", {":13", ":14"}, "GOMP_parallel_loop_nonmonotonic_dynamic,__kmpc_dispatch_init_4"},
      {"c", {":17", ":18"}, "GOMP_parallel,omp_set_lock"},
      {"d", {":21", ":22"}, "GOMP_parallel,__kmpc_critical"},
      {"e", {"", ""}, ""}};
  for (const std::string compiler : {"gcc", "clang-14"}) {
    const Result built = run({compiler, "-g", "-fopenmp", "-o", "regions", "regions.c"}, {}, scratch.path());
    if (compiler != "gcc" && built.status != 0) GTEST_SKIP() << "needs clang and libomp";
    ASSERT_EQ(built.status, 0) << built.err;
    for (const auto& [which, lines, hooks] : cases) {
      const auto threads = [&](const std::string& disabled) {
        const Words found = reasons_of(scratch, "threads", {"./regions", which}, disabled);
        return found.empty() ? "" : found[0].substr(found[0].rfind(": ") + 2);
      };
      const std::string named = threads("");
      EXPECT_TRUE(named.ends_with(lines[0]) || named.ends_with(lines[1])) << compiler << which << named;
      EXPECT_EQ(named.empty(), *hooks == 0) << compiler << which;
      EXPECT_EQ(*hooks == 0 ? "" : threads(hooks), "") << compiler << which;
    }
  }
}

// A framework asks for thousands of files while it is imported.
TEST(Inputs, BehindThoseOfALargePackageAreNamed) {
  const TemporaryFolder scratch;
  std::filesystem::create_directories(scratch.path() / "lib/python3/site-packages");
  std::ofstream(scratch.path() / "lib/python3/site-packages/package.py")
      << "import os\nfor i in range(5000): os.path.getmtime('/')\n";
  std::ofstream(scratch.path() / "train.py")
      << "import os, sys\nsys.path.insert(0, 'lib/python3/site-packages')\nimport "
         "package\nos.path.getmtime('/')\n";
  EXPECT_EQ(reasons_of(scratch, "input", {"/usr/bin/python3", "-S", "train.py"}),
            Words{"your code reads what no seed pins: train.py:4 (file_time)"});
}

// What Python's library reads is a line's that calls it, and not one's that imports or calls a package that
// does.
TEST(Inputs, OfAPackageAreItsOwnMatter) {
  const TemporaryFolder scratch;
  std::filesystem::create_directories(scratch.path() / "lib/python3/site-packages");
  const std::string reads = "import email.utils, os\nemail.utils.formatdate()\nos.path.getmtime('/')\n";
  std::ofstream(scratch.path() / "lib/python3/site-packages/package.py")
      << reads << "def again():\n  email.utils.formatdate()\n";
  std::ofstream(scratch.path() / "own.py") << "import random\nrandom.random()\n" << reads;
  std::ofstream(scratch.path() / "calls.py")
      << "import random, sys\nrandom.random()\nsys.path.insert(0, 'lib/python3/site-packages')\n"
         "import package\npackage.again()\n";
  const auto clock_and_input = [&](const char* script) {
    const Words command = {"/usr/bin/python3", "-S", script};
    Words found = reasons_of(scratch, "clock", command);
    for (const std::string& text : reasons_of(scratch, "input", command)) found.push_back(text);
    return found;
  };
  EXPECT_EQ(clock_and_input("own.py"), (Words{"your code reads a clock or an id: own.py:4",
                                              "your code reads what no seed pins: own.py:5 (file_time)"}));
  EXPECT_EQ(clock_and_input("calls.py"), Words{});
}

TEST(Children, BesideEachOtherAreNamedWithTheLineThatMakesThem) {
  const TemporaryFolder scratch;
  const auto processes_of = [&](const std::string& code) {
    std::ofstream(scratch.path() / "t.py") << "import os, subprocess\n" << code << '\n';
    const Words found = reasons_of(scratch, "processes", {"/usr/bin/python3", "-S", "t.py"});
    return found.empty() ? "" : found[0].substr(found[0].rfind(": ") + 2);
  };
  EXPECT_EQ(processes_of("all = [subprocess.Popen(['true']) for i in range(2)]\nfor one in all: one.wait()"),
            "t.py:2");
  EXPECT_EQ(processes_of(
                "for i in range(2): os.posix_spawn('/bin/true', ['true'], os.environ)\nos.wait(); os.wait()"),
            "t.py:2");
  EXPECT_EQ(processes_of("for i in range(2):\n  if os.fork() == 0: os._exit(0)\nos.wait(); os.wait()"),
            "t.py:3");
  EXPECT_EQ(processes_of("for i in range(2): subprocess.run(['true'])"), "");
  // As asyncio does it: whether the thread has waited for the first one by then would be a race.
  EXPECT_EQ(
      processes_of("import threading\nfor i in range(2):\n"
                   "  child = os.posix_spawn('/bin/true', ['true'], os.environ)\n"
                   "  one = threading.Thread(target=os.waitpid, args=(child, 0)); one.start(); one.join()"),
      "t.py:4");
  EXPECT_EQ(processes_of("for i in range(2):\n  if os.fork() == 0: os._exit(0)\n  os.wait()"), "");
}

// Whether the first one of a shell's children has ended by then is a race, and its script is read too. Its
// pipelines make no log of their own; `detshim run` makes one for what it starts.
TEST(Children, OfAShellAreNamed) {
  const TemporaryFolder scratch;
  const auto verdict_of = [&](const std::string& script) {
    EXPECT_EQ(run({DETSHIM_COMMAND, "run", "--quiet", "--seed", "1", "--library", DETSHIM_LIBRARY, "--",
                   "bash", "-c", script},
                  {}, scratch.path())
                  .status,
              0);
    return run({DETSHIM_COMMAND, "log"}, {}, scratch.path()).out;
  };
  const std::string reason = "script:bash - a script of bash has what can differ in each run: ";
  for (const char* script :
       {"for i in 1 2; do /bin/echo $i & done; wait", "/bin/echo 1 &", "echo 1 | xargs -P2 echo"})
    EXPECT_NE(verdict_of(script).find(reason), std::string::npos) << script;
  EXPECT_EQ(verdict_of("for i in 1 2; do /bin/echo $i 2>&1 && true; done").find(reason), std::string::npos);
  // The script is that of the folder in which its shell began.
  std::ofstream(scratch.path() / "s.sh") << "cd /\ncat /dev/null\n";
  EXPECT_EQ(verdict_of("exec sh s.sh").find("script:"), std::string::npos);
  EXPECT_NE(verdict_of("exec sh s.sh").find("detshim verify -- bash -c 'exec sh s.sh'"), std::string::npos);
  EXPECT_EQ(reasons_of(scratch, "processes", {"bash", "-c", "/bin/echo 1 & /bin/echo 2 & wait"}), Words{});
}

} // namespace
