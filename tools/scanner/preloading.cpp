#include "scanner/preloading.h"

#include "scanner/elf_file.h"
#include "support/files.h"
#include "support/wording.h"

#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace detshim {
namespace {

bool can_be_executed(const std::string& path) {
  struct stat state;
  return ::stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

/// True if it gets rights that the user has not, where the loader drops LD_PRELOAD (ld.so(8),
/// secure-execution mode).
bool gains_rights(const std::string& executable) {
  struct stat state;
  struct statvfs mounted;
  if (::stat(executable.c_str(), &state) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
    return false;
  if (::statvfs(executable.c_str(), &mounted) == 0 && (mounted.f_flag & ST_NOSUID) != 0)
    return false;
  const bool is_other_user = (state.st_mode & S_ISUID) != 0 && state.st_uid != ::geteuid();
  const bool is_other_group =
      (state.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && state.st_gid != ::getegid();
  const bool has_capabilities =
      ::geteuid() != 0 && ::getxattr(executable.c_str(), "security.capability", nullptr, 0) > 0;
  return is_other_user || is_other_group || has_capabilities;
}

/// The user's variables, but for what makes the loader talk or load more than it lists.
std::vector<std::string> environment_for_listing(const std::string& library) {
  std::vector<std::string> words;
  if (!library.empty())
    words.push_back("LD_PRELOAD=" + library);
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!starts_with_any_of(*entry, {"LD_PRELOAD=", "LD_DEBUG", "LD_AUDIT=", "LD_VERBOSE=",
                                     "LD_TRACE_", "LD_SHOW_AUXV=", "LD_WARN=", "LD_PROFILE"}))
      words.emplace_back(*entry);
  return words;
}

PreloadingAnswer answer_of(const Reply& listing, const std::string& library) {
  if (!listing.text)
    return {Preloading::not_told, "its loader did not answer"};
  const std::string name = fs::path(library).filename();
  bool is_listed = false;
  std::string lacks;
  for (const std::string& line : split(*listing.text, '\n')) {
    const auto says = [&line](const char* text) {
      return line.find(text) != std::string::npos;
    };
    const bool is_of_library = line.find(name) != std::string::npos;
    // It lists a library too of which it then says that it needs a newer libc.
    if (is_of_library && (says("cannot be preloaded") || says("not found (required by")))
      return {Preloading::fails, "its loader says: " + printable(line)};
    if (is_of_library && line.starts_with('\t'))
      is_listed = true;
    if (says("=> not found") || says("cannot open shared object file"))
      lacks = line;
  }
  if (is_listed && lacks.empty())
    return {Preloading::comes_up, ""};
  if (!lacks.empty())
    return {Preloading::not_told, "it does not start: " + printable(lacks)};
  return listing.status == 0
             ? PreloadingAnswer{Preloading::fails, "its loader takes no library by LD_PRELOAD"}
             : PreloadingAnswer{Preloading::not_told, "its loader does not load it"};
}

/// What the kernel loads: behind the interpreters of scripts, of which it follows four (execve(2)).
std::string loaded_for(std::string file) {
  constexpr int most_interpreters = 4;
  constexpr std::size_t longest_line = 256; // BINPRM_BUF_SIZE, linux/binfmts.h
  for (int i = 0; i < most_interpreters; ++i) {
    const std::string line = read_file(file, longest_line);
    if (!line.starts_with("#!"))
      break;
    const std::size_t begin = line.find_first_not_of(" \t", 2);
    if (begin == std::string::npos)
      return {};
    file = line.substr(begin, line.find_first_of(" \t\n", begin) - begin);
  }
  return file;
}

const char* name_of(Machine machine) { return machine == Machine::aarch64 ? "aarch64" : "x86-64"; }

PreloadingAnswer ask_of_executable(const std::string& executable, const std::string& library) {
  if (!read_file(executable, 4).starts_with("\177ELF"))
    return {Preloading::not_told, "it is no program; a shell may read it"};
  std::optional<ElfFile> program;
  try {
    program.emplace(executable);
    const Machine needed = program->machine(), ours = ElfFile(library).machine();
    if (needed != ours)
      return {Preloading::fails, std::string("it is for another processor (") + name_of(needed) +
                                     ") than " + printable(library) + " (" + name_of(ours) +
                                     "): put detshim's build for " + name_of(needed) +
                                     " in front of it, where that runs"};
  } catch (const ElfError& error) {
    return {Preloading::fails, error.what()};
  }
  if (gains_rights(executable))
    return {Preloading::fails,
            "it runs with rights that you have not, and drops LD_PRELOAD; run it as that user"};
  if (program->is_static_program())
    return {Preloading::reaches_children,
            std::string(program->is_go() ? "a Go program without libc" : "statically linked") +
                ": nothing in it is pinned, only in what it starts; " +
                (program->is_go() ? "seed it in the program"
                                  : "link it dynamically, or set its own seed")};
  const std::string& loader = program->interpreter();
  const std::string loader_name = fs::path(loader).filename();
  if (loader_name.starts_with("ld-musl"))
    return {Preloading::fails,
            "it is linked with musl, and detshim needs glibc; take a build for glibc "
            "(manylinux, not musllinux; Debian, not Alpine)"};
  if (loader.empty())
    return {Preloading::not_told, "a loader, started as a program"};
  if (!can_be_executed(loader))
    return {Preloading::not_told, "its loader " + printable(loader) + " is not there"};
  // Another's may take no --list, and start the program.
  if (!loader_name.starts_with("ld-linux") && !loader_name.starts_with("ld64.so"))
    return {Preloading::not_told, "its loader " + printable(loader) + " is not glibc's"};
  return answer_of(list_loaded(loader, executable, library), library);
}

} // namespace

std::string find_executable(const std::string& program) {
  if (program.find('/') != std::string::npos)
    return can_be_executed(program) ? program : "";
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path; // execvp(3)
  for (;;) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (std::string file = (folder.empty() ? "." : std::string(folder)) + "/" + program;
        can_be_executed(file))
      return file;
    if (folder.size() == rest.size())
      return {};
    rest.remove_prefix(folder.size() +
                       1); // one that is empty, the last too, is where the program stands
  }
}

Reply list_loaded(const std::string& loader, const std::string& file,
                  const std::string& preloaded) {
  std::vector<std::string> environment = environment_for_listing(preloaded);
  environment.emplace_back(
      "LD_TRACE_LOADED_OBJECTS=1"); // as ldd: `--list` ends at the first that is missing
  return ask({loader, file}, {}, &environment, true);
}

PreloadingAnswer ask_preloading(const std::string& name, const std::string& library) {
  const std::string program = find_executable(name);
  if (program.empty())
    return {Preloading::not_told, "it is not there, or cannot be executed"};
  const std::string executable = loaded_for(program);
  if (!can_be_executed(executable))
    return {Preloading::not_told, "its interpreter " + printable(executable) + " is not there"};
  PreloadingAnswer answer = ask_of_executable(executable, library);
  if (executable != program && !answer.why.empty())
    answer.why = "its interpreter " + printable(executable) + ": " + answer.why;
  return answer;
}

} // namespace detshim
