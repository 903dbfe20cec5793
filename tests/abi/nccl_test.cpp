// shim/abi of NCCL against its headers.
#include "abi_test.h"

#include "abi/nccl.h"

#if DETSHIM_TEST_HAVE_nccl
#include <nccl.h>
#endif

namespace {

namespace abi = detshim::abi;

TEST(Abi, Nccl) {
#if DETSHIM_TEST_HAVE_nccl
  using Status = abi::ncclResult;
  static_assert(same(Status::success, ncclSuccess));
  static_assert(same(Status::invalid_usage, ncclInvalidUsage));
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 14, 0)
  static_assert(same(Status::in_progress, ncclInProgress));
#endif
  using Id = abi::ncclUniqueId;
  static_assert(sizeof(Id) == sizeof(::ncclUniqueId) && alignof(Id) == alignof(::ncclUniqueId));

  using Communicator = abi::ncclComm_t;
  using Config = void*;
  using Type = abi::ncclDataType;
  using Operation = abi::ncclRedOp;
  using Stream = abi::cudaStream_t;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 32, 0)
  using CollConfig = const abi::ncclCollConfig_t*;
  static_assert(sizeof(abi::ncclCollConfig_t) <= sizeof(::ncclCollConfig_t));
  static_assert(offsetof(abi::ncclCollConfig_t, magic) == offsetof(::ncclCollConfig_t, magic));
  static_assert(offsetof(abi::ncclCollConfig_t, algSelection) ==
                offsetof(::ncclCollConfig_t, algSelection));
  static_assert(offsetof(abi::ncclCollConfig_t, CTAPolicy) ==
                offsetof(::ncclCollConfig_t, CTAPolicy));
  constexpr ::ncclCollConfig_t configured = NCCL_COLLCONFIG_INITIALIZER;
  static_assert(configured.magic == abi::nccl_config_magic && configured.algSelection == nullptr);
  using Configured =
      Status(const void*, void*, size_t, Type, Operation, Communicator, Stream, CollConfig);
  static_assert(CalledAlike<Configured, decltype(::ncclAllReduceConfig)>());
  static_assert(CalledAlike<Configured, decltype(::ncclReduceScatterConfig)>());
  static_assert(CalledAlike<Status(const void*, void*, size_t, Type, Operation, int, Communicator,
                                   Stream, CollConfig),
                            decltype(::ncclReduceConfig)>());
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
  static_assert(TakesWords<2, decltype(::ncclCommGetUniqueId)>());
  static_assert(TakesWords<6, decltype(::ncclCommGrow)>());
#endif
  static_assert(CalledAlike<Status(int*), decltype(::ncclGetVersion)>());
  static_assert(TakesWords<1, decltype(::ncclGetUniqueId)>());
  static_assert(CalledAlike<Status(Communicator*, int, Id, int), decltype(::ncclCommInitRank)>());
  static_assert(CalledAlike<Status(Communicator*, int, Id, int, Config),
                            decltype(::ncclCommInitRankConfig)>());
  static_assert(TakesWords<3, decltype(::ncclCommInitAll)>());
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 18, 0)
  static_assert(TakesWords<5, decltype(::ncclCommSplit)>());
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 23, 0)
  static_assert(TakesWords<6, decltype(::ncclCommInitRankScalable)>());
#endif
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  static_assert(TakesWords<6, decltype(::ncclCommShrink)>());
  static_assert(CalledAlike<Status(Communicator, void*, size_t, abi::ncclWindow_t*, int),
                            decltype(::ncclCommWindowRegister)>());
#endif
  using Reduction = Status(const void*, void*, size_t, Type, Operation, Communicator, Stream);
  static_assert(CalledAlike<Reduction, decltype(::ncclAllReduce)>());
  static_assert(CalledAlike<Reduction, decltype(::ncclReduceScatter)>());
  static_assert(
      CalledAlike<Status(const void*, void*, size_t, Type, Operation, int, Communicator, Stream),
                  decltype(::ncclReduce)>());
#else
  GTEST_SKIP() << "nccl.h was not found when the build was configured";
#endif
}

} // namespace
