// DETSHIM_FINGERPRINT on copies from a GPU to the host, with doubles that copy in a stream only
// when somebody waits for it.
#include "compared.h"
#include "cuda_test.h"

#include <optional>

namespace {

const Environment host = enforce + Environment{{"DETSHIM_FINGERPRINT", "host"}};
const Environment race = misbehaving("a race");

/// The prints of a function.
std::vector<nlohmann::json> prints(const Shimmed& run, const std::string& function) {
  std::vector<nlohmann::json> found;
  for (const auto& record : run.records)
    if (record["t"] == "digest" && record["fn"] == function)
      found.push_back(record);
  return found;
}

/// The hash of the one print of that function.
std::optional<std::string> hash_of(const Shimmed& run, const std::string& function) {
  const auto found = prints(run, function);
  if (found.size() != 1 || !found[0].contains("digest"))
    return std::nullopt;
  return found[0]["digest"].get<std::string>();
}

class Copies : public CudaTest {
protected:
  /// The calls that reach the libraries are the native ones, and so is what comes of them.
  void expect_untouched(const Arguments& arguments, const Environment& misbehaviour = {}) {
    const Lines out = native(arguments, misbehaviour);
    const Lines own = calls();
    EXPECT_EQ(shimmed(arguments, host + misbehaviour).out, out);
    EXPECT_EQ(calls(), own);
  }

  /// A copy by `function`, behind which `waits` are called: hashed, with another hash of other
  /// contents, and not hashed with the hook switched off or without the option.
  void expect_hashed(const std::string& function, const Arguments& waits = {}) {
    SCOPED_TRACE(function + (waits.empty() ? "" : " " + waits.back()));
    Arguments arguments{function};
    arguments.insert(arguments.end(), waits.begin(), waits.end());
    expect_untouched(arguments);
    const Shimmed once = shimmed(arguments, host);
    const auto hash = hash_of(once, function);
    ASSERT_TRUE(hash) << once;
    EXPECT_EQ(prints(once, function)[0]["to"], "host");
    EXPECT_EQ(hash_of(shimmed(arguments, host), function), hash);
    const auto other = hash_of(shimmed(arguments, host + race), function);
    EXPECT_TRUE(other);
    EXPECT_NE(other, hash);
    EXPECT_TRUE(prints(shimmed(arguments, enforce), function).empty());
    EXPECT_TRUE(
        prints(shimmed(arguments, host + Environment{{"DETSHIM_DISABLE", function}}), function)
            .empty());
    EXPECT_TRUE(prints(shimmed(arguments, host + misbehaving("copies fail")), function).empty());
    EXPECT_FALSE(
        prints(shimmed(arguments, host + Environment{{"DETSHIM_MODE", "observe"}}), function)
            .empty());
  }

