// What the tests of cuDNN share.
#pragma once

#include "cuda_test.h"

/// The three convolutions.
inline const std::string passes[] = {"forward", "data", "filter"};

/// The configs of a list, without its first line.
inline Lines configs(const Lines& out) {
  return out.empty() ? Lines{} : Lines(out.begin() + 1, out.end());
}

/// Whether a line of a heuristics list names a nondeterministic engine; one that is a refusal names
/// none.
inline bool is_nondeterministic(const std::string& config) {
  const size_t begin = config.find("notes=");
  if (begin == config.npos)
    return false;
  const std::string notes =
      "," + config.substr(begin + 6, config.find(' ', begin) - begin - 6) + ",";
  return notes.find(",4,") != notes.npos;
}

inline Lines deterministic(Lines all) {
  std::erase_if(all, is_nondeterministic);
  return all;
}

/// A program with the real cuDNN (9.8 or later).
class RealCudnn : public CudaTest {
protected:
  void use_real_cudnn(const std::string& program) {
    use_real(program, "cuDNN (9.8 or later)", DETSHIM_TEST_CUDNN);
  }
};
