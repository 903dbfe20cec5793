// erand48 by index in an OpenMP loop
#include <cstdio>
#include <cstdlib>
int main() {
  double values[64];
#pragma omp parallel for schedule(static)
  for (int i = 0; i < 64; ++i) {
    unsigned short state[3] = {static_cast<unsigned short>(i), 2, 3};
    values[i] = erand48(state);
  }
  for (double value : values) printf("%f ", value);
}
