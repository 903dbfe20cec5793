// The machine, its GPUs, and what a session is allowed.
#include "environment/capture.h"
#include "support/wording.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

/// The value of "key : value" in /proc/cpuinfo and its like.
std::string value_in(const std::string& text, std::string_view key) {
  for (const std::string& line : split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with(key) || colon == line.npos ||
        line.find_last_not_of(" \t", colon - 1) + 1 != key.size())
      continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == line.npos ? "" : line.substr(begin);
  }
  return {};
}

/// Of /proc/cpuinfo, which grows with the processors, the first one's part.
std::string first_processor() {
  constexpr std::size_t enough = 8192;
  const std::string text = read_file("/proc/cpuinfo", enough);
  return text.substr(0, text.find("\n\n"));
}

void capture_processor(CapturedSection& to) {
  const std::string text = first_processor();
  for (const char* key : {"model name", "CPU implementer", "CPU part", "microcode"})
    if (const std::string value = value_in(text, key); !value.empty())
      to.set_fact(key, value);
  for (const char* key : {"flags", "Features"})
    if (const std::string value = value_in(text, key); !value.empty())
      to.set_fact("instructions", value);
  to.set_fact("NUMA nodes", first_line("/sys/devices/system/node/online"));
}

void capture_allowed_processors(CapturedSection& to) {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    to.set_fact("processors allowed", std::to_string(CPU_COUNT(&allowed)));
  else
    to.set_unknown("processors allowed", "more than this detshim asks for");
  const auto line = [status = read_file("/proc/self/status")](const char* key) {
    return value_in(status, key);
  };
  if (const std::string nodes = line("Mems_allowed_list"); !nodes.empty())
    to.set_fact("NUMA nodes allowed", nodes);
}

void capture_kernel(CapturedSection& to) {
  utsname names;
  if (::uname(&names) == 0) {
    to.set_fact("kernel", names.release);
    to.set_fact("architecture", names.machine);
  }
  to.set_fact("glibc", ::gnu_get_libc_version());
  to.set_fact("distribution", "not said");
  for (const std::string& line : split(read_file("/etc/os-release"), '\n'))
    if (line.starts_with("PRETTY_NAME="))
      to.set_fact("distribution", line.substr(12));
  for (const char* name :
       {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "SINGULARITY_NAME", "CONTAINER_IMAGE"})
    if (const char* const value = std::getenv(name))
      to.set_fact("container image", without_login(value));
  const bool is_contained = fs::exists("/.dockerenv") || fs::exists("/run/.containerenv");
  const bool has_image = to.fact("container image") != nullptr;
  to.set_fact("container", is_contained || has_image ? "yes" : "no sign of one");
}

/// A file that NCCL takes its topology from (NCCL_TOPO_FILE and its default in NVIDIA's
/// documentation).
void capture_nccl_topology(CapturedSection& to) {
  const std::string text =
      read_file(variable("NCCL_TOPO_FILE", "/var/run/nvidia-topologyd/virtualTopology.xml"));
  to.set_fact("NCCL topology file", text.empty() ? "none" : "contents " + hash_text(text));
}

void capture_gpus(CapturedSection& to) {
  capture_nccl_topology(to);
  const std::string driver = first_line("/proc/driver/nvidia/version");
  to.set_fact("driver", driver.empty() ? "none of NVIDIA's" : driver);
  if (driver.empty())
    return;
  std::error_code error;
  std::size_t number = 0;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    const std::string text = read_file(entry.path() / "information");
    to.set_fact({SubjectKind::gpu, std::to_string(number++)},
                value_in(text, "Model") + ", firmware " + value_in(text, "GPU Firmware"));
  }
  // "gpu0/mig/gi1/ci0/access": a folder for each instance ("Device Nodes and Capabilities" in
  // NVIDIA's MIG guide).
  std::string instances;
  for (auto entry = fs::recursive_directory_iterator("/proc/driver/nvidia/capabilities", error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    if (const std::string name = entry->path();
        name.ends_with("/access") && name.find("/gi") != std::string::npos)
      instances += name;
  to.set_fact("MIG instances", instances.empty() ? "none" : hash_text(instances));
}

void capture_limits(CapturedSection& to) {
  const std::pair<const char*, __rlimit_resource> limits[] = {
      {"stack size", RLIMIT_STACK},      {"address space", RLIMIT_AS},
      {"open files", RLIMIT_NOFILE},     {"processes", RLIMIT_NPROC},
      {"locked memory", RLIMIT_MEMLOCK}, {"core files", RLIMIT_CORE},
      {"processor time", RLIMIT_CPU},    {"data size", RLIMIT_DATA},
  };
  for (const auto& [name, resource] : limits) {
    rlimit limit;
    if (::getrlimit(resource, &limit) == 0)
      to.set_fact({SubjectKind::limit, name},
                  limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur));
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  char octal[16];
  std::snprintf(octal, sizeof octal, "%o", mask);
  to.set_fact("umask", octal);
  std::error_code error;
  const fs::path zone = fs::read_symlink("/etc/localtime", error);
  // The contents are what libc opens itself, unseen.
  to.set_fact("timezone of the system", (error ? first_line("/etc/timezone") : zone.string()) +
                                            ", contents " + hash_of_file("/etc/localtime").text);
  struct stat locales;
  if (::stat("/usr/lib/locale/locale-archive", &locales) == 0)
    to.set_fact("locales", std::to_string(locales.st_size) + " bytes, written at " +
                               std::to_string(locales.st_mtim.tv_sec));
}

/// A terminal's, which a program under `verify` has not, and nothing are alike.
void capture_input(CapturedSection& to) {
  struct stat state;
  const bool is_there = ::fstat(STDIN_FILENO, &state) == 0;
  if (!is_there || S_ISCHR(state.st_mode)) {
    to.set_fact("standard input", "none");
  } else if (S_ISREG(state.st_mode)) {
    const Known held = hash_of_file("/proc/self/fd/0");
    to.set_fact("standard input",
                "a file, " + (held.problem.empty() ? "contents " + held.text : held.problem));
  } else {
    to.set_fact("standard input", "a pipe or a socket");
  }
}

} // namespace

void capture_machine(Environment& to) {
  capture_processor(to.of(EnvironmentSection::machine));
  capture_kernel(to.of(EnvironmentSection::machine));
}

void capture_session(Environment& to) {
  capture_input(to.of(EnvironmentSection::session));
  capture_allowed_processors(to.of(EnvironmentSection::machine));
  capture_gpus(to.of(EnvironmentSection::driver));
  capture_limits(to.of(EnvironmentSection::session));
}

std::string machine_identity() {
  struct stat root;
  if (::stat("/", &root) != 0)
    return {};
  return hash_text(read_file("/etc/machine-id") + host_name() + ' ' + std::to_string(root.st_dev) +
                   ' ' + std::to_string(root.st_ino));
}

} // namespace detshim
