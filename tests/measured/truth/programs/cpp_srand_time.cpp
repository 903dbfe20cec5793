// srand(time(0))
#include <cstdio>
#include <cstdlib>
#include <ctime>
int main() {
  srand(time(nullptr));
  printf("%d\n", rand());
}
