// DETSHIM_FINGERPRINT=calls on outputs of library calls, with doubles that compute in a stream when
// somebody waits for it, and whose gaps between rows hold something else in every run.
#include "compared.h"
#include "cuda_test.h"

#include <optional>

namespace {

const Environment on = enforce + Environment{{"DETSHIM_FINGERPRINT", "calls"}};
const Environment other_input{{"OTHER_INPUT", "1"}};

Environment race_in(const std::string& function) { return misbehaving("a race in " + function); }

std::vector<nlohmann::json> prints(const Shimmed& run, const std::string& function) {
  std::vector<nlohmann::json> found;
  for (const auto& record : run.records)
    if (record["t"] == "digest" && record["fn"] == function)
      found.push_back(record);
  return found;
}

std::string value(const nlohmann::json& record, const std::string& key) {
  return record.contains(key) ? record[key].get<std::string>() : "none";
}

/// What the one print of a function says.
struct OnePrint {
  std::string in, out, why, bytes, shape;
};

class Outputs : public CudaTest {
protected:
  void SetUp() override { use("outputs"); }

  OnePrint print(const std::string& function, const Arguments& arguments,
                 const Environment& with = {}) {
    const Shimmed run = shimmed(arguments, on + with);
    const auto found = prints(run, function);
    EXPECT_EQ(found.size(), 1u) << function << "\n" << run;
    if (found.size() != 1)
      return {};
    EXPECT_EQ(found[0]["to"], "device");
    EXPECT_EQ(found[0]["thread"], "stream 1");
    return {value(found[0], "in"), value(found[0], "digest"), value(found[0], "why"),
            value(found[0], "bytes"), value(found[0], "shape")};
  }

  /// A call is hashed: the same in every run, though the gaps differ; something else where the call
  /// gives something else, after the same inputs; other inputs where these are others.
  void expect_hashed(const std::string& function, const std::string& name, const std::string& shape,
                     const Arguments& before = {}) {
    SCOPED_TRACE(name);
    Arguments arguments = before;
    arguments.insert(arguments.end(), {name, "wait"});
    const OnePrint once = print(function, arguments);
    EXPECT_NE(once.out, "none");
    EXPECT_NE(once.in, "none");
    EXPECT_EQ(once.shape, shape);
    const OnePrint again = print(function, arguments);
    EXPECT_EQ(again.out, once.out);
    EXPECT_EQ(again.in, once.in);
    const OnePrint raced = print(function, arguments, race_in(function));
    EXPECT_EQ(raced.in, once.in);
    EXPECT_NE(raced.out, once.out);
    EXPECT_NE(print(function, arguments, other_input).in, once.in);
    // Nothing is changed, and nothing is there without being asked for.
    const Lines out = native(arguments);
    const Lines own = calls();
    EXPECT_EQ(shimmed(arguments, on).out, out);
    EXPECT_EQ(calls(), own);
    for (const Environment& off :
         {enforce, enforce + Environment{{"DETSHIM_FINGERPRINT", "host"}},
          on + Environment{{"DETSHIM_DISABLE", function}}, on + misbehaving("calls fail")})
      EXPECT_TRUE(prints(shimmed(arguments, off), function).empty());
  }

  /// Each of these variables makes the program hand over something else, and nothing else come out.
  void expect_to_go_in(const std::string& function, const std::string& name,
                       const std::vector<std::string>& others) {
    const OnePrint once = print(function, {name, "wait"});
    EXPECT_NE(once.in, "none") << name;
    for (const std::string& other : others) {
      const OnePrint changed = print(function, {name, "wait"}, {{other, "1"}});
      EXPECT_NE(changed.in, once.in) << name << " " << other;
      EXPECT_NE(changed.in, "none") << name << " " << other;
      EXPECT_EQ(changed.out, once.out) << name << " " << other;
    }
  }

