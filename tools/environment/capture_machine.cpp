// The machine, its GPUs, and what a session is allowed.
#include "environment/capture.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

std::string whole(const fs::path& file) {
  std::ifstream input(file);
  std::ostringstream text;
  text << input.rdbuf();
  return text.str();
}

std::string first_line(const fs::path& file) {
  std::string line;
  std::ifstream input(file);
  std::getline(input, line);
  return line;
}

/// The value of "key : value" in /proc/cpuinfo and its like.
std::string value_in(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1) != key)
      continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return {};
}

void capture_processor(CapturedSection& to) {
  const std::string text = whole("/proc/cpuinfo");
  for (const char* key : {"model name", "CPU implementer", "CPU part"})
    if (const std::string value = value_in(text, key); !value.empty()) to.facts[key] = value;
  for (const char* key : {"flags", "Features"})
    if (const std::string value = value_in(text, key); !value.empty()) to.facts["instructions"] = value;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    to.facts["processors allowed"] = std::to_string(CPU_COUNT(&allowed));
  else
    to.unknown["processors allowed"] = "more than this detshim asks for";
  to.facts["NUMA nodes"] = first_line("/sys/devices/system/node/online");
}

void capture_kernel(CapturedSection& to) {
  utsname names;
  if (::uname(&names) == 0) {
    to.facts["kernel"] = names.release;
    to.facts["architecture"] = names.machine;
  }
  to.facts["glibc"] = ::gnu_get_libc_version();
  to.facts["distribution"] = value_in(whole("/etc/os-release"), "PRETTY_NAME");
  for (std::istringstream lines(whole("/etc/os-release")); !lines.eof();) {
    std::string line;
    std::getline(lines, line);
    if (line.starts_with("PRETTY_NAME=")) to.facts["distribution"] = line.substr(12);
  }
  for (const char* name :
       {"APPTAINER_CONTAINER", "SINGULARITY_CONTAINER", "SINGULARITY_NAME", "CONTAINER_IMAGE"})
    if (const char* const value = std::getenv(name)) to.facts["container image"] = value;
  const bool is_contained = fs::exists("/.dockerenv") || fs::exists("/run/.containerenv");
  to.facts["container"] = is_contained || to.facts.contains("container image") ? "yes" : "no sign of one";
}

void capture_gpus(CapturedSection& to) {
  const std::string driver = first_line("/proc/driver/nvidia/version");
  if (driver.empty()) {
    to.facts["driver"] = "none of NVIDIA's";
    return;
  }
  to.facts["driver"] = driver;
  std::error_code error;
  std::size_t number = 0;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", error)) {
    const std::string text = whole(entry.path() / "information");
    to.facts["GPU " + std::to_string(number++)] =
        value_in(text, "Model") + ", firmware " + value_in(text, "GPU Firmware");
  }
  const auto asked = output_of({"nvidia-smi", "--format=csv,noheader",
                                "--query-gpu=index,mig.mode.current,clocks.applications.graphics,"
                                "clocks.max.sm,power.limit,compute_mode,ecc.mode.current"});
  if (!asked) {
    to.unknown["modes and clocks"] = "nvidia-smi does not answer";
  } else {
    to.facts["modes and clocks"] = *asked;
  }
  const auto topology = output_of({"nvidia-smi", "topo", "-m"});
  if (topology)
    to.facts["topology"] = hash_text(*topology);
  else
    to.unknown["topology"] = "nvidia-smi does not answer";
}

void capture_session(CapturedSection& to) {
  const std::pair<const char*, __rlimit_resource> limits[] = {
      {"stack size", RLIMIT_STACK},   {"address space", RLIMIT_AS},      {"open files", RLIMIT_NOFILE},
      {"processes", RLIMIT_NPROC},    {"locked memory", RLIMIT_MEMLOCK}, {"core files", RLIMIT_CORE},
      {"processor time", RLIMIT_CPU}, {"data size", RLIMIT_DATA},
  };
  for (const auto& [name, resource] : limits) {
    rlimit limit;
    if (::getrlimit(resource, &limit) == 0)
      to.facts[std::string("limit of ") + name] =
          limit.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(limit.rlim_cur);
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  std::ostringstream octal;
  octal << std::oct << mask;
  to.facts["umask"] = octal.str();
  std::error_code error;
  const fs::path zone = fs::read_symlink("/etc/localtime", error);
  to.facts["timezone of the system"] = error ? first_line("/etc/timezone") : zone.string();
}

} // namespace

void capture_machine(const CaptureOptions&, Environment& to) {
  capture_processor(to.of(EnvironmentSection::machine));
  capture_kernel(to.of(EnvironmentSection::machine));
  capture_gpus(to.of(EnvironmentSection::driver));
  capture_session(to.of(EnvironmentSection::session));
}

} // namespace detshim
