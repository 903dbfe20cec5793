// How a library is told whose entropy stays the kernel's: cryptography, unique names. The command's scan
// reads the same list.
#pragma once

namespace detshim {

/// Beginnings of the names of such libraries' files.
inline constexpr const char* cryptography_files[] = {
    "libcrypto",   "libssl",     "libgcrypt", "libgnutls",  "libnettle", "libhogweed",
    "libsodium",   "libnss",     "libfreebl", "libsoftok",  "libmbed",   "libssh",
    "libk5crypto", "libwolfssl", "_sodium",   "libjava.so", // PyNaCl's own copy of libsodium; the JDK's
                                                            // SecureRandom
};

/// The same of libraries whose draws must differ between runs: NCCL names communicators by them, and two jobs
/// on one host with one seed would meet in one.
inline constexpr const char* identifier_files[] = {"libnccl"};

/// What a statically linked copy gives itself away by.
inline constexpr const char* cryptography_symbols[] = {"RAND_bytes", "gcry_randomize", "gnutls_rnd",
                                                       "randombytes_buf"};

} // namespace detshim
