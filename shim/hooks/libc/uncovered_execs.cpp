#include "hooks/libc/uncovered_execs.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/placement.h"
#include "core/base/signal_safe_lock.h"
#include "core/identity/process.h"
#include "core/log/file_uses.h"
#include "core/log/log_file.h"
#include "core/log/records.h"
#include "core/policy/options.h"

#include <cerrno>
#include <elf.h>
#include <link.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace detshim {
namespace {

#if defined(__x86_64__)
constexpr unsigned own_machine = EM_X86_64;
#else
constexpr unsigned own_machine = EM_AARCH64;
#endif

/// How the library came into this process.
struct OwnPreload {
  bool comes_by_environment; ///< false where it is in each program (/etc/ld.so.preload)
  bool came_by_bare_name;    ///< the loader found it by its name alone (LD_LIBRARY_PATH)
};
DETSHIM_STARTUP_DATA constinit OwnPreload own_preload = {};

/// True if one of the notes is Go's (ELF note name "Go", written by its linker).
bool has_go_note(int fd, const ElfW(Phdr) & header) {
  struct Note {
    ElfW(Nhdr) header;
    char name[4];
  } note;
  const uint64_t alignment = header.p_align == 8 ? 8 : 4;
  const auto aligned = [=](uint64_t size) {
    return (size + alignment - 1) / alignment * alignment;
  };
  for (uint64_t at = 0; at + sizeof note <= header.p_filesz && at < 65536;
       at += aligned(aligned(sizeof note.header + note.header.n_namesz) + note.header.n_descsz)) {
    if (sys::pread(fd, &note, sizeof note, static_cast<long>(header.p_offset + at)) != sizeof note)
      return false;
    if (note.header.n_namesz == 4 && same_text(note.name, "Go"))
      return true;
  }
  return false;
}

/// True if the file has a library's name: the dynamic loader, started as a program, which does
/// preload.
bool is_loader(int fd, const ElfW(Phdr) & dynamic) {
  constexpr uint64_t most = 64;
  ElfW(Dyn) entry;
  for (uint64_t i = 0; i < most && (i + 1) * sizeof entry <= dynamic.p_filesz; ++i) {
    const auto at = static_cast<long>(dynamic.p_offset + i * sizeof entry);
    if (sys::pread(fd, &entry, sizeof entry, at) != sizeof entry || entry.d_tag == DT_NULL)
      return false;
    if (entry.d_tag == DT_SONAME)
      return true;
  }
  return false;
}

/// The name of the library's file.
const char* own_file_name() {
  DETSHIM_STARTUP_DATA static constinit char own_name[128] = {};
  Module own;
  if (own_name[0] == 0 && find_module(&own_name, own)) {
    const char* name = file_name(own.path);
    for (size_t i = 0; name[i] != 0 && i + 1 < sizeof own_name; ++i)
      own_name[i] = name[i];
  }
  return own_name;
}

/// What LD_PRELOAD says in that environment if the library is in it; nullptr if not.
const char* own_preload_list(char* const* environment) {
  constexpr const char* start = "LD_PRELOAD=";
  const char* const own_name = own_file_name();
  for (char* const* entry = environment; *own_name != 0 && entry != nullptr && *entry != nullptr;
       ++entry)
    if (starts_with(*entry, start) && contains(*entry, own_name))
      return *entry + __builtin_strlen(start);
  return nullptr;
}

/// True if one entry of that list is the library's name without a folder.
bool has_bare_name(const char* list) {
  const auto is_end = [](char c) {
    return c == 0 || c == ':' || c == ' ';
  };
  const char* const own_name = own_file_name();
  const size_t length = text_length(own_name);
  for (const char* at = list; *at != 0;) {
    if (starts_with(at, own_name) && is_end(at[length]))
      return true;
    while (!is_end(*at))
      ++at;
    while (*at == ':' || *at == ' ')
      ++at;
  }
  return false;
}

/// What that environment sets the variable to; nullptr if nothing. `start`: its name with the sign
/// behind it.
const char* value_in(char* const* environment, const char* start) {
  for (char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry)
    if (starts_with(*entry, start))
      return *entry + text_length(start);
  return nullptr;
}

/// Why less is pinned in a program with that environment than here; none if it is not. What the
/// environment does not say, the program has from this process.
Reason why_less(char* const* environment) {
  const char* const mode = value_in(environment, "DETSHIM_MODE=");
  // `off` leaves a program alone by the user's will, as detshim does with what it starts aside.
  if (mode != nullptr && same_text(mode, "off"))
    return Reason::none;
  if (mode != nullptr && same_text(mode, "observe"))
    return Reason::mode_differs;
  const char* const disable = value_in(environment, "DETSHIM_DISABLE=");
  if (disable != nullptr && *disable != 0 && !same_text(disable, options().disable))
    return Reason::disable_differs;
  const char* const keeps = value_in(environment, "DETSHIM_KEEP_ENTROPY=");
  if (keeps != nullptr && *keeps != 0 && !same_text(keeps, options().keep_entropy))
    return Reason::keep_entropy_differs;
  return Reason::none;
}

/// Why the loader that the program is started with does not find the library; nullptr if it does.
Reason why_not_preloaded(char* const* environment) {
  if (!own_preload.comes_by_environment)
    return why_less(environment);
  const char* list = own_preload_list(environment);
  if (list == nullptr)
    return Reason::not_preloaded;
  Reason why = why_less(environment);
  while (*list != 0) {
    Text<600> path;
    for (; *list != 0 && *list != ':' && *list != ' '; ++list)
      path.add(*list);
    if (*list != 0)
      ++list;
    if (same_text(path.c_str(), own_file_name()) && !own_preload.came_by_bare_name) {
      why = Reason::bare_name;
      continue;
    }
    // Without a slash it is looked up in folders that only the loader knows; `$` represents one of
    // them.
    if (!contains(path.c_str(), own_file_name()) || path.cut() || path.c_str()[0] != '/' ||
        contains(path.c_str(), "$"))
      continue;
    return sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), R_OK) == -ENOENT
               ? Reason::library_missing
               : why_less(environment);
  }
  return why;
}

