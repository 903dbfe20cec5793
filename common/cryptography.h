// How a library is told whose entropy stays the kernel's: cryptography, unique names. The command's scan
// reads the lists of files and of symbols.
#pragma once

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
    "libwolfssl",
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
