// A program with a static copy of a cryptography library in it, whose symbols are hidden: prints a
// key of that library's.
#include <cstdio>
#include <sys/random.h>
#if defined(WITH_OPENSSL)
#include <openssl/rand.h>
#elif defined(WITH_SODIUM)
#include <sodium.h>
#endif

namespace {

void print(const unsigned char (&bytes)[16]) {
  for (const unsigned char byte : bytes)
    std::printf("%02x", byte);
  std::printf("\n");
}

} // namespace

int main() {
  unsigned char key[16] = {};
#if defined(WITH_OPENSSL)
  if (RAND_bytes(key, sizeof key) != 1)
    return 1;
#elif defined(WITH_SODIUM)
  if (sodium_init() < 0)
    return 1;
  randombytes_buf(key, sizeof key);
#elif defined(WITH_TEXT)
  static const char* const volatile text = WITH_TEXT; // as such a library has it
  if (text[0] == 0 || getrandom(key, sizeof key, 0) != sizeof key)
    return 1;
#else
  if (getrandom(key, sizeof key, 0) != sizeof key)
    return 1;
#endif
  print(key);
}
