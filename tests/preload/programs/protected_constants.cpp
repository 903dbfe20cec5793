// A program whose constants are no longer where they were, as of one that protects a table or gives
// its memory back: argv[1] says how. Then it draws, in a function that refers to them.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/random.h>

namespace {

constexpr size_t page = 4096;
constexpr size_t pages = 8;

/// Whole pages among the constants, each with a text in it.
struct alignas(page) Table {
  char text[pages][page];
};
extern const Table table;

// Something that a search of the constants would take for a candidate, over and over.
const Table table = {{"/ring-0", "LibsodiumDR", "entropy fill faile", "OpenSSL NIST SP 800-90A DRB",
                      "default", "/dev/urandom", "/dev/random", "/rustls-0"}};

__attribute__((noinline)) uint64_t drawn(const char** text) {
  uint64_t number = 0;
  *text = table.text[4]; // what this code refers to
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = 0;
  return number;
}

} // namespace

int main(int, char** argv) {
  void* const place = const_cast<Table*>(&table);
  const bool is_done = std::strcmp(argv[1], "unmapped") == 0
                           ? munmap(place, sizeof table) == 0
                           : mprotect(place, sizeof table, PROT_NONE) == 0;
  const char* text = nullptr;
  if (!is_done)
    return 1;
  std::printf("%llx\n", static_cast<unsigned long long>(drawn(&text)));
  return text == nullptr ? 2 : 0;
}
