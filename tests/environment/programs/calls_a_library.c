#include <stdlib.h>
int example(void);
int main(void) {
#ifdef SEEDED
  srand(1);
#endif
  return example() + rand() * 0;
}
