#include "core/tuning/tuning.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/error_words.h"
#include "core/base/signal_safe_lock.h"
#include "core/log/log_file.h"

namespace detshim {
namespace {

/// The file that DETSHIM_AUTOTUNE names.
struct UsedTuningFile {
  TuningStore choices;
  uint64_t lock = 0;            ///< of all of this: libraries search in several threads
  char path[4096] = {};         ///< complete
  bool is_read = false;         ///< at the first search, for most processes have none
  bool is_said = false;         ///< once, that it could not be written
  const char* checked[16] = {}; ///< libraries whose choices in it are this process's to use
};
constinit UsedTuningFile tuning_file;

void say(const char* what, const char* more = "") {
  SignalSafeLock guard(log_file::lock);
  TextWriter line(log_file::line_room, sizeof log_file::line_room);
  line.add("detshim: the tuning file \"");
  for (const char* c = tuning_file.path; *c != 0; ++c)
    line.add(*c >= ' ' && *c < 127 ? *c : '?');
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
  TextWriter path(tuning_file.path, sizeof tuning_file.path - 8);
  const char* const name = options().tuning_file;
  char* const folder = log_file::path_room; // under the log's lock
  if (*name != '/') {
    SignalSafeLock guard(log_file::lock);
    const long length = sys::call(SYS_getcwd, sys::address(folder), sizeof log_file::path_room);
    if (!sys::failed(length) && *folder == '/')
      path.add(folder).add('/');
  }
  path.add(name).c_str();
}

void read_once() {
  if (tuning_file.is_read)
    return;
  find_path();
  const bool replays = options().autotune == Autotune::replay;
  Text<200> what;
  switch (tuning_file.choices.read(tuning_file.path, !replays)) {
  case TuningStore::State::fine:
    if (replays && tuning_file.choices.is_empty())
      refuse("holds no choice", accepted_text);
    break;
  case TuningStore::State::missing:
    if (replays)
      refuse("does not exist", accepted_text);
    break;
  case TuningStore::State::unreadable:
    add_error(what.add("cannot be read"), static_cast<int>(tuning_file.choices.line()));
    refuse(what.c_str(), accepted_text);
  case TuningStore::State::other_format:
    what.add("has format ")
        .add(tuning_file.choices.format())
        .add("; accepted is format ")
        .add(TuningStore::own_format);
    refuse(what.c_str(), "");
  case TuningStore::State::damaged:
    what.add("is damaged in line ").add(tuning_file.choices.line());
    refuse(what.c_str(), accepted_text);
  }
  if (!replays) { // better now than after hours
    if (const int error = TuningStore::probe(tuning_file.path); error != 0) {
      add_error(what.add("cannot be written"), -error);
      refuse(what.c_str(), "; accepted is a file in a folder where this process may make files");
    }
  }
  tuning_file.is_read = true;
}

/// Refuses a file that was written elsewhere, at a library's first search: later ones may be on
/// another device of this process, and a program is not ended in the middle of its work.
void check(const TuningProblem& problem) {
  for (const char*& library : tuning_file.checked) {
    if (library != nullptr && same_text(library, problem.library))
      return;
    if (library != nullptr)
      continue;
    library = problem.library;
    break;
  }
  char there[200];
  Text<600> what;
  switch (tuning_file.choices.differs(problem, there, sizeof there)) {
  case TuningStore::Differs::no:
    return;
  case TuningStore::Differs::device:
    what.add("is from the device \"")
        .add(there)
        .add("\"; accepted is one from \"")
        .add(problem.device);
    refuse(what.add('"').c_str(), ", the device of this process");
  case TuningStore::Differs::version:
    what.add("is from ").add(problem.library).add(' ').add(there).add("; accepted is one from ");
    refuse(what.add(problem.version).c_str(), ", the version of this process");
  }
}

/// Reads the file where it was not. False in a thread that has no device yet, and where the library
/// does not say its version: nothing may be kept or found under such a name.
bool is_ready_for(const TuningProblem& problem) {
  read_once();
  if (same_text(problem.device, "unknown") || *problem.version == 0 ||
      same_text(problem.version, "0"))
    return false;
  check(problem);
  return true;
}

} // namespace

Autotune autotune() {
  const Autotune requested = event_clock();
  return requested == Autotune::inverse ? Autotune::first : requested;
}

bool gives_one_candidate() {
  const Autotune tuning = autotune();
  return tuning == Autotune::first || tuning == Autotune::replay;
}

Autotune event_clock() {
  const Autotune requested = options().autotune;
  if (options().off())
    return Autotune::off;
  // To give one candidate is to force an algorithm; to write down a choice changes nothing.
  return requested == Autotune::record || options().forces() ? requested : Autotune::off;
}

bool keeps_choices() {
  const Autotune tuning = autotune();
  return tuning == Autotune::record || tuning == Autotune::replay;
}

bool find_tuning(const TuningProblem& problem, char* choice, size_t size) {
  SignalSafeLock guard(tuning_file.lock);
  return guard.held() && is_ready_for(problem) && tuning_file.choices.find(problem, choice, size);
}

bool keep_tuning(const TuningProblem& problem, const char* choice) {
  SignalSafeLock guard(tuning_file.lock);
  if (!guard.held() || !is_ready_for(problem))
    return false;
  const int error = tuning_file.choices.keep(problem, choice, tuning_file.path);
  if (error == 0 || error == TuningStore::is_no_choice || tuning_file.is_said)
    return error == 0;
  tuning_file.is_said = true; // the program goes on
  Text<100> what;
  add_error(what.add("cannot be written"), -error).add("; choices are missing");
  say(what.c_str());
  return false;
}

} // namespace detshim
