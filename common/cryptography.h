// How a library or a program is known whose entropy stays the kernel's, where the command asks too:
// its scan reads the lists of files and of symbols, `run` that of programs.
#pragma once

#include "common/text.h"

#include <initializer_list>

namespace detshim {

/// Beginnings of the names of such libraries' files. libcrypt has salts of passwords, libjava the
/// JDK's SecureRandom; CryptX is Perl's, `_sodium` to `_libsecp256k1` are of Python's wheels. The
/// last three only carry data, with a static copy of such a library: what they draw decides no
/// result.
inline constexpr const char* cryptography_files[] = {
    "libcrypto",     "libssl",      "libgcrypt",    "libgnutls",   "libnettle",     "libhogweed",
    "libsodium",     "libnss",      "libfreebl",    "libsoftok",   "libmbed",       "libssh",
    "libk5crypto",   "libhcrypto",  "libwolfssl",   "libbearssl",  "libbotan",      "libdecaf",
    "liboqs",        "libs2n",      "libsequoia",   "libtomcrypt", "CryptX.so",     "libstrongswan",
    "libgsasl",      "libsasl2",    "libfido2",     "libykpers",   "libcryptsetup", "libcrypt.so",
    "pam_unix.so",   "libpasswdqc", "libpwquality", "libjava.so",  "_sodium",       "_bcrypt",
    "_libsecp256k1", "hf_xet",      "cygrpc",       "librdkafka"};

/// Programs whose purpose is a secret, or the salt of one: what `apt-cache
/// search` finds in Debian 12 for passwords, passphrases, keys and tokens, and of it what asks the
/// kernel for entropy by itself, or by a library that is not listed. Not those that only use one
/// that is (openssl, gpg, certtool).
inline constexpr const char* secret_programs[] = {
    // clang-format off
    "age", "age-keygen", "apg", "botan", "cfssl", "chgpasswd", "chpasswd", "chronyc", "cryptmount",
    "curvecpclient", "curvecpmakekey", "curvecpserver", "curvedns-keygen", "dbclient", "ddns-confgen",
    "diceware", "dnssec-keygen", "dropbear", "dropbearkey", "ecryptfs-setup-private", "ecryptfs-setup-swap",
    "electrum", "expect_mkpasswd", "fastd", "fernet-keygen", "gfsec-split", "gfsplit", "gocryptfs", "gokey",
    "google-authenticator", "goxkcdpwgen", "gpasswd", "gpw", "gringotts", "grub-mkpasswd-pbkdf2", "htdbm",
    "htpasswd", "impass", "kpcli", "ldns-keygen", "makepasswd", "mcookie", "mcrypt", "minica",
    "minisign", "mkcert", "mkpasswd", "monero-wallet-cli", "monero-wallet-rpc", "mungekey", "nebula-cert",
    "newusers", "ntpkeygen", "otp", "otpw-gen", "pass", "passwd", "pdnsutil", "pki", "pwgen", "pwmake",
    "pwman3", "pwqgen", "pwsafe", "pypass", "rage", "rage-keygen", "ripasso-cursive", "rndc-confgen",
    "saslpasswd2", "scrypt", "signify", "signify-openbsd", "slappasswd", "spipe", "spiped", "sq", "sqop",
    "ssh-keygen", "ssss-split", "systemd-creds", "systemd-cryptenroll", "tinysshd-makekey", "tomb", "tor",
    "tor-gencert", "trocla", "tsig-keygen", "wg", "xkcdpass", "yapet", "yggdrasil", "ykpersonalize", "ylva",
    "zerotier-idtool", "zerotier-one",
    // clang-format on
};

/// Whether a program or a script of that name, without folders, is one of them.
constexpr bool is_secret_program(const char* name) {
  for (const char* const known : secret_programs)
    if (same_text(known, name))
      return true;
  return false;
}

/// What a statically linked copy gives itself away by, where it exports its functions.
inline constexpr const char* cryptography_symbols[] = {"RAND_bytes", "gcry_randomize", "gnutls_rnd",
                                                       "randombytes_buf"};

// Which programs run scripts: what those read and draw is the script's.

/// True for a shell, by its file's name.
inline bool is_shell(const char* name) {
  for (const char* shell : {"sh", "bash", "dash", "ksh", "ksh93", "mksh", "yash", "zsh", "fish",
                            "csh", "tcsh", "busybox"})
    if (same_text(name, shell))
      return true;
  return false;
}

/// True if a program of that name runs scripts: "python3.11".
inline bool is_interpreter(const char* name) {
  for (const char* start :
       {"perl", "ruby", "luajit", "lua", "php", "octave", "gawk", "mawk", "awk", "node",
        "original-awk", "tclsh", "guile", "swipl", "julia", "python", "java", "Rscript"})
    if (starts_with(name, start))
      return true;
  return same_text(name, "R") || is_shell(name);
}

} // namespace detshim
