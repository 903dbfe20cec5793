#include "common/names.h"

#include "common/philox.h"

namespace detshim {

Arrival arrive(RunVariable& run, const Launch& launch, int pid, bool has_own_seed) {
  const uint64_t rank_plus_1 = launch.has_rank ? launch.rank + 1 : 0;
  // A launcher started this rank: it is itself again, whoever launched it and how often.
  const bool is_new_rank = launch.has_rank && run.rank_plus_1 != rank_plus_1;
  const bool is_new_task = launch.array != 0 && launch.array != run.array;
  if (has_own_seed || is_new_rank || is_new_task) {
    if (is_new_rank || is_new_task) enter_job(run, launch);
    begin_path(run, rank_plus_1);
    return Arrival::begins;
  }
  const bool is_writer = run.writer_pid == pid;
  if (run.hidden == 0 && (run.writer_pid == 0 || (is_writer && !run.writer_drew))) return Arrival::named;
  run.handoffs = 0;
  if (run.hidden == 0 && is_writer) {
    run.key = derive(run.key, label_exec);
    extend_path(run.path, "e", 0, run.key);
    return Arrival::executed;
  }
  run.key = derive(run.key, label_hidden);
  if (run.hidden != 0) run.key = derive(run.key, run.hidden);
  extend_path(run.path, "u", run.hidden, run.key);
  return Arrival::unnamed;
}

void begin_path(RunVariable& run, uint64_t rank_plus_1) {
  run.key = first_key(run.seed, rank_plus_1, run.job);
  run.path[0] = '0';
  run.path[1] = 0;
  run.handoffs = run.branch = 0;
}

void enter_job(RunVariable& run, const Launch& launch) {
  if (launch.array != 0 && launch.array != run.array) {
    run.job.add("array", launch.array - 1);
    run.array = launch.array;
  }
  if (launch.spawn != 0) run.job.add("spawn", launch.spawn);
  if (launch.step != 0 && run.launcher == 0) run.job.add("step", launch.step);
}

} // namespace detshim