  std::string log_of(const TemporaryFolder& folder, const Arguments& arguments,
                     const Environment& with = {}) {
    shimmed(arguments, on + with + Environment{{"DETSHIM_LOG", folder.log().string()}});
    return folder.log().string();
  }
};

INSTANTIATE_TEST_SUITE_P(Cuda, Outputs, testing::Values(Way{"Linked", ""}), name_of_way);

TEST_P(Outputs, OfProductsAreHashed) {
  expect_hashed("cublasSgemm_v2", "cublasSgemm_v2", "m=5 n=3 k=4 ta=0 tb=0 size=4 ldc=7");
  expect_hashed("cublasSgemmStridedBatched", "cublasSgemmStridedBatched",
                "m=5 n=3 k=4 ta=0 tb=0 size=4 ldc=7 batches=2");
  expect_hashed("cublasSgemmBatched", "cublasSgemmBatched",
                "m=5 n=3 k=4 ta=0 tb=0 size=4 ldc=7 batches=2");
  expect_hashed("cublasGemmEx", "cublasGemmEx", "m=5 n=3 k=4 ta=0 tb=1 size=2 ldc=7");
  expect_hashed("cublasSgemv_v2", "cublasSgemv_v2", "m=5 n=3 ta=0 size=4");
  expect_hashed("cublasDtrsm_v2", "cublasDtrsm_v2", "m=5 n=3 left=1 ta=0 size=8");
  expect_hashed("cublasLtMatmul", "cublasLtMatmul",
                "m=5 n=3 k=4 type=0 ldd=7 ta=0 tb=0 compute=68 epilogue=1");
  expect_hashed("cublasLtMatmul", "cublasLtMatmul by rows",
                "m=3 n=5 k=4 type=0 ldd=7 ta=0 tb=0 compute=68 epilogue=1");
}

TEST_P(Outputs, OfBatchesByPointersAreThoseThatTheyPointTo) {
  const std::string name = "cublasLtMatmul by pointers";
  expect_hashed("cublasLtMatmul", name, "m=5 n=3 k=4 type=0 ldd=7 ta=0 tb=0 compute=68 epilogue=1");
  EXPECT_EQ(print("cublasLtMatmul", {name, "wait"}).bytes, "120");
}

TEST_P(Outputs, OfReductionsAreHashed) {
  expect_hashed("ncclAllReduce", "ncclAllReduce", "type=7 in=100 out=100 op=0");
  expect_hashed("ncclReduceScatter", "ncclReduceScatter", "type=7 in=300 out=100 op=0");
  expect_hashed("ncclReduce", "ncclReduce", "type=7 in=100 out=100 op=0");
  EXPECT_NE(print("ncclAllReduce", {"ncclAllReduce", "wait"}).shape,
            print("ncclAllReduce", {"ncclAllReduce of products", "wait"}).shape);
  // A communicator that does not tell.
  for (const std::string name : {"ncclReduce", "ncclReduceScatter"}) {
    const OnePrint unknown = print(name, {name, "wait"}, misbehaving("ranks are not told"));
    EXPECT_EQ(unknown.out, "none") << name;
    EXPECT_EQ(unknown.why, "ranks_unknown");
  }
  // What the root alone has is nobody else's.
  EXPECT_EQ(print("ncclReduce", {"ncclReduce elsewhere", "wait"}).bytes, "0");
}

TEST_P(Outputs, OfNormalizationsAreHashed) {
  const std::string train = "cudnnBatchNormalizationForwardTrainingEx";
  const std::string derive = "cudnnBatchNormalizationBackwardEx";
  const std::string infer = "cudnnBatchNormalizationForwardInference";
  const auto shape = [&](const std::string& name) {
    return print(name.substr(0, name.find(',')), {name, "wait"}).shape;
  };
  EXPECT_TRUE(shape(train).starts_with("mode=1 ops=0 t=2,3,4,5 t=2,3,4,5 t=1,3,1,1"))
      << shape(train);
  for (const std::string& function : {train, derive, infer}) {
    expect_hashed(function, function, shape(function));
    for (const char* other : {"OTHER_EPSILON", "OTHER_SCALE"}) {
      const OnePrint once = print(function, {function, "wait"});
      EXPECT_NE(print(function, {function, "wait"}, {{other, "1"}}).in, once.in)
          << function << other;
      EXPECT_EQ(print(function, {function, "wait"}, {{other, "1"}}).out, once.out);
    }
  }
  // y, two statistics of all batches and two of this one; dx and two gradients.
  EXPECT_EQ(print(train, {train, "wait"}).bytes, std::to_string(480 + 4 * 12));
  EXPECT_EQ(print(derive, {derive, "wait"}).bytes, std::to_string(480 + 2 * 12));
  // Statistics that go on are read before they are written, those of a first batch are not.
  const Environment before{{"OTHER_BEFORE", "1"}};
  EXPECT_NE(print(train, {train, "wait"}).in, print(train, {train, "wait"}, before).in);
  EXPECT_EQ(print(train, {"the first batch", "wait"}).in,
            print(train, {"the first batch", "wait"}, before).in);
  // With an activation what goes in is not known.
  const std::string activated = derive + ", activated";
  EXPECT_EQ(print(derive, {activated, "wait"}).in, "none");
  EXPECT_NE(print(derive, {activated, "wait"}).out, "none");
}

TEST_P(Outputs, OfEpiloguesAreHashed) {
  const std::string function = "cublasLtMatmul";
  const auto print_of = [&](const std::string& how, const Environment& with = {}) {
    return print(function, {function + ", " + how, "wait"}, with);
  };
  const struct {
    std::string name;
    int bytes;
  } epilogues[] = {{"gelu", 60 + 60},
                   {"relu", 19 * 3 * 4 + 2 * 3},
                   {"backward", 60 + 5 * 4},
                   {"gradient by B", 60 + 3 * 4}};
  for (const auto& [name, bytes] : epilogues) {
    SCOPED_TRACE(name);
    expect_hashed(function, function + ", " + name, print_of(name).shape);
    EXPECT_EQ(print_of(name).bytes, std::to_string(bytes));
    const OnePrint raced = print_of(name, race_in("cublasLtMatmul, epilogue"));
    EXPECT_EQ(raced.in, print_of(name).in);
    EXPECT_NE(raced.out, print_of(name).out);
  }
  for (const std::string name : {"bias", "backward"})
    expect_to_go_in(function, function + ", " + name, {"OTHER_EPILOGUE"});
  EXPECT_EQ(print_of("unknown").out, "none");
  EXPECT_EQ(print_of("unknown").why, "outputs_unknown");
}

TEST_P(Outputs, OfGraphsAreHashed) {
  const auto shape = [&](const std::string& how) {
    const std::string all = print("cudnnBackendExecute", {"graph: " + how, "wait"}).shape;
    return all.substr(0, all.find(" graph="));
  };
  const auto whole = [&](const std::string& name) {
    return print("cudnnBackendExecute", {name, "wait"}).shape;
  };
  EXPECT_EQ(shape("plain"), "of=convolution_forward+pointwise");
  EXPECT_TRUE(whole("graph: plain").ends_with(" out=1,2,5"));
  expect_hashed("cudnnBackendExecute", "graph: plain", whole("graph: plain"));
  expect_hashed("cudnnBackendExecute", "graph: backwards", whole("graph: backwards"));
  EXPECT_EQ(print("cudnnBackendExecute", {"graph: plain", "wait"}).bytes, "40");
  // Of the activation's gradient y is what went in.
  EXPECT_EQ(print("cudnnBackendExecute", {"graph: backwards", "wait"}).bytes, "40");
  const Environment before{{"OTHER_BEFORE", "1"}};
  const auto in = [&](const std::string& name, const Environment& with = {}) {
    return print("cudnnBackendExecute", {name, "wait"}, with).in;
  };
  EXPECT_NE(in("graph: backwards"), in("graph: backwards", before));
  // Convolutions that are added to what was there, and outputs that lie over an input.
  EXPECT_EQ(in("graph: plain"), in("graph: plain", before));
  EXPECT_NE(in("graph: added"), in("graph: added", before));
  EXPECT_NE(in("graph in place"), in("graph in place", before));
  const auto raced =
      print("cudnnBackendExecute", {"graph in place", "wait"}, race_in("cudnnBackendExecute"));
  EXPECT_EQ(raced.in, in("graph in place"));
}

TEST_P(Outputs, OfGraphsThatAreNotKnownAreNotClaimed) {
  const auto why = [&](const std::string& name) {
    const OnePrint one = print("cudnnBackendExecute", {name, "wait"});
    EXPECT_EQ(one.out, "none") << name;
    EXPECT_EQ(one.in, "none") << name;
    return one.why;
  };
  const std::string layout = "layout_unknown";
  EXPECT_EQ(why("cudnnBackendExecute"), "graph_unseen");
  EXPECT_EQ(why("graph: unknown plan"), "graph_unseen");
  EXPECT_EQ(why("graph: unknown operation"), "operation_unknown");
  EXPECT_EQ(why("graph: another tensor"), "identifier_shared");
  EXPECT_EQ(why("graph: not in the pack"), "tensor_missing");
  EXPECT_EQ(why("graph: without data"), "tensor_missing");
  EXPECT_EQ(why("graph: shapes"), "shapes_overridden");
  EXPECT_EQ(why("graph: ragged"), layout);
  EXPECT_EQ(why("graph: vectors"), layout);
  EXPECT_EQ(why("graph: boolean"), layout); // eight in a byte, and rows of five
}

/// NVIDIA's cudnn-frontend and the real cuDNN, which takes the descriptors; the double runs the
/// plans.
class FrontendGraphs : public Outputs {
protected:
  void SetUp() override {
    use("frontend_graphs");
    if (!std::filesystem::exists(test_folder() + "/frontend_graphs"))
      GTEST_SKIP()
          << "the headers of nvidia-cudnn-frontend, or cuDNN (9.8 or later), are not installed";
  }
  OnePrint print_graph(const std::string& graph, const Environment& with = {}) {
    const std::string cudnn = DETSHIM_TEST_CUDNN;
    const Environment all = with + Environment{{"DOUBLE_CUDNN", cudnn + "/libcudnn_graph.so.9"}};
    return print("cudnnBackendExecute", {DETSHIM_TEST_DEVICE, graph, "wait"}, all);
  }
  /// `bytes` are those of the outputs, as the program made them.
  void expect_graph(const std::string& graph, const std::string& operations,
                    const std::string& bytes) {
    SCOPED_TRACE(graph);
    const OnePrint once = print_graph(graph);
    EXPECT_TRUE(once.shape.starts_with("of=" + operations)) << once.shape;
    EXPECT_NE(once.shape.find(" engine="), std::string::npos) << once.shape;
    EXPECT_EQ(once.bytes, bytes);
    EXPECT_EQ(once.why, "none");
    const OnePrint again = print_graph(graph);
    EXPECT_EQ(again.out, once.out);
    EXPECT_EQ(again.in, once.in);
    EXPECT_EQ(again.shape, once.shape);
    const OnePrint raced = print_graph(graph, race_in("cudnnBackendExecute"));
    EXPECT_NE(raced.out, once.out);
    EXPECT_EQ(raced.in, once.in);
    const OnePrint other = print_graph(graph, other_input);
    EXPECT_NE(other.in, once.in);
    EXPECT_NE(other.in, "none");
  }
};

INSTANTIATE_TEST_SUITE_P(Cuda, FrontendGraphs, testing::Values(Way{"Opened", ""}), name_of_way);

TEST_P(FrontendGraphs, AreLookedInto) {
  expect_graph("convolution", "convolution_forward ", "50176");
  expect_graph("convolution and more", "convolution_forward+pointwise+pointwise ", "50176");
  expect_graph("gradient", "convolution_backward_filter ", "9216");
  expect_graph("attention", "matmul+pointwise", "135168");
  // With two tensors in the workspace: row sums, and the float sums of which one gradient is made.
  expect_graph("attention backwards", "", std::to_string(3 * 131072 + 4096 + 262144));
  expect_graph("normalization", "norm_forward ", "66048");
}

TEST_P(FrontendGraphs, NumbersOfTheHostGoIn) {
  const OnePrint once = print_graph("normalization");
  const OnePrint other = print_graph("normalization", {{"OTHER_EPSILON", "1"}});
  EXPECT_NE(once.in, other.in);
  EXPECT_EQ(once.out, other.out);
  EXPECT_EQ(once.shape, other.shape);
}

TEST_P(Outputs, LeaveGapsOut) {
  EXPECT_EQ(print("cublasSgemm_v2", {"without gaps", "wait"}).bytes, "48");
  EXPECT_EQ(print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"}).bytes, "60");
}

TEST_P(Outputs, WhatWasThereBeforeCountsWhereItIsAddedTo) {
  const Environment before{{"OTHER_BEFORE", "1"}};
  const auto in = [&](const Arguments& arguments, const Environment& with = {}) {
    return print("cublasSgemm_v2", arguments, with).in;
  };
  const Arguments plain{"cublasSgemm_v2", "wait"}, added{"beta", "cublasSgemm_v2", "wait"};
  EXPECT_EQ(in(plain), in(plain, before));
  EXPECT_NE(in(added), in(added, before));
  EXPECT_NE(in(added), in(plain));
  // Not known: the numbers lie on the GPU, or the matrix in no allocation.
  EXPECT_EQ(in({"scales on the device", "cublasSgemm_v2", "wait"}), "none");
  const auto changed = [&](const std::string& name, const std::string& function) {
    EXPECT_NE(print(function, {name, "wait"}).in, print(function, {name, "wait"}, before).in)
        << name;
  };
  changed("cublasDtrsm_v2", "cublasDtrsm_v2");
  changed("ncclAllReduce in place", "ncclAllReduce");
}

TEST_P(Outputs, NumbersOfTheHostGoIn) {
  const Environment other{{"OTHER_SCALE", "1"}};
  for (const std::string name :
       {"cublasSgemm_v2", "cublasSgemmBatched", "cublasSgemmStridedBatched", "cublasGemmEx",
        "cublasSgemv_v2", "cublasDtrsm_v2", "cublasLtMatmul"}) {
    const OnePrint once = print(name, {name, "wait"}),
                   with_other = print(name, {name, "wait"}, other);
    EXPECT_NE(once.in, with_other.in) << name;
    EXPECT_EQ(once.out, with_other.out) << name;
  }
  // What an operation of a graph is told makes it another graph.
  const std::string graph = "cudnnBackendExecute";
  EXPECT_NE(print(graph, {"graph: plain", "wait"}).shape,
            print(graph, {"graph: plain", "wait"}, other).shape);
}

// In the places that matrices of a batch have when they lie behind each other the other way round.
TEST_P(Outputs, OfBatchesThatRunBackwards) {
  const std::string function = "cublasSgemmStridedBatched";
  const Arguments backwards{"backwards", "wait"};
  const OnePrint once = print(function, backwards);
  EXPECT_EQ(once.bytes, "120");
  EXPECT_EQ(once.out, print(function, backwards).out);
  EXPECT_NE(once.out, print(function, backwards, race_in(function)).out);
  EXPECT_NE(once.out, print(function, backwards, {{"OTHER_LAST", "1"}}).out);
}

TEST_P(Outputs, AreReadWhenTheProgramHasWaited) {
  const std::string hash = print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"}).out;
  for (const Arguments& wait : {Arguments{"wait for all"}, {"event", "wait for event"}}) {
    Arguments arguments{"cublasSgemm_v2"};
    arguments.insert(arguments.end(), wait.begin(), wait.end());
    EXPECT_EQ(print("cublasSgemm_v2", arguments).out, hash);
  }
  EXPECT_EQ(print("cublasSgemm_v2", {"legacy stream", "cublasSgemm_v2", "copy and wait"}).out,
            hash);
  EXPECT_EQ(print("cublasSgemm_v2", {"other context", "cublasSgemm_v2", "wait"}).out, hash);
  EXPECT_EQ(print("ncclAllReduce", {"group", "ncclAllReduce", "end of group", "wait"}).out,
            print("ncclAllReduce", {"ncclAllReduce", "wait"}).out);
}

TEST_P(Outputs, ThatAreNotKnownAreNotClaimed) {
  const auto why = [&](const Arguments& arguments, const Environment& with = {},
                       const std::string& function = "cublasSgemm_v2") {
    const OnePrint one = print(function, arguments, with);
    EXPECT_EQ(one.out, "none");
    return one.why;
  };
  const Arguments product{"cublasSgemm_v2", "wait"};
  EXPECT_EQ(why({"cublasSgemm_v2"}), "never_awaited");
  EXPECT_EQ(why({"event", "cublasSgemm_v2", "wait for event"}), "never_awaited");
  EXPECT_EQ(why(product, misbehaving("captured")), "in_graph");
  EXPECT_EQ(why(product, misbehaving("no kernels")), "no_hash_kernel");
  EXPECT_EQ(why(product, misbehaving("launches fail")), "no_hash_kernel");
  EXPECT_EQ(why({"cublasLtMatmul in tiles", "wait"}, {}, "cublasLtMatmul"), "layout_unknown");
  EXPECT_EQ(why({"cublasLtMatmul in planes", "wait"}, {}, "cublasLtMatmul"), "layout_unknown");
  EXPECT_EQ(why({"ncclAllReduce", "wait"}, misbehaving("does not block"), "ncclAllReduce"),
            "nonblocking");
}

// Each refused call has hashed what it would have added to.
TEST_P(Outputs, OfRefusedCallsTakeNoRoom) {
  const OnePrint once = print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"});
  const OnePrint after =
      print("cublasSgemm_v2", {"refused", "wait", "refused", "wait", "cublasSgemm_v2", "wait"});
  EXPECT_EQ(after.why, "none");
  EXPECT_EQ(after.out, once.out);
}

// The double ends a capture with an error where something was done that may not be, as the driver
// does.
TEST_P(Outputs, LeaveCapturesAlone) {
  const std::string why = "in_graph";
  const OnePrint once = print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"});
  const auto run_captured = [&](const Arguments& captured, const Arguments& after) {
    Arguments all{"begin capture"};
    all.insert(all.end(), captured.begin(), captured.end());
    all.push_back("end capture");
    all.insert(all.end(), after.begin(), after.end());
    const Shimmed run = shimmed(all, on);
    EXPECT_TRUE(contains(run.out, "end capture=0")) << run;
    EXPECT_EQ(run.out, native(all));
    return prints(run, "cublasSgemm_v2");
  };
  // Nothing is loaded yet, and what the second changes would be hashed before it.
  for (const Arguments& captured : {Arguments{"cublasSgemm_v2"}, {"beta", "cublasSgemm_v2"}}) {
    const auto found = run_captured(captured, {"launch", "other data", "launch", "wait"});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(value(found[0], "why"), why);
    EXPECT_EQ(value(found[0], "digest") + value(found[0], "in"), "nonenone");
  }
  // Streams that are not captured, with what has to be loaded for them; and the one when it is
  // over.
  const auto beside = run_captured({"another stream", "cublasSgemm_v2", "wait", "the first stream"},
                                   {"cublasSgemm_v2", "wait"});
  ASSERT_EQ(beside.size(), 2u);
  EXPECT_EQ(value(beside[0], "digest"), once.out);
  EXPECT_EQ(value(beside[1], "digest"), once.out);
}

TEST_P(Outputs, OfCapturesAreNeverEqual) {
  const TemporaryFolder a, b, c, d;
  const Arguments work{"begin capture", "cublasSgemm_v2", "end capture", "launch", "wait"};
  const Compared captured = compare(log_of(a, work), log_of(b, work, race_in("cublasSgemm_v2")));
  EXPECT_EQ(captured.status, 2) << captured;
  EXPECT_TRUE(captured.has_unknown("the contents of 1 output")) << captured;
  const Compared populated = compare(log_of(c, {"populate"}), log_of(d, {"populate"}));
  EXPECT_EQ(populated.status, 2) << populated;
  EXPECT_TRUE(populated.has_unknown("the contents of 1 output")) << populated;
}

// What a graph left is seen by the next call that is given it, in each launch.
TEST_P(Outputs, ShowWhatAGraphWasGiven) {
  const auto in = [&](const Arguments& between) {
    Arguments all{"begin capture", "kernel", "end capture", "launch"};
    all.insert(all.end(), between.begin(), between.end());
    all.insert(all.end(), {"cublasSgemm_v2", "wait"});
    return print("cublasSgemm_v2", all, misbehaving("a race in a kernel")).in;
  };
  const auto undisturbed = print("cublasSgemm_v2", {"begin capture", "kernel", "end capture",
                                                    "launch", "cublasSgemm_v2", "wait"})
                               .in;
  EXPECT_NE(in({}), undisturbed);
  EXPECT_NE(undisturbed, "none");
}

TEST_P(Outputs, OfManyThreadsAreOneSequence) {
  const auto found = prints(shimmed({"many threads"}, on), "cublasSgemm_v2");
  uint64_t count = 0;
  for (const auto& record : found) {
    EXPECT_TRUE(record.contains("digest")) << record;
    EXPECT_EQ(record["thread"], "stream 1");
    EXPECT_EQ(record["first"], std::to_string(count + 1));
    count += std::stoull(record["digests"].get<std::string>());
  }
  EXPECT_EQ(count, 9000u);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(value(found[0], "digest"), print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"}).out);
}

TEST_P(Outputs, OfMoreStreamsThanAreKeptAreNotClaimed) {
  uint64_t hashed = 0, unread = 0;
  for (const auto& record : prints(shimmed({"many streams"}, on), "cublasSgemm_v2")) {
    const uint64_t count = std::stoull(record["digests"].get<std::string>());
    if (record.contains("digest")) {
      hashed += count;
      continue;
    }
    unread += count;
    EXPECT_EQ(record["unread"], record["digests"]);
    EXPECT_EQ(record["why"], "too_many_places");
  }
  EXPECT_EQ(hashed, 4094u); // the thread itself prints, too
  EXPECT_EQ(hashed + unread, 5000u);
}

TEST_P(Outputs, GoWithTheirContext) {
  const OnePrint once = print("cublasSgemm_v2", {"cublasSgemm_v2", "wait"});
  for (const std::string end : {"destroy the context", "reset the device"}) {
    const auto found = prints(
        shimmed({"cublasSgemm_v2", "wait", "cublasSgemm_v2", end, "cublasSgemm_v2", "wait"}, on),
        "cublasSgemm_v2");
    ASSERT_EQ(found.size(), 3u) << end;
    EXPECT_EQ(value(found[0], "digest"), once.out);
    EXPECT_EQ(value(found[1], "why"), "hash_missing") << end;
    EXPECT_EQ(value(found[1], "digest"), "none");
    EXPECT_EQ(value(found[2], "digest"), once.out) << end;
    EXPECT_EQ(value(found[2], "in"), once.in) << end;
  }
  // It has two users.
  const Arguments work{"cublasSgemm_v2",     "release the device", "wait",
                       "release the device", "cublasSgemm_v2",     "wait"};
  const auto found = prints(shimmed(work, on), "cublasSgemm_v2");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(value(found[0], "digest"), once.out);
  EXPECT_EQ(value(found[1], "digest"), once.out);
}

TEST_P(Outputs, OfAStreamAreOneSequence) {
  const Shimmed run = shimmed({"cublasSgemm_v2", "cublasLtMatmul", "copy", "kernel",
                               "ncclAllReduce", "wait", "cublasSgemm_v2", "wait"},
                              on);
  std::vector<std::string> functions, numbers, launches;
  for (const auto& record : run.records)
    if (record["t"] == "digest" && record["thread"] == "stream 1") {
      functions.push_back(record["fn"]);
      numbers.push_back(record["n"].is_string() ? record["n"].get<std::string>()
                                                : record["n"].dump());
      launches.push_back(record["launches"]);
    }
  EXPECT_EQ(functions,
            (std::vector<std::string>{"cublasSgemm_v2", "cublasLtMatmul", "cuMemcpyDtoHAsync_v2",
                                      "ncclAllReduce", "cublasSgemm_v2"}))
      << run;
  EXPECT_EQ(numbers, (std::vector<std::string>{"1", "2", "3", "4", "5"}));
  // Those at the call, not at the wait; ours are not among them.
  EXPECT_EQ(launches, (std::vector<std::string>{"0", "0", "0", "1", "1"}));
}

TEST_P(Outputs, NameTheFirstCallThatGaveSomethingElse) {
  const TemporaryFolder a, b, c, d;
  const Arguments work{
      "kernel", "cublasSgemm_v2", "cublasLtMatmul", "kernel", "ncclAllReduce", "copy", "wait"};
  const auto expect_first = [](const Compared& compared, const char* function, const char* kind) {
    EXPECT_EQ(compared.status, 1) << compared;
    const nlohmann::json cause = compared.first();
    ASSERT_FALSE(cause.is_null()) << compared;
    EXPECT_EQ(cause["record"]["function"], function) << compared;
    EXPECT_EQ(cause["record"]["kind"], kind) << compared;
    EXPECT_TRUE(cause["record"]["a"]["fields"].contains("in")) << compared;
  };
  const std::string log = log_of(a, work);
  const Compared same = compare(log, log_of(b, work));
  EXPECT_EQ(same.status, 0) << same;
  expect_first(compare(log, log_of(c, work, race_in("cublasLtMatmul"))), "cublasLtMatmul",
               "result");
  // A kernel of the program's own: what differs is what the next call is given.
  expect_first(compare(log, log_of(d, work, misbehaving("a race in a kernel"))), "cublasSgemm_v2",
               "input");
}

// `detshim verify` with nothing else to compare: what is printed is the same.
TEST_P(Outputs, MakeRunsDifferentThatPrintTheSame) {
  const auto verify = [&](const std::string& fingerprint) {
    const TemporaryFolder folder;
    const std::string script = contents(PROGRAMS "races_from_the_second_run.sh");
    Arguments all{DETSHIM_COMMAND, "verify", "-n", "2", "--json", "--seed", "42", "--", "sh", "-c",
                  script};
    for (const std::string& word : command({"cublasLtMatmul", "wait"}))
      all.push_back(word);
    return nlohmann::json::parse(
        ::run(all, paths() + Environment{{"DETSHIM_FINGERPRINT", fingerprint}}, folder.path()).out);
  };
  const nlohmann::json document = verify("calls");
  EXPECT_EQ(document["verdict"], "different") << document;
  ASSERT_EQ(document["differences"].size(), 1u) << document;
  EXPECT_EQ(document["differences"][0]["kind"], "fingerprint");
  EXPECT_TRUE(
      document["differences"][0]["where"].get<std::string>().starts_with("cublasLtMatmul, "))
      << document;
  EXPECT_NE(verify("off")["verdict"], "different");
}

TEST_P(Outputs, OfACollectiveAreReceived) {
  const TemporaryFolder a, b;
  const auto run_rank = [&](const TemporaryFolder& folder, const std::string& rank,
                            const Environment& with) {
    log_of(folder, {"cublasSgemm_v2", "ncclAllReduce", "wait"},
           with +
               Environment{{"RANK", rank}, {"WORLD_SIZE", "2"}, {"TORCHELASTIC_RUN_ID", "a-job"}});
  };
  run_rank(a, "0", {});
  run_rank(a, "1", {});
  run_rank(b, "0", race_in("ncclAllReduce")); // it got what rank 1 had sent
  run_rank(b, "1", race_in("cublasSgemm_v2"));
  const Compared result = compare(a.log(), b.log());
  ASSERT_EQ(result.status, 1) << result;
  const nlohmann::json& ranks = result.document["ranks"];
  ASSERT_EQ(ranks.size(), 2U) << result;
  EXPECT_EQ(ranks[0]["rank"], 1) << result;
  EXPECT_EQ(ranks[0]["role"], "origin") << result;
  EXPECT_EQ(ranks[1]["rank"], 0) << result;
  EXPECT_EQ(ranks[1]["role"], "receiver") << result;
}

} // namespace
