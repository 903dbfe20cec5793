// memory that was never written
#include <cstdio>
#include <cstdlib>
int main() {
  auto* block = static_cast<volatile unsigned char*>(malloc(4096));
  unsigned sum = 0;
  for (int i = 0; i < 4096; ++i) sum = sum * 31 + block[i];
  printf("%u\n", sum);
}
