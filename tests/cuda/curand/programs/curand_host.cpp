// An ordinary user of cuRAND's host generators. Its arguments are a small script, so that every
// test can say in one line what its program does:
//
//   new=TYPE    makes a host generator of a curandRngType; the commands after it speak of this one
//   seed=VALUE  a number, or what programs take from the clock: `time` is seconds, `clock`
//   nanoseconds order=N  offset=N  dims=N draw=N      draws N words and prints them in hexadecimal
//   on one line here=NAME   calls curandGenerateNAME, curandGenerate (`Generate`) or
//   curandSetStream (`SetStream`) there=NAME  the same in a thread of its own, which is waited for
//   fork        goes on in a child process
//   use=I       goes back to the I-th generator, from 0
//   free        destroys the generator
//
// A call that fails prints `NAME: STATUS` and the script goes on.
#include "call.h"

#include <curand.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

unsigned long long seed_of(const char* text) {
  if (!std::strcmp(text, "time"))
    return static_cast<unsigned long long>(std::time(nullptr));
  if (!std::strcmp(text, "clock")) {
    return static_cast<unsigned long long>(
        std::chrono::system_clock::now().time_since_epoch().count());
  }
  return std::strtoull(text, nullptr, 0);
}

void check(const char* name, curandStatus_t status) {
  if (status != CURAND_STATUS_SUCCESS)
    std::printf("%s: %d\n", name, static_cast<int>(status));
}

void draw(curandGenerator_t generator, curandRngType type, size_t count) {
  const bool wide = type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
  std::vector<unsigned> words(count);
  std::vector<unsigned long long> wide_words(count);
  const auto status = wide ? CALL(curandGenerateLongLong)(generator, wide_words.data(), count)
                           : CALL(curandGenerate)(generator, words.data(), count);
  check("draw", status);
  if (status != CURAND_STATUS_SUCCESS)
    return;
  for (size_t i = 0; i < count; ++i) {
    std::printf("%s%llx", i ? " " : "",
                wide ? wide_words[i] : static_cast<unsigned long long>(words[i]));
  }
  std::printf("\n");
}

curandStatus_t call(curandGenerator_t generator, const std::string& name) {
  union {
    unsigned words[8];
    unsigned long long wide_words[8];
    float floats[8];
    double doubles[8];
  } out;
  if (name == "Generate")
    return CALL(curandGenerate)(generator, out.words, 8);
  if (name == "LongLong")
    return CALL(curandGenerateLongLong)(generator, out.wide_words, 8);
  if (name == "Uniform")
    return CALL(curandGenerateUniform)(generator, out.floats, 8);
  if (name == "UniformDouble")
    return CALL(curandGenerateUniformDouble)(generator, out.doubles, 8);
  if (name == "Normal")
    return CALL(curandGenerateNormal)(generator, out.floats, 8, 0, 1);
  if (name == "NormalDouble")
    return CALL(curandGenerateNormalDouble)(generator, out.doubles, 8, 0, 1);
  if (name == "LogNormal")
    return CALL(curandGenerateLogNormal)(generator, out.floats, 8, 0, 1);
  if (name == "LogNormalDouble")
    return CALL(curandGenerateLogNormalDouble)(generator, out.doubles, 8, 0, 1);
  if (name == "Poisson")
    return CALL(curandGeneratePoisson)(generator, out.words, 8, 10);
  if (name == "PoissonMethod")
    return CALL(curandGeneratePoissonMethod)(generator, out.words, 8, 10, CURAND_CHOOSE_BEST);
  if (name == "Seeds")
    return CALL(curandGenerateSeeds)(generator);
  if (name == "SetStream")
    return CALL(curandSetStream)(generator, nullptr);
  std::exit(2);
}

} // namespace

int main(int argc, char** argv) {
  struct Generator {
    curandGenerator_t handle;
    curandRngType type;
  };
  std::vector<Generator> generators;
  size_t at = 0;

  for (int i = 1; i < argc; ++i) {
    const char* equals = std::strchr(argv[i], '=');
    const char* value = equals ? equals + 1 : "";
    const auto is = [&](const char* name) {
      return !std::strncmp(argv[i], name, std::strlen(name));
    };
    const auto number = std::strtoull(value, nullptr, 0);

    if (is("new=")) {
      const auto type = static_cast<curandRngType>(number);
      generators.push_back({nullptr, type});
      at = generators.size() - 1;
      check("new", CALL(curandCreateGeneratorHost)(&generators[at].handle, type));
    } else if (generators.empty()) {
      std::fprintf(stderr, "no generator yet: %s\n", argv[i]);
      return 2;
    } else if (is("seed=")) {
      check("seed",
            CALL(curandSetPseudoRandomGeneratorSeed)(generators[at].handle, seed_of(value)));
    } else if (is("order=")) {
      const auto ordering = static_cast<curandOrdering_t>(number);
      const int status = CALL(curandSetGeneratorOrdering)(generators[at].handle, ordering);
      if (status != CURAND_STATUS_SUCCESS)
        std::printf("order: %d\n", status); // a program may try another one
    } else if (is("offset=")) {
      check("offset", CALL(curandSetGeneratorOffset)(generators[at].handle, number));
    } else if (is("dims=")) {
      const auto dimensions = static_cast<unsigned>(number);
      check("dims",
            CALL(curandSetQuasiRandomGeneratorDimensions)(generators[at].handle, dimensions));
    } else if (is("draw=")) {
      draw(generators[at].handle, generators[at].type, number);
    } else if (is("here=")) {
      check(value, call(generators[at].handle, value));
    } else if (is("there=")) {
      std::thread([&] {
        check(value, call(generators[at].handle, value));
      }).join();
    } else if (is("fork")) {
      std::fflush(stdout);
      if (fork() == 0)
        continue;
      wait(nullptr);
      break;
    } else if (is("use=")) {
      at = number;
    } else if (is("free")) {
      check("free", CALL(curandDestroyGenerator)(generators[at].handle));
    } else {
      std::fprintf(stderr, "unknown command: %s\n", argv[i]);
      return 2;
    }
  }
}
