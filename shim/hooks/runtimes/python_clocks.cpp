#include "hooks/runtimes/python_clocks.h"

#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/base/thread_memory.h"
#include "core/log/call_site_text.h"

namespace detshim {
namespace {

/// Of the time, or of an id; of other clocks; of files and the like; while modules are imported,
/// which reads some thousands of times for a large framework.
enum Budget { of_time, of_other_clocks, of_inputs, of_imports, budget_count };
constexpr int budgets[budget_count] = {1000, 1000, 20000, 20000};

struct LookedAt {
  const void* caller = nullptr; // the last one that was looked at
  bool is_in_python = false;
  int count = 0;
};
/// Of each thread. Imports read clocks and files in turn.
thread_local constinit LookedAt looked_at[budget_count];

/// What is known of a place of Python code that reads clocks: a loop that times its steps pays for
/// one look.
struct KnownReading {
  uint64_t name;    ///< of the place; 0: none
  bool is_users;    ///< else nobody's: a package's own matter
  ReadingPlace at;  ///< what of a user's place is noted
  PythonCall* kept; ///< nullptr: none is kept there
};
struct KnownReadings {
  static constexpr size_t places = 128;
  KnownReading at[places];

  KnownReading& of(uint64_t name) { return at[name / 2 % places]; }
};
DETSHIM_THREAD_MEMORY KnownReadings known_of_thread = {};

/// Callers in no code of Python's, by where they lie: a loop of a C program that reads a clock pays
/// for one look at each.
struct CallersOutside {
  static constexpr size_t places = 8;
  const void* at[places];

