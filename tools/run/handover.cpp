#include "run/handover.h"

#include "common/launch.h"
#include "common/run_agreements.h"
#include "support/wording.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace detshim {
namespace {

Launcher launcher_in(const std::vector<std::string>& command) {
  const auto word = [&](std::size_t i) {
    return i < command.size() ? command[i].c_str() : nullptr;
  };
  return command.empty() ? Launcher{} : launcher_of(word(0), word(1), word(2));
}

/// Variables that every machine needs, as they are set here, where they are not packed. The library
/// sets DETSHIM_RUN in the launcher.
std::vector<std::string> variables() {
  std::vector<std::string> names = {"LD_PRELOAD", "DETSHIM_RUN"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view name = std::string_view(*entry).substr(0, std::strcspn(*entry, "="));
    if (name.starts_with("DETSHIM_") && name != "DETSHIM_RUN")
      names.emplace_back(name);
  }
  return names;
}

/// mpirun of Open MPI hands on all that begins with OMPI_, and what -x names. Without any -x the
/// library in mpirun sets a list in the environment, in scripts too
/// (shim/core/identity/launchers.cpp), but mpirun takes one of the two ways alone.
void extend_open_mpi(std::vector<std::string>& command) {
  const auto list = std::ranges::find(command, "mca_base_env_list");
  const auto names = variables();
  if (list != command.end() && list + 1 != command.end()) {
    for (const std::string& name : names)
      *(list + 1) += ";" + name;
    return;
  }
  if (std::ranges::find(command, "-x") == command.end())
    return;
  std::vector<std::string> added;
  for (const std::string& name : names) {
    added.emplace_back("-x");
    added.push_back(name);
  }
  command.insert(command.begin() + 1, added.begin(), added.end());
}

/// srun hands everything on, unless it is told otherwise.
void extend_srun(std::vector<std::string>& command, bool is_quiet) {
  constexpr std::string_view option = "--export";
  for (std::size_t i = 1; i < command.size() && command[i].starts_with('-'); ++i) {
    if (!command[i].starts_with(option))
      continue;
    std::string* value = &command[i];
    if (*value == option && i + 1 < command.size())
      value = &command[i + 1];
    const std::string_view list =
        value == &command[i]
            ? std::string_view(*value).substr(std::min(option.size() + 1, value->size()))
            : std::string_view(*value);
    if (list.starts_with("ALL") || list.empty())
      return;
    if (list == "NONE" || list == "NIL") {
      if (!is_quiet)
        spdlog::warn(
            "srun {}={} hands nothing on: its tasks are not under detshim; leave it out, or name "
            "LD_PRELOAD, DETSHIM_RUN and DETSHIM_SEED in it",
            option, list);
      return;
    }
    for (const std::string& name : variables())
      *value += "," + name;
    return;
  }
}

/// True for what an earlier `detshim run` has handed over, and no program has taken: its reader
/// never began.
bool is_handed_over(int descriptor) {
  constexpr std::size_t length = sizeof environment_beginning - 1;
  char beginning[length];
  return ::fcntl(descriptor, F_GET_SEALS) == environment_seals &&
         ::pread(descriptor, beginning, length, 0) == static_cast<ssize_t>(length) &&
         std::string_view(beginning, length) == environment_beginning;
}

} // namespace

bool leaves_environment(const std::string& program) {
  return is_any_of(base_name(program),
                   {"ssh", "rsh", "pdsh", "clush", "docker", "podman", "kubectl", "qsub", "bsub"});
}

bool is_launcher(const std::vector<std::string>& command) {
  return static_cast<bool>(launcher_in(command));
}

void hand_over(std::vector<std::string>& command, bool is_quiet) {
  if (command.empty())
    return;
  const Launcher launcher = launcher_in(command);
  if ((launcher.variables & rank_of_slurm) != 0)
    extend_srun(command, is_quiet);
  else if ((launcher.variables & rank_of_open_mpi) != 0)
    extend_open_mpi(command);
  else if (!launcher && leaves_environment(command[0]) && !is_quiet)
    spdlog::warn(
        "{} starts its program elsewhere, in another environment: that is not under detshim; put "
        "`detshim run` there, in front of the program (docs/LAUNCHERS.md)",
        printable(base_name(command[0])));
}

void hand_over_environment(const Environment& start) {
  if (is_handed_over(environment_descriptor))
    ::close(environment_descriptor); // of a run around this one, which it is not
  else if (::fcntl(environment_descriptor, F_GETFD) != -1)
    return; // somebody else has something there
  std::string text = environment_json(start);
  text = text.substr(text.find(environment_beginning)); // without the brace before it
  if (text.size() > static_cast<std::size_t>(largest_environment_handed_over))
    return;
  const int file = ::memfd_create("detshim-environment", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0)
    return;
  if (::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fcntl(file, F_ADD_SEALS, environment_seals) == 0)
    ::dup2(file, environment_descriptor);
  ::close(file);
}

} // namespace detshim