  /// The same contents have one hash, whether they came at once or later.
  void expect_alike(const std::string& at_once, const std::string& later, const Arguments& waits) {
    expect_hashed(at_once);
    expect_hashed(later, waits);
    Arguments arguments{later};
    arguments.insert(arguments.end(), waits.begin(), waits.end());
    EXPECT_EQ(hash_of(shimmed({at_once}, host), at_once), hash_of(shimmed(arguments, host), later))
        << later;
  }
};

class RuntimeCopies : public Copies {
protected:
  void SetUp() override { use("runtime_copies"); }
};
class DriverCopies : public Copies {
protected:
  void SetUp() override { use("driver_copies"); }
};

INSTANTIATE_TEST_SUITE_P(Cuda, RuntimeCopies, both_ways, name_of_way);
INSTANTIATE_TEST_SUITE_P(Cuda, DriverCopies, both_ways, name_of_way);

TEST_P(RuntimeCopies, AreHashed) {
  for (const auto& [sync, stream] : {std::pair("", ""), std::pair("_ptds", "_ptsz")})
    for (const std::string name : {"cudaMemcpy", "cudaMemcpy2D"})
      expect_alike(name + sync, name + "Async" + stream,
                   {std::string("cudaStreamSynchronize") + stream});
}

TEST_P(DriverCopies, AreHashed) {
  for (const auto& [sync, stream] : {std::pair("", ""), std::pair("_ptds", "_ptsz")}) {
    const Arguments wait{std::string("cuStreamSynchronize") + stream};
    expect_alike(std::string("cuMemcpyDtoH_v2") + sync,
                 std::string("cuMemcpyDtoHAsync_v2") + stream, wait);
    expect_alike(std::string("cuMemcpy") + sync, std::string("cuMemcpyAsync") + stream, wait);
  }
}

TEST_P(RuntimeCopies, InAStreamAreHashedWhenTheProgramHasWaited) {
  const std::string copy = "cudaMemcpyAsync";
  for (const Arguments& waits : {Arguments{"cudaStreamQuery"},
                                 {"cudaStreamQuery_ptsz"},
                                 {"cudaEventRecord", "cudaEventSynchronize"},
                                 {"cudaEventRecord_ptsz", "cudaEventQuery"},
                                 {"cudaEventRecordWithFlags", "cudaEventQuery"},
                                 {"cudaEventRecordWithFlags_ptsz", "cudaEventSynchronize"},
                                 {"cudaEventRecord", "cudaStreamWaitEvent", "other stream"},
                                 {"cudaEventRecord", "cudaStreamWaitEvent_ptsz", "other stream"},
                                 {"cudaDeviceSynchronize"}})
    expect_alike("cudaMemcpy", copy, waits);
}

TEST_P(DriverCopies, InAStreamAreHashedWhenTheProgramHasWaited) {
  for (const Arguments& waits : {Arguments{"cuStreamQuery"},
                                 {"cuStreamQuery_ptsz"},
                                 {"cuEventRecord", "cuEventSynchronize"},
                                 {"cuEventRecord_ptsz", "cuEventQuery"},
                                 {"cuEventRecordWithFlags", "cuEventQuery"},
                                 {"cuEventRecordWithFlags_ptsz", "cuEventSynchronize"},
                                 {"cuEventRecord", "cuStreamWaitEvent", "other stream"},
                                 {"cuEventRecord", "cuStreamWaitEvent_ptsz", "other stream"},
                                 {"cuCtxSynchronize"},
                                 {"cuCtxSynchronize_v2"}})
    expect_alike("cuMemcpyDtoH_v2", "cuMemcpyDtoHAsync_v2", waits);
}

TEST_P(RuntimeCopies, ThatNobodyWaitedForAreNotRead) {
  const auto why = [this](const Arguments& arguments, const Environment& misbehaviour = {}) {
    expect_untouched(arguments, misbehaviour);
    const auto found = prints(shimmed(arguments, host + misbehaviour), "cudaMemcpyAsync");
    if (found.empty() || found[0].contains("digest") || found[0]["unread"] != "1")
      return std::string("read");
    return found[0]["why"].get<std::string>();
  };
  const std::string copy = "cudaMemcpyAsync";
  EXPECT_EQ(why({copy}), "never_awaited");
  EXPECT_EQ(why({copy, "cudaStreamSynchronize"}, misbehaving("not ready")), "never_awaited");
  EXPECT_EQ(why({copy, "other stream"}), "never_awaited");
  // An event from before the copy.
  EXPECT_EQ(why({"cudaEventRecord", copy, "cudaEventSynchronize"}), "never_awaited");
  EXPECT_EQ(why({"elsewhere", "cudaEventRecord", copy, "cudaEventSynchronize"}), "read")
      << "the first was waited for";
  EXPECT_EQ(why({copy, copy, "cudaStreamSynchronize"}), "overwritten_before_wait");
  EXPECT_EQ(why({copy, "cudaStreamSynchronize"}, misbehaving("captured")), "in_graph");
}

TEST_P(RuntimeCopies, IntoMemoryThatIsGoneAreNotRead) {
  // The double copies at the wait, so the memory may go only behind it: a wait that is not seen.
  const Environment unseen = host + Environment{{"DETSHIM_DISABLE", "cudaStreamSynchronize"}};
  const Shimmed run = shimmed(
      {"cudaMemcpyAsync", "cudaStreamSynchronize", "free", "cudaDeviceSynchronize"}, unseen);
  const auto found = prints(run, "cudaMemcpyAsync");
  ASSERT_EQ(found.size(), 1u) << run;
  EXPECT_EQ(found[0]["why"], "memory_gone");
}

TEST_P(RuntimeCopies, ByAddressGoWhereTheyGo) {
  const Shimmed run = shimmed({"by address"}, host);
  EXPECT_EQ(hash_of(run, "cudaMemcpy"), hash_of(shimmed({"cudaMemcpy"}, host), "cudaMemcpy"));
  EXPECT_TRUE(prints(shimmed({"to the device"}, host), "cudaMemcpy").empty());
}

TEST_P(DriverCopies, ByAddressGoWhereTheyGo) {
  EXPECT_TRUE(prints(shimmed({"on the device"}, host), "cuMemcpy").empty());
}

TEST_P(RuntimeCopies, CountTheKernelsBefore) {
  const auto found = prints(
      shimmed({"kernel", "kernel", "cudaMemcpy", "kernel", "cudaMemcpy"}, host), "cudaMemcpy");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]["launches"], "2");
  EXPECT_EQ(found.back()["launches"], "3");
}

TEST_P(RuntimeCopies, NameTheFirstThatBroughtSomethingElse) {
  const TemporaryFolder a, b, c;
  const auto log_of = [&](const TemporaryFolder& folder, const Environment& misbehaviour) {
    shimmed({"kernel", "beginning", "kernel", "kernel", "cudaMemcpy", "cudaMemcpy2D"},
            host + misbehaviour + Environment{{"DETSHIM_LOG", folder.log().string()}});
    return folder.log().string();
  };
  const Compared same = compare(log_of(a, {}), log_of(b, {}));
  EXPECT_EQ(same.status, 0) << same;
  // The race shows in the last byte, which the first copy does not bring.
  const Compared other = compare(a.log(), log_of(c, race));
  EXPECT_EQ(other.status, 1) << other;
  ASSERT_FALSE(other.first().is_null()) << other;
  EXPECT_EQ(other.first()["record"]["function"], "cudaMemcpy") << other;
}

} // namespace
