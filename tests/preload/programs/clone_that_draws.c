#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static long stack[8192];
static int draw(void* p) { return rand() & 0; }
int main(void) {
  rand();
  clone(draw, stack + 8192, FLAGS | SIGCHLD, 0);
  wait(0);
  return 0;
}
