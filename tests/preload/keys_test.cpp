// Keys stay random: what a cryptography library asks for is the kernel's, under any seed.
#include "log_files.h"
#include "run.h"

#include <gtest/gtest.h>

namespace {

struct Key {
  const char* name;
  std::vector<std::string> command;
};

Result drawn(const std::vector<std::string>& command, const Environment& more = {}) {
  const TemporaryFolder scratch;
  Environment environment{{"DETSHIM_SEED", "42"}};
  for (const auto& [name, value] : more) environment[name] = value;
  return run(command, under_shim(scratch, environment));
}

// A whole handshake in one process; what it prints are the session's secrets.
const char* const tls_handshake = R"(
import os, ssl, subprocess, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes',
                    '-subj', '/CN=test', '-keyout', path('key'), '-out', path('cert')],
                   check=True, stderr=subprocess.DEVNULL)
    server, client = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    server.load_cert_chain(path('cert'), path('key'))
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    client.keylog_filename = path('secrets')
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [client.wrap_bio(to_client, to_server), server.wrap_bio(to_server, to_client, server_side=True)]
    for step in range(4):
        for end in ends:
            try: end.do_handshake()
            except ssl.SSLWantReadError: pass
    print(ends[0].version(), *open(path('secrets')))
)";

class Keys : public testing::TestWithParam<Key> {};

TEST_P(Keys, DifferUnderOneSeed) {
  const auto& command = GetParam().command;
  if (find_program(command[0]).empty()) GTEST_SKIP() << command[0] << " is not installed";
  const Result first = drawn(command);
  if (first.status != 0) GTEST_SKIP() << first.err;
  EXPECT_FALSE(first.out.empty());
  EXPECT_NE(drawn(command).out, first.out);
}

INSTANTIATE_TEST_SUITE_P(
    All, Keys,
    testing::Values(
        Key{"openssl_rand", {"openssl", "rand", "-hex", "16"}},
        Key{"openssl_ec_key", {"openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout"}},
        Key{"openssl_rsa_key", {"openssl", "genrsa", "1024"}},
        Key{"python_ssl", {"/usr/bin/python3", "-c", "import ssl; print(ssl.RAND_bytes(16).hex())"}},
        Key{"tls_session", {"/usr/bin/python3", "-c", tls_handshake}},
        Key{"node", {"node", "-p", "require('crypto').randomBytes(16).toString('hex')"}},
        Key{"gpg", {"gpg", "--gen-random", "--armor", "1", "16"}},
        Key{"ssh_keygen",
            {"sh", "-c", "cd $(mktemp -d) && ssh-keygen -q -t ed25519 -N '' -f key && cat key.pub"}},
        Key{"gnutls", {"certtool", "--generate-privkey", "--key-type", "ed25519"}}),
    [](const auto& tested) { return std::string{tested.param.name}; });

TEST(Keys, AreCountedAsObservedOnceThereIsALog) {
  const TemporaryFolder scratch;
  const Result result = run({"/usr/bin/python3", "-c", "import os, ssl; os.urandom(8); ssl.RAND_bytes(16)"},
                            under_shim(scratch, {{"DETSHIM_SEED", "42"}}));
  if (result.status != 0) GTEST_SKIP() << result.err;
  bool observed = false;
  for (const ProcessLog& process : read_log(scratch.log()))
    for (const auto& call : process.calls()) {
      const bool by_openssl = call["at"].get<std::string>().find("libcrypto") != std::string::npos;
      EXPECT_EQ(by_openssl, call["do"] == "observe") << call;
      observed |= by_openssl && process.count(call) > 0;
    }
  EXPECT_TRUE(observed);
}

TEST(Keys, AloneLeaveNoLog) {
  if (find_program("openssl").empty()) GTEST_SKIP() << "openssl is not installed";
  const TemporaryFolder scratch;
  const Result result = run({"openssl", "rand", "-hex", "4"},
                            under_shim(scratch, {{"DETSHIM_SEED", "42"}, {"DETSHIM_QUIET", "0"}}));
  EXPECT_EQ(result.err, "");
  EXPECT_FALSE(std::filesystem::exists(scratch.log()));
}

TEST(KeepEntropy, LeavesTheNamedFilesAlone) {
  const std::vector<std::string> draw = {TREE_PROGRAM, "say", "x"};
  EXPECT_EQ(drawn(draw).out, drawn(draw).out);
  const Environment keep{{"DETSHIM_KEEP_ENTROPY", "libother,tree_prog"}};
  EXPECT_NE(drawn(draw, keep).out, drawn(draw, keep).out);
  const Environment another{{"DETSHIM_KEEP_ENTROPY", "libother"}};
  EXPECT_EQ(drawn(draw, another).out, drawn(draw).out);
}

TEST(KeepEntropy, RefusesAPath) {
  const Result result = drawn({"true"}, {{"DETSHIM_KEEP_ENTROPY", "/usr/lib/libx.so"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("DETSHIM_KEEP_ENTROPY=\"/usr/lib/libx.so\" is not accepted"), std::string::npos)
      << result.err;
}

} // namespace
