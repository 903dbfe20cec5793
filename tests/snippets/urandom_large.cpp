#include "snippet.h"

#include <fcntl.h>
#include <initializer_list>
#include <stdio.h>
#include <unistd.h>

namespace {

/// FNV-1a, 64 bits.
uint64_t checksum(uint64_t sum, const unsigned char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    sum = (sum ^ bytes[i]) * 0x100000001B3;
  return sum;
}

} // namespace

SNIPPET {
  // More than fits into any buffer that could stand in for the device, in reads of several sizes: a
  // program takes a short read from this device for an error.
  static unsigned char buffer[40000];
  const int file = FN(open, LIBC, LIBC_BASE)("/dev/urandom", O_RDONLY);
  auto read_file = FN(read, LIBC, LIBC_BASE);
  uint64_t sum = 0;
  for (const size_t size :
       {size_t{16}, size_t{4096}, size_t{40000}, size_t{5}, size_t{40000}, size_t{15883}}) {
    check(read_file(file, buffer, size) == static_cast<ssize_t>(size), "every read is full");
    sum = checksum(sum, buffer, size);
  }
  emit(sum);
  close(file);

  FILE* const stream = FN(fopen, LIBC, LIBC_BASE)("/dev/urandom", "rb");
  check(stream != nullptr, "the stream opens");
  for (int i = 0; i < 25; ++i) {
    check(fread(buffer, 1, 4000, stream) == 4000, "every fread is full");
    sum = checksum(sum, buffer, 4000);
  }
  emit(sum);
  fclose(stream);
}