/// True if the program gets rights that this process has not, where the loader drops LD_PRELOAD
/// (ld.so(8)). Without new privileges it gets none, and has the library.
bool gains_rights(const struct stat& state, const char* path) {
  if (sys::call(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 1)
    return false;
  const auto user = static_cast<unsigned>(sys::call(SYS_geteuid));
  const auto group = static_cast<unsigned>(sys::call(SYS_getegid));
  if ((state.st_mode & S_ISUID) != 0 && state.st_uid != user)
    return true;
  if ((state.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && state.st_gid != group)
    return true;
  return user != 0 && path != nullptr &&
         sys::call(SYS_getxattr, sys::address(path), sys::address("security.capability"), 0, 0) > 0;
}

constexpr int open_flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

bool read_elf_header(int fd, ElfW(Ehdr) & header) {
  return sys::pread(fd, &header, sizeof header, 0) == sizeof header &&
         __builtin_memcmp(header.e_ident, ELFMAG, SELFMAG) == 0;
}

/// What decides by which loader a program is started.
class ElfProgram {
public:
  /// False where a segment's header cannot be read.
  bool read(int fd, const ElfW(Ehdr) & header) {
    constexpr unsigned most_segments = 64;
    for (unsigned i = 0; i < header.e_phnum && i < most_segments && !is_of_musl; ++i) {
      ElfW(Phdr) segment;
      const auto at = static_cast<long>(header.e_phoff + i * sizeof segment);
      if (sys::pread(fd, &segment, sizeof segment, at) != sizeof segment)
        return false;
      look_at(fd, segment);
    }
    return true;
  }

  bool is_dynamic = false;
  bool is_go = false;
  bool is_of_musl = false; ///< its loader takes none of glibc's libraries

private:
  void look_at(int fd, const ElfW(Phdr) & segment) {
    switch (segment.p_type) {
    case PT_INTERP:
      is_dynamic = true;
      is_of_musl = names_loader_of_musl(fd, segment);
      break;
    case PT_DYNAMIC:
      is_dynamic |= is_loader(fd, segment);
      break;
    case PT_NOTE:
      is_go |= has_go_note(fd, segment);
      break;
    default:
      break;
    }
  }

  static bool names_loader_of_musl(int fd, const ElfW(Phdr) & segment) {
    char loader[128] = {};
    sys::pread(fd, loader, sizeof loader - 1, static_cast<long>(segment.p_offset));
    return starts_with(file_name(loader), "ld-musl");
  }
};

Reason why_elf_uncovered(int fd, const ElfW(Ehdr) & header, char* const* environment) {
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != own_machine)
    return Reason::other_processor;
  ElfProgram program;
  if (header.e_phentsize != sizeof(ElfW(Phdr)) || !program.read(fd, header))
    return Reason::none; // the kernel refuses it
  const struct {
    bool holds;
    Reason why;
  } rows[] = {
      {program.is_of_musl, Reason::musl_program},
      {program.is_go, Reason::go_program},
      {!program.is_dynamic, Reason::static_program},
  };
  for (const auto& row : rows)
    if (row.holds)
      return row.why;
  return why_not_preloaded(environment);
}

/// The program that a script's first line names.
class ScriptInterpreter {
public:
  /// False where the file is no script, or its interpreter cannot be opened.
  bool open(int script) {
    const long size = sys::pread(script, line_, sizeof line_ - 1, 0);
    if (size <= 2 || line_[0] != '#' || line_[1] != '!')
      return false;
    line_[size] = 0;
    const auto is_blank = [](char c) {
      return c == ' ' || c == '\t';
    };
    path_ = line_ + 2;
    while (is_blank(*path_))
      ++path_;
    char* end = path_;
    while (*end != 0 && !is_blank(*end) && *end != '\n')
      ++end;
    *end = 0;
    fd_ = sys::openat(AT_FDCWD, path_, open_flags);
    return fd_ >= 0;
  }
  ScriptInterpreter() = default;
  ~ScriptInterpreter() {
    if (fd_ >= 0)
      sys::close(fd_);
  }
  ScriptInterpreter& operator=(ScriptInterpreter&&) = delete; // neither copied nor moved

  int fd() const { return fd_; }
  const char* path() const { return path_; }

private:
  char line_[256]; // BINPRM_BUF_SIZE, linux/binfmts.h
  char* path_ = nullptr;
  int fd_ = -1;
};

/// Why the program will not have the library; none if it will. Of a script, its interpreter counts.
/// `path`: nullptr where the program is known by its descriptor alone.
Reason why_uncovered(int fd, const char* path, char* const* environment, int scripts = 4) {
  struct stat state;
  if (sys::fstat(fd, state) != 0 || !S_ISREG(state.st_mode))
    return Reason::none;
  if (gains_rights(state, path))
    return Reason::other_user;
  ElfW(Ehdr) header;
  if (read_elf_header(fd, header))
    return why_elf_uncovered(fd, header, environment);
  ScriptInterpreter interpreter;
  if (scripts > 0 && interpreter.open(fd))
    return why_uncovered(interpreter.fd(), interpreter.path(), environment, scripts - 1);
  return why_not_preloaded(environment);
}

/// The same by its path, also of one that may be executed and not read.
Reason why_uncovered(const char* path, char* const* environment) {
  const int fd = sys::openat(AT_FDCWD, path, open_flags);
  if (fd >= 0) {
    const Reason why = why_uncovered(fd, path, environment);
    sys::close(fd);
    return why;
  }
  struct stat state;
  if (fd != -EACCES || sys::stat(path, state) != 0 || !S_ISREG(state.st_mode) ||
      sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path), X_OK)))
    return Reason::none;
  return gains_rights(state, path) ? Reason::other_user : Reason::unreadable_program;
}

