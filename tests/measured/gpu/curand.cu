// cuRAND's device generators of every pseudo-random type, each seeded from the clock, as programs
// do that want "real" randomness: every run draws other numbers. With --deterministic the seed is a
// constant.
#include "gpu.h"

#include <curand.h>

namespace {

struct Type {
  const char* name;
  curandRngType_t type;
};

constexpr size_t count = 1 << 20;
constexpr int repeats = 20;

void draw(const std::string& name, curandRngType_t type, bool is_dynamic, bool deterministic) {
  curandGenerator_t generator = nullptr;
  CHECK(curandCreateGenerator(&generator, type));
  // A generator of a type that has no such ordering answers in one of several ways.
  if (is_dynamic && curandSetGeneratorOrdering(generator, CURAND_ORDERING_PSEUDO_DYNAMIC) !=
                        CURAND_STATUS_SUCCESS)
    gpu::unsupported();
  CHECK(curandSetPseudoRandomGeneratorSeed(generator, deterministic ? 1234 : gpu::clock_seed()));
  const gpu::Device<float> uniform(count), normal(count);
  const gpu::Device<unsigned> poisson(count);
  gpu::work(repeats, [&] {
    CHECK(curandGenerateUniform(generator, uniform.get(), count));
    CHECK(curandGenerateNormal(generator, normal.get(), count, 0.0F, 1.0F));
  });
  CHECK(curandGeneratePoisson(generator, poisson.get(), count, 3.0));
  gpu::print(name + ".uniform", uniform);
  gpu::print(name + ".normal", normal);
  gpu::print(name + ".poisson", poisson);
  CHECK(curandDestroyGenerator(generator));
}

} // namespace

int main(int argc, char** argv) {
  const gpu::Options options = gpu::start(argc, argv);
  for (const Type& type :
       {Type{"default", CURAND_RNG_PSEUDO_DEFAULT}, Type{"xorwow", CURAND_RNG_PSEUDO_XORWOW},
        Type{"mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A}, Type{"mtgp32", CURAND_RNG_PSEUDO_MTGP32},
        Type{"mt19937", CURAND_RNG_PSEUDO_MT19937},
        Type{"philox", CURAND_RNG_PSEUDO_PHILOX4_32_10}}) {
    for (const bool is_dynamic : {false, true}) {
      const std::string name = std::string(type.name) + (is_dynamic ? ".dynamic" : "");
      gpu::attempt(name, [&] {
        draw(name, type.type, is_dynamic, options.deterministic);
      });
    }
  }
  return gpu::finish();
}
