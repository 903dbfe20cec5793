// What NCCL's collective operations read and write, for DETSHIM_FINGERPRINT=calls.
#pragma once

#include "abi/nccl.h"
#include "hooks/cuda/outputs.h"
#include "hooks/support/data_sizes.h"

namespace detshim {

/// An operation's buffers; a count of 0 is none.
struct Collective {
  const void* from;
  uint64_t from_count;
  void* to;
  uint64_t to_count;
  abi::ncclDataType type;
  abi::cudaStream_t stream;
  int operation = -1; ///< ncclRedOp_t; -1: none
};

/// A count that is not known.
inline constexpr uint64_t unknown_count = ~uint64_t{0};

/// Of a communicator: how many ranks there are, and which this is; 0 where it cannot be asked.
template <typename Call>
uint64_t ranks_of(const Call& call, abi::ncclComm_t communicator) {
  static constinit FunctionBeside<abi::ncclResult(abi::ncclComm_t, int*)> ask("ncclCommCount");
  int count = 0;
  auto* const get = ask.of(call);
  return communicator != nullptr && get != nullptr && get(communicator, &count) == abi::ncclResult::success &&
                 count > 0
             ? static_cast<uint64_t>(count)
             : 0;
}

/// So many for each rank; unknown_count where the communicator cannot be asked.
template <typename Call>
uint64_t for_all_ranks(const Call& call, abi::ncclComm_t communicator, uint64_t count) {
  const uint64_t ranks = ranks_of(call, communicator);
  return ranks == 0 ? unknown_count : count * ranks;
}

/// One of two counts, by whether this is that rank; unknown_count where the communicator cannot be asked.
template <typename Call>
uint64_t by_rank(const Call& call, abi::ncclComm_t communicator, int rank, uint64_t there,
                 uint64_t elsewhere) {
  static constinit FunctionBeside<abi::ncclResult(abi::ncclComm_t, int*)> ask("ncclCommUserRank");
  int own = -1;
  auto* const get = ask.of(call);
  if (communicator == nullptr || get == nullptr || get(communicator, &own) != abi::ncclResult::success)
    return unknown_count;
  return own == rank ? there : elsewhere;
}

void add_collective(CallOutputs& outputs, const Collective& collective);

/// One call from before it to when it is in its stream: behind the call, or, in a group, behind that.
class CollectiveOutputs {
public:
  CollectiveOutputs(const Hook& hook, const void* caller, const Collective& collective);
  ~CollectiveOutputs();
  CollectiveOutputs(const CollectiveOutputs&) = delete;
  CollectiveOutputs& operator=(const CollectiveOutputs&) = delete;

  void finish(abi::ncclResult result);

private:
  alignas(CallOutputs) char own_[sizeof(CallOutputs)];
  CallOutputs* outputs_; ///< its own, or one of those that a group keeps
};

/// Makes a call by run(), with what it reads and writes hashed if that is wanted. `buffers()` gives a
/// Collective.
template <typename Call, typename Buffers, typename Run>
abi::ncclResult print_collective(const Call& call, Buffers buffers, Run run) {
  if (!wants_outputs(call)) return run();
  CollectiveOutputs outputs(call.hook(), call.caller(), buffers());
  const abi::ncclResult result = run();
  outputs.finish(result);
  return result;
}

} // namespace detshim
