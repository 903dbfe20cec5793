#include <stdio.h>
#include <unistd.h>
int main() { printf("%u\n", ID * 2654435761u + (getppid() == 0)); }
