#include "scanner/preloading.h"

#include "log_reader/open_file.h"
#include "log_reader/printable.h"
#include "scanner/elf_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace detshim {
namespace {

namespace fs = std::filesystem;

bool can_be_executed(const std::string& path) {
  struct stat state;
  return ::stat(path.c_str(), &state) == 0 && S_ISREG(state.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// The first `most` bytes.
std::string beginning_of(const std::string& path, std::size_t most) {
  const OpenFile file(path);
  std::string bytes(most, '\0');
  const ssize_t size = file ? ::pread(file.descriptor(), bytes.data(), bytes.size(), 0) : 0;
  bytes.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return bytes;
}

/// True if it gets rights that the user has not, where the loader drops LD_PRELOAD (ld.so(8),
/// secure-execution mode).
bool gains_rights(const std::string& executable) {
  struct stat state;
  if (::stat(executable.c_str(), &state) != 0) return false;
  const bool is_other_user = (state.st_mode & S_ISUID) != 0 && state.st_uid != ::geteuid();
  const bool is_other_group =
      (state.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && state.st_gid != ::getegid();
  const bool has_capabilities =
      ::geteuid() != 0 && ::getxattr(executable.c_str(), "security.capability", nullptr, 0) > 0;
  return is_other_user || is_other_group || has_capabilities;
}

struct Listing {
  int status = -1; ///< of the loader; -1: it could not be run
  std::string text;
};

/// What the loader says that it would load.
Listing list_loaded(const std::string& loader, const std::string& executable, const std::string& library) {
  Listing listing;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return listing;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> words = {"LD_PRELOAD=" + library};
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!std::string_view(*entry).starts_with("LD_PRELOAD=")) words.emplace_back(*entry);
  std::vector<char*> environment;
  for (std::string& word : words) environment.push_back(word.data());
  environment.push_back(nullptr);
  std::array<char*, 4> arguments = {const_cast<char*>(loader.c_str()), const_cast<char*>("--list"),
                                    const_cast<char*>(executable.c_str()), nullptr};
  pid_t child = 0;
  const int error =
      ::posix_spawn(&child, loader.c_str(), &actions, nullptr, arguments.data(), environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error == 0) {
    char block[4096];
    for (ssize_t size; (size = ::read(ends[0], block, sizeof block)) > 0 || (size < 0 && errno == EINTR);)
      if (size > 0) listing.text.append(block, static_cast<std::size_t>(size));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    listing.status = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
  }
  ::close(ends[0]);
  return listing;
}

std::string why_loader_does_not(const Listing& listing, const std::string& library) {
  std::istringstream lines(listing.text);
  const std::string name = fs::path(library).filename();
  bool is_listed = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(name) == std::string::npos) continue;
    // It lists a library too of which it then says that it needs a newer libc.
    if (line.starts_with('\t'))
      is_listed = true;
    else if (line.find("no version information available") == std::string::npos) // a warning
      return "its loader says: " + printable(line);
  }
  // What else a program lacks is the loader's to say, when it is started.
  return is_listed || listing.status != 0 ? "" : "its loader takes no library by LD_PRELOAD";
}

/// What the kernel loads: behind the interpreters of scripts, of which it follows four (execve(2)).
std::string loaded_for(std::string file) {
  constexpr int most_interpreters = 4;
  constexpr std::size_t longest_line = 256; // BINPRM_BUF_SIZE, linux/binfmts.h
  for (int i = 0; i < most_interpreters; ++i) {
    const std::string line = beginning_of(file, longest_line);
    if (!line.starts_with("#!")) break;
    const std::size_t begin = line.find_first_not_of(" \t", 2);
    if (begin == std::string::npos) return {};
    file = line.substr(begin, line.find_first_of(" \t\n", begin) - begin);
  }
  return file;
}

} // namespace

std::string find_executable(const std::string& program) {
  if (program.find('/') != std::string::npos) return can_be_executed(program) ? program : "";
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "/bin:/usr/bin" : path); // execvp(3)
  for (std::string folder; std::getline(folders, folder, ':');)
    if (std::string file = (folder.empty() ? "." : folder) + "/" + program; can_be_executed(file))
      return file;
  return {};
}

std::string why_not_preloaded(const std::string& name, const std::string& library) {
  const std::string executable = loaded_for(find_executable(name));
  if (!beginning_of(executable, 4).starts_with("\177ELF")) return ""; // a shell reads it, or nobody
  std::optional<ElfFile> program;
  try {
    program.emplace(executable);
    if (program->machine() != ElfFile(library).machine())
      return "it is for another processor than " + printable(library);
  } catch (const ElfError& error) {
    return error.what();
  }
  if (program->is_static_program())
    return std::string(program->is_go() ? "a Go program without libc" : "statically linked") +
           ": no LD_PRELOAD reaches it; --trap-syscalls does";
  if (gains_rights(executable))
    return "it runs with rights that you have not, and drops LD_PRELOAD; run it as that user";
  const std::string& loader = program->interpreter();
  if (fs::path(loader).filename().string().starts_with("ld-musl"))
    return "it is linked with musl, and detshim needs glibc; take a build for glibc (manylinux, not "
           "musllinux; Debian, not Alpine)";
  if (loader.empty()) return ""; // a loader, started as a program
  const Listing listing = list_loaded(loader, executable, library);
  return listing.status < 0 ? "" : why_loader_does_not(listing, library);
}

} // namespace detshim
