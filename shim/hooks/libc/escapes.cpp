#include "hooks/libc/escapes.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/lock.h"
#include "core/base/modules.h"
#include "core/identity/process.h"
#include "core/log/log_file.h"
#include "core/log/records.h"
#include "core/policy/options.h"

#include <cerrno>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace detshim {
namespace {

constexpr const char* static_program = "statically linked: nothing in it can be pinned; link it dynamically";
constexpr const char* go_program = "a Go program: it makes system calls without libc; seed it in the program";
constexpr const char* other_user =
    "runs with another user's rights, which drops LD_PRELOAD; run it as that user";
constexpr const char* no_preload = "started without libdetshim.so in LD_PRELOAD: hand on the environment";
constexpr const char* library_missing = "libdetshim.so is not where LD_PRELOAD says: in another file system, "
                                        "as a container's, bind it to that path";
constexpr const char* harmless = "it looks for libraries: no result depends on what it draws";
constexpr const char* answered = "the library is not in it: the supervisor (--trap-syscalls) answers its "
                                 "getrandom and its opens of random "
                                 "devices, and records them; what it takes without a system call is not seen";

/// False where the library is in each program by other means (/etc/ld.so.preload).
constinit bool comes_by_environment = false;

/// True if one of the notes is Go's (ELF note name "Go", written by its linker).
bool has_go_note(int fd, const ElfW(Phdr) & header) {
  struct Note {
    ElfW(Nhdr) header;
    char name[4];
  } note;
  const uint64_t alignment = header.p_align == 8 ? 8 : 4;
  const auto aligned = [=](uint64_t size) { return (size + alignment - 1) / alignment * alignment; };
  for (uint64_t at = 0; at + sizeof note <= header.p_filesz && at < 65536;
       at += aligned(aligned(sizeof note.header + note.header.n_namesz) + note.header.n_descsz)) {
    if (sys::pread(fd, &note, sizeof note, static_cast<long>(header.p_offset + at)) != sizeof note)
      return false;
    if (note.header.n_namesz == 4 && same_text(note.name, "Go")) return true;
  }
  return false;
}

/// The name of the library's file.
const char* own_file_name() {
  static constinit char own_name[128] = {};
  Module own;
  if (own_name[0] == 0 && find_module(&own_name, own)) {
    const char* name = file_name(own.path);
    for (size_t i = 0; name[i] != 0 && i + 1 < sizeof own_name; ++i) own_name[i] = name[i];
  }
  return own_name;
}

/// What LD_PRELOAD says in that environment if the library is in it; nullptr if not.
const char* own_preload_list(char* const* environment) {
  constexpr const char* start = "LD_PRELOAD=";
  const char* const own_name = own_file_name();
  for (char* const* entry = environment; *own_name != 0 && entry != nullptr && *entry != nullptr; ++entry)
    if (starts_with(*entry, start) && contains(*entry, own_name)) return *entry + __builtin_strlen(start);
  return nullptr;
}

/// Why the loader that the program is started with does not find the library; nullptr if it does.
const char* why_not_preloaded(char* const* environment) {
  if (!comes_by_environment) return nullptr;
  const char* list = own_preload_list(environment);
  if (list == nullptr) return no_preload;
  while (*list != 0) {
    Text<600> path;
    for (; *list != 0 && *list != ':' && *list != ' '; ++list) path.add(*list);
    if (*list != 0) ++list;
    // Without a slash it is looked up in folders that only the loader knows; `$` stands for one of them.
    if (!contains(path.c_str(), own_file_name()) || path.cut() || path.c_str()[0] != '/' ||
        contains(path.c_str(), "$"))
      continue;
    return sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), R_OK) == -ENOENT ? library_missing
                                                                                           : nullptr;
  }
  return nullptr;
}

/// Why the program cannot be covered; nullptr if it can. Of what is no ELF file, a script, only the
/// environment is looked at: its interpreter is when it executes something.
const char* why_uncovered(int fd, char* const* environment) {
  struct stat state;
  if (sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode)) return nullptr;
  const auto user = static_cast<unsigned>(sys::call(SYS_geteuid));
  // Without new privileges it gets no other user's rights, and is covered.
  const bool may_change_user = sys::call(SYS_prctl, PR_GET_NO_NEW_PRIVS) != 1;
  if ((state.st_mode & S_ISUID) != 0 && state.st_uid != user && may_change_user) return other_user;

  ElfW(Ehdr) header;
  if (sys::pread(fd, &header, sizeof header, 0) != sizeof header ||
      __builtin_memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
    return why_not_preloaded(environment);
  bool is_dynamic = false;
  bool is_go = false;
  for (unsigned i = 0; i < header.e_phnum && i < 64; ++i) {
    ElfW(Phdr) segment;
    const auto at = static_cast<long>(header.e_phoff + i * sizeof segment);
    if (sys::pread(fd, &segment, sizeof segment, at) != sizeof segment) return nullptr;
    is_dynamic |= segment.p_type == PT_INTERP;
    is_go |= segment.p_type == PT_NOTE && has_go_note(fd, segment);
  }
  if (is_go) return go_program;
  if (!is_dynamic) return static_program;
  return why_not_preloaded(environment);
}

