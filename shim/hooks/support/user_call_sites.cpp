#include "hooks/support/user_call_sites.h"

#include "common/cryptography.h"
#include "common/cuda_libraries.h"
#include "common/record_schema.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/infrastructure.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/placement.h"
#include "core/identity/process.h"
#include "core/log/file_uses.h"
#include "core/log/records.h"
#include "core/policy/options.h"
#include "core/seeds/clock_samples.h"

#include <cstring>

namespace detshim {

struct PythonCall {
  const void* at; // what it holds is there once this is not nullptr
  UserCall kind;
  bool is_dropped;
  uint32_t readings; ///< of clocks
  uint32_t seeds;    ///< that these became, and nothing else
  size_t length;
  char frames[1600]; // as a record holds them
};

namespace {

// Types of records; then what an `input` record is of.
constexpr const char* kind_names[] = {"clock",   "threads", "forks",  "children", "file_time",
                                      "network", "timer",   "system", "name"};
constexpr int kinds = 9;

/// Those behind them are read alike.
int index_of(UserCall kind) {
  return static_cast<int>(kind) < kinds ? static_cast<int>(kind)
                                        : static_cast<int>(UserCall::file_time);
}

/// Return addresses, innermost first: of a call, and of those behind it where the code there is a
/// template of the C++ library's.
struct CallSite {
  static constexpr int limit = 9;
  const void* frames[limit];
  bool is_recorded = false;
};
constexpr int most_call_sites = 64;
constinit CallSite call_sites[kinds][most_call_sites] = {};
/// Asked as every process ends, where a look at the call sites themselves would cost a page fault
/// for each of their pages.
struct KeptCalls {
  bool are_any;
  int by; ///< the process that kept the last: its children write no copies, but may take its name
};
DETSHIM_STARTUP_DATA constinit KeptCalls kept_calls = {};

bool is_systems(const char* path) {
  for (const char* folder :
       {"/usr/bin/", "/usr/sbin/", "/usr/lib", "/usr/libexec/", "/bin/", "/sbin/", "/lib"})
    if (starts_with(path, folder))
      return true;
  return false;
}

/// Packages of Python's and conda's, which are nobody's own code either.
bool is_installed(const char* path) {
  return contains(path, "/site-packages/") || contains(path, "/dist-packages/") ||
         contains(path, "conda") || contains(path, "/lib-dynload/");
}

/// True for a library that a wheel laid beside Python's folder of a virtual environment
/// (lib/libmkl_core.so.2), or a package into one of conda's: what stands around its `lib` says so.
bool is_in_environment(const char* path) {
  const char* end = nullptr;
  for (const char* at = path; *at != 0; ++at)
    if (starts_with(at, "/lib/"))
      end = at;
  if (end == nullptr)
    return false;
  for (const char* mark : {"/pyvenv.cfg", "/conda-meta"}) {
    Text<600> file;
    file.add(path, static_cast<size_t>(end - path)).add(mark);
    if (!file.cut() &&
        !sys::failed(sys::call(SYS_faccessat, AT_FDCWD, sys::address(file.c_str()), F_OK)))
      return true;
  }
  return false;
}

/// Programs that read a clock or an id for what no result hangs on: traces, temporary names, and
/// whether a file is newer.
bool is_quiet(const char* path) {
  const char* const name = file_name(path);
  for (const char* quiet :
       {"git", "make", "ninja", "cmake", "ctest", "find", "lscpu", "tar", "xargs"})
    if (same_text(name, quiet))
      return true;
  return is_interpreter(name) || is_installed(path) || contains(path, "/gcc/") ||
         contains(path, "/llvm-") || contains(name, "linux-gnu"); // compilers, assemblers, linkers
}

/// What this process's program is, by where it lies and its name.
enum class Program : uint8_t { unknown, users, shell, tool, other };

/// A program of the system's that is no interpreter (date, ps, curl) reads for those who started
/// it.
Program program() {
  DETSHIM_STARTUP_DATA static constinit Program known = Program::unknown;
  if (known != Program::unknown)
    return known;
  char path[512];
  if (sys::failed(sys::readlink("/proc/self/exe", path, sizeof path)))
    return Program::users;
  return known = is_shell(file_name(path)) ? Program::shell
                 : !is_systems(path)       ? Program::users
                 : is_quiet(path)          ? Program::other
                                           : Program::tool;
}

/// What of the system's own code counts: the clock that a tool itself reads; the network and files
/// of the kernel's that it reads by its libraries too. Times of files by statx alone: by stat it
/// mostly asks whether there is one.
bool is_reading_of_tool(UserCall kind, const Module& module) {
  if (program() != Program::tool)
    return false;
  const char* const file = file_name(module.path);
  if (kind == UserCall::clock || kind == UserCall::statx_time)
    return *module.path == 0;
  return (kind == UserCall::network || kind == UserCall::system) && !starts_with(file, "libc.so") &&
         !starts_with(file, "libnss");
}

/// An interpreter is nobody's own code, wherever it lies: what a line of Python does is recorded by
/// that line. The program is not known by the name that was executed: that may be a script's. Our
/// own command is not the user's either, in a run within a run.
bool is_users(UserCall kind, const Module& module) {
  if (is_python(module))
    return false;
  char path[512];
  module_path(module, path, sizeof path);
  if (*path == 0 || is_installed(path) || same_text(file_name(path), "detshim") ||
      is_infrastructure_file(file_name(path)))
    return false;
  for (const CudaLibrary& library : cuda_libraries)
    if (is_file_of(library, file_name(path)))
      return false;
  if (is_systems(path))
    return is_reading_of_tool(kind, module);
  return !is_in_environment(path);
}

bool is_language_library(const Module& module) {
  const char* const file = file_name(module.path);
  for (const char* const start : {"libstdc++.so", "libc++.so", "libgfortran.so", "libmpi_mpifh",
                                  "libmpichfort", "libmpifort"})
    if (starts_with(file, start))
      return true;
  return false;
}

void keep(UserCall kind, const CallSite& call_site) {
  for (CallSite& kept : call_sites[index_of(kind)]) {
    const void* none = nullptr;
    if (__atomic_compare_exchange_n(&kept.frames[0], &none, call_site.frames[0], false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      kept = call_site;
      kept_calls.by = process().pid;
      return __atomic_store_n(&kept_calls.are_any, true, __ATOMIC_RELEASE);
    }
    if (memcmp(kept.frames, call_site.frames, sizeof kept.frames) == 0)
      return;
  }
}

/// With those behind it: a language's own library may be linked into the program, as Rust's is.
void keep_with_callers(UserCall kind, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames, CallSite::limit - 1);
  CallSite call_site = {{caller}};
  for (int i = 0; i < frames.count; ++i)
    call_site.frames[i + 1] = reinterpret_cast<const void*>(frames.addresses[i]);
  keep(kind, call_site);
}

/// The innermost of a few frames that is the user's, with those behind it.
void keep_behind(UserCall kind, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames);
  constexpr int few = 4; // what is not inlined of std::chrono
  for (int i = 0; i < frames.count && i < few; ++i) {
    Module module;
    if (!find_module(reinterpret_cast<const void*>(frames.addresses[i]), module) ||
        !is_users(kind, module))
      continue;
    CallSite call_site = {};
    for (int k = 0; k < CallSite::limit && i + k < frames.count; ++k)
      call_site.frames[k] = reinterpret_cast<const void*>(frames.addresses[i + k]);
    return keep(kind, call_site);
  }
}

constexpr int most_python_calls = 64;
struct PythonCalls {
  PythonCall calls[most_python_calls];
  int begun; ///< some of them may find no room
};
constinit PythonCalls python_calls = {};
struct Deadline {
  PythonCall* call;
  uintptr_t frames[4]; // who read it, and who called that
};
/// The calling thread's last ones.
struct LastCalls {
  Deadline deadline;   ///< while it may have been read for one
  PythonCall* reading; ///< of a clock
};
thread_local constinit LastCalls last_calls = {};

void count_reading(PythonCall& call) {
  if (call.kind != UserCall::clock)
    return;
  __atomic_fetch_add(&call.readings, 1, __ATOMIC_RELAXED);
  last_calls.reading = &call;
}

void keep_deadline(PythonCall& call, const void* caller) {
  NativeFrames frames;
  find_native_frames(caller, frames, 3);
  last_calls.deadline = {&call, {reinterpret_cast<uintptr_t>(caller)}};
  for (int i = 0; i < frames.count; ++i)
    last_calls.deadline.frames[i + 1] = frames.addresses[i];
}

/// Adds `"file+0x12"`; false for an address in no file any more.
bool add_address(TextWriter& line, const void* address) {
  Module module;
  char path[600];
  if (!find_module(address, module))
    return false;
  module_path(module, path, sizeof path);
  line.add('"').add_json(path, 900).add("+0x");
  line.add_hex(reinterpret_cast<uintptr_t>(address) - module.base).add('"');
  return true;
}

} // namespace

