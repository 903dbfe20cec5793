// What NCCL's reductions, hooked in hooks/nccl/nccl.cpp, read and write, and groups: in one nothing
// is in its stream before the outermost ncclGroupEnd. An operation that adds nothing up is not
// hashed: it hands on what another call made.
//
// Symbols: nccl.h of NCCL 2.28.
#include "hooks/digests/nccl/collectives.h"

#include "core/base/mapped.h"
#include "core/base/signal_safe_lock.h"
#include "hooks/support/data_sizes.h"

#include <new>

namespace detshim {

using namespace abi;

namespace {

thread_local constinit uint32_t group_depth = 0;

/// Operations of the groups that threads are in.
struct Grouped {
  uint64_t thread; // 0: free
  uint32_t generation;
  alignas(CallDigest) char digest[sizeof(CallDigest)];

  CallDigest& get() { return *reinterpret_cast<CallDigest*>(digest); }
};
constexpr int most_grouped = 128;
struct AllGrouped {
  Mapped<Grouped[most_grouped]> slots;
  uint64_t lock = 0;
};
constinit AllGrouped grouped = {};

uint64_t this_thread_number() { return number_of(&group_depth); }

/// In the order in which they were put there by their thread: a slot behind all of its others.
CallDigest* take_grouped(const Hook& hook, const void* caller) {
  SignalSafeLock guard(grouped.lock);
  auto* const kept = guard.held() ? grouped.slots.get() : nullptr;
  if (kept == nullptr)
    return nullptr;
  auto& all = *kept;
  const auto is_free = [](const Grouped& slot) {
    return slot.thread == 0 || slot.generation != generation();
  };
  int slot = 0;
  for (int i = 0; i < most_grouped; ++i)
    if (!is_free(all[i]) && all[i].thread == this_thread_number())
      slot = i + 1;
  while (slot < most_grouped && !is_free(all[slot]))
    ++slot;
  if (slot == most_grouped)
    return nullptr;
  all[slot].thread = this_thread_number();
  all[slot].generation = generation();
  return new (all[slot].digest) CallDigest(hook, caller);
}

template <typename Visit>
void each_grouped(Visit visit) {
  auto* const all = grouped.slots.peek();
  if (all == nullptr)
    return;
  for (Grouped& slot : *all)
    if (__atomic_load_n(&slot.thread, __ATOMIC_ACQUIRE) == this_thread_number() &&
        slot.generation == generation()) {
      visit(slot.get());
      slot.get().~CallDigest();
      __atomic_store_n(&slot.thread, 0, __ATOMIC_RELEASE);
    }
}

void give_back(CallDigest* digest) {
  for (Grouped& slot : *grouped.slots.peek())
    if (&slot.get() == digest) {
      digest->~CallDigest();
      __atomic_store_n(&slot.thread, 0, __ATOMIC_RELEASE);
    }
}

/// A count that is not known.
constexpr uint64_t unknown_count = ~uint64_t{0};

void add_collective(CallDigest& digest, const Collective& collective) {
  digest.set_stream(collective.stream);
  digest.add_shape("type", collective.type).add_shape("in", collective.from_count);
  digest.add_shape("out", collective.to_count);
  if (collective.operation >= 0)
    digest.add_shape("op", collective.operation);
  const uint64_t element = size_of_nccl_type(static_cast<int>(collective.type));
  if (element == 0)
    return digest.leave_outputs(Reason::type_unknown);
  if (collective.from_count == unknown_count || collective.to_count == unknown_count)
    return digest.leave_outputs(Reason::ranks_unknown);
  const uint64_t from = number_of(collective.from), from_size = collective.from_count * element;
  const uint64_t to = number_of(collective.to), to_size = collective.to_count * element;
  const HashedArea input = bytes_at(collective.from, from_size);
  if (from < to + to_size && to < from + from_size)
    digest.add_changed(input);
  else
    digest.add_input(input);
  digest.add_output(bytes_at(collective.to, to_size));
}

} // namespace

uint64_t for_all_ranks(const Hook& hook, ncclComm_t communicator, uint64_t count) {
  static constinit SiblingFunction<ncclResult(ncclComm_t, int*)> get_count("ncclCommCount");
  int ranks = 0;
  const bool is_known =
      communicator != nullptr && get_count.succeeds(hook, communicator, &ranks) && ranks > 0;
  return is_known ? count * static_cast<uint64_t>(ranks) : unknown_count;
}

uint64_t by_rank(const Hook& hook, ncclComm_t communicator, int rank, uint64_t there,
                 uint64_t elsewhere) {
  static constinit SiblingFunction<ncclResult(ncclComm_t, int*)> get_rank("ncclCommUserRank");
  int own = -1;
  if (communicator == nullptr || !get_rank.succeeds(hook, communicator, &own))
    return unknown_count;
  return own == rank ? there : elsewhere;
}

CollectiveDigest::CollectiveDigest(const Hook& hook, const void* caller,
                                   const Collective& collective) {
  CallDigest* const kept = group_depth > 0 ? take_grouped(hook, caller) : nullptr;
  digest_ = kept != nullptr ? kept : new (own_) CallDigest(hook, caller);
  add_collective(*digest_, collective);
  if (group_depth > 0 && kept == nullptr)
    digest_->leave_outputs(Reason::group_too_large);
  digest_->begin();
}

CollectiveDigest::~CollectiveDigest() {
  if (reinterpret_cast<char*>(digest_) == own_)
    digest_->~CallDigest();
}

void CollectiveDigest::finish(ncclResult result) {
  const bool is_kept = reinterpret_cast<char*>(digest_) != own_;
  if (result != ncclResult::success && result != ncclResult::in_progress) {
    if (is_kept)
      give_back(digest_);
  } else if (result == ncclResult::in_progress) {
    digest_->finish_unread(Reason::nonblocking);
    if (is_kept)
      give_back(digest_);
  } else if (!is_kept) {
    digest_->finish();
  }
}

namespace {

template <typename Call>
ncclResult begin_group(const Call& call) {
  const ncclResult result = call.real();
  if (wants_digest(call) && result == ncclResult::success)
    ++group_depth;
  return result;
}

template <typename Call>
ncclResult end_group(const Call& call) {
  const ncclResult result = call.real();
  if (!wants_digest(call) || group_depth == 0 || --group_depth > 0)
    return result;
  each_grouped([&](CallDigest& digest) {
    if (result == ncclResult::success)
      digest.finish();
    if (result == ncclResult::in_progress)
      digest.finish_unread(Reason::nonblocking);
  });
  return result;
}

constexpr Description groups = {
    .action = Action::none,
    .summary =
        "Tells which operations are in their streams, if DETSHIM_FINGERPRINT=calls hashes them.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOKS(nccl, OutermostCall<ncclResult()>, ncclGroupStart, pncclGroupStart,
                       begin_group, groups);
DETSHIM_TEMPLATE_HOOKS(nccl, OutermostCall<ncclResult()>, ncclGroupEnd, pncclGroupEnd, end_group,
                       groups);
