#include "hooks/runtimes/unseen_runtimes.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/placement.h"
#include "core/base/python_frames.h"
#include "core/identity/thread.h"
#include "core/log/records.h"
#include "core/policy/options.h"

#include <sys/auxv.h>

namespace detshim {
namespace {

struct Runtime {
  const char* file = nullptr;                        ///< how its file's name begins; or else
  const char* symbol = nullptr;                      ///< what the program itself exports
  bool (*is_seeded_unseen)(const Module&) = nullptr; ///< where that depends
  Reason why;
};

/// Whether Qt takes its random numbers from the processor, around every hook. core/settings.cpp has it ask
/// getentropy, by a variable that Qt 6 does not heed before 6.9.
bool draws_from_processor([[maybe_unused]] const Module& qt) {
#if defined(__x86_64__)
  const char* const features_off = environment_value("QT_NO_CPU_FEATURE");
  if (features_off == nullptr || !contains(features_off, "rdrnd")) return true;
  auto* const version_of = reinterpret_cast<const char* (*)()>(const_cast<void*>(qt.symbol("qVersion")));
  const char* const version = version_of != nullptr ? version_of() : "";
  return starts_with(version, "6.") && version[2] >= '0' && version[2] <= '8' && version[3] == '.';
#else
  return false;
#endif
}

/// Ruby forgets its only Ractor when it makes a second one.
bool has_ractors(const Module& ruby) {
  const auto* const only = static_cast<void* const*>(ruby.symbol("ruby_single_main_ractor"));
  return only != nullptr && *only == nullptr;
}

/// True if busybox is a shell in this process, by its own name or by its first argument.
bool is_shell(const Module&) {
  char arguments[256] = {};
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return true;
  sys::read(fd, arguments, sizeof arguments - 1);
  sys::close(fd);
  const char* name = file_name(arguments);
  if (same_text(name, "busybox")) name = arguments + text_length(arguments) + 1;
  return same_text(name, "sh") || same_text(name, "ash");
}

/// True if this MindSpore has other functions than those with a hook (hooks/mindspore/cpu_kernels.cpp).
bool lacks_mindspores_functions(const Module&) {
  return !each_module([](const Module& core) {
    return starts_with(file_name(core.path), "libmindspore_core") &&
           core.symbol("_ZN9mindspore7GetTimeEv") != nullptr &&
           core.symbol("_ZN9mindspore10ThreadPool14ParallelLaunchERKSt8functionIFiPviffEES2_i") != nullptr;
  });
}

/// True if a second worker of polars's is there: its pool is made at the first query, and one worker repeats.
bool has_workers(const Module&) {
  const int folder = sys::openat(AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return true;
  bool found = false;
  alignas(8) char entries[1024];
  for (long size;
       !found && (size = sys::call(SYS_getdents64, folder, sys::address(entries), sizeof entries)) > 0;)
    for (long at = 0; at < size;) {
      constexpr int length_at = 16, name_at = 19; // of struct linux_dirent64
      uint16_t length;
      __builtin_memcpy(&length, entries + at + length_at, sizeof length);
      Text<64> path;
      path.add(entries + at + name_at).add("/comm");
      at += length;
      const int fd = sys::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC);
      if (fd < 0) continue;
      char name[16] = {};
      sys::read(fd, name, sizeof name - 1);
      sys::close(fd);
      found = found || starts_with(name, "polars-1");
    }
  sys::close(folder);
  return found;
}

/// Of libraries whose workers end before the process does: how many they have started.
constinit int tbbs_workers = 0;
constexpr const char* tbb_file = "libtbb";

/// "libtbb.so.12", "libtbb-1f2e3d.so.12.8"; not libtbbmalloc, which comes with it.
bool is_tbb(const Module& module) {
  const char* const file = file_name(module.path);
  return starts_with(file, tbb_file) && (file[6] < 'a' || file[6] > 'z');
}

bool has_tbbs_workers(const Module& module) {
  return is_tbb(module) && __atomic_load_n(&tbbs_workers, __ATOMIC_RELAXED) > 0;
}

constinit int tokenizers_workers = 0;
constexpr const char* tokenizers_file = "tokenizers.";

/// Hugging Face's tokenizers: its pool is made where something is first done in parallel. Encoding repeats,
/// and all that calls it from Transformers is that, but for training; of a line of the user's, which of the
/// two it called is not known.
bool may_train_in_parallel() {
  const char* const parallel = environment_value("TOKENIZERS_PARALLELISM");
  if (parallel != nullptr)
    for (const char* no : {"false", "False", "FALSE", "0", "off", "no"})
      if (same_text(parallel, no)) return false;
  PythonPlace place;
  find_python_place(place, PythonDetail::all, true);
  if (place.count == 0) return true;
  const PythonFrame& caller = place.frames[0];
  const bool is_wrapper =
      contains(caller.file, "/transformers/") || contains(caller.file, "/tokenizers/implementations/");
  return !is_wrapper || starts_with(caller.function, "train");
}

bool has_several_of_tokenizers(const Module&) {
  return __atomic_load_n(&tokenizers_workers, __ATOMIC_RELAXED) > 1;
}

constexpr Runtime runtimes[] = {
    {.file = "libjvm.so", .why = Reason::java_runtime},
    {.file = "beam.smp", .why = Reason::erlang_runtime},
    {.file = "libQt5Core", .is_seeded_unseen = draws_from_processor, .why = Reason::qt_processor},
    {.file = "libQt6Core", .is_seeded_unseen = draws_from_processor, .why = Reason::qt6_processor},
    {.file = "libruby", .is_seeded_unseen = has_ractors, .why = Reason::ruby_ractors},
    {.file = "_polars_runtime", .is_seeded_unseen = has_workers, .why = Reason::polars_threads},
    {.file = tbb_file, .is_seeded_unseen = has_tbbs_workers, .why = Reason::tbb_workers},
    {.file = tokenizers_file,
     .is_seeded_unseen = has_several_of_tokenizers,
     .why = Reason::tokenizers_threads},
    {.file = "libmindspore_ops_cpu",
     .is_seeded_unseen = lacks_mindspores_functions,
     .why = Reason::mindspore_kernels},
    {.file = "lisp.run", .why = Reason::clisp_runtime},
    {.file = "mksh", .why = Reason::mksh_runtime},
    {.file = "busybox", .is_seeded_unseen = is_shell, .why = Reason::busybox_shell},
    {.symbol = "ruby_run_node", .why = Reason::ruby_linked_in},
    {.symbol = "GetRNGstate", .why = Reason::r_linked_in},
    {.symbol = "Tcl_CreateInterp", .why = Reason::tcl_linked_in},
};

const char* program_path() {
  const auto* const path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return path != nullptr ? path : "";
}

bool is_runtimes(const char* path) {
  const char* const file = file_name(*path != 0 ? path : program_path());
  for (const Runtime& runtime : runtimes)
    if (runtime.file != nullptr && starts_with(file, runtime.file)) return true;
  return false;
}

bool exports_runtime(const Module& program) {
  for (const Runtime& runtime : runtimes)
    if (runtime.symbol != nullptr && program.symbol(runtime.symbol) != nullptr) return true;
  return false;
}

/// Of a forked child, only names are looked at: the first look at each object's headers is a page fault, and
/// what the program itself exports, its parent says.
bool may_be_there() {
  if (any_module_path([](const char* path, void*) { return is_runtimes(path); })) return true;
  return generation() <= 1 &&
         each_module([](const Module& module) { return *module.path == 0 && exports_runtime(module); });
}

/// True if it is in this process; its path.
bool find(const Runtime& runtime, TextWriter& path) {
  return each_module([&](const Module& module) {
    const bool is_program = *module.path == 0;
    const char* const of = is_program ? program_path() : module.path;
    const bool is_there = runtime.file != nullptr ? starts_with(file_name(of), runtime.file)
                                                  : is_program && module.symbol(runtime.symbol) != nullptr;
    if (!is_there || (runtime.is_seeded_unseen != nullptr && !runtime.is_seeded_unseen(module))) return false;
    path.add(of);
    return true;
  });
}

} // namespace

void note_thread_of_runtime(const void* caller) {
  Module module;
  if (!options().pins() || !find_module(caller, module)) return;
  if (is_tbb(module)) __atomic_add_fetch(&tbbs_workers, 1, __ATOMIC_RELAXED);
  if (starts_with(file_name(module.path), tokenizers_file) && may_train_in_parallel())
    __atomic_add_fetch(&tokenizers_workers, 1, __ATOMIC_RELAXED);
}

void record_runtimes() {
  DETSHIM_STARTUP_DATA static constinit uint32_t recorded_in = ~0U; // _exit may follow the destructor
  DETSHIM_STARTUP_DATA static constinit uint32_t recorded = 0;      // bits: an exec that failed came before
  if (!options().pins() || !may_be_there()) return;
  if (recorded_in != generation()) recorded = 0;
  recorded_in = generation();
  uint32_t bit = 1;
  for (const Runtime& runtime : runtimes) {
    const uint32_t own = bit;
    bit <<= 1;
    Text<600> path;
    if ((recorded & own) != 0 || !find(runtime, path)) continue;
    recorded |= own;
    Text<1000> line;
    line.add("{\"t\":\"runtime\",\"file\":\"").add_json(path.c_str(), 600);
    line.add("\",\"why\":\"").add(reason_code(runtime.why)).add("\"}");
    record_line(line.c_str(), line.length(), true);
  }
}

} // namespace detshim
