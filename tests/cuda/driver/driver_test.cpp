// The CUDA runtime and driver, with doubles: memory that is filled and launches that are counted on
// request, however a program reaches the functions.
#include "cuda_test.h"

#include <map>

namespace {

const Environment zero{{"DETSHIM_FILL", "zero"}};
const Environment nan_fill{{"DETSHIM_FILL", "nan"}};

const std::string ask_legacy = "cuStreamIsCapturing stream=1";
const std::string relax = "cuThreadExchangeStreamCaptureMode mode=2";
const std::string restore = "cuThreadExchangeStreamCaptureMode mode=0";
const std::string wait = "cuStreamSynchronize stream=1";

/// What fills memory at once, between the real call and its return. `memset` is its line for the
/// value 00.
Lines at_once(const std::string& memset) { return {ask_legacy, relax, memset, wait, restore}; }
Lines linear() { return at_once("cuMemsetD8Async value=00 bytes=64 stream=1"); }
Lines rows(const std::string& height) {
  return at_once("cuMemsetD2D8Async pitch=512 value=00 width=40 height=" + height + " stream=1");
}
Lines in_stream(const std::string& stream) {
  return {"cuStreamIsCapturing stream=" + stream,
          "cuMemsetD8Async value=00 bytes=64 stream=" + stream};
}
Lines by_hand() { return {}; } // memory of the host

/// An allocation: what a program calls, the hook that fills, and what the driver is told beside.
struct Allocation {
  std::string called;
  std::string hook;
  Lines fill;
};

/// One behind the other.
Lines joined(Lines a, const Lines& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Driver : public CudaTest {
protected:
  void SetUp() override { use("driver_calls"); }

  /// The lookup that the program is told to use is called as its way is.
  Arguments calling(const Arguments& what) const {
    if (std::string{GetParam().suffix} != "_entry")
      return what;
    return joined({GetParam().name}, what);
  }

  void expect_filled(const Allocation& allocation);
  void expect_left_unfilled(const std::string& function);
  void expect_counted(const std::string& called, const std::string& hook,
                      const std::string& kernel);
};

/// The line of the call.
std::string line_of(const Lines& out, const std::string& called) {
  for (const std::string& line : out)
    if (line.starts_with(called + "="))
      return line;
  return {};
}

std::string kernel_of(const Shimmed& run, const std::string& function) {
  for (const auto& record : run.records)
    if (record["t"] == "call" && record["fn"] == function && record["do"] == "observe")
      return record["kernel"];
  return {};
}

/// How often anything of that library was recorded.
auto recorded_of(const Shimmed& run, const std::string& library) {
  return std::ranges::count_if(run.records, [&](const nlohmann::json& record) {
    return record["t"] == "call" && record["lib"] == library;
  });
}

void Driver::expect_filled(const Allocation& allocation) {
  SCOPED_TRACE(allocation.called);
  const Arguments arguments = calling({allocation.called});
  EXPECT_EQ(line_of(native(arguments), allocation.called), allocation.called + "=0 5a 5a");
  const Lines own = calls();

  const auto filled = shimmed(arguments, enforce + zero);
  EXPECT_EQ(line_of(filled.out, allocation.called), allocation.called + "=0 00 00") << filled;
  EXPECT_EQ(calls(), joined(own, allocation.fill));
  EXPECT_TRUE(filled.did("replace", allocation.hook)) << filled;
  EXPECT_EQ(recorded_of(filled, "cuda") + recorded_of(filled, "cudart"), 1) << filled; // once

  Lines nan_calls = own;
  for (std::string line : allocation.fill) {
    if (const auto at = line.find("value=00"); at != line.npos)
      line.replace(at, 8, "value=ff");
    nan_calls.push_back(line);
  }
  for (const Environment& mode : {enforce, strict, record}) {
    const auto pattern = shimmed(arguments, mode + nan_fill);
    EXPECT_EQ(line_of(pattern.out, allocation.called), allocation.called + "=0 ff ff") << pattern;
    EXPECT_EQ(calls(), nan_calls);
  }

  // Opted out, in a mode that changes nothing, and not asked for.
  for (const Environment& left :
       {disabled(allocation.hook) + zero, disabled("cuda,cudart") + zero, observe + zero, enforce,
        enforce + Environment{{"DETSHIM_FILL", "off"}},
        zero + Environment{{"DETSHIM_MODE", "off"}}}) {
    const auto run = shimmed(arguments, left);
    EXPECT_EQ(line_of(run.out, allocation.called), allocation.called + "=0 5a 5a") << run;
    EXPECT_EQ(calls(), own);
    EXPECT_FALSE(run.did("replace", allocation.hook)) << run;
    const bool is_told = left == observe + zero;
    EXPECT_EQ(run.did("nondeterministic", allocation.hook), is_told) << run;
    EXPECT_EQ(recorded_of(run, "cuda") + recorded_of(run, "cudart"), is_told ? 1 : 0) << run;
  }
}

void Driver::expect_counted(const std::string& called, const std::string& hook,
                            const std::string& kernel) {
  SCOPED_TRACE(called);
  const Arguments arguments = calling({called});
  const Lines out = native(arguments);
  EXPECT_EQ(line_of(out, called), called + "=0");
  const Lines own = calls();
  for (const Environment& mode : {enforce, observe, record}) {
    const auto counted = shimmed(arguments, mode);
    EXPECT_EQ(counted.out, out);
    EXPECT_EQ(calls(), own);
    EXPECT_EQ(kernel_of(counted, hook), kernel) << counted;
    EXPECT_EQ(recorded_of(counted, "cuda") + recorded_of(counted, "cudart"), 1) << counted;
  }
  for (const Environment& left : {disabled(hook), enforce + Environment{{"DETSHIM_MODE", "off"}}}) {
    const auto run = shimmed(arguments, left);
    EXPECT_EQ(calls(), own);
    EXPECT_EQ(recorded_of(run, "cuda") + recorded_of(run, "cudart"), 0) << run;
  }
}

INSTANTIATE_TEST_SUITE_P(Cuda, Driver,
                         testing::Values(Way{"Linked", ""}, Way{"Opened", "_dlopen"},
                                         Way{"cuGetProcAddress", "_entry"},
                                         Way{"cuGetProcAddress_v2", "_entry"},
                                         Way{"cudaGetDriverEntryPointByVersion", "_entry"},
                                         Way{"cudaGetDriverEntryPointByVersion_ptsz", "_entry"}),
                         name_of_way);

const Allocation driver_allocations[] = {
    {"cuMemAlloc_v2", "cuMemAlloc_v2", linear()},
    {"cuMemAllocPitch_v2", "cuMemAllocPitch_v2", rows("3")},
    {"cuMemAllocManaged", "cuMemAllocManaged", linear()},
    {"managed by the host", "cuMemAllocManaged", by_hand()},
    {"cuMemAllocHost_v2", "cuMemAllocHost_v2", by_hand()},
    {"cuMemHostAlloc", "cuMemHostAlloc", by_hand()},
    {"cuMemAllocAsync", "cuMemAllocAsync", in_stream("64")},
    {"cuMemAllocAsync_ptsz", "cuMemAllocAsync_ptsz", in_stream("2")}, // 0 is the thread's own
    {"cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync",
     in_stream("1")}, // 0 is the legacy stream
    {"cuMemAllocFromPoolAsync_ptsz", "cuMemAllocFromPoolAsync_ptsz", in_stream("64")},
};

TEST_P(Driver, MemoryIsFilledOnRequest) {
  for (const Allocation& allocation : driver_allocations)
    expect_filled(allocation);
}

void Driver::expect_left_unfilled(const std::string& function) {
  SCOPED_TRACE(function);
  const Arguments arguments = calling({function});
  const Lines out = native(arguments);
  const Lines own = calls();
  for (const Environment& mode : {enforce, strict, record, observe}) {
    const auto told = shimmed(arguments, mode + zero);
    EXPECT_EQ(told.out, out);
    EXPECT_EQ(calls(), own);
    EXPECT_TRUE(told.did("nondeterministic", function)) << told;
    EXPECT_EQ(recorded_of(told, "cuda") + recorded_of(told, "cudart"), 1) << told; // once
  }
  for (const Environment& left : {enforce, disabled(function + ",cuda") + zero,
                                  enforce + zero + misbehaving("allocation fails")})
    EXPECT_FALSE(shimmed(arguments, left).recorded(function));
}

TEST_P(Driver, WhatCannotBeFilledIsRecorded) {
  expect_left_unfilled("cuMemCreate");
  EXPECT_FALSE(
      shimmed(calling({"cuMemCreate"}), disabled("cuMemCreate") + zero).recorded("cuMemCreate"));
}

TEST_P(Driver, NothingIsFilledWhereNothingWasAllocated) {
  const auto empty = shimmed(calling({"nothing"}), enforce + zero);
  EXPECT_EQ(calls(), Lines{"cuMemAlloc_v2 bytes=0"});
  EXPECT_EQ(recorded_of(empty, "cuda"), 0) << empty;
  for (const Allocation& allocation : driver_allocations) {
    const auto failed =
        shimmed(calling({allocation.called}), enforce + zero + misbehaving("allocation fails"));
    EXPECT_EQ(line_of(failed.out, allocation.called), allocation.called + "=2") << failed;
    EXPECT_EQ(calls().size(), 1u) << allocation.called;
    EXPECT_EQ(recorded_of(failed, "cuda"), 0) << failed;
  }
}

TEST_P(Driver, ACaptureIsNotDisturbed) {
  for (const Allocation& allocation : driver_allocations) {
    if (allocation.fill.empty())
      continue; // the host's memory has no stream
    const bool on_legacy = allocation.fill.front() == ask_legacy;
    for (const std::string how : {"another stream is captured", "the stream is captured"}) {
      if (!on_legacy && how != "the stream is captured")
        continue;
      const auto captured =
          shimmed(calling({allocation.called}), enforce + zero + misbehaving(how));
      EXPECT_EQ(line_of(captured.out, allocation.called), allocation.called + "=0 5a 5a")
          << captured;
      EXPECT_EQ(calls().size(), 2u) << allocation.called; // the allocation and the question
      EXPECT_TRUE(captured.did("nondeterministic", allocation.hook)) << captured;
      EXPECT_EQ(values(captured, allocation.hook, "why"),
                std::set<std::string>{"capture_not_filled"});
      EXPECT_FALSE(captured.did("replace", allocation.hook)) << captured;
    }
  }
}

TEST_P(Driver, AFillThatFailsIsRecorded) {
  for (const Allocation& allocation : driver_allocations) {
    if (allocation.fill.empty())
      continue;
    const auto refused =
        shimmed(calling({allocation.called}), enforce + zero + misbehaving("memset fails"));
    EXPECT_EQ(line_of(refused.out, allocation.called), allocation.called + "=0 5a 5a") << refused;
    EXPECT_TRUE(refused.did("nondeterministic", allocation.hook)) << refused;
    EXPECT_FALSE(refused.did("replace", allocation.hook)) << refused;
    EXPECT_EQ(contains(calls(), relax), calls().back() == restore);
  }
}

TEST_P(Driver, LaunchesAreCountedByName) {
  for (const std::string name :
       {"cuLaunchKernel", "cuLaunchKernel_ptsz", "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz",
        "cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel_ptsz"})
    expect_counted(name, name, "_Z4stepPf");
  expect_counted("cuLibraryGetKernel", "cuLaunchKernel", "_Z4stepPf");
  for (const std::string name : {"cuGraphLaunch", "cuGraphLaunch_ptsz"})
    expect_counted(name, name, "a graph");
}

// Drivers from 12.3 on can be asked.
TEST_P(Driver, AKernelThatIsNoFunctionHasAName) {
  const Arguments arguments = calling({"cuLibraryGetKernel"});
  const Environment nameless = misbehaving("kernels have no names");
  const Environment unhooked = disabled("cuLibraryGetKernel");
  EXPECT_EQ(kernel_of(shimmed(arguments, unhooked), "cuLaunchKernel"), "_Z4stepPf");
  EXPECT_EQ(kernel_of(shimmed(arguments, unhooked + nameless), "cuLaunchKernel"), "?");
}

TEST_P(Driver, ALaunchThatFailsIsNotCounted) {
  const auto failed = shimmed(calling({"cuLaunchKernel"}), enforce + misbehaving("launch fails"));
  EXPECT_EQ(line_of(failed.out, "cuLaunchKernel"), "cuLaunchKernel=719");
  EXPECT_EQ(recorded_of(failed, "cuda"), 0) << failed;
}

TEST_P(Driver, ALookupThatIsLookedUpAnswersWithHooksToo) {
  const Arguments arguments = calling({"cuGetProcAddress"});
  EXPECT_EQ(line_of(native(arguments), "cuGetProcAddress"), "cuGetProcAddress=0 5a 5a");
  const auto filled = shimmed(arguments, enforce + zero);
  EXPECT_EQ(line_of(filled.out, "cuGetProcAddress"), "cuGetProcAddress=0 00 00") << filled;
  EXPECT_TRUE(filled.did("replace", "cuMemAlloc_v2")) << filled;
  const auto left =
      shimmed(arguments, disabled("cuGetProcAddress_v2,cuGetProcAddress,cudart") + zero);
  EXPECT_EQ(line_of(left.out, "cuGetProcAddress"), "cuGetProcAddress=0 5a 5a") << left;
}

// Only a linked driver is found without a handle.
class LinkedDriver : public Driver {};
INSTANTIATE_TEST_SUITE_P(Cuda, LinkedDriver, testing::Values(Way{"Linked", ""}), name_of_way);

TEST_P(LinkedDriver, FindsItselfWhereItLooksItselfUp) {
  const Environment how = misbehaving("looks itself up");
  native(calling({"cuMemHostAlloc"}), how);
  EXPECT_TRUE(contains(calls(), "finds itself"));
  shimmed(calling({"cuMemHostAlloc"}), enforce + zero + how);
  EXPECT_TRUE(contains(calls(), "finds itself"));
}

// ---- The lookups themselves ----

class EntryPoints : public Driver {};
INSTANTIATE_TEST_SUITE_P(Cuda, EntryPoints,
                         testing::Values(Way{"cuGetProcAddress", "_entry"},
                                         Way{"cuGetProcAddress_v2", "_entry"},
                                         Way{"cudaGetDriverEntryPoint", "_entry"},
                                         Way{"cudaGetDriverEntryPoint_ptsz", "_entry"},
                                         Way{"cudaGetDriverEntryPointByVersion", "_entry"},
                                         Way{"cudaGetDriverEntryPointByVersion_ptsz", "_entry"}),
                         name_of_way);

// The runtime's lookup asks the driver's: one of the two hooks is enough.
TEST_P(EntryPoints, AnswerWithTheHookOfWhatTheyFound) {
  const std::string own = GetParam().name;
  const bool is_runtime = own.starts_with("cuda");
  const auto bytes = [&](const std::string& off) {
    const auto run =
        shimmed(calling({"cuMemAllocPitch_v2", "cuMemAllocAsync_ptsz", "cuMemAllocAsync"}),
                (off.empty() ? enforce : disabled(off)) + zero);
    return Lines(run.out);
  };
  const Lines filled{"cuMemAllocPitch_v2=0 00 00", "cuMemAllocAsync_ptsz=0 00 00",
                     "cuMemAllocAsync=0 00 00"};
  const Lines left{"cuMemAllocPitch_v2=0 5a 5a", "cuMemAllocAsync_ptsz=0 5a 5a",
                   "cuMemAllocAsync=0 5a 5a"};
  EXPECT_EQ(bytes(""), filled);
  EXPECT_EQ(bytes(is_runtime ? "cuGetProcAddress_v2" : "cudart"), filled);
  EXPECT_EQ(bytes(is_runtime ? "cuGetProcAddress_v2," + own : own), left);
}

TEST_P(EntryPoints, AFunctionThatIsNotHookedIsRecordedAndLeftAlone) {
  const Arguments arguments = calling({"cuMemAlloc_v2"});
  const Environment another = misbehaving("another function is given");
  const auto passed = shimmed(arguments, enforce + zero + another);
  EXPECT_EQ(passed.out, Lines{"cuMemAlloc_v2=0 5a 5a"}) << passed;
  EXPECT_EQ(calls(), Lines{"internal_allocation bytes=64"});
  EXPECT_TRUE(std::ranges::any_of(passed.records, [](const nlohmann::json& record) {
    return record["t"] == "call" && record["do"] == "uncovered" && record["symbol"] == "cuMemAlloc";
  })) << passed;
  EXPECT_EQ(recorded_of(shimmed(arguments, enforce + another), "cuda"), 0);
}

// The lookups that such a driver and runtime have.
class OldEntryPoints : public Driver {};
INSTANTIATE_TEST_SUITE_P(Cuda, OldEntryPoints,
                         testing::Values(Way{"cuGetProcAddress", "_entry"},
                                         Way{"cudaGetDriverEntryPoint", "_entry"},
                                         Way{"cudaGetDriverEntryPoint_ptsz", "_entry"}),
                         name_of_way);

TEST_P(OldEntryPoints, AreServedToo) {
  set_doubles({"old"});
  expect_filled({"cuMemAlloc_v2", "cuMemAlloc_v2", linear()});
  expect_counted("cuLaunchKernel", "cuLaunchKernel", "?");
}

// ---- The runtime, which calls the driver ----

class Runtime : public Driver {
protected:
  void SetUp() override { use("runtime_calls"); }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Runtime, both_ways, name_of_way);

const Allocation runtime_allocations[] = {
    {"cudaMalloc", "cudaMalloc", linear()},
    {"cudaMallocPitch", "cudaMallocPitch", rows("3")},
    {"cudaMalloc3D", "cudaMalloc3D", rows("6")},
    {"cudaMallocManaged", "cudaMallocManaged", linear()},
    {"managed by the host", "cudaMallocManaged", by_hand()},
    {"cudaMallocHost", "cudaMallocHost", by_hand()},
    {"cudaHostAlloc", "cudaHostAlloc", by_hand()},
    {"cudaMallocAsync", "cudaMallocAsync", in_stream("64")},
    {"cudaMallocAsync_ptsz", "cudaMallocAsync_ptsz", in_stream("2")},
    {"cudaMallocFromPoolAsync", "cudaMallocFromPoolAsync", in_stream("1")},
    {"cudaMallocFromPoolAsync_ptsz", "cudaMallocFromPoolAsync_ptsz", in_stream("64")},
};

TEST_P(Runtime, MemoryIsFilledOnRequest) {
  for (const Allocation& allocation : runtime_allocations)
    expect_filled(allocation);
}

TEST_P(Runtime, FailuresArePassedOnAndMakeNone) {
  for (const Allocation& allocation : runtime_allocations) {
    const auto failed =
        shimmed({allocation.called}, enforce + zero + misbehaving("allocation fails"));
    EXPECT_EQ(line_of(failed.out, allocation.called), allocation.called + "=2") << failed;
    EXPECT_EQ(recorded_of(failed, "cudart"), 0) << failed;
    if (allocation.fill.empty())
      continue;
    for (const std::string how : {"memset fails", "the stream is captured"}) {
      const auto left = shimmed({allocation.called}, enforce + zero + misbehaving(how));
      EXPECT_TRUE(contains(left.out, "=0 5a 5a")) << left;
      EXPECT_TRUE(contains(left.out, "last error=0")) << left;
      EXPECT_TRUE(left.did("nondeterministic", allocation.hook)) << left;
    }
  }
}

TEST_P(Runtime, LaunchesAreCountedByName) {
  for (const std::string name :
       {"cudaLaunchKernel", "cudaLaunchKernel_ptsz", "cudaLaunchKernelExC",
        "cudaLaunchKernelExC_ptsz", "cudaLaunchCooperativeKernel",
        "cudaLaunchCooperativeKernel_ptsz", "__cudaLaunchKernel", "__cudaLaunchKernel_ptsz"})
    expect_counted(name, name, "_Z4stepPf");
  for (const std::string name : {"cudaGraphLaunch", "cudaGraphLaunch_ptsz"})
    expect_counted(name, name, "a graph");
}

TEST_P(Runtime, EachKernelHasItsCount) {
  const auto counted = shimmed({"three launches", "another kernel"}, observe);
  std::map<std::string, uint64_t> launches;
  for (const ProcessLog& process : counted.processes)
    for (const auto& call : process.calls("cudaLaunchKernel"))
      launches[call["kernel"]] += process.count(call);
  EXPECT_EQ(launches, (std::map<std::string, uint64_t>{{"_Z4stepPf", 2}, {"_Z5otherPf", 2}}))
      << counted;
}

TEST_P(Runtime, ALaunchThatFailsIsNotCounted) {
  const auto failed = shimmed({"no kernel"}, enforce);
  EXPECT_TRUE(contains(failed.out, "no kernel=98")) << failed;
  EXPECT_EQ(recorded_of(failed, "cudart"), 0) << failed;
}

// Names come from the program's registration, or from a runtime that can be asked.
TEST_P(Runtime, AnOlderRuntimeIsServedToo) {
  const auto asked = shimmed({"cudaLaunchKernel"}, disabled("__cudaRegisterFunction"));
  EXPECT_EQ(kernel_of(asked, "cudaLaunchKernel"), "_Z4stepPf") << asked;
  set_doubles({"old"});
  expect_counted("cudaLaunchKernel", "cudaLaunchKernel", "_Z4stepPf");
  expect_filled({"cudaMalloc", "cudaMalloc", linear()});
  const auto unnamed = shimmed({"cudaLaunchKernel"}, disabled("__cudaRegisterFunction"));
  EXPECT_EQ(kernel_of(unnamed, "cudaLaunchKernel"), "?") << unnamed;
}

} // namespace
