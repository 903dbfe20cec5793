#include <omp.h>
#include <stdio.h>
int main(void) {
  unsigned long state = omp_get_wtime() * 1e9;
  printf("%lu\n", state * 6364136223846793005ul);
}
