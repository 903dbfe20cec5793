// A library that reads clocks for its own purposes, as those of MPI do.
#include <utility>

#include <time.h>
#include <unistd.h>

extern "C" void library_reads_clocks() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  time(nullptr);
  getpid();
}

namespace {
template <int... Site>
void read_at(std::integer_sequence<int, Site...>, int count) {
  ((Site < count ? void(time(nullptr)) : void()), ...); // a call of its own for each
}
} // namespace

/// At most 400.
extern "C" void library_reads_at_call_sites(int count) {
  read_at(std::make_integer_sequence<int, 400>(), count);
}
