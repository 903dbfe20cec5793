// The first process of a run executes itself once more, with addresses that are the same in every
// run.
//
// What is ordered by addresses (a set of objects, a map of pointers, `id(x) % n`) differs from run
// to run as long as the kernel lays out memory at random, and no hook can reach it. `detshim run`
// turns that off before it executes the program; children inherit it. Under a bare preload the
// program has already been laid out. So it is executed again, as the runtimes of the sanitizers do:
// the same file with the same arguments, in the same process.
//
// That has to come before anything of the program's has run, or it would run twice: a constructor
// of another library may print, or take a lock. `-z initfirst` comes before them, but before libc's
// own initialiser too, which then takes back what our constructor sets. So this is an indirect
// function (STT_GNU_IFUNC): the loader calls it while it relocates this library, when nobody's
// constructor has run. There it may use nothing but system calls and what this library holds.
//
// What survives an execve is what the program natively has, since it has just come from one:
// descriptors, working directory, limits, masks and dispositions of signals, timers, the signal at
// its parent's death. What would not be the same is left out: see may_execute_again().
#include "common/modes.h"
#include "common/packed_options.h"
#include "common/run_agreements.h"
#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "common/valgrind.h"
#include "core/base/environment.h"
#include "core/base/own_stack.h" // DETSHIM_ONE_STACK

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>

