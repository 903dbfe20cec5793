#include "supervisor/executables.h"

#include "scanner/elf_file.h"

namespace detshim {
namespace {

/// Its kind is told by how it is loaded: the dynamic loader itself, started as a program, does preload.
Executable executable_of(const ElfFile& file) {
  const Answered answered = file.is_static_program() ? Answered::all
                            : file.is_go()           ? Answered::own_code
                                                     : Answered::none;
  return {answered, file.has_fixed_address()};
}

} // namespace

FileIdentity identity_of(const struct stat& state) {
  return {state.st_dev, state.st_ino, state.st_mtim.tv_sec, state.st_mtim.tv_nsec, state.st_size};
}

Executable Executables::look_up(const std::string& path, const struct stat& state) {
  const FileIdentity identity = identity_of(state);
  if (const auto found = known_.find(identity); found != known_.end()) return found->second;
  Executable executable;
  try {
    const ElfFile file(path);
    struct stat opened;
    if (::fstat(file.descriptor(), &opened) != 0 || identity_of(opened) != identity) return {};
    executable = executable_of(file);
  } catch (const ElfError&) { // another machine's, say
  }
  return known_[identity] = executable;
}

} // namespace detshim
