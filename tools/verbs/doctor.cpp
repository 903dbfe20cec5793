// detshim doctor: whether a program, this machine and a launcher will work with detshim, before
// anything runs.
//
// One function for each thing that is looked at, in the order in which it is printed; the table at
// the end. Nothing here changes anything: no log begins, no program starts but a dynamic loader
// that lists libraries.
#include "report/style.h"
#include "run/handover.h"
#include "run/library_file.h"
#include "scanner/preloading.h"
#include "scanner/scan.h"
#include "support/files.h"
#include "support/variable.h"
#include "support/wording.h"
#include "verbs/verbs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <string_view>

#include <gnu/libc-version.h>
#include <sys/personality.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace detshim {
namespace {

enum class Level {
  ok,
  note,   ///< works, and something should be known
  problem ///< will not work, or not wholly
};

struct CheckResult {
  Level level = Level::ok;
  std::string text; ///< safe to print
};

struct Patient {
  std::vector<std::string> command; ///< empty: only the machine is looked at
  std::string library;
};

CheckResult look_at_library(const Patient& patient) {
  const std::string what = printable(patient.library) + ", on glibc " + ::gnu_get_libc_version();
  if (patient.library.find_first_of(" :") != std::string::npos)
    return {Level::problem,
            what + ": LD_PRELOAD takes no path with a space or a colon; put it somewhere else"};
  // Of this command alone it is known that it runs here.
  std::error_code error;
  const PreloadingAnswer answer =
      ask_preloading(fs::read_symlink("/proc/self/exe", error), patient.library);
  return answer.is != Preloading::fails ? CheckResult{Level::ok, what}
                                        : CheckResult{Level::problem, what + ": " + answer.why};
}

CheckResult look_at_program(const Patient& patient) {
  if (patient.command.empty())
    return {Level::note, "none was named: detshim doctor -- program"};
  const PreloadingAnswer answer = ask_preloading(patient.command[0], patient.library);
  if (answer.is == Preloading::comes_up)
    return {Level::ok,
            printable(find_executable(patient.command[0])) + ": the library comes up in it"};
  return {Level::problem, printable(patient.command[0]) + ": " + answer.why};
}

/// The program's own code; `detshim scan` looks at its libraries too.
CheckResult look_at_code(const Patient& patient) {
  const std::string executable = patient.command.empty() ? "" : find_executable(patient.command[0]);
  if (executable.empty())
    return {Level::ok, ""};
  try {
    const ElfFile program(executable);
    if (program.is_go() && !program.is_static_program())
      return {Level::problem,
              "made by Go: its own draws make no call of libc; seed it in the program"};
    const FileScan scan = scan_file(program);
    if (!scan.not_reached.empty())
      return {Level::ok, ""}; // said of the program
    if (!scan.left_alone.empty() || scan.places.empty())
      return {Level::ok, "the program's own code draws by no instruction and no raw system call"};
    return {Level::note, counted(scan.places.size(), "place") +
                             " in the program itself can draw past detshim, the first " +
                             printable(place_text(scan, scan.places.front())) + ": detshim scan " +
                             printable(patient.command[0])};
  } catch (const ElfError&) {
    return {Level::ok, "a script: its interpreter is what runs"};
  }
}

CheckResult look_at_launcher(const Patient& patient) {
  if (patient.command.empty())
    return {Level::ok, ""};
  const std::string name = printable(base_name(patient.command[0]));
  if (leaves_environment(patient.command[0]))
    return {
        Level::problem,
        name + " starts its program elsewhere, in another environment: put `detshim run` there, in "
               "front of the program (docs/LAUNCHERS.md)"};
  if (is_launcher(patient.command))
    return {Level::ok,
            name + ": its ranks get the library by it (docs/LAUNCHERS.md has what each needs)"};
  return {Level::ok, "none: the program is started here"};
}

CheckResult look_at_preloads(const Patient&) {
  std::vector<std::string> others, missing;
  for (const std::string& entry : other_preloads()) {
    const bool is_missing =
        entry.find('/') != std::string::npos && ::access(entry.c_str(), R_OK) != 0;
    (is_missing ? missing : others).push_back(printable(entry));
  }
  for (const char* name : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "LD_AUDIT"})
    if (!variable(name).empty())
      others.push_back(std::string(name) + "=" + printable(variable(name)));
  if (!missing.empty())
    return {Level::problem, "the loader will not find " + enumerated(missing)};
  if (others.empty())
    return {Level::ok, "nothing else is preloaded"};
  return {Level::note,
          enumerated(others) + (others.size() == 1 ? " is" : " are") +
              " loaded too, behind libdetshim.so: what draws before detshim is called is not seen"};
}

