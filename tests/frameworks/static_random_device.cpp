// A program with libstdc++ linked into it, and with a text of BoringSSL's, by which an object is
// told that may make keys. Prints a number of std::random_device's with the token that is named, or
// of getrandom
// ("key").
#include <cstdio>
#include <cstring>
#include <random>
#include <sys/random.h>

namespace {
const char* volatile cryptography = "entropy fill failed";
}

int main(int, char** arguments) {
  if (std::strcmp(arguments[1], "key") != 0) {
    std::random_device device(arguments[1]);
    std::printf("%u\n", device());
    return 0;
  }
  unsigned key = 0;
  if (getrandom(&key, sizeof key, 0) != sizeof key)
    return static_cast<int>(std::strlen(cryptography));
  std::printf("%u\n", key);
}
