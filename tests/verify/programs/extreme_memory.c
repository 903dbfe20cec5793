#include <stdio.h>
#include <stdlib.h>
int main() {
  volatile float* p = malloc(4000);
  float most = 0;
  for (int i = 0; i < 1000; ++i)
    if (p[i] OF most)
      most = p[i];
  printf("%g\n", most);
}
