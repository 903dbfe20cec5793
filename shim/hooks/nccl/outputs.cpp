// NCCL's collective operations that add nothing up, and groups: what goes in and what comes out is hashed on
// the GPU if DETSHIM_FINGERPRINT=calls asks for it. Reductions are in nccl.cpp.
//
// In a group nothing is in its stream before the outermost ncclGroupEnd.
//
// Symbols: nccl.h of NCCL 2.28.
#include "hooks/nccl/outputs.h"

#include "core/base/lock.h"
#include "core/base/mapped.h"
#include "hooks/support/library_version.h"

#include <new>

namespace detshim {

using namespace abi;

namespace {

thread_local constinit uint32_t group_depth = 0;

/// Operations of the groups that threads are in.
struct Grouped {
  uint64_t thread; // 0: free
  uint32_t generation;
  alignas(CallOutputs) char outputs[sizeof(CallOutputs)];

  CallOutputs& get() { return *reinterpret_cast<CallOutputs*>(outputs); }
};
constexpr int most_grouped = 128;
constinit Mapped<Grouped[most_grouped]> grouped;
constinit uint64_t lock = 0;

uint64_t this_thread_number() { return number_of(&group_depth); }

/// In the order in which they were put there by their thread: a place is taken behind all of its others.
CallOutputs* take_grouped(const Hook& hook, const void* caller) {
  Lock guard(lock);
  auto* const kept = guard.held() ? grouped.get() : nullptr;
  if (kept == nullptr) return nullptr;
  auto& all = *kept;
  const auto is_free = [](const Grouped& one) { return one.thread == 0 || one.generation != generation(); };
  int place = 0;
  for (int i = 0; i < most_grouped; ++i)
    if (!is_free(all[i]) && all[i].thread == this_thread_number()) place = i + 1;
  while (place < most_grouped && !is_free(all[place])) ++place;
  if (place == most_grouped) return nullptr;
  all[place].thread = this_thread_number();
  all[place].generation = generation();
  return new (all[place].outputs) CallOutputs(hook, caller);
}

template <typename Visit>
void each_grouped(Visit visit) {
  auto* const all = grouped.peek();
  if (all == nullptr) return;
  for (Grouped& one : *all)
    if (__atomic_load_n(&one.thread, __ATOMIC_ACQUIRE) == this_thread_number() &&
        one.generation == generation()) {
      visit(one.get());
      one.get().~CallOutputs();
      __atomic_store_n(&one.thread, 0, __ATOMIC_RELEASE);
    }
}

void give_back(CallOutputs* outputs) {
  for (Grouped& one : *grouped.peek())
    if (&one.get() == outputs) {
      outputs->~CallOutputs();
      __atomic_store_n(&one.thread, 0, __ATOMIC_RELEASE);
    }
}

} // namespace

void add_collective(CallOutputs& outputs, const Collective& collective) {
  outputs.set_stream(collective.stream);
  outputs.add_shape("type", static_cast<uint64_t>(collective.type));
  outputs.add_shape("in", collective.from_count);
  outputs.add_shape("out", collective.to_count);
  if (collective.operation >= 0) outputs.add_shape("op", static_cast<uint64_t>(collective.operation));
  const uint64_t element = size_of_nccl_type(static_cast<int>(collective.type));
  if (element == 0) return outputs.leave_outputs(Reason::type_unknown);
  if (collective.from_count == unknown_count || collective.to_count == unknown_count)
    return outputs.leave_outputs(Reason::ranks_unknown);
  const uint64_t from = number_of(collective.from), from_size = collective.from_count * element;
  const uint64_t to = number_of(collective.to), to_size = collective.to_count * element;
  const HashedArea input = bytes_at(collective.from, from_size);
  if (from < to + to_size && to < from + from_size)
    outputs.add_changed(input);
  else
    outputs.add_input(input);
  outputs.add_output(bytes_at(collective.to, to_size));
}

CollectiveOutputs::CollectiveOutputs(const Hook& hook, const void* caller, const Collective& collective) {
  CallOutputs* const kept = group_depth > 0 ? take_grouped(hook, caller) : nullptr;
  outputs_ = kept != nullptr ? kept : new (own_) CallOutputs(hook, caller);
  add_collective(*outputs_, collective);
  if (group_depth > 0 && kept == nullptr) outputs_->leave_outputs(Reason::group_too_large);
  outputs_->begin();
}

CollectiveOutputs::~CollectiveOutputs() {
  if (reinterpret_cast<char*>(outputs_) == own_) outputs_->~CallOutputs();
}

void CollectiveOutputs::finish(ncclResult result) {
  const bool is_kept = reinterpret_cast<char*>(outputs_) != own_;
  if (result != ncclResult::success && result != ncclResult::in_progress) {
    if (is_kept) give_back(outputs_);
  } else if (result == ncclResult::in_progress) {
    outputs_->finish_unread(Reason::nonblocking);
    if (is_kept) give_back(outputs_);
  } else if (!is_kept) {
    outputs_->finish();
  }
}

namespace {

template <typename Call>
ncclResult begin_group(const Call& call) {
  const ncclResult result = call.real();
  if (wants_outputs(call) && result == ncclResult::success) ++group_depth;
  return result;
}

template <typename Call>
ncclResult end_group(const Call& call) {
  const ncclResult result = call.real();
  if (!wants_outputs(call) || group_depth == 0 || --group_depth > 0) return result;
  each_grouped([&](CallOutputs& outputs) {
    if (result == ncclResult::success) outputs.finish();
    if (result == ncclResult::in_progress) outputs.finish_unread(Reason::nonblocking);
  });
  return result;
}

/// ncclBroadcast, ncclScatter, ncclGather: what is read and written depends on who the root is.
template <typename Call, typename Run>
ncclResult copy_with_root(const Call& call, const Collective& buffers, uint64_t at_root_from,
                          uint64_t at_root_to, int root, ncclComm_t communicator, Run run) {
  return print_collective(
      call,
      [&] {
        record_library_once(call, nccl_library);
        Collective collective = buffers;
        collective.from_count = by_rank(call, communicator, root, at_root_from, buffers.from_count);
        collective.to_count = by_rank(call, communicator, root, at_root_to, buffers.to_count);
        return collective;
      },
      run);
}

template <typename Call>
ncclResult broadcast(const Call& call, const void* from, void* to, size_t count, ncclDataType type, int root,
                     ncclComm_t communicator, cudaStream_t stream) {
  return copy_with_root(call, {from, 0, to, count, type, stream}, count, count, root, communicator,
                        [&] { return call.real(from, to, count, type, root, communicator, stream); });
}

template <typename Call>
ncclResult broadcast_in_place(const Call& call, void* data, size_t count, ncclDataType type, int root,
                              ncclComm_t communicator, cudaStream_t stream) {
  return copy_with_root(call, {data, 0, data, count, type, stream}, count, count, root, communicator,
                        [&] { return call.real(data, count, type, root, communicator, stream); });
}

template <typename Call>
ncclResult scatter(const Call& call, const void* from, void* to, size_t count, ncclDataType type, int root,
                   ncclComm_t communicator, cudaStream_t stream) {
  const uint64_t all = wants_outputs(call) ? for_all_ranks(call, communicator, count) : 0;
  return copy_with_root(call, {from, 0, to, count, type, stream}, all, count, root, communicator,
                        [&] { return call.real(from, to, count, type, root, communicator, stream); });
}

template <typename Call>
ncclResult gather(const Call& call, const void* from, void* to, size_t count, ncclDataType type, int root,
                  ncclComm_t communicator, cudaStream_t stream) {
  const uint64_t all = wants_outputs(call) ? for_all_ranks(call, communicator, count) : 0;
  return copy_with_root(call, {from, count, to, 0, type, stream}, count, all, root, communicator,
                        [&] { return call.real(from, to, count, type, root, communicator, stream); });
}

template <typename Call>
ncclResult gather_at_all(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                         ncclComm_t communicator, cudaStream_t stream) {
  return print_collective(
      call,
      [&] {
        record_library_once(call, nccl_library);
        return Collective{from, count, to, for_all_ranks(call, communicator, count), type, stream};
      },
      [&] { return call.real(from, to, count, type, communicator, stream); });
}

template <typename Call>
ncclResult exchange(const Call& call, const void* from, void* to, size_t count, ncclDataType type,
                    ncclComm_t communicator, cudaStream_t stream) {
  return print_collective(
      call,
      [&] {
        record_library_once(call, nccl_library);
        const uint64_t all = for_all_ranks(call, communicator, count);
        return Collective{from, all, to, all, type, stream};
      },
      [&] { return call.real(from, to, count, type, communicator, stream); });
}

template <typename Call>
ncclResult receive(const Call& call, void* to, size_t count, ncclDataType type, int peer,
                   ncclComm_t communicator, cudaStream_t stream) {
  return print_collective(
      call,
      [&] {
        record_library_once(call, nccl_library);
        return Collective{nullptr, 0, to, count, type, stream};
      },
      [&] { return call.real(to, count, type, peer, communicator, stream); });
}

using Group = OutermostCall<ncclResult()>;
using ToAll = OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type,
                                       ncclComm_t communicator, cudaStream_t stream)>;
using WithRoot = OutermostCall<ncclResult(const void* from, void* to, size_t count, ncclDataType type,
                                          int root, ncclComm_t communicator, cudaStream_t stream)>;
using InPlace = OutermostCall<ncclResult(void* data, size_t count, ncclDataType type, int root,
                                         ncclComm_t communicator, cudaStream_t stream)>;

constexpr Description hashed = {
    .action = Action::none,
    .summary = "Hashes what goes in and what comes out on the GPU, if DETSHIM_FINGERPRINT=calls asks for it.",
};
constexpr Description groups = {
    .action = Action::none,
    .summary = "Tells which operations are in their streams, if DETSHIM_FINGERPRINT=calls hashes them.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(nccl, Group, ncclGroupStart, begin_group, groups);
DETSHIM_TEMPLATE_HOOK(nccl, Group, pncclGroupStart, begin_group, groups);
DETSHIM_TEMPLATE_HOOK(nccl, Group, ncclGroupEnd, end_group, groups);
DETSHIM_TEMPLATE_HOOK(nccl, Group, pncclGroupEnd, end_group, groups);
DETSHIM_TEMPLATE_HOOK(nccl, ToAll, ncclAllGather, gather_at_all, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, ToAll, pncclAllGather, gather_at_all, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, ToAll, ncclAlltoAll, exchange, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, ToAll, pncclAlltoAll, exchange, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, ncclBroadcast, broadcast, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, pncclBroadcast, broadcast, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, ncclScatter, scatter, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, pncclScatter, scatter, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, ncclGather, gather, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, WithRoot, pncclGather, gather, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, InPlace, ncclBcast, broadcast_in_place, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, InPlace, pncclBcast, broadcast_in_place, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, InPlace, ncclRecv, receive, hashed);
DETSHIM_TEMPLATE_HOOK(nccl, InPlace, pncclRecv, receive, hashed);