/// The program as exec would find it; false if it does not.
template <typename Path>
bool find_program(const char* program, bool searches, Path& path) {
  if (!searches || contains(program, "/"))
    return path.add(program), !path.cut();
  const char* rest = environment_value("PATH");
  if (rest == nullptr)
    rest = "/bin:/usr/bin"; // execvp(3)
  for (;; ++rest) {
    path.shorten(0);
    const char* const begin = rest;
    for (; *rest != 0 && *rest != ':'; ++rest)
      path.add(*rest);
    if (rest != begin)
      path.add('/'); // an empty one is where the process stands
    path.add(program);
    struct stat state;
    if (!path.cut() && sys::stat(path.c_str(), state) == 0 && S_ISREG(state.st_mode) &&
        !sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(path.c_str()), X_OK)))
      return true;
    if (*rest == 0)
      return false;
  }
}

/// Once for each program in the whole run.
void say_once(const char* program, Reason why) {
  if (options().quiet)
    return;
  Text<32> mark;
  mark.add("said-").add_hex(fnv1a_text(program), 16);
  SignalSafeLock guard(log_file::lock);
  if (!guard.held() || !log_file::is_first_in_run(mark.c_str()))
    return;
  TextWriter line(log_file::text_room, sizeof log_file::text_room);
  line.add("detshim: ").add(program).add(" is not reached: ");
  for (const char* code = reason_code(why); *code != 0; ++code)
    line.add(*code == '_' ? ' ' : *code);
  line.add("; see: detshim log\n");
  log_file::say(line);
}

