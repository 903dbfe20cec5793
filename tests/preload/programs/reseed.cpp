// reseed VALUE...: for each VALUE calls srand() and prints four values of rand() in one line. VALUE
// is a number, `now` (time in seconds) or `pid`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "now") == 0)
      srand(static_cast<unsigned>(time(nullptr)));
    else if (strcmp(argv[i], "pid") == 0)
      srand(static_cast<unsigned>(getpid()));
    else
      srand(static_cast<unsigned>(strtoul(argv[i], nullptr, 10)));
    for (int k = 0; k < 4; ++k)
      printf("%d%c", rand(), k < 3 ? ' ' : '\n');
  }
}
