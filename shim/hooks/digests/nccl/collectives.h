// What NCCL's collective operations read and write.
#pragma once

#include "abi/nccl.h"
#include "hooks/digests/call_digest.h"

namespace detshim {

/// An operation's buffers; with a count of 0 it has no buffer.
struct Collective {
  const void* from;
  uint64_t from_count;
  void* to;
  uint64_t to_count;
  abi::ncclDataType type;
  abi::cudaStream_t stream;
  int operation = -1; ///< ncclRedOp_t; -1: none
};

/// So many for each rank; unknown where the communicator cannot be asked.
uint64_t for_all_ranks(const Hook& hook, abi::ncclComm_t communicator, uint64_t count);
/// One of two counts, by whether this is that rank; unknown where the communicator cannot be asked.
uint64_t by_rank(const Hook& hook, abi::ncclComm_t communicator, int rank, uint64_t there,
                 uint64_t elsewhere);

/// The buffers of ncclAllReduce, or, where the hook is of that, of ncclReduceScatter, whose count
/// is that of a share. `config`: of those that have a configuration of their own.
template <typename... Config>
Collective reduced_to_all(const Hook& hook, const void* from, void* to, size_t count,
                          abi::ncclDataType type, abi::ncclRedOp operation,
                          abi::ncclComm_t communicator, abi::cudaStream_t stream, Config...) {
  const bool is_shared_out = contains(hook.info().name, "ReduceScatter");
  const uint64_t from_count = is_shared_out ? for_all_ranks(hook, communicator, count) : count;
  return {from, from_count, to, count, type, stream, static_cast<int>(operation)};
}

/// Those of a reduction whose result one rank has.
template <typename... Config>
Collective reduced_to_root(const Hook& hook, const void* from, void* to, size_t count,
                           abi::ncclDataType type, abi::ncclRedOp operation, int root,
                           abi::ncclComm_t communicator, abi::cudaStream_t stream, Config...) {
  const uint64_t to_count = by_rank(hook, communicator, root, count, 0);
  return {from, count, to, to_count, type, stream, static_cast<int>(operation)};
}

/// One call from before it to when it is in its stream: behind the call, or, in a group, behind
/// that.
class CollectiveDigest {
public:
  CollectiveDigest(const Hook& hook, const void* caller, const Collective& collective);
  ~CollectiveDigest();
  CollectiveDigest& operator=(CollectiveDigest&&) = delete; // neither copied nor moved

  void finish(abi::ncclResult result);

private:
  alignas(CallDigest) char own_[sizeof(CallDigest)];
  CallDigest* digest_; ///< its own, or one of those that a group keeps
};

/// Calls NCCL with the arguments; what `buffers(hook, arguments...)`, a Collective, names is hashed
/// if it is wanted.
template <auto buffers, typename Call, typename... Arguments>
abi::ncclResult collect(const Call& call, Arguments... arguments) {
  if (!wants_digest(call))
    return call.real(arguments...);
  CollectiveDigest digest(call.hook(), call.caller(), buffers(call.hook(), arguments...));
  const abi::ncclResult result = call.real(arguments...);
  digest.finish(result);
  return result;
}

} // namespace detshim

/// A collective operation. Every function of NCCL has a second name, by which profilers that stand
/// in front of the first call it.
#define DETSHIM_COLLECTIVE(NAME, BODY, DESCRIPTION, BUFFERS)                                       \
  DETSHIM_DESCRIBED_HOOK(nccl, ncclResult, NAME, OutermostCall, BODY, DESCRIPTION, BUFFERS);       \
  DETSHIM_DESCRIBED_HOOK(nccl, ncclResult, p##NAME, OutermostCall, BODY, DESCRIPTION, BUFFERS)
