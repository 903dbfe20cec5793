// How many processors a program may use.
#pragma once

#include <filesystem>

namespace detshim {

/// As many as this process may run on (sched_setaffinity, `taskset`), or as its control group has
/// the time of (`docker run --cpus`), whichever is less. At least 1.
int usable_processors();

/// As many as it may run on, whatever time it has there.
int processors_to_run_on();

/// The least quota of a control group and those around it, in whole processors, rounded up; 0 where
/// no quota is set. `own`: which groups a process is in, as /proc/self/cgroup says; `root`: where
/// they are mounted. Format: cgroups(7); cpu.max of version 2, cpu.cfs_quota_us and
/// cpu.cfs_period_us of version 1.
int processors_of_control_group(const std::filesystem::path& own,
                                const std::filesystem::path& root);

} // namespace detshim
