// A library that reads clocks for its own purposes, as those of MPI do.
#include <time.h>
#include <unistd.h>

extern "C" void library_reads_clocks() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time(nullptr);
  getpid();
}
