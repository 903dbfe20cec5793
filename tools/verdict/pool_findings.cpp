// Pools of workers, and queues that several processes fill, or take from.
//
// Decides which pools race: from records that say "this call was made in a worker of that pool",
// "tasks were dealt in turn", "the turns ended". A pool that deals tasks in turn is a finding only
// where a line of the user's made it. It cannot know what tasks share (files, memory, locks), nor
// whether each task seeds itself: then the program repeats although its workers race.
#include "support/wording.h"
#include "verdict/finders.h"
#include "verdict/pools.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace detshim {
namespace {

constexpr std::string_view queue_kind = "multiprocessing.Queue"; // what fills one
constexpr std::string_view taking_kind = "multiprocessing.Queue.get";

/// What races, by how the kind of a pool begins, and how many callers it takes: a single process or
/// worker cannot race.
struct RaceRow {
  std::string_view kind_start;
  Finding finding;
  std::uint64_t least_calls;
};
constexpr RaceRow races[] = {
    {"threading.", Finding::racing_threads, 1},
    {"multiprocessing.Manager", Finding::racing_manager, 2},
    {taking_kind, Finding::racing_workers, 2},
    {queue_kind, Finding::racing_queue, 2},
    {"gensim", Finding::racing_trainers, 1},
    {"joblib", Finding::sharing_threads, 1},
    {"dask.distributed", Finding::racing_workers, 2},
    {"", Finding::racing_workers, 1}, // any other
};

const RaceRow& race_of(const Pool& pool) {
  return *std::ranges::find_if(races, [&](const RaceRow& row) {
    return pool.kind.starts_with(row.kind_start);
  });
}

/// True if another record of the same pool says which line made it.
bool is_named_elsewhere(const Pool& pool, const std::map<Pool, std::uint64_t>& all) {
  if (!pool.place.empty())
    return false;
  const auto next = all.upper_bound(pool); // the one with a place stands behind it
  return next != all.end() && next->first.kind == pool.kind && next->first.queue == pool.queue;
}

} // namespace

LoggedPools::LoggedPools(const Log& log) {
  each_record(log, [&](const Process& process, const Call& call, const CallCount& count) {
    add(process, call, count);
  });
  for (const std::string& kind : kinds_raced_)
    kinds_dealt_.erase(kind);
}

void LoggedPools::add(const Process& process, const Call& call, const CallCount& count) {
  const std::optional<Pool> pool = pool_of(call);
  if (!pool)
    return;
  const Reason why = call.reason;
  if (why == Reason::task_race)
    kinds_raced_.insert(pool->kind);
  if (why == Reason::tasks_dealt)
    users_.insert(*pool);
  if (why == Reason::tasks_dealt || why == Reason::packages_tasks_dealt) {
    kinds_dealt_.insert(pool->kind);
    lines_dealt_.insert(line_of(*pool));
    return;
  }
  if (!pool->kind.starts_with(queue_kind)) {
    racing_[*pool] += count.calls;
    return;
  }
  // A queue without a name is told by its address, which a later one of the same process may have.
  const std::string filler =
      std::to_string(process.rank) + ' ' + process.path + ' ' + pool->queue + ' ' + pool->place;
  if (filled_.insert(filler).second)
    ++racing_[*pool];
}

std::string line_of(const Pool& pool) { return base_name(pool.place); }

void find_pools(const VerdictInputs& inputs, Findings& findings) {
  const LoggedPools pools(inputs.log);
  // Of several queues that one line made, one.
  std::set<std::pair<Finding, Pool>> named;
  for (const auto& [pool, calls] : pools.racing()) {
    const RaceRow& race = race_of(pool);
    if (is_named_elsewhere(pool, pools.racing()) || calls < race.least_calls ||
        pools.are_dealt(pool.kind))
      continue;
    if (named.emplace(race.finding, Pool{pool.kind, "", line_of(pool)}).second)
      findings.add({.finding = race.finding, .library = pool.kind, .place = line_of(pool)});
  }
  for (const Pool& pool : pools.users())
    findings.add({.finding = Finding::tasks_in_turn, .library = pool.kind, .place = line_of(pool)});
}

} // namespace detshim
