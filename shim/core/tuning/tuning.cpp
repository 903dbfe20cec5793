#include "core/tuning/tuning.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/generations.h"
#include "core/base/lock.h"
#include "core/base/placement.h"
#include "core/log/log_file.h"

namespace detshim {
namespace {

constinit TuningStore store;
constinit uint64_t store_lock = 0;
constinit char file_path[4096] = {};
constinit bool is_read = false;
constinit bool said = false;
constinit const char* checked[16] = {}; // libraries whose choices in the file are this process's to use
DETSHIM_STARTUP_DATA constinit bool waits = false; // something is not written yet: asked as a process ends
constinit uint64_t last_try = 0;                   // milliseconds
constinit uint32_t store_of = 0;                   // the generation whose choices wait
constexpr uint64_t patience = 500;                 // milliseconds

uint64_t now() {
  struct {
    int64_t seconds, nanoseconds;
  } time = {};
  sys::call(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, sys::address(&time));
  return static_cast<uint64_t>(time.seconds) * 1000 + static_cast<uint64_t>(time.nanoseconds) / 1'000'000;
}

void say(const char* what, const char* more = "") {
  Lock guard(log_file::lock);
  TextWriter line(log_file::line_room, sizeof log_file::line_room);
  line.add("detshim: the tuning file \"");
  for (const char* c = file_path; *c != 0; ++c) line.add(*c >= ' ' && *c < 127 ? *c : '?');
  line.add("\" ").add(what).add(more).add('\n');
  log_file::say(line);
}

[[noreturn]] void refuse(const char* what, const char* accepted) {
  say(what, accepted);
  sys::exit_group(2);
}

constexpr const char* accepted_text =
    "; accepted is an unchanged file that DETSHIM_AUTOTUNE=record:FILE has written";

/// Completes a relative name: the program may change its folder before the file is written.
void find_path() {
  TextWriter path(file_path, sizeof file_path - 8);
  const char* const name = options().tuning_file;
  char* const folder = log_file::path_room; // under the log's lock
  if (*name != '/') {
    Lock guard(log_file::lock);
    const long length = sys::call(SYS_getcwd, sys::address(folder), sizeof log_file::path_room);
    if (!sys::failed(length) && *folder == '/') path.add(folder).add('/');
  }
  path.add(name).c_str();
}

void read_once() {
  if (is_read) {
    // What waits in a parent is the parent's to write.
    if (store_of != generation()) store.forget_unwritten();
    store_of = generation();
    return;
  }
  find_path();
  const bool replays = options().autotune == Autotune::replay;
  Text<200> what;
  switch (store.read(file_path)) {
  case TuningStore::State::fine:
    break;
  case TuningStore::State::missing:
    if (replays) refuse("does not exist", accepted_text);
    break;
  case TuningStore::State::unreadable:
    what.add("cannot be read (error ").add(store.line()).add(')');
    refuse(what.c_str(), accepted_text);
  case TuningStore::State::other_format:
    what.add("has format ").add(store.format()).add("; accepted is format ").add(TuningStore::own_format);
    refuse(what.c_str(), "");
  case TuningStore::State::damaged:
    what.add("is damaged in line ").add(store.line());
    refuse(what.c_str(), accepted_text);
  }
  if (!replays) { // better now than after hours
    const int error = TuningStore::probe(file_path);
    if (error != 0 && error != TuningStore::busy) {
      what.add("cannot be written (error ").add(static_cast<uint64_t>(-error)).add(')');
      refuse(what.c_str(), "; accepted is a file in a folder where this process may make files");
    }
  }
  is_read = true;
  store_of = generation();
  last_try = now();
}

/// False in a thread that has no device yet, and where the library does not say its version: nothing may be
/// kept or found under such a name.
bool has_place(const TuningProblem& problem) {
  return !same_text(problem.device, "unknown") && *problem.version != 0 && !same_text(problem.version, "0");
}

/// Refuses a file that was written elsewhere, at a library's first search: later ones may be on another
/// device of this process, and a program is not ended in the middle of its work.
void check(const TuningProblem& problem) {
  for (const char*& library : checked) {
    if (library != nullptr && same_text(library, problem.library)) return;
    if (library != nullptr) continue;
    library = problem.library;
    break;
  }
  char there[200];
  Text<600> what;
  switch (store.differs(problem, there, sizeof there)) {
  case TuningStore::Differs::no:
    return;
  case TuningStore::Differs::device:
    what.add("is from the device \"").add(there).add("\"; accepted is one from \"").add(problem.device);
    refuse(what.add('"').c_str(), ", the device of this process");
  case TuningStore::Differs::version:
    what.add("is from ").add(problem.library).add(' ').add(there).add("; accepted is one from ");
    refuse(what.add(problem.version).c_str(), ", the version of this process");
  }
}

/// Writes; at the end of the process, whatever hinders it is said.
void write_now(bool is_last) {
  last_try = now();
  const int error = store.write(file_path);
  __atomic_store_n(&waits, store.has_unwritten(), __ATOMIC_RELAXED);
  if (error == 0 || (error == TuningStore::busy && !is_last) || said) return;
  said = true; // it stays so, and the program goes on
  Text<100> what;
  what.add("cannot be written (error ").add(static_cast<uint64_t>(-error)).add("); choices are missing");
  say(what.c_str());
}

} // namespace

Autotune autotune() {
  const Autotune asked = event_clock();
  return asked == Autotune::inverse ? Autotune::first : asked;
}

Autotune event_clock() {
  const Autotune asked = options().autotune;
  if (options().off()) return Autotune::off;
  // To give one candidate is to force an algorithm; to write down a choice changes nothing.
  return asked == Autotune::record || options().forces() ? asked : Autotune::off;
}

bool keeps_choices() {
  const Autotune tuning = autotune();
  return tuning == Autotune::record || tuning == Autotune::replay;
}

bool find_tuning(const TuningProblem& problem, char* choice, size_t size) {
  Lock guard(store_lock);
  if (!guard.held()) return false;
  read_once();
  if (!has_place(problem)) return false;
  check(problem);
  return store.find(problem, choice, size);
}

bool keep_tuning(const TuningProblem& problem, const char* choice) {
  Lock guard(store_lock);
  if (!guard.held()) return false;
  read_once();
  if (!has_place(problem)) return false;
  check(problem);
  if (!store.keep(problem, choice)) return false;
  __atomic_store_n(&waits, store.has_unwritten(), __ATOMIC_RELAXED);
  if (store.has_unwritten() && now() - last_try >= patience) write_now(false);
  return true;
}

void flush_tuning_if_due() {
  if (!__atomic_load_n(&waits, __ATOMIC_RELAXED)) return;
  Lock guard(store_lock);
  if (guard.held() && store_of == generation() && now() - last_try >= patience) write_now(false);
}

void flush_tuning() {
  if (!__atomic_load_n(&waits, __ATOMIC_RELAXED)) return;
  Lock guard(store_lock);
  if (guard.held() && store_of == generation()) write_now(true);
}

} // namespace detshim