bool is_program_of_system() { return program() != Program::users; }
bool is_tool_of_system() { return program() == Program::tool; }

namespace {

/// Whether what is read may be a number that is no clock's and no id's, and another in each run.
bool gives_other_numbers(UserCall kind) {
  return kind == UserCall::system || kind == UserCall::network || kind == UserCall::timer ||
         kind == UserCall::name;
}

} // namespace

bool note_user_call(UserCall kind, const void* caller) {
  struct Looked {
    const void* caller;
    bool is_users, is_of_language; ///< callers of the last are told apart
  };
  constexpr int most_looks = 256; // of a thread, at those
  static thread_local constinit Looked known[4] = {};
  static thread_local constinit int looks = 0;
  Looked& looked = known[reinterpret_cast<uintptr_t>(caller) / 4 % 4];
  if (looked.caller != caller) {
    looked = {caller, false, false};
    Module module;
    if (!find_module(caller, module))
      return false;
    looked.is_users = is_users(kind, module);
    if (looked.is_users)
      keep_with_callers(kind, caller);
    looked.is_of_language = is_language_library(module) && kind != UserCall::open_file_time;
    if (gives_other_numbers(kind) && (looked.is_users || looked.is_of_language))
      note_other_reading();
  }
  if (looks >= most_looks)
    return looked.is_users;
  if (looked.is_of_language)
    ++looks, keep_behind(kind, caller);
  return looked.is_users;
}

