#include <stdlib.h>
#include <time.h>
int main(void) {
  time(0);
  return system("true");
}
