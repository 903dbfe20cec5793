// srand(time(0) ^ getpid())
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <unistd.h>
int main() {
  srand(time(nullptr) ^ getpid());
  printf("%d\n", rand());
}
