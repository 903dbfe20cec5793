// Prints a hash of what lies on the dead stack after a call: what a variable would hold that is
// never set.
//   dead_frames CALL [thread]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <thread>
#include <unistd.h>

namespace {

/// The first 8 KiB below the caller's frame.
[[gnu::noinline]] std::uint64_t look() {
  volatile std::uint64_t words[1024];
  __asm__ volatile("" : "=m"(words)); // set, for all that the compiler knows
  std::uint64_t hash = 0;
  for (int i = 0; i < 1024; ++i)
    hash = hash * 31 + words[i];
  return hash;
}

[[gnu::noinline]] void wipe() {
  char bytes[32768];
  std::memset(bytes, 0, sizeof bytes);
  __asm__ volatile("" : : "r"(bytes) : "memory"); // looked at, for all that the compiler knows
}

[[gnu::noinline]] void call(const char* name) {
  const auto is = [name](const char* one) {
    return std::strcmp(name, one) == 0;
  };
  char buffer[64] = {};
  if (is("rand"))
    buffer[0] = static_cast<char>(std::rand());
  if (is("srand"))
    std::srand(5);
  if (is("drand48"))
    buffer[0] = static_cast<char>(drand48() * 100);
  if (is("getrandom"))
    buffer[0] = static_cast<char>(getrandom(buffer, 8, 0));
  if (is("getenv"))
    buffer[0] = std::getenv("PATH") != nullptr ? 1 : 0;
  if (is("snprintf"))
    std::snprintf(buffer, sizeof buffer, "%.3f", 1.5);
  if (is("open") || is("device")) {
    const int file = open(is("open") ? "/etc/passwd" : "/dev/urandom", O_RDONLY);
    buffer[0] = static_cast<char>(read(file, buffer, 8));
    close(file);
  }
  if (is("many"))
    for (int i = 0; i < 100000; ++i)
      buffer[0] ^= static_cast<char>(std::rand());
  __asm__ volatile("" : : "r"(buffer) : "memory");
}

void work(const char* name) {
  wipe();
  call(name);
  const std::uint64_t hash = look();
  std::printf("%016llx\n", static_cast<unsigned long long>(hash));
}

} // namespace

int main(int count, char** arguments) {
  if (count < 2)
    return 2;
  if (count < 3)
    return work(arguments[1]), 0;
  std::thread(work, arguments[1]).join();
}
