#include "hooks/runtimes/unseen_runtimes.h"

#include "common/record_schema.h"
#include "common/run_variable.h"
#include "common/text.h"
#include "common/version_range.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/placement.h"
#include "core/identity/process.h"
#include "core/identity/thread.h"
#include "core/log/records.h"
#include "core/policy/options.h"
#include "core/python/frames.h"
#include "core/seeds/clock_samples.h"

#include <sys/auxv.h>

namespace detshim {
namespace {

struct Runtime {
  const char* file; ///< how its file's name begins, in some of these ways; or nullptr and
  const char* symbol = nullptr;                         ///< what the program itself exports
  bool (*is_nondeterministic)(const Module&) = nullptr; ///< where that depends
  Reason why;
  int workers = 0;             ///< where it is named only once it has started so many threads
  bool seeds_by_clock = false; ///< its scripts' random numbers, if they ask for it
};

/// Whether Qt takes its random numbers from the processor, around every hook. The library sets a
/// variable (core/policy/settings_table.cpp) so that it asks getentropy, which Qt 6 does not heed
/// before 6.9.
bool draws_from_processor([[maybe_unused]] const Module& qt) {
#if defined(__x86_64__)
  const char* const features_off = environment_value("QT_NO_CPU_FEATURE");
  if (features_off == nullptr || !contains(features_off, "rdrnd"))
    return true;
  auto* const version_of =
      reinterpret_cast<const char* (*)()>(const_cast<void*>(qt.symbol("qVersion")));
  const char* const version = version_of != nullptr ? version_of() : "";
  return starts_with(version, "6.") && version[2] >= '0' && version[2] <= '8' && version[3] == '.';
#else
  return false;
#endif
}

/// True if this MindSpore has other functions than those with a hook
/// (hooks/mindspore/cpu_kernels.cpp).
bool lacks_mindspores_functions(const Module&) {
  constexpr const char* needed[] = {
      "_ZN9mindspore7GetTimeEv",
      "_ZN9mindspore10ThreadPool14ParallelLaunchERKSt8functionIFiPviffEES2_i",
      "_ZNK9mindspore10ThreadPool11SyncRunFuncERKSt8functionIFiPviffEES2_ii",
  };
  return !each_module([&needed](const Module& core) {
    if (!starts_with(file_name(core.path), "libmindspore_core"))
      return false;
    for (const char* name : needed)
      if (core.symbol(name) == nullptr)
        return false;
    return true;
  });
}

bool has_several_workers(const Module&) {
  const char* const threads = environment_value("POLARS_MAX_THREADS");
  return threads == nullptr || !same_text(threads, "1");
}

/// "libtbb.so.12", "libtbb-1f2e3d.so.12.8"; not libtbbmalloc, which comes with it.
bool is_tbb_itself(const Module& module) {
  const char next = file_name(module.path)[__builtin_strlen("libtbb")];
  return next < 'a' || next > 'z';
}

constexpr const char* tokenizers_file = "tokenizers.*";

constexpr Runtime runtimes[] = {
    {.file = "libjvm.so*", .why = Reason::java_runtime},
    {.file = "libQt5Core*",
     .is_nondeterministic = draws_from_processor,
     .why = Reason::qt_processor},
    {.file = "libQt6Core*",
     .is_nondeterministic = draws_from_processor,
     .why = Reason::qt6_processor},
    {.file = "_polars_runtime*",
     .is_nondeterministic = has_several_workers,
     .why = Reason::polars_threads,
     .workers = 2},
    {.file = "libtbb*",
     .is_nondeterministic = is_tbb_itself,
     .why = Reason::tbb_workers,
     .workers = 1},
    {.file = "_duckdb.*|duckdb.*|libduckdb*", .why = Reason::duckdb_threads, .workers = 1},
    {.file = tokenizers_file, .why = Reason::tokenizers_threads, .workers = 2},
    {.file = "libmindspore_ops_cpu*",
     .is_nondeterministic = lacks_mindspores_functions,
     .why = Reason::mindspore_kernels},
    // Programs of languages that nobody trains in: Erlang, CLISP and others.
    {.file = "beam.smp*|libphp*|lisp.run*|lua*|mksh*|octave-*|php*|ruby*|tclsh*",
     .why = Reason::runtime_seeds_itself},
    // What their scripts read (clocks, ids, files, the network) comes by no line that could be
    // named.
    {.file = "perl*|swipl*|guile*|julia*|node*|mawk*|original-awk*|libR.so*",
     .why = Reason::script_unseen},
    {.file = "awk*|gawk*", .why = Reason::script_unseen, .seeds_by_clock = true},
    {.file = nullptr, .symbol = "GetRNGstate", .why = Reason::r_linked_in},
};
constexpr int runtime_count = sizeof runtimes / sizeof *runtimes;

/// Threads that each has started: some end before the process does.
constinit int workers_of[runtime_count] = {};

/// Of a loaded object; the program's own path is empty in the loader's list.
const char* full_path(const char* path) {
  if (*path == 0)
    path = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return path != nullptr ? path : "";
}

bool is_file_of(const Runtime& runtime, const char* path) {
  return runtime.file != nullptr && is_one_of(file_name(full_path(path)), runtime.file, false);
}

bool is_exported(const Runtime& runtime, const Module& program) {
  return runtime.symbol != nullptr && *program.path == 0 &&
         program.symbol(runtime.symbol) != nullptr;
}

/// Of a forked child, only names are looked at: the first look at each object's headers is a page
/// fault, and what the program itself exports, its parent says.
bool may_be_there() {
  const auto is_some_ones = [](const char* path, void*) {
    for (const Runtime& runtime : runtimes)
      if (is_file_of(runtime, path))
        return true;
    return false;
  };
  return any_module_path(is_some_ones) ||
         (generation() <= 1 && each_module([](const Module& module) {
            return is_exported(runtimes[runtime_count - 1], module);
          }));
}

/// True if it is in this process; its path.
bool find(const Runtime& runtime, TextWriter& path) {
  const int workers = __atomic_load_n(&workers_of[&runtime - runtimes], __ATOMIC_RELAXED);
  return workers >= runtime.workers && each_module([&](const Module& module) {
           if (!is_file_of(runtime, module.path) && !is_exported(runtime, module))
             return false;
           if (runtime.is_nondeterministic != nullptr && !runtime.is_nondeterministic(module))
             return false;
           path.add(full_path(module.path));
           return true;
         });
}

/// Hugging Face's tokenizers: its pool is made where something is first done in parallel. Encoding
/// repeats, and all that calls it from Transformers is that, but for training. Which of the two a
/// line of the user's called is not known.
bool may_train_in_parallel() {
  const char* const parallel = environment_value("TOKENIZERS_PARALLELISM");
  if (parallel != nullptr)
    for (const char* no : {"false", "False", "FALSE", "0", "off", "no"})
      if (same_text(parallel, no))
        return false;
  PythonCallSite line;
  find_python_call_site(line, PythonDetail::all, true);
  if (line.count == 0)
    return true;
  const PythonFrame& caller = line.frames[0];
  const bool is_wrapper = contains(caller.file, "/transformers/") ||
                          contains(caller.file, "/tokenizers/implementations/");
  return !is_wrapper || starts_with(caller.function, "train");
}

/// True if the thread that ends the process has read a clock.
bool has_read_clock() {
  const ClockSamples* const samples = own_clock_samples();
  if (samples == nullptr)
    return false;
  for (const ClockSample& sample : samples->latest)
    if (sample.source != Source::none && sample.source != Source::id)
      return true;
  return false;
}

/// True if the process is to have a log for that runtime alone. Build scripts execute awk and perl
/// a thousand times: those make none, unless they may have seeded something.
bool begins_log(const Runtime& runtime) {
  return runtime.why != Reason::script_unseen || process().pid == process().root_pid ||
         (runtime.seeds_by_clock && has_read_clock());
}

} // namespace

void note_thread_of_runtime(const void* caller) {
  Module module;
  if (!options().pins() || !find_module(caller, module))
    return;
  if (starts_with(file_name(module.path), "libstdc++")) { // std::thread's constructor
    NativeFrames frames;
    find_native_frames(caller, frames, 1);
    if (frames.count == 0 ||
        !find_module(reinterpret_cast<const void*>(frames.addresses[0]), module))
      return;
  }
  for (int i = 0; i < runtime_count; ++i)
    if (runtimes[i].workers != 0 && is_file_of(runtimes[i], module.path) &&
        (runtimes[i].file != tokenizers_file || may_train_in_parallel()))
      __atomic_add_fetch(&workers_of[i], 1, __ATOMIC_RELAXED);
}

void record_runtimes() {
  DETSHIM_STARTUP_DATA static constinit uint32_t recorded_in =
      ~0U; // _exit may follow the destructor
  DETSHIM_STARTUP_DATA static constinit uint32_t recorded =
      0; // bits: an exec that failed came before
  if (!options().pins() || !may_be_there())
    return;
  if (recorded_in != generation())
    recorded = 0;
  recorded_in = generation();
  for (const Runtime& runtime : runtimes) {
    const uint32_t own = 1U << (&runtime - runtimes);
    Text<600> path;
    if ((recorded & own) != 0 || !find(runtime, path))
      continue;
    recorded |= own;
    Text<1000> line;
    RecordWriter<RecordType::runtime>(line)
        .text("file", path.c_str(), 600)
        .text("why", reason_code(runtime.why))
        .end();
    record_line(line.c_str(), line.length(), begins_log(runtime));
  }
}

} // namespace detshim