  const void*& of(const void* caller) {
    return at[reinterpret_cast<uintptr_t>(caller) / 4 % places];
  }
};
thread_local constinit CallersOutside callers_outside = {};

bool has_spent(Budget budget) { return looked_at[budget].count >= budgets[budget]; }

Budget budget_of(PythonReading reading) {
  return reading == PythonReading::other_clock ? of_other_clocks : of_time;
}

/// True if the thread imports a module now: what that reads is not the line's that imports.
bool is_importing() { return starts_with(innermost_python_frame().file, "<frozen importlib"); }

/// True while the thread runs what Python starts with (.pth, sitecustomize): until one reads
/// elsewhere.
bool is_starting() {
  static thread_local constinit bool may_be = true;
  if (!may_be)
    return false;
  constexpr int deepest = 64;
  bool is_site = false;
  each_python_frame(deepest, [&](const PythonFrame& frame) {
    is_site |= same_text(frame.file, "<frozen site>") || ends_with(frame.file, "/site.py");
  });
  return may_be = is_site;
}

/// True if a line of the user's calls Python's own library, which writes the time into mails and
/// archives.
bool is_of_pythons_library(const PythonCallSite& call_site) {
  for (const char* file :
       {innermost_python_frame().file, call_site.frames[call_site.user - 1].file})
    if (!contains(file, "/lib/python") || contains(file, "-packages/") ||
        contains(file, "/logging/"))
      return false; // a package's own matter; a log's lines have times of their own
  return true;
}

/// True if the code that reads was never in a file (a dataclass's `__init__`, a text that is
/// executed): what it calls is the user's who had it made.
bool is_of_text() { return python_origin(innermost_python_frame().file) == PythonOrigin::text; }

/// True if the code that reads a clock speaks of none: it was handed one to call
/// (`default_factory=time.time_ns`).
bool is_handed_a_clock() {
  if (!holds_python_lock())
    return false;
  bool is_named = true;
  each_python_code(1, [&](const PythonCode& code) {
    is_named = code.names_clock();
    return false;
  });
  return !is_named;
}

/// True for packages' machine code that reads a clock where it is asked for the time, and for
/// nothing else: datetime64("now"), Timestamp.now(), MPI.Wtime().
bool gives_times(const Module& module) {
  for (const char* const package : {"-packages/numpy/", "-packages/pandas/", "-packages/mpi4py/"})
    if (contains(module.path, package))
      return true;
  return false;
}

/// Whether the interpreter calls, for code that is not importing; where, within the budget.
bool find_reading(const void* caller, Budget budget, PythonCallSite& call_site) {
  LookedAt& mine = looked_at[budget];
  if (has_spent(budget))
    return false;
  if (mine.caller != caller) {
    Module module;
    mine.is_in_python =
        find_module(caller, module) &&
        (is_python(module) || contains(module.path, "/lib-dynload/") || gives_times(module) ||
         starts_with(file_name(module.path), "libsqlite3")); // its 'now'

    mine.caller = caller;
    if (!mine.is_in_python)
      ++mine.count; // it costs more than the rest
  }
  // The first look that finds frames asks the interpreter too: later ones need no system calls.
  static constinit bool has_looked = false;
  if (mine.is_in_python && !__atomic_load_n(&has_looked, __ATOMIC_RELAXED)) {
    find_python_call_site(call_site, PythonDetail::all, true);
    if (call_site.count > 0)
      __atomic_store_n(&has_looked, true, __ATOMIC_RELAXED);
  }
  if (!mine.is_in_python) {
    callers_outside.of(caller) = caller;
    return false;
  }
  if (!has_spent(of_imports) && is_importing())
    return ++looked_at[of_imports].count, false;
  ++mine.count;
  find_python_call_site(call_site, PythonDetail::all, true);
  return call_site.user >= 0 && !is_starting();
}

uint64_t name_of(uint64_t place, PythonReading reading) {
  return mix(place, static_cast<uint64_t>(reading)) | 1;
}

/// Whether what was found holds for that instruction, whoever called its function.
bool is_of_instruction(const PythonCallSite& call_site, const KnownReading& found) {
  const char* const file = innermost_python_frame().file;
  const bool is_own_matter = contains(file, "-packages/") || contains(file, "/logging/");
  return call_site.user == 0 || (is_own_matter && !found.is_users);
}

/// What is known of the place where the calling thread is; nullptr if it was not looked at.
const KnownReading* known_reading(PythonReading reading) {
  const PythonPlaceNames names = python_place_names();
  if (names.innermost == 0)
    return nullptr;
  KnownReadings& known = of_this_thread(known_of_thread);
  for (const uint64_t name : {names.innermost, names.of_three})
    if (const KnownReading& place = known.of(name_of(name, reading));
        place.name == name_of(name, reading))
      return &place;
  return nullptr;
}

/// Remembers what was found of the place. What a function of Python's library reads depends on who
/// called it, if the user's frame is near.
void remember_reading(PythonReading reading, const PythonCallSite& call_site,
                      const KnownReading& found) {
  const PythonPlaceNames names = python_place_names();
  constexpr int frames_named = 3;
  const bool is_near = call_site.user >= 0 && call_site.user < frames_named;
  const uint64_t named = is_of_instruction(call_site, found) ? names.innermost
                         : is_near                           ? names.of_three
                                                             : 0;
  if (call_site.count == 0 || named == 0)
    return;
  const uint64_t name = name_of(named, reading);
  KnownReading& place = of_this_thread(known_of_thread).of(name);
  place = found;
  place.name = name;
}

/// True if further places are not looked at: the thread has read at too many.
bool is_past_budget(PythonReading reading) {
  const Budget budget = budget_of(reading);
  return has_spent(budget) && looked_at[budget].is_in_python;
}

/// True if that code is in the loop that runs Python's.
bool runs_python(const Module& module, const void* code) {
  const void* const start = module.symbol("_PyEval_EvalFrameDefault");
  return start != nullptr && function_at(start).holds(static_cast<const char*>(code) - 1);
}

/// True if the interpreter reads for machine code of an extension, which has no frame of Python's:
/// Cython's `time.time()`, and the id that asyncio's loop compares. Between the function that reads
/// and the user's line lies none of an extension's, but the loop that runs Python code.
bool is_for_an_extension(const void* caller, PythonReading reading) {
  Module module;
  if (!find_module(caller, module))
    return false;
  if (reading == PythonReading::id && !is_python(module))
    return contains(module.path, "/lib-dynload/");
  NativeFrames frames;
  constexpr int few = 6; // more lie between what calls Python back and a reading there
  find_native_frames(caller, frames, few);
  for (int i = 0; i < frames.count; ++i) {
    const auto* const code = reinterpret_cast<const void*>(frames.addresses[i]);
    if (!find_module(code, module))
      return false;
    if (contains(module.path, "-packages/") && !gives_times(module))
      return true;
    if (is_python(module) && runs_python(module, code))
      return false;
  }
  return false;
}

/// True if machine code that gives times reads, whoever of its package called it.
bool is_given_time(const void* caller) {
  NativeFrames frames;
  constexpr int few = 8;
  find_native_frames(caller, frames, few);
  Module module;
  for (int i = 0; i < frames.count; ++i)
    if (find_module(reinterpret_cast<const void*>(frames.addresses[i]), module) &&
        gives_times(module))
      return true;
  return false;
}

/// True if a call at `caller` is the interpreter's own, for a line of the user's, which is
/// `call_site` then.
bool is_reading_of_users_python(const void* caller, PythonReading reading,
                                PythonCallSite& call_site) {
  if (!find_reading(caller, budget_of(reading), call_site) || is_for_an_extension(caller, reading))
    return false;
  if (call_site.user == 0 || is_of_text())
    return true;
  return reading == PythonReading::time &&
         (is_of_pythons_library(call_site) || is_handed_a_clock() || is_given_time(caller));
}

/// True if a line of the user's has asyncio wake it, or end what takes too long: in which order
/// that comes, the time tells. What runs the loop itself reads the clock too.
bool is_timer_of_asyncio(const PythonCallSite& call_site) {
  if (call_site.user <= 0)
    return false;
  const PythonFrame& called = call_site.frames[call_site.user - 1];
  return ends_with(innermost_python_frame().file, "/asyncio/base_events.py") &&
         contains(called.file, "/asyncio/") && !starts_with(called.function, "run");
}

/// True if the reading, whose place that is, is a package's in a function that seeds something. The
/// place is the package's line then.
bool is_reading_of_seeding_package(PythonCallSite& call_site) {
  if (call_site.user <= 0 || !contains(call_site.frames[0].file, "-packages/") ||
      !holds_python_lock())
    return false;
  bool seeds = false;
  each_python_code(1, [&](const PythonCode& code) {
    return seeds = code.seeds();
  });
  if (seeds)
    call_site.user = 0;
  return seeds;
}

void note_reading_at(const ReadingPlace& at, PythonReading reading, const ReadTime& time) {
  if (reading == PythonReading::id)
    note_python_id(at);
  else if (time.is_there)
    note_python_reading(at, time.seconds, time.nanoseconds);
}

/// A place that was looked at reads again.
void repeat_reading(const KnownReading& known, const void* caller, PythonReading reading,
                    const ReadTime& time) {
  if (reading == PythonReading::other_clock && !holds_python_lock())
    return; // it waits for the interpreter's lock: note_users_reading()
  if (known.is_users)
    note_reading_at(known.at, reading, time);
  if (known.kept != nullptr)
    repeat_python_call(*known.kept, caller, reading == PythonReading::other_clock);
}

/// The user's line reads.
void note_users_reading(const void* caller, PythonReading reading, const ReadTime& time,
                        const PythonCallSite& call_site) {
  const bool may_be_deadline = reading == PythonReading::other_clock;
  const bool is_held = holds_python_lock();
  // Without, the interpreter waits for its lock, as it does whenever another thread wants it.
  if (!is_held && may_be_deadline)
    return;
  KnownReading found = {};
  found.is_users = true;
  if (is_held) {
    found.at = {call_site.key(), instruction_of_users_python()};
    note_reading_at(found.at, reading, time);
    exchange_python_seeds(caller);
  }
  if (options().pins())
    found.kept = keep_python_call(UserCall::clock, caller, call_site, may_be_deadline);
  if (is_held)
    remember_reading(reading, call_site, found);
}

/// Somebody else's code reads: Python's library, or a package.
void note_others_reading(const void* caller, PythonReading reading, const ReadTime& time,
                         PythonCallSite& call_site) {
  if (time.is_there && is_past_budget(reading))
    note_python_reading({}, time.seconds, time.nanoseconds);
  if (reading == PythonReading::other_clock && options().pins() && is_timer_of_asyncio(call_site)) {
    keep_python_call(UserCall::timer, caller, call_site);
    return; // other lines have asyncio read at the same place
  }
  KnownReading found = {};
  const bool may_seed = reading != PythonReading::other_clock && options().pins();
  if (may_seed && is_reading_of_seeding_package(call_site))
    found.kept = keep_python_call(UserCall::clock, caller, call_site);
  remember_reading(reading, call_site, found);
}

} // namespace

void note_python_clock(const void* caller, PythonReading reading, const ReadTime& time) {
  if (callers_outside.of(caller) == caller)
    return;
  if (const KnownReading* const known = known_reading(reading))
    return repeat_reading(*known, caller, reading, time);
  PythonCallSite call_site;
  if (is_reading_of_users_python(caller, reading, call_site))
    note_users_reading(caller, reading, time, call_site);
  else
    note_others_reading(caller, reading, time, call_site);
}

bool is_import_of_python(const void* caller) {
  Module module;
  if (!find_module(caller, module) || !is_python(module))
    return false;
  PythonCallSite call_site;
  return !find_reading(caller, of_inputs, call_site);
}

namespace {

/// What the user's line called, or the line itself.
const PythonFrame& called_by_user(const PythonCallSite& call_site) {
  return call_site.frames[call_site.user > 0 ? call_site.user - 1 : 0];
}

/// A wait of Python's own library that may have a limit of time: `connection.poll(0.1)`.
bool is_wait_of_python(const PythonFrame& called) {
  if (!contains(called.file, "/multiprocess") && !ends_with(called.file, "/subprocess.py") &&
      !ends_with(called.file, "/selectors.py"))
    return false;
  for (const char* wait :
       {"poll", "get", "get_nowait", "empty", "wait", "join", "communicate", "select"})
    if (same_text(called.function, wait))
      return !contains(called.file, "/multiprocessing/pool.py");
  return false;
}

} // namespace

bool asks_at_once(const void* caller, PythonCallSite& call_site) {
  return find_reading(caller, of_inputs, call_site) && is_wait_of_python(called_by_user(call_site));
}

bool is_input_of_users_python(UserCall kind, const void* caller, PythonCallSite& call_site) {
  if (!find_reading(caller, of_inputs, call_site))
    return false;
  if (kind == UserCall::network)
    return true;
  const PythonFrame innermost = innermost_python_frame();
  const PythonFrame& called = called_by_user(call_site);
  if (kind == UserCall::timer && is_wait_of_python(called))
    return true;
  // Path.exists() and glob() ask Path.stat(), and look at no time.
  const bool is_of_pathlib = contains(innermost.file, "/pathlib");
  for (const char* reader : {"getmtime", "getatime", "getctime", "stat", "lstat", "_internal_poll",
                             "is_alive", "exitcode", "gettarinfo", "from_file", "disk_usage"})
    if ((same_text(innermost.function, reader) && !is_of_pathlib) ||
        same_text(called.function, reader))
      return !contains(called.file, "-packages/"); // what a package asks is its own matter
  // os.path is frozen since Python 3.11: such frames are in no call site.
  return call_site.user == 0 && !starts_with(innermost.file, "<frozen ");
}

} // namespace detshim