void drop_python_call(PythonCall& kept) { kept.is_dropped = true; }
void restore_python_call(PythonCall& kept) { kept.is_dropped = false; }

void repeat_python_call(PythonCall& kept, const void* caller, bool may_be_deadline) {
  last_calls.deadline = {};
  if (kept.is_dropped && may_be_deadline)
    keep_deadline(kept, caller);
  kept.is_dropped = false;
  count_reading(kept);
}

PythonCall* keep_python_call(UserCall kind, const void* caller, const PythonCallSite& place,
                             bool may_be_deadline) {
  Text<sizeof PythonCall::frames> frames; // the frames' texts may go with their code
  add_python(frames, place, sizeof PythonCall::frames);
  last_calls.deadline = {};
  last_calls.reading = nullptr;
  for (PythonCall& kept : python_calls.calls) {
    if (__atomic_load_n(&kept.at, __ATOMIC_ACQUIRE) == nullptr)
      break;
    if (kept.kind != kind || kept.length != frames.length() ||
        memcmp(kept.frames, frames.c_str(), frames.length()) != 0)
      continue;
    repeat_python_call(kept, caller, may_be_deadline);
    return &kept;
  }
  const int own = __atomic_fetch_add(&python_calls.begun, 1, __ATOMIC_RELAXED);
  if (own >= most_python_calls)
    return nullptr;
  PythonCall& kept = python_calls.calls[own];
  memcpy(kept.frames, frames.c_str(), frames.length());
  kept.kind = kind;
  kept.length = frames.length();
  count_reading(kept);
  if (may_be_deadline)
    keep_deadline(kept, caller);
  kept_calls.by = process().pid;
  __atomic_store_n(&kept.at, caller, __ATOMIC_RELEASE);
  __atomic_store_n(&kept_calls.are_any, true, __ATOMIC_RELEASE);
  return &kept;
}

