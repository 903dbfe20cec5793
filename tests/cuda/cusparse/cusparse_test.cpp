// cuSPARSE, with a double.
#include "cuda_test.h"

namespace {

/// A product that may differ from run to run, and the algorithm that does not.
struct Product {
  const char *kind, *function, *format;
  int asked, good;
};

const Product products[] = {
    {"spmv", "cusparseSpMV", "csr", 0, 3}, {"spmv", "cusparseSpMV", "csr", 2, 3},
    {"spmv", "cusparseSpMV", "coo", 0, 4}, {"spmv", "cusparseSpMV", "coo", 1, 4},
    {"spmm", "cusparseSpMM", "csr", 0, 2}, {"spmm", "cusparseSpMM", "csr", 12, 2},
    {"spmm", "cusparseSpMM", "coo", 0, 2}, {"spmm", "cusparseSpMM", "coo", 5, 2},
};
/// The first of each kind: what does not hang on the format.
const Product of_each_kind[] = {products[0], products[4]};
/// Those that the library takes in their own format.
const Product given_as_they_are[] = {products[0], products[6]};

/// The only deterministic algorithm of products with matrices takes no matrix in rows.
bool is_given_as_coordinates(const Product& product) {
  return std::string{product.kind} == "spmm" && std::string{product.format} == "csr";
}

const std::string phases[] = {"_bufferSize", "_preprocess", ""};

class Cusparse : public CudaTest {
protected:
  void SetUp() override { use("sparse_product"); }

  static Arguments arguments(const Product& product, int operation = 0,
                             const std::string& how = "") {
    return {product.kind, product.format, std::to_string(operation), std::to_string(product.asked),
            how};
  }