constexpr int open_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

/// Opens the program as exec would find it; -1 if it does not.
int open_program(const char* program, bool searches) {
  bool has_slash = false;
  for (const char* c = program; *c != 0; ++c) has_slash |= *c == '/';
  if (has_slash || !searches) return sys::openat(AT_FDCWD, program, open_flags);
  const char* path = environment_value("PATH");
  while (path != nullptr && *path != 0) {
    Text<600> candidate;
    for (; *path != 0 && *path != ':'; ++path) candidate.add(*path);
    if (*path == ':') ++path;
    candidate.add('/').add(program);
    if (candidate.cut() ||
        sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(candidate.c_str()), X_OK)))
      continue;
    return sys::openat(AT_FDCWD, candidate.c_str(), open_flags);
  }
  return -1;
}

/// Once for each program in the whole run.
void say_once(const char* program, const char* why) {
  if (options().quiet) return;
  Text<32> mark;
  mark.add("said-").add_hex(fnv1a_text(program), 16);
  Lock guard(log_file::lock);
  if (!guard.held() || !log_file::is_first_in_run(mark.c_str())) return;
  TextWriter line(log_file::text_room, sizeof log_file::text_room);
  line.add("detshim: ").add(program).add(" is not covered: ").add(why).add('\n');
  log_file::say(line);
}

/// ldconfig, which Python executes to find libraries: it is static, and draws names of temporary files and a
/// check value of malloc's.
bool is_harmless(const char* program) {
  for (const char* name : {"/sbin/ldconfig", "/usr/sbin/ldconfig", "/sbin/ldconfig.real"})
    if (same_text(program, name)) return true;
  return false;
}

Reach record_uncovered(const Hook& hook, const char* program, const char* why, char* const* environment,
                       const void* caller) {
  const Subject subject = {hook.info->library, hook.info->name, hook.info->fields};
  if (why == static_program && is_harmless(program)) {
    record(subject, Action::observe, caller, harmless, {program});
    return process().is_trapped ? Reach::supervised : Reach::uncovered;
  }
  if (process().is_trapped && why != other_user) { // the program itself is in the log if it draws
    record(subject, Action::observe, caller, answered, {program});
    return Reach::supervised;
  }
  uint64_t rank = 0;
  if (has_other_rank(environment, rank))
    record(subject, Action::uncovered, caller, why, {program, rank});
  else
    record(subject, Action::uncovered, caller, why, {program});
  say_once(program, why);
  return Reach::uncovered;
}

} // namespace

bool preloads_us(char* const* environment) { return own_preload_list(environment) != nullptr; }

void note_own_preload() { comes_by_environment = preloads_us(environ); }

Reach record_escape(const Hook& hook, const char* program, bool searches, char* const* environment,
                    const void* caller) {
  if (program == nullptr || !options().pins() || hook.disabled) return Reach::covered;
  if (contains(program, "/valgrind/"))
    return Reach::covered; // its tools are static, and run the program with its preloads inside
  const int fd = open_program(program, searches);
  if (fd < 0) return Reach::covered;
  const char* why = why_uncovered(fd, environment);
  sys::close(fd);
  return why == nullptr ? Reach::covered : record_uncovered(hook, program, why, environment, caller);
}

Reach record_escape(const Hook& hook, int fd, char* const* environment, const void* caller) {
  if (!options().pins() || hook.disabled) return Reach::covered;
  const char* why = why_uncovered(fd, environment);
  return why == nullptr ? Reach::covered : record_uncovered(hook, "(an open file)", why, environment, caller);
}

Reach record_escape(const Hook& hook, int folder, const char* path, char* const* environment, int flags,
                    const void* caller) {
  if (path == nullptr || !options().pins() || hook.disabled) return Reach::covered;
  if (*path == 0 && (flags & AT_EMPTY_PATH) != 0) return record_escape(hook, folder, environment, caller);
  const int fd = sys::openat(folder, path, open_flags);
  if (fd < 0) return Reach::covered;
  const char* why = why_uncovered(fd, environment);
  sys::close(fd);
  return why == nullptr ? Reach::covered : record_uncovered(hook, path, why, environment, caller);
}

} // namespace detshim
