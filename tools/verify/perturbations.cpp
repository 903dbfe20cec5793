// Decides what a run is given in another way: one thing for each row, with the suspects that it can
// have turned and the settings of the log that are its own doing. A row is left out where it is not
// possible: one processor, no namespaces, a user who is root.
//
// It cannot know whether a program depends on what was turned. Where nothing differs, this turn did
// not show it.
#include "verify/perturbations.h"

#include "support/exit_status.h"
#include "support/lists.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verify/busy_processors.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace detshim {
namespace {

void keep_random_layout(RunSettings& settings) { settings.keeps_random_layout = true; }

void halve_processors(RunSettings& settings) {
  settings.processors = std::max<std::size_t>(available_processors() / 2, 1);
}

/// 3e38 as a float, 1e306 as a double, NaN of 16 bits; -2e38 and -5e303: no sum hides them, nor do
/// both a maximum, a minimum or a comparison with 0.
constexpr std::uint8_t positive_filling = 0x7F, negative_filling = 0xFE;

/// glibc fills what malloc gives with the complement of this byte, and what is freed with the byte.
template <std::uint8_t filling>
void fill_memory() {
  ::setenv("MALLOC_PERTURB_", std::to_string(filling ^ 0xFF).c_str(), 1);
  ::setenv("DETSHIM_FILL", "nan", 1);
}

void reverse_folders() { ::setenv("DETSHIM_READDIR", "reversed", 1); }
void reverse_workers() { ::setenv("DETSHIM_WORKERS", "reversed", 1); }

/// Not where the user has chosen what becomes of autotuners: recorded choices are other ones
/// anyway.
void invert_events() {
  if (variable("DETSHIM_AUTOTUNE", "first") == "first")
    ::setenv("DETSHIM_AUTOTUNE", "inverse", 1);
}

/// Where no rule is installed, a zone's name is its distance from UTC.
void move_zone() { ::setenv("TZ", variable("TZ") == "XXX-13" ? "UTC" : "XXX-13", 1); }

void exchange_locale() {
  const std::string general = variable("LC_ALL", variable("LANG").c_str());
  ::setenv("LC_ALL", is_any_of(general, {"", "C", "POSIX"}) ? "C.UTF-8" : "C", 1);
}

void narrow_mask() {
  if (::umask(077) == 077)
    ::umask(022);
}

/// In a user namespace, where only that is allowed or is what is wanted; the user's id there.
bool enter_namespace(int kind, uid_t inside = ::geteuid()) {
  const uid_t user = ::geteuid();
  const gid_t group = ::getegid();
  if (kind != 0 && ::unshare(kind) == 0)
    return true;
  const auto write = [](const char* file, const std::string& text) {
    return (std::ofstream(file) << text).flush().good();
  };
  const auto map = [](auto there, auto here) {
    return std::to_string(there) + ' ' + std::to_string(here) + " 1";
  };
  return ::unshare(kind | CLONE_NEWUSER) == 0 && write("/proc/self/setgroups", "deny") &&
         write("/proc/self/uid_map", map(inside, user)) &&
         write("/proc/self/gid_map", map(group, group));
}

void rename_host() {
  constexpr std::string_view name = "another-host";
  if (!enter_namespace(CLONE_NEWUTS) || ::sethostname(name.data(), name.size()) != 0)
    throw UsageError("the host cannot get another name");
}

/// Files stay whose they are: that id is only another number for this user. Not for root, which
/// would lose rights.
void change_user() {
  constexpr const char* name = "another-user";
  if (!enter_namespace(0, 12345))
    throw UsageError("the user cannot get another id");
  for (const char* setting : {"USER", "LOGNAME"})
    ::setenv(setting, name, 1);
}

/// An empty folder of the system's; no text where it has none.
std::string empty_folder() {
  std::error_code error;
  for (const char* folder : {"/mnt", "/media", "/srv"})
    if (std::filesystem::is_directory(folder, error) && std::filesystem::is_empty(folder, error))
      return folder;
  return "";
}

/// The same folder under another name, in a file system in memory that this run alone sees.
void move_folder() {
  const std::string root = empty_folder(), place = root + "/another-folder";
  const std::string here = std::filesystem::current_path();
  if (!enter_namespace(CLONE_NEWNS) ||
      ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", root.c_str(), "tmpfs", 0, nullptr) != 0 ||
      ::mkdir(place.c_str(), 0755) != 0 ||
      ::mount(here.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0 ||
      ::chdir(place.c_str()) != 0)
    throw UsageError("the working directory cannot get another name");
  ::setenv("PWD", place.c_str(), 1);
}

template <int kind>
bool can_enter_namespace() {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(enter_namespace(kind) ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

void freeze_clocks(RunSettings& settings) { settings.freezes_clocks = true; }

const Suspect unwritten_memory = {
    SuspectKind::memory,
    "memory is read before anything wrote it; of a program in C or C++ `valgrind "
    "--track-origins=yes` names where it is used, and where it was allocated"};
const Suspect address_as_value = {
    SuspectKind::address,
    "an address goes into a hash or an order: pointers that are keys or sorted by, "
    "in Python hash() or id() of an object that has no hash of its own"};

const std::vector<SuspectKind> what_time_turns = {SuspectKind::nondeterministic,
                                                  SuspectKind::threads, SuspectKind::forks,
                                                  SuspectKind::clock, SuspectKind::input};

/// In the order in which they run.
const std::vector<Perturbation>& table() {
  static const std::vector<Perturbation> rows = {
      {.name = "aslr",
       .what = "another address-space layout",
       .turn = &keep_random_layout,
       .settings = {"layout of the address space"},
       .shown = address_as_value},
      {.name = "fill",
       .what = "new memory filled: malloc's with 0x7F, a GPU's with NaN",
       .turn_in_child = &fill_memory<positive_filling>,
       .shown = unwritten_memory},
      {.name = "fill-negative",
       .what = "new memory filled: malloc's with 0xFE, a GPU's with NaN",
       .turn_in_child = &fill_memory<negative_filling>,
       .shown = unwritten_memory},
      {.name = "load",
       .what = "all processors busy with something else",
       .is_loaded = true,
       .suspects = what_time_turns},
      {.name = "cores",
       .what = "half the processors, and as many threads",
       .turn = &halve_processors,
       .is_possible =
           [] {
             return available_processors() > 1;
           },
       .suspects = what_time_turns},
      {.name = "readdir",
       .what = "folders read from the last name to the first",
       .turn_in_child = &reverse_folders,
       .suspects = {SuspectKind::folder}},
      {.name = "workers",
       .what = "threads and children begin in another order",
       .turn_in_child = &reverse_workers,
       .suspects = {SuspectKind::threads, SuspectKind::forks}},
      // With times inverted, the choices are recorded as nondeterministic: its own doing. Triton
      // has a folder for each way of choosing.
      {.name = "events",
       .what = "autotuners by a GPU's events take their slowest",
       .turn_in_child = &invert_events,
       .is_log_passed_over = true,
       .settings = {"TRITON_CACHE_DIR"}},
      {.name = "zone", .what = "another time zone", .turn_in_child = &move_zone},
      {.name = "locale", .what = "another locale", .turn_in_child = &exchange_locale},
      {.name = "umask", .what = "files made for other users", .turn_in_child = &narrow_mask},
      {.name = "host",
       .what = "another host name",
       .turn_in_child = &rename_host,
       .is_possible = &can_enter_namespace<CLONE_NEWUTS>},
      {.name = "user",
       .what = "another user's name and id",
       .turn_in_child = &change_user,
       .is_possible =
           [] {
             return ::geteuid() != 0 && can_enter_namespace<0>();
           },
       .is_chosen_by_default = false},
      {.name = "folder",
       .what = "the working directory under another name",
       .turn_in_child = &move_folder,
       .is_possible =
           [] {
             return !empty_folder().empty() && can_enter_namespace<CLONE_NEWNS>();
           },
       .is_chosen_by_default = false},
      // A program that waits for a time would wait for ever.
      {.name = "clock",
       .what = "clocks that your lines read show another time",
       .turn = &freeze_clocks,
       .is_chosen_by_default = false,
       .needs_clock_readings = true},
  };
  return rows;
}

} // namespace

std::vector<std::string> perturbation_names() {
  std::vector<std::string> names;
  for (const Perturbation& perturbation : table())
    names.emplace_back(perturbation.name);
  return names;
}

std::vector<const Perturbation*> choose_perturbations(const std::string& list) {
  std::vector<const Perturbation*> chosen;
  if (list.empty()) {
    for (const Perturbation& perturbation : table())
      if (perturbation.is_chosen_by_default)
        chosen.push_back(&perturbation);
    return chosen;
  }
  for (const std::string& name : split(list, ',')) {
    const auto named = std::ranges::find(table(), name, &Perturbation::name);
    if (named == table().end())
      throw UsageError("--perturb " + in_quotes(list) + " is not accepted: a list of " +
                       enumerated(perturbation_names()));
    add_once(chosen, &*named);
  }
  return chosen;
}

} // namespace detshim