  /// Whether the library got this phase with this algorithm.
  bool got(const Product& product, const std::string& phase, int algorithm,
           int operation = 0) const {
    return contains(calls(), std::string{product.function} + phase +
                                 " operation=" + std::to_string(operation) +
                                 " algorithm=" + std::to_string(algorithm));
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Cusparse, both_ways, name_of_way);

TEST_P(Cusparse, EveryPhaseGetsTheDeterministicAlgorithm) {
  for (const Product& product : products) {
    SCOPED_TRACE(std::string{product.kind} + " " + product.format);
    EXPECT_TRUE(contains(native(arguments(product)), "size=0 bytes=256"));
    for (const std::string& phase : phases)
      EXPECT_TRUE(got(product, phase, product.asked));
    for (const Environment& mode : {enforce, strict}) {
      const auto replaced = shimmed(arguments(product), mode);
      for (const std::string& phase : phases) {
        EXPECT_TRUE(got(product, phase, product.good)) << phase;
        EXPECT_TRUE(replaced.did("replace", product.function + phase)) << replaced;
      }
      EXPECT_FALSE(got(product, "", product.asked));
      EXPECT_FALSE(got(product, "_preprocess", product.asked));
      const std::string needed =
          is_given_as_coordinates(product) ? "size=0 bytes=1280" : "size=0 bytes=1024";
      EXPECT_TRUE(contains(replaced.out, needed)) << replaced;
      EXPECT_TRUE(contains(replaced.out, "run=0")) << replaced;
      EXPECT_TRUE(contains(replaced.out, "fits")) << replaced;
    }
  }
}

TEST_P(Cusparse, OptingOutBringsTheNativeAlgorithmBack) {
  for (const Product& product : products) {
    const std::string name = product.function;
    shimmed(arguments(product), disabled(name));
    EXPECT_TRUE(got(product, "", product.asked));
    shimmed(arguments(product), disabled(name + "_preprocess"));
    EXPECT_TRUE(got(product, "_preprocess", product.asked));
    EXPECT_FALSE(got(product, "_preprocess", product.good));
    const auto unasked = shimmed(arguments(product), disabled(name + "_bufferSize"));
    EXPECT_TRUE(contains(unasked.out, "size=0 bytes=256")) << unasked;
    EXPECT_TRUE(contains(unasked.out, "fits")) << unasked;
    shimmed(arguments(product), disabled("cusparse"));
    for (const std::string& phase : phases) {
      EXPECT_TRUE(got(product, phase, product.asked));
      EXPECT_FALSE(got(product, phase, product.good));
    }
  }
}

TEST_P(Cusparse, AlgorithmsAreLeftAloneAndRecordedWhereNothingIsForced) {
  for (const Product& product : products)
    for (const Environment& mode : {record, observe}) {
      const auto left = shimmed(arguments(product), mode);
      for (const std::string& phase : phases) {
        EXPECT_TRUE(got(product, phase, product.asked));
        EXPECT_FALSE(got(product, phase, product.good));
      }
      EXPECT_TRUE(contains(left.out, "size=0 bytes=256")) << left;
      EXPECT_TRUE(left.did("nondeterministic", product.function)) << left;
    }
}

// NVIDIA's own, CUSPARSE_SPMM_CSR_ALG3, adds in any order where rows are long (docs/evidence).
TEST_P(Cusparse, AMatrixInRowsIsGivenAsCoordinates) {
  const Product product{"spmm", "cusparseSpMM", "csr", 12, 2};
  const auto given = shimmed(arguments(product), strict);
  EXPECT_TRUE(contains(calls(), "cusparseSpMM rows=0,0,2,3"));
  EXPECT_TRUE(contains(given.out, "run=0")) << given;
  native(arguments(product));
  EXPECT_FALSE(contains(calls(), "cusparseSpMM rows=0,0,2,3"));
  // Several matrices in one, and indices that the conversion does not know.
  Product wide = product;
  wide.format = "csr64";
  for (const auto& [asked, misbehaviour] : {std::pair{product, "batches"}, std::pair{wide, ""}}) {
    const auto left = shimmed(arguments(asked), enforce + misbehaving(misbehaviour));
    EXPECT_TRUE(got(asked, "", 12));
    EXPECT_TRUE(left.did("nondeterministic", "cusparseSpMM")) << left;
    EXPECT_TRUE(
        contains(shimmed(arguments(asked), strict + misbehaving(misbehaviour)).out, "run=10"));
  }
}

TEST_P(Cusparse, AnAlgorithmThatIsDeterministicStays) {
  for (Product product : products) {
    if (is_given_as_coordinates(product))
      continue; // no program can ask for it
    product.asked = product.good;
    const auto stays = shimmed(arguments(product), strict);
    for (const std::string& phase : phases)
      EXPECT_TRUE(got(product, phase, product.good));
    EXPECT_TRUE(contains(stays.out, "run=0")) << stays;
    EXPECT_FALSE(stays.did("replace", product.function)) << stays;
    EXPECT_FALSE(stays.did("nondeterministic", product.function)) << stays;
  }
  // A format with one algorithm.
  for (const Product& blocked : {Product{"spmv", "cusparseSpMV", "bsr", 0, 6},
                                 Product{"spmm", "cusparseSpMM", "bsr", 0, 14}}) {
    EXPECT_TRUE(contains(shimmed(arguments(blocked), strict).out, "run=0"));
    EXPECT_TRUE(got(blocked, "", 0));
  }
}

// What no algorithm computes the same way every time.
TEST_P(Cusparse, WhatCannotBeForcedIsRecordedAndRefusedInStrict) {
  struct Case {
    Product product;
    int operation;
    std::string how, misbehaviour;
  };
  std::vector<Case> cases;
  for (const Product& product : products)
    for (const int operation : {1, 2})
      cases.push_back({product, operation, "", ""});
  for (Product transposed : given_as_they_are) { // which the good one does not serve either
    transposed.asked = transposed.good;
    transposed.good = -1;
    cases.push_back({transposed, 1, "", ""});
  }
  cases.push_back({{"spmv", "cusparseSpMV", "csc", 0, 3}, 0, "", ""});
  cases.push_back({{"spmm", "cusparseSpMM", "csc", 0, 12}, 0, "", ""});
  for (const Product& product : of_each_kind)
    for (const std::string how : {"not_served", "refused"})
      cases.push_back({product, 0, "", how});
  for (const Product& product : of_each_kind)
    for (const std::string how : {"never", "null", "reborn", "other"})
      cases.push_back({product, 0, how, ""});
  cases.push_back({products[4], 0, "wider", ""});

  for (const auto& [product, operation, how, misbehaviour] : cases) {
    SCOPED_TRACE(std::string{product.kind} + " " + product.format + " " +
                 std::to_string(operation) + " " + how + misbehaviour);
    const Arguments asked = arguments(product, operation, how);
    const auto left = shimmed(asked, enforce + misbehaving(misbehaviour));
    EXPECT_TRUE(got(product, "", product.asked, operation));
    EXPECT_EQ(got(product, "", product.good, operation), misbehaviour == "refused");
    EXPECT_TRUE(left.did("nondeterministic", product.function)) << left;
    EXPECT_TRUE(left.did("nondeterministic", std::string{product.function} + "_preprocess"))
        << left;
    EXPECT_TRUE(contains(left.out, "prepare=0")) << left;
    EXPECT_TRUE(contains(left.out, "run=0")) << left;
    EXPECT_TRUE(contains(left.out, "fits")) << left;

    const auto refused = shimmed(asked, strict + misbehaving(misbehaviour));
    EXPECT_TRUE(contains(refused.out, "prepare=10")) << refused;
    EXPECT_TRUE(contains(refused.out, "run=10")) << refused;
    EXPECT_TRUE(refused.did("refuse", product.function)) << refused;
    EXPECT_FALSE(got(product, "", product.asked, operation));
  }
}

// What was answered for a matrix that is gone says nothing of another one at its address.
TEST_P(Cusparse, AMatrixThatIsDestroyedIsForgotten) {
  for (const Product& product : of_each_kind) {
    const auto reborn = shimmed(arguments(product, 0, "reborn"));
    EXPECT_TRUE(contains(reborn.out, "fits")) << reborn;
    const auto without = shimmed(arguments(product, 0, "reborn"), disabled("cusparseDestroySpMat"));
    EXPECT_TRUE(contains(without.out, "overrun")) << without;
  }
}

TEST_P(Cusparse, ASizeServesWhicheverAlgorithmRuns) {
  for (const Product& product : given_as_they_are) {
    const auto smaller = shimmed(arguments(product), enforce + misbehaving("smaller"));
    EXPECT_TRUE(contains(smaller.out, "size=0 bytes=256")) << smaller;
    EXPECT_TRUE(got(product, "", product.good));
  }
}

TEST_P(Cusparse, TheLargestSizeOfAMatrixCounts) {
  const auto both = shimmed(arguments(products[4], 0, "both"), strict);
  EXPECT_TRUE(got(products[4], "", products[4].good));
  EXPECT_TRUE(contains(both.out, "run=0")) << both;
  EXPECT_TRUE(contains(both.out, "fits")) << both;
}

TEST_P(Cusparse, WithoutAnyBufferThereIsNothingToAskFor) {
  for (const Product& product : given_as_they_are)
    for (const std::string how : {"never", "null"}) {
      const auto none = shimmed(arguments(product, 0, how), strict + misbehaving("no_buffer"));
      EXPECT_TRUE(got(product, "", product.good));
      EXPECT_TRUE(contains(none.out, "run=0")) << none;
    }
}

TEST_P(Cusparse, ALibraryThatCannotTellTheFormatIsLeftAlone) {
  set_doubles({"old"});
  const auto left = shimmed(arguments(products[0]));
  EXPECT_TRUE(got(products[0], "", products[0].asked));
  EXPECT_TRUE(left.did("nondeterministic", "cusparseSpMV")) << left;
}

TEST_P(Cusparse, FailuresAreTheLibrarysOwn) {
  for (const Product& product : of_each_kind)
    for (const std::string how : {"fail", "usual_fail"}) {
      const Lines expected = native(arguments(product), misbehaving(how));
      EXPECT_TRUE(contains(expected, how == "fail" ? "run=6" : "run=10"));
      EXPECT_EQ(shimmed(arguments(product), enforce + misbehaving(how)).out, expected);
    }
}

TEST_P(Cusparse, EveryPhaseOfReuseGetsTheDeterministicAlgorithm) {
  const std::string names[] = {
      "cusparseSpGEMMreuse_workEstimation algorithm=", "cusparseSpGEMMreuse_nnz algorithm=",
      "cusparseSpGEMMreuse_copy algorithm=", "cusparseSpGEMMreuse_compute type=17 algorithm="};
  for (const std::string asked : {"0", "2"}) {
    const Lines expected = native({"reuse", asked});
    for (const std::string& name : names)
      EXPECT_TRUE(contains(calls(), name + asked));
    for (const Environment& mode : {enforce, strict}) {
      const auto replaced = shimmed({"reuse", asked}, mode);
      EXPECT_EQ(replaced.out, expected);
      for (const std::string& name : names) {
        EXPECT_TRUE(contains(calls(), name + "1")) << name;
        EXPECT_TRUE(replaced.did("replace", name.substr(0, name.find(' ')))) << replaced;
      }
    }
    for (const Environment& mode : {record, observe}) {
      const auto left = shimmed({"reuse", asked}, mode);
      for (const std::string& name : names) {
        EXPECT_TRUE(contains(calls(), name + asked)) << name;
        EXPECT_TRUE(left.did("nondeterministic", name.substr(0, name.find(' ')))) << left;
      }
    }
    for (const std::string& name : names) {
      shimmed({"reuse", asked}, disabled(name.substr(0, name.find(' '))));
      EXPECT_TRUE(contains(calls(), name + asked)) << name;
    }
  }
  const auto good = shimmed({"reuse", "1"});
  for (const std::string& name : names)
    EXPECT_TRUE(contains(calls(), name + "1")) << name;
  EXPECT_FALSE(good.did("replace", "cusparseSpGEMMreuse_compute")) << good;
}

TEST_P(Cusparse, TheLibraryIsNamed) {
  const auto is_named = [](const Shimmed& run) {
    return std::ranges::any_of(run.records, [](const nlohmann::json& record) {
      return record["t"] == "library" && record["lib"] == "cusparse" &&
             record["version"] == "12.6.3";
    });
  };
  EXPECT_TRUE(is_named(shimmed(arguments(products[0]), disabled("cusparseCreate"))));
  EXPECT_TRUE(is_named(shimmed({"create"})));
  EXPECT_FALSE(is_named(shimmed({"create"}, disabled("cusparseCreate"))));
}

// ---- what NVIDIA leaves undocumented ----

class CusparseSolvers : public CudaTest {
protected:
  void SetUp() override { use("sparse_solvers"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, CusparseSolvers, both_ways, name_of_way);

TEST_P(CusparseSolvers, AreRecordedAndPass) {
  const Lines functions = native({});
  EXPECT_EQ(functions.size(), 49u);
  const Lines expected = native(functions);
  const Lines called = calls();
  EXPECT_EQ(called.size(), functions.size());
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto recorded = shimmed(functions, mode);
    EXPECT_EQ(recorded.out, expected);
    EXPECT_EQ(calls(), called);
    for (const std::string& function : functions)
      EXPECT_TRUE(recorded.did("nondeterministic", function)) << function;
  }
  for (const std::string& function : functions)
    EXPECT_FALSE(shimmed({function}, disabled(function)).recorded(function)) << function;
  const Environment failing = misbehaving("fail");
  const auto failed = shimmed(functions, enforce + failing);
  EXPECT_EQ(failed.out, native(functions, failing));
  EXPECT_FALSE(failed.did("nondeterministic", functions.front())) << failed;
}

} // namespace
