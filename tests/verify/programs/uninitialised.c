/* Reads what it has not written, or, with "fixed", does not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char* make(size_t size) { return malloc(size); /* make */ }

int main(int count, char** arguments) {
  enum { size = 700 };
  for (int i = 0; i < 20; ++i) free(memset(malloc(size), 0, size));
  unsigned char* const kept = memset(malloc(size), 1, size);
  unsigned char* const read = make(size);
  if (count > 1 && strcmp(arguments[1], "fixed") == 0) memset(read, 0, size);
  unsigned sum = 0;
  for (size_t i = 100; i < size; ++i) sum += read[i] + kept[i];
  printf("%u\n", sum);
  free(read);
  free(kept);
  return 0;
}