void drop_reading_of_seed() {
  if (last_calls.reading != nullptr)
    __atomic_fetch_add(&last_calls.reading->seeds, 1, __ATOMIC_RELAXED);
  last_calls.reading = nullptr;
}

void drop_deadline(const void* caller) {
  if (__builtin_expect(last_calls.deadline.call == nullptr, 1))
    return;
  // The function that waits is the one that read, or it called one that does.
  constexpr uintptr_t longest = 1024; // of its code
  const auto is_near = [&](uintptr_t address) {
    return address - reinterpret_cast<uintptr_t>(caller) + longest < 2 * longest;
  };
  for (const uintptr_t frame : last_calls.deadline.frames)
    last_calls.deadline.call->is_dropped |= is_near(frame);
  last_calls.deadline.call = nullptr;
}

namespace {

/// True for what starts the ranks of one machine: they are ordered by what they exchange.
bool is_in_infrastructure(const void* caller) {
  Module module;
  if (!find_module(caller, module))
    return false;
  char path[512];
  module_path(module, path, sizeof path);
  return is_infrastructure_file(file_name(path));
}

} // namespace

void note_parallel_child(const void* caller) {
  // A pipeline's programs hand on what they read. What a shell runs beside itself, its script says.
  if (program() == Program::shell)
    return;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, true);
  if (place.user >= 0)
    keep_python_call(UserCall::children, caller, place);
  else if (!is_in_infrastructure(caller))
    keep(UserCall::children, {{caller}});
}

bool has_user_call_sites() { return kept_calls.are_any && kept_calls.by == process().pid; }

namespace {

/// Begins the line of a place; false where nobody knows any more what lies there.
bool begin_line(Text<3000>& line, UserCall kind, const void* at) {
  const bool is_input = kind >= UserCall::file_time;
  line.add("{\"t\":\"").add(is_input ? "input\",\"what\":\"" : "");
  line.add(kind_names[index_of(kind)]).add('"');
  add_key(line, "at");
  return at != nullptr && add_address(line, at);
}

void record_python_call(PythonCall& call, bool begins_log) {
  Text<3000> line;
  const bool are_all_seeds = call.seeds != 0 && call.seeds == call.readings;
  if (call.is_dropped || are_all_seeds ||
      !begin_line(line, call.kind, __atomic_load_n(&call.at, __ATOMIC_ACQUIRE)))
    return;
  line.add(call.frames, call.length).add('}');
  record_line(line.c_str(), line.length(), begins_log);
  // _exit may follow the destructor, and a program an execution that failed
  call.is_dropped = true;
}

void record_call_site(CallSite& call_site, UserCall kind, bool begins_log) {
  Text<3000> line;
  if (call_site.is_recorded || !begin_line(line, kind, call_site.frames[0]))
    return;
  constexpr size_t line_is_full = 2000;
  int i = 1;
  for (Module module; i < CallSite::limit && line.length() <= line_is_full; ++i) {
    if (call_site.frames[i] == nullptr || !find_module(call_site.frames[i], module))
      break;
    i == 1 ? add_key(line, "frames").add('[') : line.add(',');
    add_address(line, call_site.frames[i]);
  }
  line.add(i > 1 ? "]}" : "}");
  record_line(line.c_str(), line.length(), begins_log);
  call_site.is_recorded = true;
}

/// Observed calls make no log. But these are all that such a run has to say. Not a tool that
/// somebody types under a bare preload: what it reads goes nowhere. One that a program or a script
/// starts (`date`, `cat /proc/uptime`) may give its seed.
bool begins_log() {
  const bool is_typed = process().root_pid == process().pid && !is_run_listed();
  return program() != Program::shell && !(program() == Program::tool && is_typed);
}

} // namespace

void record_user_call_sites() {
  if (!has_user_call_sites() || !options().pins())
    return;
  for (PythonCall& call : python_calls.calls)
    record_python_call(call, begins_log());
  for (int kind = 0; kind < kinds; ++kind)
    for (CallSite& call_site : call_sites[kind])
      record_call_site(call_site, static_cast<UserCall>(kind), begins_log());
}

} // namespace detshim
