// Keys stay random: what a cryptography library asks for is the kernel's, under any seed.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

struct Key {
  const char* name;
  std::vector<std::string> command;
};

Result drawn(const std::vector<std::string>& command, const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment{{"DETSHIM_SEED", "42"}};
  for (const auto& [name, value] : more)
    environment[name] = value;
  return run(command, under_shim(scratch, environment));
}

// A whole handshake in one process; what it prints are the session's secrets.
const std::string tls_handshake = contents(PROGRAMS "tls_handshake.py");

class Keys : public testing::TestWithParam<Key> {};

TEST_P(Keys, DifferUnderOneSeed) {
  const auto& command = GetParam().command;
  if (find_program(command[0]).empty())
    GTEST_SKIP() << command[0] << " is not installed";
  const Result first = drawn(command);
  if (first.status != 0)
    GTEST_SKIP() << first.err;
  EXPECT_FALSE(first.out.empty());
  EXPECT_NE(drawn(command).out, first.out);
}

INSTANTIATE_TEST_SUITE_P(
    All, Keys,
    testing::Values(
        Key{"openssl_rand", {"openssl", "rand", "-hex", "16"}},
        Key{"openssl_ec_key", {"openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"}},
        Key{"openssl_rsa_key", {"openssl", "genrsa", "1024"}},
        Key{"python_ssl",
            {"/usr/bin/python3", "-c", "import ssl; print(ssl.RAND_bytes(16).hex())"}},
        Key{"tls_session", {"/usr/bin/python3", "-c", tls_handshake}},
        Key{"node", {"node", "-p", "require('crypto').randomBytes(16).toString('hex')"}},
        Key{"gpg", {"gpg", "--gen-random", "--armor", "1", "16"}},
        Key{"ssh_keygen",
            {"sh", "-c",
             "d=$(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -f $d/key && cat $d/key.pub && rm "
             "-r $d"}},
        Key{"gnutls", {"certtool", "--generate-privkey", "--key-type", "ed25519"}}),
    [](const auto& tested) {
      return std::string{tested.param.name};
    });

// The wheels as they come from PyPI, with static copies of OpenSSL, libsodium, AWS-LC and Rust's
// own in them.
class WheelKeys : public testing::TestWithParam<Key> {};

TEST_P(WheelKeys, DifferUnderOneSeed) {
  const auto& command = GetParam().command;
  const Result first = drawn(command);
  if (first.status != 0)
    GTEST_SKIP() << command[0] << " is not there, or without the package: " << first.err;
  EXPECT_FALSE(first.out.empty());
  EXPECT_NE(drawn(command).out, first.out);
}

Key wheel(const char* name, const char* code) { return {name, {KEY_PYTHON, "-c", code}}; }

INSTANTIATE_TEST_SUITE_P(
    All, WheelKeys,
    testing::Values(
        wheel("pynacl_box", "import nacl.public as n; print(bytes(n.PrivateKey.generate()))"),
        wheel("pynacl_sign", "import nacl.signing as n; print(bytes(n.SigningKey.generate()))"),
        wheel("pynacl_random", "import nacl.utils as n; print(n.random(16))"),
        wheel("pynacl_bindings", "import nacl.bindings as n; print(n.crypto_box_keypair()[1])"),
        wheel("cryptography_fernet",
              "from cryptography.fernet import Fernet as f; print(f.generate_key())"),
        wheel("cryptography_ed25519",
              "from cryptography.hazmat.primitives.asymmetric import ed25519 as e; "
              "print(e.Ed25519PrivateKey.generate().private_bytes_raw())"),
        wheel("cryptography_aesgcm",
              "from cryptography.hazmat.primitives.ciphers.aead import AESGCM; "
              "print(AESGCM.generate_key(128))"),
        wheel("bcrypt_salt", "import bcrypt; print(bcrypt.gensalt())"),
        wheel("pycryptodome_rsa", "import Crypto.PublicKey.RSA as r; print(r.generate(1024).p)"),
        wheel("pycryptodome_ecc",
              "import Crypto.PublicKey.ECC as e; print(e.generate(curve='p256').d)"),
        wheel("pycryptodome_random", "import Crypto.Random as r; print(r.new().read(16))"),
        wheel("paramiko_rsa", "import paramiko as p; print(p.RSAKey.generate(1024).get_base64())"),
        wheel("paramiko_salt",
              "import paramiko.hostkeys as h; print(h.HostKeys.hash_host('host'))"),
        wheel("aws_lc_x25519",
              "from qh3 import _hazmat as h; print(h.X25519KeyExchange().public_key())")),
    [](const auto& tested) {
      return std::string{tested.param.name};
    });