/// ldconfig, which Python executes to find libraries, without our environment: static, or a script
/// that executes what is. It draws names of temporary files and a check value of malloc's.
bool is_harmless(const char* program) {
  return same_text(program, "/sbin/ldconfig") || same_text(program, "/sbin/ldconfig.real");
}

/// True for a tool of valgrind's as its launcher starts it, with the preloads for the program that
/// runs in it. The tools are static, and valgrind's own loader takes LD_PRELOAD to that program.
bool is_valgrind_tool(const char* path, char* const* environment) {
  return contains(path, "/valgrind/") && preloads_us(environment) &&
         value_in(environment, "VALGRIND_LAUNCHER=") != nullptr;
}

void record_uncovered(const Hook& hook, const char* program, Reason why, char* const* environment,
                      const void* caller) {
  const Subject subject = {hook.info().library, hook.info().name, hook.info().fields};
  if (is_harmless(program)) {
    record(subject, Action::observe, caller, Reason::no_result_depends, {program});
    return;
  }
  uint64_t rank = 0;
  if (has_other_rank(environment, rank))
    record(subject, Action::uncovered, caller, why, {program, rank});
  else
    record(subject, Action::uncovered, caller, why, {program});
  say_once(program, why);
}

} // namespace

bool is_of_go() { return why_uncovered("/proc/self/exe", __environ) == Reason::go_program; }

bool preloads_us(char* const* environment) { return own_preload_list(environment) != nullptr; }

bool shares_log(char* const* environment) {
  const char* const mode = value_in(environment, "DETSHIM_MODE=");
  const char* const log = value_in(environment, "DETSHIM_LOG=");
  return preloads_us(environment) && (mode == nullptr || !same_text(mode, "off")) &&
         (log == nullptr || *log != '/' || same_text(log, options().log));
}

void note_own_preload() {
  const char* const list = own_preload_list(__environ);
  own_preload.comes_by_environment = list != nullptr;
  own_preload.came_by_bare_name = list != nullptr && has_bare_name(list);
}

bool reaches(const Hook& hook, const Program& program, char* const* environment,
             const void* caller) {
  if (program.path == nullptr || !options().pins() || hook.disabled)
    return true;
  Reason why = Reason::none;
  if (program.is_open()) {
    why = why_uncovered(program.folder, nullptr, environment);
  } else if (program.folder == AT_FDCWD || *program.path == '/') {
    Text<600> path;
    if (!find_program(program.path, program.searches, path))
      return true;
    why = why_uncovered(path.c_str(), environment);
    if (why != Reason::none)
      note_file_use(FileUse::read, path.c_str()); // others say it themselves
    if (why == Reason::static_program && is_valgrind_tool(path.c_str(), environment))
      why = Reason::none;
  } else {
    const int fd = sys::openat(program.folder, program.path, open_flags);
    if (fd < 0)
      return true;
    why = why_uncovered(fd, nullptr, environment);
    sys::close(fd);
  }
  if (why == Reason::none)
    return true;
  record_uncovered(hook, program.is_open() ? "(an open file)" : program.path, why, environment,
                   caller);
  return false;
}

} // namespace detshim
