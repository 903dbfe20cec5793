// draws SOURCE SEED [worker|child]: prints 1000 values of one of glibc's generators.
//
// SOURCE: rand, random, lrand48, mrand48, drand48, initstate:SIZE, or setstate, which draws in turn
// from
//         three states of different sizes, the default one among them.
// SEED:   a number, `clock` (nanoseconds), `time` (seconds) or `none`: draw unseeded.
// worker: a second thread draws 1000 more meanwhile; they are printed after a line `worker`.
// child:  a forked child prints what it draws next.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace {

std::string source;
char large[256], small[64];
char* states[] = {nullptr, large, small};

void seed_source(unsigned seed) {
  if (source.ends_with("48")) {
    srand48(static_cast<long>(seed));
  } else if (source == "rand") {
    srand(seed);
  } else if (source.starts_with("initstate:")) {
    initstate(seed, large, std::stoul(source.substr(strlen("initstate:"))));
  } else {
    srandom(seed);
    if (source == "setstate") {
      states[0] = initstate(seed, large, sizeof large);
      initstate(seed, small, sizeof small);
    }
  }
}

std::string draw() {
  char text[64] = {};
  if (source == "rand")
    snprintf(text, sizeof text, "%d\n", rand());
  else if (source == "lrand48")
    snprintf(text, sizeof text, "%ld\n", lrand48());
  else if (source == "mrand48")
    snprintf(text, sizeof text, "%ld\n", mrand48());
  else if (source == "drand48")
    snprintf(text, sizeof text, "%a\n", drand48());
  else
    snprintf(text, sizeof text, "%ld\n", random());
  return text;
}

void draw_all(std::string& text) {
  for (int i = 0; i < 1000; ++i) {
    if (source == "setstate" && i % 7 == 0)
      setstate(states[i / 7 % 3]);
    text += draw();
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3)
    return 1;
  source = argv[1];
  const std::string seed = argv[2];
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (seed == "clock")
    seed_source(static_cast<unsigned>(now.tv_sec * 1000000000 + now.tv_nsec));
  else if (seed == "time")
    seed_source(static_cast<unsigned>(now.tv_sec));
  else if (seed != "none")
    seed_source(static_cast<unsigned>(std::stoul(seed)));

  std::string own, worker;
  if (argc > 3 && std::string(argv[3]) == "child") {
    draw_all(own);
    if (fork() != 0)
      return wait(nullptr) < 0 ? 1 : 0;
    own.clear();
    draw_all(own);
  } else if (argc > 3) {
    std::thread thread{draw_all, std::ref(worker)};
    draw_all(own);
    thread.join();
    own += "worker\n";
  } else {
    draw_all(own);
  }
  fputs((own + worker).c_str(), stdout);
}
