#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
int main(int count, char** words) {
  char room[64] = {0};
  readlink(words[1], room, (size_t)atoi(words[2]));
  return puts(room) < 0 || time(0) == 0;
}
