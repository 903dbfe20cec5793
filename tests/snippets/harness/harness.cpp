#include "harness.h"

#include "snippet.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

Lookup lookup = Lookup::linked;

namespace {
// Not stdio: a snippet may run in a signal handler.
char output[4096];
size_t length = 0;
} // namespace

void emit(const char* line) {
  const size_t size = strlen(line);
  check(length + size < sizeof output, "the output fits");
  memcpy(output + length, line, size);
  length += size;
  output[length++] = '\n';
}

void emit(uint64_t value) {
  char digits[17] = {};
  for (int i = 15; i >= 0; --i, value >>= 4)
    digits[i] = "0123456789abcdef"[value & 15];
  emit(digits);
}

void print_output() {
  check(write(STDOUT_FILENO, output, length) == static_cast<ssize_t>(length), "write");
}

void check(bool holds, const char* what) {
  if (holds)
    return;
  const char* const parts[] = {"snippet: does not hold: ", what, "\n"};
  for (const char* part : parts)
    if (write(STDERR_FILENO, part, strlen(part)) < 0)
      break;
  _exit(1);
}

uint64_t clock_seed() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

void* looked_up(const char* name, const char* library, const char* version) {
  if (lookup == Lookup::linked)
    return nullptr;
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  check(handle != nullptr, library);
  void* const found = lookup == Lookup::dlsym ? dlsym(handle, name) : dlvsym(handle, name, version);
  check(found != nullptr, name);
  return found;
}
