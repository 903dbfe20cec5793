// Runs the program once, with what it prints kept in files, and waits for all that it started.
#pragma once

#include "common/modes.h"
#include "environment/capture.h"
#include "run/run.h"
#include "verify/held_signals.h"
#include "verify/outputs.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <signal.h>
#include <sys/wait.h>

namespace detshim {

struct Perturbation;

/// What a program prints on. The names are those of its files and of the JSON document.
enum class PrintedStream { out, err };
inline constexpr PrintedStream both_streams[] = {PrintedStream::out, PrintedStream::err};
constexpr const char* stream_name(PrintedStream stream) {
  return stream == PrintedStream::out ? "stdout" : "stderr";
}

/// How one run is to be other than the rest.
struct RunSettings {
  std::optional<Mode> mode; ///< observe, for a control
  bool keeps_random_layout = false;
  std::size_t processors = 0; ///< so many at most; 0: as many as there are
  std::string log;
  std::string first_log;       ///< the first run's
  std::string caches;          ///< an empty folder for them; empty: where they always are
  bool freezes_clocks = false; ///< at the call sites that the first run's log names
  unsigned clock_step_ms = 0;  ///< the same, and so much passes at each reading
};

/// What a run was, and what it left.
struct Run {
  std::string name;                           ///< "run 2", "control 1", "perturb load"
  const Perturbation* perturbation = nullptr; ///< what was turned; null: as the first run
  std::filesystem::path folder;
  int status = 0;                     ///< of waitpid
  double began = 0, ended = 0;        ///< in seconds since 1970
  bool was_cut = false;               ///< killed on purpose (RunOnce::must_end)
  std::optional<PrintedStream> until; ///< whose line was the last one (VerifyPlan::until)
  bool ended_at_difference = false;   ///< since it was another run already
  bool was_too_long = false;
  std::vector<std::string>
      left_behind;  ///< processes that it started and that did not end: "4711 (sleep)"
  int not_kept = 0; ///< the error for which what was printed is not whole in its file
  std::map<std::int64_t, std::string> processes; ///< those that are known: their names by their ids
  bool reads_clocks = false;                     ///< a line of the user's code does
  bool may_show_times = false;                   ///< a program that is not the user's ran
  std::vector<std::string> shown_formats;        ///< how its lines look that show times
  std::vector<std::string> time_formats, rate_formats; ///< the same by stepped_clocks.h
  bool has_logged_facts = false;                       ///< whether these were taken from its log
  std::vector<OutputFile> outputs;
  WrittenFiles unnamed_outputs;                     ///< that no --output names
  std::map<std::string, std::string> unnamed_texts; ///< what small ones of them hold, by path
  std::string left_alone; ///< why some outputs were not taken; empty: all were
  std::optional<std::filesystem::path> full_disk; ///< a folder that had no room left when it ended

  std::filesystem::path log() const { return folder / "log"; }
  std::filesystem::path printed(PrintedStream stream) const { return folder / stream_name(stream); }
  std::filesystem::path out() const { return printed(PrintedStream::out); }
  std::filesystem::path err() const { return printed(PrintedStream::err); }

  /// False for one that was ended on purpose, and is compared as far as it went.
  bool is_whole() const { return !until && !ended_at_difference; }

  /// So does a pipeline whose reader has enough (`… | head`), where the shell reports it
  /// (pipefail), and a run that went on to the line at which it was to end.
  bool succeeded() const {
    constexpr int by_pipe = 128 + SIGPIPE;
    return until || status == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == by_pipe) ||
           (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE);
  }
  /// Ended by a signal that is sent from outside: what it did until then says nothing.
  bool was_killed() const;
  /// "status 1", "signal 9 (Killed)".
  std::string ending() const;
};

struct RunOnce {
  const HeldSignals& signals;
  const RunOptions& run;             ///< how the program is run, but for the settings
  std::size_t timeout_s = 0;         ///< then it is ended; 0: never
  void (*turn_in_child)() = nullptr; ///< called before it is
  bool is_loaded = false;            ///< all processors are kept busy meanwhile
  bool has_other_ids = false;        ///< of the session, the process group and the parent
  /// Where there is one, it is asked every `look_ms` while the program runs: true kills the program
  /// and its children.
  std::function<bool(const Run&)> must_end = {};
  int look_ms = 500;
  bool ends_at_difference = false; ///< that is what must_end looks for
};

/// True if something waits in a pipe or a socket as standard input, which one run alone could read:
/// each finds it empty. It is not read here either: it may be the rest of a script.
bool input_waits();
inline constexpr const char* waiting_input =
    "something waits on standard input, a pipe, which one run alone "
    "could read: give a file (<FILE), or </dev/null";

/// Fills `run`, whose folder is there. Throws UsageError if the program could not be started,
/// Interrupted if an end was asked for; the program and its children have ended then.
void run_once(const RunOnce& how, const RunSettings& settings, Run& run);

} // namespace detshim
