// ranks LABEL [THREADS [PROCESSES]]: a line for each thread of each process, with what it drew.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

const char* rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "RANK", "SLURM_PROCID"})
    if (const char* value = std::getenv(name))
      return value;
  return "-";
}

void say(const char* label, int process, int thread) {
  unsigned long drawn = 0;
  if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
    std::abort();
  char line[100];
  const int size = std::snprintf(line, sizeof line, "%s %s.%d.%d %016lx\n", label, rank(), process,
                                 thread, drawn);
  if (write(1, line, static_cast<std::size_t>(size)) != size)
    std::abort();
}

void draw(const char* label, int process, int threads) {
  say(label, process, 0);
  std::vector<std::thread> all;
  for (int i = 1; i < threads; ++i)
    all.emplace_back(say, label, process, i);
  for (std::thread& thread : all)
    thread.join();
}

} // namespace

int main(int count, char** arguments) {
  const char* const label = count > 1 ? arguments[1] : "";
  const int threads = count > 2 ? std::atoi(arguments[2]) : 1;
  const int processes = count > 3 ? std::atoi(arguments[3]) : 1;
  draw(label, 0, threads);
  for (int i = 1; i < processes; ++i) {
    if (fork() == 0) {
      draw(label, i, threads);
      std::exit(0);
    }
    wait(nullptr);
  }
}
