// Programs with one thing in them that can be made another in the second of two runs. Each argument
// is a step.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>

#include <dlfcn.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

unsigned nanoseconds() {
  return static_cast<unsigned>(std::chrono::system_clock::now().time_since_epoch().count());
}

void print(long number) {
  std::printf("%ld\n", number);
  std::fflush(stdout); // before a fork
}

bool is_planted() { return std::getenv("PLANTED") != nullptr; }

/// Another value in each run, of which no hook can tell where it comes from: a file was opened
/// since.
void seed_from_time() {
  std::mt19937 generator(nanoseconds());
  if (std::FILE* const file = std::fopen("/dev/null", "r"))
    std::fclose(file);
  srand48(static_cast<long>(generator() >> 1)); // the line of the seed
  print(lrand48());
}

void draw(int times) {
  long sum = 0;
  for (int i = 0; i < times; ++i)
    sum += rand();
  print(sum);
}

void draw_in_child() {
  if (fork() == 0) {
    print(rand());
    std::exit(0);
  }
  wait(nullptr);
}

void draw_in_library(const char* path) {
  void* const library = dlopen(path, RTLD_NOW);
  auto* const function =
      library == nullptr ? nullptr : reinterpret_cast<long (*)()>(dlsym(library, "planted_draw"));
  if (function == nullptr)
    std::exit(3);
  print(function());
}

} // namespace

int main(int count, char** arguments) {
  const char* const rank = std::getenv("RANK");
  for (int i = 1; i < count; ++i) {
    const std::string step = arguments[i];
    if (step == "time")
      seed_from_time();
    if (step == "clock")
      srand(nanoseconds());
    if (step == "clock" || step == "draw")
      draw(100);
    if (step == "more")
      draw(is_planted() ? 101 : 100);
    if (step == "extra" && is_planted())
      print(random());
    if (step == "seed")
      srand(is_planted() ? 8 : 7);
    if (step == "rank")
      srand(is_planted() && rank != nullptr && std::strcmp(rank, "2") == 0 ? 8 : 7);
    if (step == "child")
      draw_in_child();
    if (step == "no child" && !is_planted())
      draw_in_child();
    if (step == "thread")
      std::thread([] {
        draw(is_planted() ? 51 : 50);
      }).join();
    if (step == "threads") {
      std::thread one(draw, 1000), two(draw, 1000), three(draw, 1000);
      one.join();
      two.join();
      three.join();
    }
    if (step == "library")
      draw_in_library(arguments[++i]);
  }
}
