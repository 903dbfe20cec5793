// How a library or a program is told whose entropy stays the kernel's: cryptography, unique names, passwords.
// The command's scan reads the lists of files and of symbols, its supervisor that of programs.
#pragma once

#include <cstddef>

namespace detshim {

/// Beginnings of the names of such libraries' files.
inline constexpr const char* cryptography_files[] = {
    "libcrypto",
    "libssl",
    "libgcrypt",
    "libgnutls",
    "libnettle",
    "libhogweed",
    "libsodium",
    "libnss",
    "libfreebl",
    "libsoftok",
    "libmbed",
    "libssh",
    "libk5crypto",
    "libhcrypto",
    "libwolfssl",
    "libbearssl",
    "libbotan",
    "libdecaf",
    "liboqs",
    "libs2n",
    "libsequoia",
    "libtomcrypt",
    "CryptX.so", // which has LibTomCrypt in it
    "libstrongswan",
    "libgsasl",
    "libsasl2",
    "libfido2",
    "libykpers",
    "libcryptsetup",
    "libcrypt.so", // salts of passwords
    "pam_unix.so",
    "libpasswdqc",
    "libpwquality",
    "libjava.so", // the JDK's SecureRandom
    "_sodium",
    "_bcrypt",
    "_libsecp256k1", // of the wheels of PyNaCl, bcrypt, coincurve
    // What only carries data, with a static copy of such a library: what it draws decides no result.
    "hf_xet",
    "cygrpc",
    "librdkafka",
};

/// The same of libraries that compute as well, by std::random_device alone: what else they ask for is asked
/// for by the copy of OpenSSL and the allocator that are linked into them.
inline constexpr const char* carrier_files[] = {"libarrow"};

/// Folders of such libraries whose files have names that say nothing.
inline constexpr const char* cryptography_folders[] = {"/cryptography/hazmat/bindings/"};

/// The Python packages that make keys by os.urandom, whose caller is the interpreter.
inline constexpr const char* cryptography_packages[] = {
    "nacl",  "Crypto", "Cryptodome", "cryptography", "paramiko", "bcrypt",    "OpenSSL", "asyncssh",
    "ecdsa", "rsa",    "jwcrypto",   "jose",         "argon2",   "coincurve", "passlib",
};

/// Programs whose purpose is a secret, or the salt of one, in the order of their bytes: what `apt-cache
/// search` finds in Debian 12 for passwords, passphrases, keys and tokens, and of it what asks the kernel for
/// entropy by itself, or by a library that is not listed. Not those that only use one that is (openssl, gpg,
/// certtool).
inline constexpr const char* secret_programs[] = {
    // clang-format off
    "age", "age-keygen", "apg", "botan", "chgpasswd", "chpasswd", "chronyc", "cryptmount", "curvecpmakekey",
    "dbclient", "ddns-confgen", "diceware", "dnssec-keygen", "dropbear", "dropbearkey",
    "ecryptfs-setup-private", "ecryptfs-setup-swap", "electrum", "expect_mkpasswd", "fastd", "gfsec-split",
    "gfsplit", "gokey", "google-authenticator", "goxkcdpwgen", "gpasswd", "gpw", "gringotts",
    "grub-mkpasswd-pbkdf2", "htdbm", "htpasswd", "impass", "kpcli", "ldns-keygen", "makepasswd", "mcookie",
    "mcrypt", "minisign", "mkpasswd", "mungekey", "newusers", "ntpkeygen", "otp", "pass", "passwd",
    "pdnsutil", "pki", "pwgen", "pwmake", "pwman3", "pwqgen", "pwsafe", "pypass", "rage", "rage-keygen",
    "ripasso-cursive", "rndc-confgen", "saslpasswd2", "scrypt", "signify", "signify-openbsd", "slappasswd",
    "sq", "sqop", "ssh-keygen", "ssss-split", "systemd-creds", "systemd-cryptenroll", "tinysshd-makekey",
    "tomb", "tor", "tor-gencert", "trocla", "tsig-keygen", "wg", "xkcdpass", "yapet", "ykpersonalize",
    "ylva", "zerotier-idtool", "zerotier-one",
    // clang-format on
};

/// Whether a program or a script of that name, without folders, is one of them.
constexpr bool is_secret_program(const char* name) {
  std::size_t from = 0;
  for (std::size_t to = sizeof secret_programs / sizeof *secret_programs; from < to;) {
    const std::size_t middle = (from + to) / 2;
    const int order = __builtin_strcmp(secret_programs[middle], name);
    if (order == 0) return true;
    (order < 0 ? from : to) = order < 0 ? middle + 1 : middle;
  }
  return false;
}

/// The same of libraries whose draws must differ between runs: NCCL names communicators by them, and two jobs
/// on one host with one seed would meet in one.
inline constexpr const char* identifier_files[] = {"libnccl"};

/// And such functions in other libraries: PyTorch's names of shared memory, "torch_<pid>_<random>_<n>".
struct IdentifierFunction {
  const char* file_start;
  const char* symbol;
};
inline constexpr IdentifierFunction identifier_functions[] = {
    {"libtorch_cpu", "_ZN2at23NewProcessWideShmHandleB5cxx11Ev"},
    {"libtorch_cpu", "_ZN2at23NewProcessWideShmHandleEv"}, // of wheels with the older strings, to 2.6
};

/// What a statically linked copy gives itself away by, where it exports its functions.
inline constexpr const char* cryptography_symbols[] = {"RAND_bytes", "gcry_randomize", "gnutls_rnd",
                                                       "randombytes_buf"};

/// And where it hides them: a text that lies in its code for drawing, or is linked with it, and in no program
/// that only uses the library.
struct CryptographyText {
  const char* text; ///< of 8 letters at least
  const char* library;
};
inline constexpr CryptographyText cryptography_texts[] = {
    {"OpenSSL NIST SP 800-90A DRBG", "OpenSSL"}, // 1.1.1 and later
    {"entropy fill failed", "BoringSSL"},        // AWS-LC too
    {"LibsodiumDRG", "libsodium"},
    {"/ring-0.", "ring"}, // where cargo keeps it: the place that a panic names
    {"/rustls-0.", "rustls"},
};

} // namespace detshim
