#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#define FOUR(X) X, X, X, X
int main(int count, char** words) {
  static char block[4096];
  rand();
  int filler = open(words[1], O_CREAT | O_WRONLY, 0600);
  while (write(filler, block, sizeof block) > 0)
    ;
  close(filler);
  FOUR(FOUR(FOUR(srand(1)))); // records of 64 call sites
  unlink(words[1]);
  lrand48();
  return 0;
}
