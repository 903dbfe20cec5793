// Decides which of a rank's differences says most, by a fixed order of kinds: settings of the
// rank's first process, libraries, a call that gave something else for the same inputs, then the
// rest. A rank is a receiver if its first cause is what other ranks send, and another rank has a
// cause of its own.
//
// It cannot know which of two threads, or of two ranks, differed first: call records have no time.
// So of the causes that are left, one is the first, and the log does not say which.
#include "log_diff/causes.h"
#include "common/reasons.h"

#include <algorithm>
#include <cstddef>

namespace detshim {
namespace {

constexpr std::size_t most_causes = 16; // of a rank; of more the number

/// The one that a rank, or a job's launcher, began with.
bool is_root(const ProcessName& process) { return process.path.find('.') == std::string::npos; }

/// From what other ranks sent: the result of a collective operation, a seed that nothing explains,
/// or what a program prints, which shows what came from anywhere.
bool is_received(const Cause& cause) {
  if (!cause.record)
    return false;
  const RecordDifference& record = *cause.record;
  if (is_digest_of_host(cause))
    return true;
  if (record.section == Section::collectives)
    return record.kind == CauseKind::result;
  // What a collective operation left on a GPU.
  if (record.section == Section::digests && record.a && record.a->call.library == "nccl")
    return record.kind == CauseKind::result;
  const auto says = [&record](Reason reason) {
    return record.a && record.b && record.a->call.reason == reason &&
           record.b->call.reason == reason;
  };
  return record.is_volatile && says(Reason::unexplained_seed);
}

/// The seed and the command line say more than what follows from them.
int order_of_subject(const Cause& cause) {
  if (!cause.fact)
    return 0;
  const FactKind kind = cause.fact->subject.kind;
  if (kind == FactKind::identity || kind == FactKind::command_line)
    return 0;
  return kind == FactKind::readers ? 2 : 1;
}

} // namespace

bool is_digest_of_host(const Cause& cause) {
  return cause.record && is_of_host(cause.record->call());
}

int strength(const Cause& cause) {
  if (cause.fact) {
    if (cause.fact->section == Section::settings)
      return is_root(cause.process) ? 0 : 4;
    return cause.fact->section == Section::libraries ? 1 : 5;
  }
  if (is_digest_of_host(cause))
    return 4;
  switch (cause.record->kind) {
  case CauseKind::result:
    return cause.record->has_inputs ? 2 : 3;
  case CauseKind::input:
    return 3;
  case CauseKind::count:
    return 6;
  case CauseKind::absorbed:
    return 7;
  default:
    return 5;
  }
}

RankDifference& Causes::of(const ProcessName& process) {
  RankDifference& rank = ranks_[{process.job, process.rank}];
  rank.job = process.job;
  rank.rank = process.rank;
  return rank;
}

void Causes::add(Cause cause) {
  RankDifference& rank = of(cause.process);
  const auto key = [](const Cause& given) {
    return std::make_tuple(strength(given), order_of_subject(given), given.process.path.size());
  };
  const auto at = std::ranges::upper_bound(rank.causes, key(cause), {}, key);
  rank.causes.insert(at, std::move(cause));
  if (rank.causes.size() <= most_causes)
    return;
  rank.causes.pop_back();
  ++rank.further;
}

std::vector<RankDifference> Causes::take() {
  std::vector<RankDifference> result;
  for (auto& [name, rank] : ranks_)
    result.push_back(std::move(rank));
  const auto has_own = [](const RankDifference& rank) {
    return !rank.causes.empty() && !is_received(rank.causes.front());
  };
  for (RankDifference& rank : result) {
    if (rank.causes.empty())
      continue;
    const bool another_has_own = std::ranges::any_of(result, [&](const RankDifference& other) {
      return &other != &rank && has_own(other);
    });
    rank.role = !has_own(rank) && another_has_own ? RankDifference::Role::receiver
                                                  : RankDifference::Role::origin;
  }
  // Origins first: a receiver's cause is in another rank.
  std::ranges::stable_sort(result, {}, &RankDifference::role);
  return result;
}

} // namespace detshim