/// A name that begins with DETSHIM_ and that the library does not know stops a program at its
/// start.
std::string unknown_option(const std::string& library) {
  std::vector<OptionDescription> options;
  try {
    options = read_options(library);
  } catch (const UsageError&) { // said of the library
    return {};
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry, name = text.substr(0, text.find('='));
    if (!name.starts_with("DETSHIM_") || name == "DETSHIM_RUN")
      continue;
    const auto is_it = [name](const OptionDescription& option) {
      return option.name == name;
    };
    if (std::ranges::none_of(options, is_it))
      return std::string(name);
  }
  return {};
}

CheckResult look_at_settings(const Patient& patient) {
  if (const std::string name = unknown_option(patient.library); !name.empty())
    return {Level::problem, printable(name) +
                                ": there is no such option, and programs stop at their start; "
                                "`detshim options` lists them"};
  if (const std::string seed = variable("DETSHIM_SEED"); !seed.empty() && !read_seed(seed))
    return {
        Level::problem,
        "DETSHIM_SEED=" + printable(seed) +
            " is not accepted: a whole number from 0 to 2^64-1, decimal or hexadecimal after 0x"};
  const std::string mode = variable("DETSHIM_MODE");
  if (!mode.empty() && mode != "enforce" && mode != "strict")
    return {Level::problem, "DETSHIM_MODE=" + printable(mode) + " pins nothing"};
  std::vector<std::string> set;
  for (const char* name : {"DETSHIM_DISABLE", "DETSHIM_KEEP_ENTROPY"})
    if (!variable(name).empty())
      set.push_back(std::string(name) + "=" + printable(variable(name)));
  if (!set.empty())
    return {Level::note,
            enumerated(set) + (set.size() == 1 ? " takes" : " take") + " something out"};
  return variable("DETSHIM_SEED").empty()
             ? CheckResult{Level::note,
                           std::string("no DETSHIM_SEED: `detshim run` takes ") + default_seed}
             : CheckResult{Level::ok, "DETSHIM_SEED is set"};
}

/// Tried on this process, which ends soon.
CheckResult look_at_layout(const Patient&) {
  constexpr unsigned long ask = 0xffffffff;
  const int now = ::personality(ask);
  if (now != -1 && ::personality(static_cast<unsigned long>(now) | ADDR_NO_RANDOMIZE) != -1)
    return {Level::ok, "the address-space layout can be fixed"};
  return {Level::note, "a filter refuses a fixed address-space layout (a container's seccomp "
                       "profile): what is ordered "
                       "by addresses may differ from run to run"};
}

CheckResult look_at_log_folder(const Patient&) {
  const std::string requested = variable("DETSHIM_LOG");
  const fs::path folder = requested.empty() ? fs::path("detshim-log") : fs::path(requested);
  std::error_code error;
  fs::path there = fs::absolute(folder, error);
  if (error)
    return {Level::problem, "this folder is gone: logs cannot be written beside it"};
  while (!fs::exists(there, error) && there.has_relative_path())
    there = there.parent_path();
  const std::string name = printable(folder.string());
  if (!fs::is_directory(there, error))
    return {Level::problem, printable(there.string()) + " is no folder"};
  if (::access(there.c_str(), W_OK | X_OK) != 0)
    return {Level::problem, "logs cannot be written to " + name + ": " + std::strerror(errno) +
                                "; DETSHIM_LOG or --log names another folder"};
  struct statvfs room;
  constexpr std::uint64_t little = 16U << 20;
  if (::statvfs(there.c_str(), &room) == 0 && std::uint64_t{room.f_bavail} * room.f_frsize < little)
    return {Level::problem, "less than 16 MiB are free for logs in " + name};
  return {Level::ok, "logs go to " + name};
}

struct Check {
  const char* subject;
  CheckResult (*look)(const Patient& patient);
};
constexpr Check checks[] = {
    {"library", look_at_library},   {"program", look_at_program},   {"code", look_at_code},
    {"launcher", look_at_launcher}, {"preloads", look_at_preloads}, {"settings", look_at_settings},
    {"layout", look_at_layout},     {"log", look_at_log_folder},
};
constexpr const char* level_names[] = {"ok", "note", "problem"};

} // namespace

int doctor(const DoctorOptions& options) {
  const Patient patient{options.command, find_library(options.library)};
  const Style style{wants_colour()};
  std::size_t problems = 0;
  for (const Check& check : checks) {
    const CheckResult finding = check.look(patient);
    if (finding.text.empty())
      continue;
    const bool is_problem = finding.level == Level::problem;
    problems += is_problem ? 1 : 0;
    const std::string level = padded(level_names[static_cast<int>(finding.level)], 9);
    std::cout << (is_problem ? style.red(level) : level) << padded(check.subject, 10)
              << finding.text << '\n';
  }
  return problems == 0 ? done : check_failed;
}

} // namespace detshim
