#include "run/processors.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <sched.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

/// Of a quota in microseconds of each period; 0 for none ("max", -1).
int whole_processors(long quota, long period) {
  if (quota <= 0 || period <= 0)
    return 0;
  return static_cast<int>((quota + period - 1) / period);
}

int quota_of_version_2(const fs::path& group) {
  std::string quota;
  long period = 0;
  std::ifstream(group / "cpu.max") >> quota >> period;
  return whole_processors(std::strtol(quota.c_str(), nullptr, 10), period);
}

int quota_of_version_1(const fs::path& group) {
  long quota = 0;
  long period = 0;
  std::ifstream(group / "cpu.cfs_quota_us") >> quota;
  std::ifstream(group / "cpu.cfs_period_us") >> period;
  return whole_processors(quota, period);
}

/// The least of the group and those around it, up to where they are mounted. A container sees its
/// own group as the root, under a path that may be its host's.
int least_quota(const fs::path& mounted, const std::string& path,
                int (*quota_of)(const fs::path&)) {
  int least = 0;
  for (fs::path at = fs::path(path).relative_path();; at = at.parent_path()) {
    const int quota = quota_of(mounted / at);
    if (quota > 0 && (least == 0 || quota < least))
      least = quota;
    if (at.empty())
      return least;
  }
}

} // namespace

// Some machines have more processors than a cpu_set_t, and the kernel refuses a set that is too
// small.
int processors_to_run_on() {
  for (std::size_t sets = 1; sets <= 64; sets *= 2) {
    std::vector<cpu_set_t> room(sets);
    if (::sched_getaffinity(0, sizeof(cpu_set_t) * sets, room.data()) == 0)
      return std::max(CPU_COUNT_S(sizeof(cpu_set_t) * sets, room.data()), 1);
  }
  return 1;
}

int processors_of_control_group(const fs::path& own, const fs::path& root) {
  std::ifstream groups(own);
  int least = 0;
  for (std::string line;
       std::getline(groups, line);) { // 4:cpu,cpuacct:/user.slice, or 0::/user.slice
    std::istringstream parts(line);
    std::string number, controllers, path;
    std::getline(parts, number, ':');
    std::getline(parts, controllers, ':');
    std::getline(parts, path);
    int quota = 0;
    if (controllers.empty())
      quota = least_quota(root, path, quota_of_version_2);
    else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
      quota = least_quota(root / controllers, path, quota_of_version_1);
    if (quota > 0 && (least == 0 || quota < least))
      least = quota;
  }
  return least;
}

int usable_processors() {
  const int all = processors_to_run_on();
  const int quota = processors_of_control_group("/proc/self/cgroup", "/sys/fs/cgroup");
  return quota > 0 ? std::min(all, quota) : all;
}

} // namespace detshim