// What these packages draw by Python's own means, and what a user's code draws by the same.
TEST(PythonKeys, AreToldByThePackageThatAsks) {
  const auto say = [](const std::string& code) {
    return std::vector<std::string>{"/usr/bin/python3", "-c",
                                    "import nacl, os, random, secrets, uuid; " + code};
  };
  const Environment packages{{"PYTHONPATH", KEY_PACKAGES}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  for (const char* way : {"by_urandom", "by_secrets", "by_system_random", "by_getrandom",
                          "by_device", "by_generator"}) {
    const auto command = say(std::string("print(nacl.") + way + "())");
    const Result first = drawn(command, packages);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_NE(drawn(command, packages).out, first.out) << way;
  }
  // Beside it, in turn and in threads, the user's own are pinned, and are those of a program
  // without it.
  const std::string own =
      "print(os.urandom(8), secrets.token_hex(8), random.random(), uuid.uuid4())";
  const std::string between =
      "import threading; t = [threading.Thread(target=nacl.by_urandom) for i in range(8)]; "
      "[x.start() for x in t]; [x.join() for x in t]; nacl.by_urandom(); nacl.by_secrets(); ";
  EXPECT_EQ(drawn(say(between + own), packages).out, drawn(say(own), packages).out);
}

TEST(PythonKeys, AreNamedByDetshimKeepEntropyToo) {
  const std::vector<std::string> tokens = {"/usr/bin/python3", "-c",
                                           "import secrets; print(secrets.token_hex(8))"};
  const std::vector<std::string> numbers = {"/usr/bin/python3", "-c",
                                            "import random; print(random.random())"};
  const Environment keep{{"DETSHIM_KEEP_ENTROPY", "secrets"}};
  EXPECT_EQ(drawn(tokens).out, drawn(tokens).out);
  EXPECT_NE(drawn(tokens, keep).out, drawn(tokens, keep).out);
  EXPECT_EQ(drawn(numbers, keep).out, drawn(numbers, keep).out);
}

// An interpreter of its own has a lock of its own, or shares one that its frames do not tell the
// holder of.
TEST(PythonKeys, DoNotStopAThreadOfASecondInterpreter) {
  const Result result =
      drawn({"/usr/bin/python3", "-c", contents(PROGRAMS "second_interpreter.py")});
  if (result.status == 77)
    GTEST_SKIP() << "this Python has no second interpreters";
  EXPECT_EQ(result.out, "done\n") << result.err;
}

TEST(PythonTokens, OfAProcessThatListensAreSaid) {
  const auto said = [](const std::string& code, const char* keep) {
    const TemporaryFolder scratch;
    const Result result = run({"/usr/bin/python3", "-c", "import secrets, socket, uuid\n" + code},
                              under_shim(scratch, {{"DETSHIM_SEED", "42"},
                                                   {"DETSHIM_QUIET", "0"},
                                                   {"DETSHIM_KEEP_ENTROPY", keep}}));
    EXPECT_EQ(result.status, 0) << result.err;
    int lines_about = 0;
    for (const std::string& line : lines(result.err))
      lines_about += line.find("draws tokens by Python's secrets") != std::string::npos ? 1 : 0;
    return lines_about;
  };
  const std::string listens = "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n";
  const std::string local =
      "s = socket.socket(socket.AF_UNIX); s.bind('\\0detshim-' + str(id(s))); s.listen()\n";
  const std::string tokens = "secrets.token_hex(8); secrets.token_urlsafe(8)\n";
  EXPECT_EQ(said(listens + tokens, ""), 1);
  EXPECT_EQ(said(listens + "uuid.uuid4()\n", ""), 0);
  EXPECT_EQ(said(local + tokens, ""), 0);
  EXPECT_EQ(said(tokens + listens, ""), 0);
  EXPECT_EQ(said(listens + tokens, "secrets"), 0);
}

// A static copy that exports nothing. What such an object draws may be no key, so that is no full
// cover.
class StaticCopy : public testing::TestWithParam<const char*> {};

TEST_P(StaticCopy, KeepsItsKeysRandomAndIsNamed) {
  const std::string program = std::string(KEY_PROGRAMS) + GetParam();
  if (!std::filesystem::exists(program))
    GTEST_SKIP() << "no archive of that library";
  EXPECT_NE(drawn({program}).out, drawn({program}).out);
  const TemporaryFolder scratch;
  run({program}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  int nondeterministic = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      EXPECT_EQ(call["do"], "nondeterministic") << call;
      nondeterministic += call["do"] == "nondeterministic" ? 1 : 0;
    }
  EXPECT_GT(nondeterministic, 0);
  // The user's answer to that, either way.
  const std::string name = std::filesystem::path(program).filename();
  const Environment pin{{"DETSHIM_KEEP_ENTROPY", "-" + name}}, keep{{"DETSHIM_KEEP_ENTROPY", name}};
  EXPECT_NE(drawn({program}, keep).out, drawn({program}, keep).out);
  const std::string kind = GetParam();
  if (kind != "openssl") { // which mixes in more than it draws
    EXPECT_EQ(drawn({program}, pin).out, drawn({program}, pin).out);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StaticCopy,
                         testing::Values("openssl", "sodium", "boringssl", "ring", "rustls"),
                         [](const auto& tested) {
                           return std::string{tested.param};
                         });

TEST(StaticCopies, AreToldFromOtherTexts) {
  const std::string program = std::string(KEY_PROGRAMS) + "none";
  EXPECT_EQ(drawn({program}).out, drawn({program}).out);
}

TEST(Keys, AreCountedAsObservedOnceThereIsALog) {
  const TemporaryFolder scratch;
  const Result result =
      run({"/usr/bin/python3", "-c", "import os, ssl; os.urandom(8); ssl.RAND_bytes(16)"},
          under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  if (result.status != 0)
    GTEST_SKIP() << result.err;
  bool observed = false;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      const bool by_openssl = call["at"].get<std::string>().find("libcrypto") != std::string::npos;
      EXPECT_EQ(by_openssl, call["do"] == "observe") << call;
      observed |= by_openssl && process.count(call) > 0;
    }
  EXPECT_TRUE(observed);
}

/// OpenSSL asked the kernel long before: nothing else shows that the program took random bytes.
TEST(OpensslBytes, AreRecordedAndPinnedOnRequest) {
  const std::vector<std::string> command = {"/usr/bin/python3", "-c",
                                            "import ssl; print(ssl.RAND_bytes(8).hex())"};
  const TemporaryFolder scratch;
  const Result result = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  if (result.status != 0)
    GTEST_SKIP() << result.err;
  int recorded = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      recorded += call["fn"] == "RAND_bytes" && call["why"] == "may_be_key" ? 1 : 0;
  EXPECT_EQ(recorded, 1);
  const Environment pin{{"DETSHIM_KEEP_ENTROPY", "-_ssl"}};
  EXPECT_EQ(drawn(command, pin).out, drawn(command, pin).out);
  EXPECT_NE(drawn(command, {{"DETSHIM_KEEP_ENTROPY", "-_ssl"}, {"DETSHIM_SEED", "43"}}).out,
            drawn(command, pin).out);
}

/// A script's seed may come of it.
TEST(OpensslBytes, OfItsOwnToolAreRecorded) {
  if (find_program("openssl").empty())
    GTEST_SKIP() << "openssl is not installed";
  const TemporaryFolder scratch;
  run({"openssl", "rand", "-hex", "4"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  int recorded = 0;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls())
      recorded += call["fn"] == "RAND_bytes" && call["why"] == "may_be_key" ? 1 : 0;
  EXPECT_EQ(recorded, 1);
}

TEST(Keys, AloneLeaveNoLog) {
  if (find_program("openssl").empty())
    GTEST_SKIP() << "openssl is not installed";
  const TemporaryFolder scratch;
  const Result result = run({"openssl", "genrsa", "1024"},
                            under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}));
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(std::filesystem::exists(scratch.log()));
}

// Programs whose purpose is a secret, and that draw it from the kernel themselves.
class SecretPrograms : public testing::TestWithParam<Key> {
public:
  /// What the log says of the program's draws.
  static void expect_recorded_as_kept(const TemporaryFolder& scratch) {
    int kept = 0;
    for (const ProcessLog& process : read_log(scratch.log()))
      for (const auto& call : process.calls()) {
        EXPECT_NE(call["do"], "nondeterministic") << call;
        kept += call["why"] == "secret_program" ? 1 : 0;
      }
    EXPECT_GT(kept, 0);
  }
};

TEST_P(SecretPrograms, MakeAnotherOneInEachRunAndAreNamed) {
  const auto& command = GetParam().command;
  const std::string program = find_program(command[0]);
  if (program.empty())
    GTEST_SKIP() << command[0] << " is not installed";
  const TemporaryFolder scratch;
  const Result first = run(command, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_FALSE(first.out.empty());
  EXPECT_NE(drawn(command).out, first.out);
  expect_recorded_as_kept(scratch);
  const auto log =
      nlohmann::json::parse(run({DETSHIM_COMMAND, "log", "--json", scratch.log()}).out);
  EXPECT_EQ(log["verdict"], "unverified") << log["reasons"];
}

INSTANTIATE_TEST_SUITE_P(
    All, SecretPrograms,
    testing::Values(Key{"wg_key", {"wg", "genkey"}}, Key{"wg_shared_key", {"wg", "genpsk"}},
                    Key{"pwgen", {"pwgen", "-s", "16", "1"}}, Key{"makepasswd", {"makepasswd"}},
                    Key{"apg", {"apg", "-n", "1", "-m", "16"}}, Key{"gpw", {"gpw", "1", "16"}},
                    Key{"xkcdpass", {"xkcdpass"}}, Key{"pwqgen", {"pwqgen"}},
                    Key{"mkpasswd", {"mkpasswd", "-m", "sha512crypt", "word"}},
                    Key{"chronyc", {"chronyc", "keygen", "1", "SHA1", "160"}},
                    Key{"botan_key", {"botan", "keygen", "--algo=Ed25519"}},
                    Key{"botan_numbers", {"botan", "rng", "16"}}, Key{"mcookie", {"mcookie"}}),
    [](const auto& tested) {
      return std::string{tested.param.name};
    });

TEST(SecretProgram, UnderAnotherNameIsPinned) {
  for (const std::string name : {"pwgen", "makepasswd"}) { // the second is a script
    const std::string program = find_program(name);
    if (program.empty())
      GTEST_SKIP() << name << " is not installed";
    const TemporaryFolder folder;
    const std::filesystem::path copy = folder.path() / "namegen", same = folder.path() / name;
    std::filesystem::copy_file(program, copy);
    std::filesystem::copy_file(program, same);
    EXPECT_EQ(drawn({copy}).out, drawn({copy}).out) << name;
    EXPECT_NE(drawn({same}).out, drawn({same}).out) << name;
  }
}

TEST(SecretProgram, BehindALinkIsToldByItsFile) {
  const std::string program = find_program("pwgen");
  if (program.empty())
    GTEST_SKIP() << "pwgen is not installed";
  const TemporaryFolder folder;
  const std::filesystem::path link = folder.path() / "words";
  std::filesystem::create_symlink(program, link);
  EXPECT_NE(drawn({link}).out, drawn({link}).out);
}

TEST(SecretProgram, IsPinnedOnRequest) {
  if (find_program("pwgen").empty())
    GTEST_SKIP() << "pwgen is not installed";
  const std::vector<std::string> command = {"pwgen", "-s", "16", "1"};
  const Environment pin{{"DETSHIM_KEEP_ENTROPY", "-pwgen"}};
  EXPECT_NE(drawn(command).out, drawn(command).out);
  EXPECT_EQ(drawn(command, pin).out, drawn(command, pin).out);
}

// What it starts is told by its own name; but a script draws by what it starts (pass,
// ecryptfs-setup-private).
TEST(SecretProgram, KeepsNothingForItsChildrenUnlessItIsAScript) {
  const TemporaryFolder folder;
  const std::string binary = folder.path() / "pwgen";
  std::filesystem::copy_file("/bin/sh", binary);
  const std::vector<std::string> by_binary = {binary, "-c", "od -An -tx1 -N8 /dev/urandom; exit"};
  EXPECT_EQ(drawn(by_binary).out, drawn(by_binary).out);
  const std::string script = folder.path() / "pass";
  const Environment pin{{"DETSHIM_KEEP_ENTROPY", "-pass"}};
  for (const auto& [name, text] : sections(PROGRAMS "scripts_that_draw_secrets.sh")) {
    std::ofstream(script) << text;
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    const Result first = drawn({script});
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_NE(drawn({script}).out, first.out) << name;
    EXPECT_EQ(drawn({script}, pin).out, drawn({script}, pin).out) << name;
  }
}

// What it seeds itself by is its own too.
TEST(SecretProgram, KeepsItsSeeds) {
  const TemporaryFolder folder, scratch;
  const std::string program = folder.path() / "gpw", other = folder.path() / "other";
  std::filesystem::copy_file(RESEED_PROGRAM, program);
  std::filesystem::copy_file(RESEED_PROGRAM, other);
  EXPECT_EQ(drawn({other, "pid"}).out, drawn({other, "pid"}).out);
  EXPECT_NE(drawn({program, "pid"}).out, drawn({program, "pid"}).out);
  EXPECT_EQ(drawn({program, "7"}).out, run({program, "7"}).out);
  run({program, "pid"}, under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  SecretPrograms::expect_recorded_as_kept(scratch);
}

// Of a library and of a Python package too, the user's word counts.
TEST(KeepEntropy, PinsALibraryThatIsNamedWithADash) {
  if (find_program("botan").empty())
    GTEST_SKIP() << "botan is not installed";
  const std::vector<std::string> command = {"botan", "rng", "16"};
  const Environment pin{{"DETSHIM_KEEP_ENTROPY", "-botan,-libbotan"}};
  EXPECT_EQ(drawn(command, pin).out, drawn(command, pin).out);
  const std::vector<std::string> python = {"/usr/bin/python3", "-c",
                                           "import nacl; print(nacl.by_urandom())"};
  Environment packages{{"PYTHONPATH", KEY_PACKAGES}, {"PYTHONDONTWRITEBYTECODE", "1"}};
  EXPECT_NE(drawn(python, packages).out, drawn(python, packages).out);
  packages["DETSHIM_KEEP_ENTROPY"] = "-nacl";
  EXPECT_EQ(drawn(python, packages).out, drawn(python, packages).out);
}

TEST(KeepEntropy, LeavesTheNamedFilesAlone) {
  const std::vector<std::string> draw = {TREE_PROGRAM, "say", "x"};
  EXPECT_EQ(drawn(draw).out, drawn(draw).out);
  const Environment keep{{"DETSHIM_KEEP_ENTROPY", "libother,tree_prog"}};
  EXPECT_NE(drawn(draw, keep).out, drawn(draw, keep).out);
  const Environment another{{"DETSHIM_KEEP_ENTROPY", "libother"}};
  EXPECT_EQ(drawn(draw, another).out, drawn(draw).out);
}

/// mktemp draws in one run of twenty: its draws are names, and the next child's name is the same.
TEST(KeepEntropy, LeavesTheToolThatNamesFilesAlone) {
  const TemporaryFolder scratch;
  const std::string source = (scratch.path() / "draws.c").string();
  std::ofstream(source) << contents(PROGRAMS "draws_behind_a_clock.c");
  const std::string tool = (scratch.path() / "mktemp").string();
  const std::string other = (scratch.path() / "other").string();
  for (const std::string& program : {tool, other})
    ASSERT_EQ(run({"gcc", "-o", program, source}).status, 0);
  EXPECT_EQ(drawn({other}).out, drawn({other}).out);
  EXPECT_NE(drawn({tool}).out, drawn({tool}).out);
  const auto by_shell = [&](const std::string& script) {
    return drawn({"/bin/sh", "-c", script}).out;
  };
  EXPECT_EQ(by_shell(tool + " >/dev/null; " + other + "; :"), by_shell(other + "; :"));
  EXPECT_NE(by_shell(other + " >/dev/null; " + other + "; :"), by_shell(other + "; :"));
}

TEST(KeepEntropy, RefusesAPath) {
  const Result result = drawn({"true"}, {{"DETSHIM_KEEP_ENTROPY", "/usr/lib/libx.so"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("DETSHIM_KEEP_ENTROPY=\"/usr/lib/libx.so\" is not accepted"),
            std::string::npos)
      << result.err;
}

// A program that is not known may make a secret of what it draws.
TEST(EntropyNote, IsSaidOnceOfAProgramThatIsNotKnown) {
  const TemporaryFolder folder, state, scratch;
  const std::string program = folder.path() / "train";
  std::filesystem::copy_file(RESEED_PROGRAM, program);
  const auto said = [&](const std::vector<std::string>& command, Environment more = {}) {
    more.insert({"XDG_STATE_HOME", state.path()});
    std::vector<std::string> all = {DETSHIM_COMMAND, "run",   "--seed",      "42", "--library",
                                    DETSHIM_LIBRARY, "--log", scratch.log(), "--"};
    all.insert(all.end(), command.begin(), command.end());
    const Result result = run(all, more);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.err.find("detshim: note: entropy that train draws itself is fixed by the seed") !=
           std::string::npos;
  };
  EXPECT_FALSE(said({program, "7"}, {{"DETSHIM_QUIET", "1"}}));
  EXPECT_FALSE(said({program, "7"}, {{"DETSHIM_MODE", "observe"}}));
  EXPECT_FALSE(said({program, "7"}, {{"DETSHIM_KEEP_ENTROPY", "train"}}));
  EXPECT_FALSE(said({"true"}));
  EXPECT_TRUE(said({program, "7"}));
  EXPECT_FALSE(said({program, "7"}));
  for (int i = 0; i < 2; ++i)
    EXPECT_TRUE(said({program, "7"}, {{"XDG_STATE_HOME", "/dev/null"}}));
}

} // namespace
