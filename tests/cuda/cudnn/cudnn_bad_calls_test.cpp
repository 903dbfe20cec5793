// What the real cuDNN answers to calls that lack one argument: the same with the shim, in every
// mode. The descriptors are valid: a function that is asked in the place of another one may check
// less.
#include "cudnn_test.h"

namespace {

class CudnnBadCalls : public RealCudnn {
protected:
  void SetUp() override { use_real_cudnn("cudnn_bad_calls"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CudnnBadCalls, both_ways, name_of_way);

TEST_P(CudnnBadCalls, AreAnsweredAsWithoutTheLibrary) {
  const Lines expected = native({});
  ASSERT_GT(expected.size(), 100U);
  EXPECT_TRUE(contains(expected, "cudnnFindConvolutionForwardAlgorithm without 0: status 2000"));
  for (const Environment& mode : {enforce, strict, record, observe})
    EXPECT_EQ(shimmed({}, mode).out, expected);
}

} // namespace
