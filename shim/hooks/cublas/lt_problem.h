// A product of cuBLASLt's and its algorithms, as the tuning file and the log name them.
#pragma once

#include "abi/cublaslt.h"
#include "common/text.h"
#include "hooks/support/tuning_place.h"
#include "loader/hook.h"

namespace detshim {

/// The descriptors of one product.
struct LtProduct {
  abi::cublasLtMatmulDesc_t operation;
  abi::cublasLtMatrixLayout_t a, b, c, d;
};

/// A product as the tuning file names it.
class LtProblem {
public:
  LtProblem(const Hook& hook, const LtProduct& product);

  TuningProblem names() { return place_.name("cublaslt", "matmul", text_.c_str()); }
  uint64_t hash();

private:
  TuningPlace place_;
  Text<1600> text_;
};

/// An algorithm's bytes as text.
void add_algorithm(TextWriter& text, const abi::cublasLtMatmulAlgo& algorithm);

uint64_t key_of(const abi::cublasLtMatmulAlgo& algorithm);

/// What tells an algorithm from others in the log.
class AlgorithmName {
public:
  explicit AlgorithmName(const abi::cublasLtMatmulAlgo& algorithm) {
    text_.add_hex(key_of(algorithm), 16);
  }
  const char* c_str() { return text_.c_str(); }

private:
  Text<24> text_;
};

/// How an algorithm adds up the parts of a product that it computes next to each other ("split-K",
/// cublasLtReductionScheme_t), as text.
const char* reduction_of(const Hook& hook, const abi::cublasLtMatmulAlgo& algorithm);

} // namespace detshim
