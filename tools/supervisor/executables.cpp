#include "supervisor/executables.h"

#include "supervisor/descriptor.h"

#include <cstring>
#include <vector>

#include <elf.h>
#include <fcntl.h>

namespace detshim {
namespace {

template <typename Type>
bool read_at(int fd, Elf64_Off offset, Type& value) {
  return ::pread(fd, &value, sizeof value, static_cast<off_t>(offset)) == sizeof value;
}

/// True if one of the notes is Go's (ELF note name "Go", written by its linker).
bool has_go_note(int fd, const Elf64_Phdr& segment) {
  struct {
    Elf64_Nhdr header;
    char name[4];
  } note;
  const Elf64_Xword alignment = segment.p_align == 8 ? 8 : 4;
  const auto aligned = [=](Elf64_Xword size) { return (size + alignment - 1) / alignment * alignment; };
  for (Elf64_Xword at = 0; at + sizeof note <= segment.p_filesz && at < 65536;
       at += aligned(aligned(sizeof note.header + note.header.n_namesz) + note.header.n_descsz)) {
    if (!read_at(fd, segment.p_offset + at, note)) return false;
    if (note.header.n_namesz == 4 && std::memcmp(note.name, "Go", 3) == 0) return true;
  }
  return false;
}

/// True if the file has a library's name: the dynamic loader, started as a program, which does preload.
bool is_library(int fd, const Elf64_Phdr& segment) {
  Elf64_Dyn entry;
  for (Elf64_Off at = 0; at + sizeof entry <= segment.p_filesz && at < 65536; at += sizeof entry) {
    if (!read_at(fd, segment.p_offset + at, entry) || entry.d_tag == DT_NULL) return false;
    if (entry.d_tag == DT_SONAME) return true;
  }
  return false;
}

Executable read_executable(int fd) {
  Elf64_Ehdr header;
  if (!read_at(fd, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  bool has_loader = false, is_go = false, is_loader = false;
  for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
    Elf64_Phdr segment;
    if (!read_at(fd, header.e_phoff + i * sizeof segment, segment)) return {};
    has_loader |= segment.p_type == PT_INTERP;
    is_go |= segment.p_type == PT_NOTE && has_go_note(fd, segment);
    is_loader |= segment.p_type == PT_DYNAMIC && is_library(fd, segment);
  }
  const Answered answered = has_loader  ? (is_go ? Answered::own_code : Answered::none)
                            : is_loader ? Answered::none
                                        : Answered::all;
  return {answered, header.e_type == ET_EXEC};
}

} // namespace

FileIdentity identity_of(const struct stat& state) {
  return {state.st_dev, state.st_ino, state.st_mtim.tv_sec, state.st_mtim.tv_nsec, state.st_size};
}

Executable Executables::look_up(const std::string& path, const struct stat& state) {
  const FileIdentity identity = identity_of(state);
  {
    const std::lock_guard guard(lock_);
    if (const auto found = known_.find(identity); found != known_.end()) return found->second;
  }
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat opened;
  if (!file || ::fstat(file.number(), &opened) != 0 || identity_of(opened) != identity) return {};
  const Executable executable = read_executable(file.number());
  const std::lock_guard guard(lock_);
  return known_[identity] = executable;
}

} // namespace detshim
