#include <omp.h>
int main(int count, char** words) {
  double sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock), omp_set_num_threads(1);
  for (int i = 1; i < count; ++i)
    switch (words[i][0]) {
    case 'a':
#pragma omp parallel for num_threads(2)
      for (int i = 0; i < 9; ++i)
        sum = i;
      break;
    case 'b':
#pragma omp parallel for num_threads(2) schedule(dynamic)
      for (int i = 0; i < 9; ++i)
        sum = i;
      break;
    case 'c':
#pragma omp parallel num_threads(2)
      omp_set_lock(&lock), sum = sum * 0.9, omp_unset_lock(&lock);
      break;
    case 'd':
#pragma omp parallel num_threads(2)
#pragma omp critical
      sum = sum * 0.9;
      break;
    case 'f':
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
      sum = 1;
    } break;
    case 'g':
      for (int n = 0; n < 2; ++n)
#pragma omp parallel for num_threads(2) if (n > 0)
        for (int i = 0; i < 9; ++i)
          sum = i;
      break;
    case 'e':
#pragma omp parallel for num_threads(1)
      for (int i = 0; i < 9; ++i)
        sum = i;
    }
  return sum < 0;
}
