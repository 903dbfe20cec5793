// Has a malloc of its own, and prints an address that it gave.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char pool[1 << 24];
static size_t used;

void* malloc(size_t size) {
  size = (size + 31) & ~(size_t)15;
  if (used + size > sizeof pool) return NULL;
  char* const place = pool + used + 16;
  memcpy(place - 16, &size, sizeof size);
  used += size;
  return place;
}

void free(void* place) { (void)place; }

void* calloc(size_t count, size_t size) {
  void* const place = malloc(count * size);
  return place == NULL ? NULL : memset(place, 0, count * size);
}

void* realloc(void* old, size_t size) {
  void* const place = malloc(size);
  if (place == NULL || old == NULL) return place;
  size_t old_size;
  memcpy(&old_size, (char*)old - 16, sizeof old_size);
  return memcpy(place, old, old_size - 16 < size ? old_size - 16 : size);
}

int main(void) {
  const char* const place = malloc(100);
  printf("%lx\n", (unsigned long)place >> 12 & 0xFFFF);
  return 0;
}
