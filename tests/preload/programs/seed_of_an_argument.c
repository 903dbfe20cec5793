#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int main(int count, char** words) {
  time(0);
  srand(strtoul(words[1], 0, 0));
  printf("%d\n", rand());
}
