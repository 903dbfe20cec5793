#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
int main() {
  void* page =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if defined(__x86_64__)
  const unsigned char code[] = {0x48, 0x83, 0xec, 8, 0xff, 0xd6,
                                0x48, 0x83, 0xc4, 8, 0xc3}; // call *%rsi
  memcpy(page, code, sizeof code);
  reinterpret_cast<void (*)(unsigned, void (*)(unsigned))>(page)(7654321, srand);
#else
  srand(7654321);
#endif
  printf("%d\n", rand());
}
