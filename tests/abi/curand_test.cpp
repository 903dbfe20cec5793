// shim/abi of cuRAND against its headers.
#include "abi_test.h"

#include "abi/curand.h"

#if DETSHIM_TEST_HAVE_curand
#include <curand.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Curand) {
#if DETSHIM_TEST_HAVE_curand
  static_assert(sizeof(abi::curandGenerator_t) == sizeof(::curandGenerator_t));
  static_assert(same(abi::curandStatus::success, CURAND_STATUS_SUCCESS));
  static_assert(same(abi::curandStatus::type_error, CURAND_STATUS_TYPE_ERROR));

  using Type = abi::curandRngType;
  static_assert(same(Type::pseudo_default, CURAND_RNG_PSEUDO_DEFAULT));
  static_assert(same(Type::pseudo_philox4_32_10, CURAND_RNG_PSEUDO_PHILOX4_32_10));
  static_assert(same(Type::quasi_default, CURAND_RNG_QUASI_DEFAULT));
  // Which types take a seed is told from their numbers.
  for (const auto pseudo :
       {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32,
        CURAND_RNG_PSEUDO_MT19937, CURAND_RNG_PSEUDO_PHILOX4_32_10}) {
    EXPECT_GE(pseudo, static_cast<int>(Type::pseudo_default));
    EXPECT_LT(pseudo, static_cast<int>(Type::quasi_default));
  }
  for (const auto quasi : {CURAND_RNG_QUASI_SOBOL32, CURAND_RNG_QUASI_SCRAMBLED_SOBOL32,
                           CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64})
    EXPECT_GE(quasi, static_cast<int>(Type::quasi_default));

  static_assert(same(abi::curandOrdering::pseudo_default, CURAND_ORDERING_PSEUDO_DEFAULT));
  static_assert(same(abi::curandOrdering::pseudo_dynamic, CURAND_ORDERING_PSEUDO_DYNAMIC));

  using Generator = abi::curandGenerator_t;
  static_assert(
      CalledAlike<abi::curandStatus(Generator*, Type), decltype(::curandCreateGenerator)>());
  static_assert(
      CalledAlike<abi::curandStatus(Generator*, Type), decltype(::curandCreateGeneratorHost)>());
  static_assert(CalledAlike<abi::curandStatus(Generator), decltype(::curandDestroyGenerator)>());
  static_assert(CalledAlike<abi::curandStatus(Generator, unsigned long long),
                            decltype(::curandSetPseudoRandomGeneratorSeed)>());
  static_assert(CalledAlike<abi::curandStatus(Generator, unsigned long long),
                            decltype(::curandSetGeneratorOffset)>());
  static_assert(CalledAlike<abi::curandStatus(Generator, abi::curandOrdering),
                            decltype(::curandSetGeneratorOrdering)>());
  static_assert(CalledAlike<abi::curandStatus(int*), decltype(::curandGetVersion)>());

  using Status = abi::curandStatus;
  static_assert(CalledAlike<Status(Generator, unsigned*, size_t), decltype(::curandGenerate)>());
  static_assert(CalledAlike<Status(Generator, unsigned long long*, size_t),
                            decltype(::curandGenerateLongLong)>());
  static_assert(
      CalledAlike<Status(Generator, float*, size_t), decltype(::curandGenerateUniform)>());
  static_assert(
      CalledAlike<Status(Generator, double*, size_t), decltype(::curandGenerateUniformDouble)>());
  using Floats = Status(Generator, float*, size_t, float, float);
  static_assert(CalledAlike<Floats, decltype(::curandGenerateNormal)>());
  static_assert(CalledAlike<Floats, decltype(::curandGenerateLogNormal)>());
  using Doubles = Status(Generator, double*, size_t, double, double);
  static_assert(CalledAlike<Doubles, decltype(::curandGenerateNormalDouble)>());
  static_assert(CalledAlike<Doubles, decltype(::curandGenerateLogNormalDouble)>());
  static_assert(CalledAlike<Status(Generator, unsigned*, size_t, double),
                            decltype(::curandGeneratePoisson)>());
  static_assert(CalledAlike<Status(Generator, unsigned*, size_t, double, int),
                            decltype(::curandGeneratePoissonMethod)>());
  static_assert(CalledAlike<Status(Generator), decltype(::curandGenerateSeeds)>());
  static_assert(CalledAlike<Status(Generator, abi::cudaStream_t), decltype(::curandSetStream)>());
#else
  GTEST_SKIP() << "curand.h was not found when the build was configured";
#endif
}

} // namespace