namespace detshim {
namespace {

constexpr long ask_for_personality = 0xffffffff; // personality(2)

extern "C" void* __libc_stack_end; // what given_arguments() begins from

/// A program that has a copy of the loader's variable (node, by V8) is relocated last: there it
/// says nothing yet.
bool is_stack_known() {
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  const auto end = reinterpret_cast<uintptr_t>(__libc_stack_end);
  constexpr uintptr_t most_of_loader = 1 << 20; // bytes of its frames
  return end > here && end - here < most_of_loader;
}

const char* own_value(const char* name) {
  const char* const value = environment_value(name, given_environment());
  return value != nullptr ? value : "";
}

/// Entry of the auxiliary vector, which lies behind the environment (System V ABI); 0 without one.
uint64_t auxiliary_value(uint64_t type) {
  char** end = given_environment();
  while (*end != nullptr)
    ++end;
  const auto* entry = reinterpret_cast<const Elf64_auxv_t*>(end + 1);
  for (; entry->a_type != AT_NULL; ++entry)
    if (entry->a_type == type)
      return entry->a_un.a_val;
  return 0;
}

/// Whether the options force what is deterministic: what they hold besides is checked later.
bool is_asked_for() {
  const char* const mode = own_value("DETSHIM_MODE");
  const bool forces = *mode != 0 ? same_text(mode, mode_name(Mode::enforce)) ||
                                       same_text(mode, mode_name(Mode::strict))
                                 : *own_value("DETSHIM_SEED") != 0;
  return forces &&
         !same_text(own_value(layout_variable), layout_names[static_cast<int>(Layout::leave)]);
}

/// This process's id, always as long: what stands above a stack decides on its addresses.
void add_own_id(TextWriter& to) {
  constexpr uint64_t ten_digits = 10'000'000'000;
  to.add(ten_digits + static_cast<uint64_t>(sys::getpid()));
}

/// Whether this process is the one that our own execve made, one that `detshim run` has made, or a
/// child of a run.
bool is_done() {
  Text<16> own_id;
  add_own_id(own_id);
  return starts_with(own_value(executed_again_name), own_id.c_str()) ||
         *own_value(packed_options_name) != 0 || *own_value(run_variable_name) != 0;
}

/// The value of a line of /proc/self/status: its first character. 0 where there is no such line.
char status_of_process(const char* status, const char* name) {
  for (const char* at = status; *at != 0; ++at)
    if ((at == status || at[-1] == '\n') && starts_with(at, name))
      return at[text_length(name)];
  return 0;
}

/// Nobody watches the process, to whom a second program would be one too many, and no filter of
/// system calls that would end it.
bool is_unwatched() {
  if (is_in_valgrind())
    return false;
  const int file = sys::openat(AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  char status[4096];
  const long size = sys::read(file, status, sizeof status - 1);
  sys::close(file);
  status[size < 0 ? 0 : size] = 0;
  return status_of_process(status, "TracerPid:\t") == '0' &&
         status_of_process(status, "Seccomp:\t") == '0';
}

bool is_same_file(const char* path, const char* other) {
  struct stat states[2];
  const char* const paths[] = {path, other};
  for (int i = 0; i < 2; ++i)
    if (sys::failed(sys::call(SYS_newfstatat, AT_FDCWD, sys::address(paths[i]),
                              sys::address(&states[i]), 0)))
      return false;
  return states[0].st_dev == states[1].st_dev && states[0].st_ino == states[1].st_ino;
}

bool is_script(const char* path) {
  const int file = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return false;
  char begin[2] = {};
  const long size = sys::read(file, begin, sizeof begin);
  sys::close(file);
  return size == 2 && begin[0] == '#' && begin[1] == '!';
}

/// The arguments that the program at `path` was executed with: the kernel puts a script's
/// interpreter, with its argument, in front of them (execve(2)). nullptr where that is not clear.
char** arguments_of(const char* path) {
  char** const words = given_arguments();
  if (is_same_file(path, "/proc/self/exe"))
    return words;
  if (!is_script(path))
    return nullptr;
  constexpr int most = 1 + 2 * 5; // an interpreter may be a script too, five times in all
  for (int i = 1; i <= most && words[i - 1] != nullptr && words[i] != nullptr; ++i)
    if (same_text(words[i], path))
      return words + i;
  return nullptr;
}

/// Not for a program with other rights than its caller's, for one that was given to the loader as
/// an argument (AT_BASE is 0 then), and where the loader itself was asked for something.
bool may_execute_again() {
  return auxiliary_value(AT_SECURE) == 0 && auxiliary_value(AT_BASE) != 0 &&
         *own_value("LD_TRACE_LOADED_OBJECTS") == 0 && *own_value("LD_DEBUG") == 0 &&
         is_unwatched();
}

/// The environment, and behind it what must be set before a program is loaded.
struct LoadedEnvironment {
  char executed_again[64];
  char tunables[1024];
  char* entries[];
};

bool is_replaced(const char* entry, const LoadedEnvironment& by) {
  return same_name(entry, by.executed_again) ||
         (*by.tunables != 0 && same_name(entry, by.tunables));
}

void write_tunables(LoadedEnvironment& to) {
  const char* const was = own_value("GLIBC_TUNABLES");
  const char* const hwcaps = portable_hwcaps_of(own_value("DETSHIM_PORTABLE"));
  if (!has_hwcaps || hwcaps == nullptr || contains(was, "glibc.cpu.hwcaps="))
    return;
  TextWriter text(to.tunables, sizeof to.tunables);
  text.add("GLIBC_TUNABLES=").add(was).add(*was != 0 ? ":" : "").add(hwcaps).c_str();
}

/// nullptr without memory for it.
LoadedEnvironment* make_environment() {
  char** const given = given_environment();
  size_t count = 0;
  while (given[count] != nullptr)
    ++count;
  constexpr size_t added = 4;
  auto* const made = static_cast<LoadedEnvironment*>(
      sys::map(sizeof(LoadedEnvironment) + (count + added) * sizeof(char*)));
  if (made == nullptr)
    return nullptr;
  TextWriter mark(made->executed_again, sizeof made->executed_again);
  add_own_id(mark.add(executed_again_name).add('='));
  write_tunables(*made);
  char** to = made->entries;
  for (size_t i = 0; i < count; ++i)
    if (!is_replaced(given[i], *made))
      *to++ = given[i];
  if (environment_value(early_dynamic_name, given) == nullptr) {
    *to++ = const_cast<char*>(early_dynamic);
    mark.add(has_set_dynamic);
  }
  mark.c_str();
  if (*made->tunables != 0)
    *to++ = made->tunables;
  *to++ = made->executed_again;
  *to = nullptr;
  return made;
}

/// Comes back where it cannot be done, or need not.
void execute_again() {
  if (!is_stack_known() || !is_asked_for() || is_done() || sys::has_fixed_layout())
    return;
  const auto* const path = reinterpret_cast<const char*>(auxiliary_value(AT_EXECFN));
  char** const arguments = path != nullptr && may_execute_again() ? arguments_of(path) : nullptr;
  LoadedEnvironment* const environment = arguments != nullptr ? make_environment() : nullptr;
  if (environment == nullptr)
    return;
  const long before = sys::call(SYS_personality, ask_for_personality);
  if (sys::failed(before) || sys::failed(sys::call(SYS_personality, before | ADDR_NO_RANDOMIZE)))
    return;
  sys::call(SYS_execve, sys::address(path), sys::address(arguments),
            sys::address(environment->entries));
  sys::call(SYS_personality, before);
}

} // namespace

extern "C" {

#if !defined(DETSHIM_ONE_STACK) // a sanitizer's runtime is not there yet
using NoFunction = void();
// Not static: Clang gives a static function another name, which ifunc does not find.
__attribute__((used, visibility("hidden"))) NoFunction* detshim_resolve_layout() {
  execute_again();
  return [] {};
}
__attribute__((visibility("hidden"), ifunc("detshim_resolve_layout"))) void detshim_fix_layout();

/// What makes the linker ask the loader for that function.
__attribute__((used, visibility("hidden"))) NoFunction* detshim_layout_function =
    &detshim_fix_layout;
#endif
}

} // namespace detshim
