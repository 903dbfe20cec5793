#include "common/names.h"

#include "common/log_folder.h"
#include "common/philox.h"
#include "common/sys.h"

#include <sys/utsname.h>

namespace detshim {
namespace {

/// A run's name, as begin_run() makes them.
bool is_run_name(const char* text, size_t length) {
  for (const char* c = text; c < text + length; ++c)
    if (!((*c >= '0' && *c <= '9') || (*c >= 'a' && *c <= 'f') || *c == 'T' || *c == '-'))
      return false;
  return length >= 16 && length < sizeof(RunName);
}

/// When that link was made, in microseconds since 1970; 0 if there is no such link.
uint64_t time_of(int folder, const char* link) {
  struct stat state;
  if (sys::failed(sys::call(SYS_newfstatat, folder, sys::address(link), sys::address(&state),
                            AT_SYMLINK_NOFOLLOW)))
    return 0;
  return sys::microseconds(state.st_mtim);
}

/// True for the link of a job that began long ago: this rank is of another one of that name.
bool is_old(int folder, const char* link) {
  constexpr uint64_t ranks_start_within = 600'000'000;
  const uint64_t time = time_of(folder, link);
  return time != 0 && time + ranks_start_within < sys::now();
}

/// Adds what tells the launcher's process on this machine from another: its number, start and node.
uint64_t add_launcher_process(uint64_t job) {
  char text[512];
  Text<32> name;
  const auto parent = static_cast<uint64_t>(sys::call(SYS_getppid));
  name.add("/proc/").add(parent).add("/stat");
  const int fd = sys::openat(AT_FDCWD, name.c_str(), O_RDONLY | O_CLOEXEC);
  const long size = fd < 0 ? 0 : sys::read(fd, text, sizeof text - 1);
  if (fd >= 0)
    sys::close(fd);
  if (size <= 0)
    return 0;
  text[size] = 0;
  const char* at =
      text; // behind the name in parentheses, which may hold anything, the start is the 20th
  for (const char* c = text; *c != 0; ++c)
    if (*c == ')')
      at = c + 1;
  for (int fields = 0; fields < 20 && *at != 0; ++at)
    fields += *at == ' ' ? 1 : 0;
  job = derive(job, parent);
  for (; *at >= '0' && *at <= '9'; ++at)
    job = derive(job, static_cast<unsigned char>(*at));
  utsname node;
  if (!sys::failed(sys::call(SYS_uname, sys::address(&node))))
    for (const char* c = node.nodename; *c != 0; ++c)
      job = derive(job, static_cast<unsigned char>(*c));
  return job;
}

} // namespace

namespace {

/// Of a process that goes on within the path of those before it.
Arrival arrive_within_path(RunVariable& run, int pid) {
  const bool is_hidden = run.hidden != 0;
  const bool is_writer = run.writer_pid == pid;
  if (!is_hidden && (run.writer_pid == 0 || (is_writer && !run.writer_drew)))
    return Arrival::named;
  run.handoffs = 0;
  if (!is_hidden && is_writer) {
    run.key = derive(run.key, label_exec);
    extend_path(run.path, "e", 0, run.key);
    return Arrival::executed;
  }
  run.is_beside_drawer |= run.writer_drew;
  run.key = derive(run.key, label_hidden);
  if (is_hidden)
    run.key = derive(run.key, run.hidden);
  extend_path(run.path, "u", run.hidden, run.key);
  return Arrival::unnamed;
}

} // namespace

Arrival arrive(RunVariable& run, const Launch& launch, int pid, bool has_own_seed) {
  const uint64_t rank_plus_1 = launch.has_rank ? launch.rank + 1 : 0;
  // A launcher started this rank: it is itself again, whoever launched it and how often.
  const bool is_new_rank = launch.has_rank && run.rank_plus_1 != rank_plus_1;
  const bool is_new_task = launch.array != 0 && launch.array != run.array;
  if (is_new_rank || is_new_task)
    enter_job(run, launch);
  else if (!has_own_seed)
    return arrive_within_path(run, pid);
  begin_path(run, rank_plus_1);
  return Arrival::begins;
}

void begin_path(RunVariable& run, uint64_t rank_plus_1) {
  run.key = first_key(run.seed, rank_plus_1, run.job);
  __builtin_memcpy(run.path, "0", 2);
  run.handoffs = run.branch = 0;
  run.is_beside_drawer = false;
}

void enter_job(RunVariable& run, const Launch& launch) {
  if (launch.array != 0 && launch.array != run.array) {
    run.job.add("array", launch.array - 1);
    run.array = launch.array;
  }
  if (launch.spawn != 0)
    run.job.add("spawn", launch.spawn);
  if (launch.step != 0 && run.launcher == 0)
    run.job.add("step", launch.step);
}

JobName job_name_of(const Launch& launch) {
  const uint64_t job = launch.job;
  const uint64_t key = job != 0 && launch.job_is_local ? add_launcher_process(job) : job;
  return {key, launch.job_repeats, key != 0 && launch.size != 1};
}

void agree_on_run(const JobName& job, const char* folder_name, uint64_t rank, RunName& run,
                  uint64_t& begun) {
  constexpr uint64_t most_jobs = 10000; // of one name
  Text<3600> path;
  path.add(folder_name);
  bool made = false;
  const int folder = open_log_folder(const_cast<char*>(path.c_str()), false, true, made);
  if (folder < 0)
    return;
  Text<64> name;
  const auto make_link = [&] {
    return sys::call(SYS_symlinkat, sys::address(run), folder, sys::address(name.c_str()));
  };
  name.add(".job-").add_hex(job.key, 16);
  const size_t stem = name.length();
  for (uint64_t n = 0; job.repeats && n < most_jobs; ++n) {
    name.shorten(stem);
    if (n != 0)
      name.add('-').add(n);
    const size_t length = name.length();
    if (is_old(folder, name.c_str()))
      continue;
    name.add('.').add(rank);
    const bool is_taken = make_link() == -EEXIST;
    name.shorten(length);
    if (!is_taken)
      break;
  }
  RunName named_run;
  const long length = make_link() != -EEXIST
                          ? -1
                          : sys::call(SYS_readlinkat, folder, sys::address(name.c_str()),
                                      sys::address(named_run), sizeof named_run);
  if (const uint64_t time = time_of(folder, name.c_str()); time != 0)
    begun = time;
  sys::close(folder);
  if (length <= 0 || !is_run_name(named_run, static_cast<size_t>(length)))
    return;
  __builtin_memcpy(run, named_run, static_cast<size_t>(length));
  run[length] = 0;
}

uint64_t drawn_seed(const JobName& job, const RunName& run) {
  if (!job.repeats || !job.has_other_ranks)
    return derive(job.key, label_drawn_seed) >> 11;
  uint64_t seed = label_drawn_seed; // the run's name does not repeat
  for (const char* c = run; *c != 0; ++c)
    seed = derive(seed, static_cast<unsigned char>(*c));
  return seed >> 11;
}

} // namespace detshim
