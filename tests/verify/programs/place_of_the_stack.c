#include <stdio.h>
int main() {
  int x;
  printf("%p\n", (void*)&x);
}
