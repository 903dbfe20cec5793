// The time between two events, by which autotuners choose among kernels: Triton, Inductor,
// FlashInfer and most others time their candidates so and take the least time, the first of equals.
// Which one that is differs from run to run and from rank to rank, and with it the order in which
// sums are added.
//
// What is answered is the tuner's alone: a program's own timing of its steps stays true. Who asks
// is told by the nearest line of Python, or by the caller's library (tuners.h). A file of an
// installed package that is no known tuner is told the truth too, and recorded by name: it may
// choose by it.
//
// Symbols: cuda_runtime_api.h and cuda.h of CUDA 13.0. Of the second versions, which are there
// since 12.8, the runtime of CUDA 13 has none: its headers call the driver's the first.
#include "core/base/signal_safe_lock.h"
#include "core/base/thread_memory.h"
#include "core/python/frames.h"
#include "core/tuning/tuning.h"
#include "hooks/cuda/driver.h"
#include "hooks/cuda/tuners.h"
#include "hooks/support/tuning_place.h"

namespace detshim {
namespace {

using namespace abi;

/// What every candidate takes where none is to be preferred: milliseconds. Tuners that repeat a
/// candidate for a tenth of a second or so then do it once or a few times, each rank as often.
constexpr float one_time = 100;
/// Turned round, a time is this by what was measured, squares of milliseconds: large, for the same
/// reason.
constexpr float inverse_of = 1e6;
/// How much more those take that the tuning file does not keep.
constexpr float slower_by = 1000;

/// Who asks.
struct Tuner {
  const char* name = nullptr; ///< how its file's path ends, or the library
  const char* package = nullptr;
  int line = 0; ///< that asks, 0 where it is not Python
  /// Of an installed package that asks and is no known tuner: where its file lies among packages.
  Text<200> other;
};

/// Whether this process has Python is looked for anew where nothing was found, but not at each call
/// for ever: it takes as long as there are loaded objects.
bool looks_for_python() {
  static constinit uint32_t calls = 0;
  const uint32_t call = __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
  return call < 64 || call % 256 == 0;
}

/// The tuner that asks; left without a name if none does.
void find_tuner(const void* caller, Tuner& tuner) {
  Module module;
  if (find_module(caller, module) && starts_with(file_name(module.path), tuner_library)) {
    tuner.name = tuner_library;
    return;
  }
  if (looks_for_python()) {
    PythonCallSite call_site;
    find_python_call_site(call_site, PythonDetail::key, true);
  }
  bool is_over = false;
  constexpr int limit = 4; // a wrapper may have a helper of its own
  each_python_frame(limit, [&](const PythonFrame& frame) {
    if (is_over || ends_with(frame.file, event_wrapper))
      return;
    is_over = true;
    if (const TunerFile* const file = find_tuner_file(frame.file)) {
      tuner.name = file->file + 1;
      tuner.package = file->package;
      tuner.line = frame.line;
    } else if (const char* const path = path_in_packages(frame.file);
               path != nullptr && !is_reporting_file(frame.file)) {
      tuner.other.add(path);
    }
  });
}

/// What is being timed, as far as the tuner's variables say it.
struct Timed {
  const TunerFile* file = nullptr; ///< that names the candidate
  // c_str() closes a text.
  mutable Text<200> kernel;
  mutable Text<1200> key;
  mutable Text<600> candidate;

  bool is_known() const {
    return candidate.length() != 0 && !candidate.cut() && !key.cut() && !kernel.cut();
  }
};

void read_variables(const PythonScope& scope, Timed& timed) {
  for (const TunerVariable& row : tuner_variables) {
    if (!ends_with(scope.file(), row.file) || !same_text(scope.function(), row.function))
      continue;
    const TunerFile* const file = find_tuner_file(scope.file());
    if (file == nullptr || (timed.file != nullptr && timed.file != file))
      continue;
    TextWriter& to = row.says == Says::kernel ? static_cast<TextWriter&>(timed.kernel)
                     : row.says == Says::key  ? static_cast<TextWriter&>(timed.key)
                                              : static_cast<TextWriter&>(timed.candidate);
    const size_t before = to.length();
    if (before != 0)
      to.add("; ");
    if (!scope.add(to, row.variable))
      to.shorten(before);
    if (row.says == Says::candidate && to.length() != 0)
      timed.file = file;
  }
}

void find_timed(Timed& timed) {
  constexpr int farthest = 60; // Inductor compiles under Dynamo; the tuner is near
  each_python_scope(farthest, [&](const PythonScope& scope) {
    read_variables(scope, timed);
    return true;
  });
}

/// A choice of the tuning file: the candidate with a hash of its whole name, the time that it took
/// first, which tuners take for an estimate of several, and the least that it took, in nanoseconds.
///
///   "first=51200 least=8100 of 8c2f… BLOCK: 64, num_warps: 4"
struct Choice {
  uint64_t first = 0, least = 0, candidate = 0;
};

void write_choice(const Choice& choice, const char* name, TextWriter& to) {
  to.add("first=").add(choice.first).add(" least=").add(choice.least);
  to.add(" of ").add_hex(choice.candidate, 16).add(' ');
  for (int i = 0; name[i] != 0 && i < 300; ++i) { // what a choice may be made of
    const char c = name[i];
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= ':') || c == ' ' || c == '=' || (c >= ',' && c <= '.');
    to.add(is_plain ? c : '_');
  }
}

bool read_choice(const char* text, Choice& choice) {
  const auto read = [&](const char* before, uint64_t base, uint64_t& number) {
    if (!starts_with(text, before))
      return false;
    for (text += text_length(before); *text > ' '; ++text)
      number = number * base + static_cast<uint64_t>(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return number != 0;
  };
  return read("first=", 10, choice.first) && read(" least=", 10, choice.least) &&
         read(" of ", 16, choice.candidate);
}

/// Names of a search for the tuning file.
class Problem {
public:
  explicit Problem(const Timed& timed) : library_(timed.file->package) {
    text_.add(timed.file->file + 1)
        .add("; ")
        .add(timed.kernel.c_str())
        .add("; ")
        .add(timed.key.c_str());
    if (!add_python_value(place_.version(), library_, "__version__"))
      place_.version().add('-');
  }
  bool is_whole() const { return !text_.cut(); }
  uint64_t key() const { return fnv1a_text(text_.c_str()); }
  TuningProblem names() { return place_.name(library_, "event clock", text_.c_str()); }

private:
  const char* library_;
  TuningPlace place_;
  mutable Text<1600> text_;
};

/// What the process has timed so far.
struct Times {
  Table<8> least = {}; ///< the least of each problem, and of each candidate its first
  uint64_t lock = 0;
};
constinit Times times_of_process = {};

/// Notes a time; true if it is the least of its problem, with what is to be kept of its candidate.
bool note_time(uint64_t problem, uint64_t candidate, uint64_t time, Choice& choice) {
  const SignalSafeLock guard(times_of_process.lock);
  if (!guard.held() || time == 0)
    return false;
  uint64_t& first = times_of_process.least.insert(mix(problem, candidate));
  if (first == 0)
    first = time;
  const uint64_t first_time = first;
  uint64_t& least = times_of_process.least.insert(problem);
  if (least != 0 && least <= time)
    return false;
  least = time;
  choice = {first_time, time, candidate};
  return true;
}

/// What the calling thread timed last.
struct Last {
  uint64_t timed = 0;
  int line = 0;
};
DETSHIM_THREAD_MEMORY Last last_of_thread = {};

/// Keeps the candidate if it is the fastest so far: false where that cannot be.
bool keep(const Timed& timed, uint64_t candidate, float milliseconds) {
  if (!timed.is_known())
    return false;
  Problem problem(timed);
  Choice choice;
  if (!problem.is_whole())
    return false;
  const auto time =
      static_cast<uint64_t>(milliseconds > 0 ? static_cast<double>(milliseconds) * 1e6 + 0.5 : 0);
  if (!note_time(problem.key(), candidate, time, choice))
    return true;
  Text<tuning_choice_size> text;
  write_choice(choice, timed.candidate.c_str(), text);
  return keep_tuning(problem.names(), text.c_str());
}

/// The time, in milliseconds, that lets the kept candidate win: false where none is kept.
bool replay(const Timed& timed, uint64_t candidate, bool is_first, float& time) {
  if (!timed.is_known())
    return false;
  Problem problem(timed);
  char kept[tuning_choice_size];
  Choice choice;
  if (!problem.is_whole() || !find_tuning(problem.names(), kept, sizeof kept) ||
      !read_choice(kept, choice))
    return false;
  time =
      static_cast<float>(choice.candidate == candidate && !is_first ? choice.least : choice.first) /
      1e6F;
  if (choice.candidate != candidate)
    time += slower_by;
  return true;
}

/// Answers a tuner: `time` is what the library measured.
template <typename Call>
void answer_tuner(const Call& call, const Tuner& tuner, float& time) {
  Timed timed;
  find_timed(timed);
  const uint64_t candidate = fnv1a_text(timed.candidate.c_str());
  const uint64_t now =
      mix(mix(fnv1a_text(timed.kernel.c_str()), fnv1a_text(timed.key.c_str())), candidate) | 1;
  Last& last = of_this_thread(last_of_thread);
  // Without names: a tuner that begins anew goes back to the line of its first question.
  const bool is_first = last.timed != now || (!timed.is_known() && tuner.line < last.line);
  last = {now, tuner.line};

  const float measured = time;
  Action action = Action::nondeterministic;
  Reason why = Reason::timed_by_tuner;
  switch (event_clock()) {
  case Autotune::off:
    break;
  case Autotune::record:
    why = keep(timed, candidate, measured) ? Reason::tuning_keeps_fastest
                                           : Reason::tuning_cannot_keep;
    break;
  case Autotune::replay:
    time = one_time;
    action = Action::replace;
    why =
        replay(timed, candidate, is_first, time) ? Reason::kept_choice : Reason::not_in_tuning_file;
    break;
  case Autotune::inverse:
    why = Reason::slowest_by_tuner;
    time = measured > 0 ? inverse_of / measured : one_time;
    break;
  case Autotune::first:
    action = Action::replace;
    why = Reason::one_time_for_all;
    time = one_time;
    break;
  }
  // Once a candidate, so that the record's count is theirs.
  if (is_first)
    call.record(action, why, {tuner.name, timed.kernel.c_str()});
}

template <typename Call>
auto elapsed_time(const Call& call, float* milliseconds, CUevent start, CUevent end) {
  const auto status = call.real(milliseconds, start, end);
  if (call.passes() || status != decltype(status)::success || milliseconds == nullptr)
    return status;
  Tuner tuner;
  find_tuner(call.caller(), tuner);
  if (tuner.name != nullptr)
    answer_tuner(call, tuner, *milliseconds);
  else if (tuner.other.length() != 0)
    call.record(Action::observe, Reason::timed_by_tuner, {tuner.other.c_str(), ""});
  return status;
}

constexpr Description clock_of_tuners = {
    .action = Action::replace,
    .fields = {"tuner"_in, "kernel"_in},
    .summary = "One time for every candidate of an autotuner (Triton, Inductor, …), or what "
               "DETSHIM_AUTOTUNE "
               "asks for. Others get the real one.",
};

template <typename Status>
using Elapsed = CudaCall<Status(float* milliseconds, CUevent start, CUevent end)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cudart, Elapsed<cudaError>, cudaEventElapsedTime, elapsed_time,
                      clock_of_tuners);
DETSHIM_TEMPLATE_HOOK(cudart, Elapsed<cudaError>, cudaEventElapsedTime_v2, elapsed_time,
                      clock_of_tuners);
DETSHIM_TEMPLATE_HOOK(cuda, Elapsed<CUresult>, cuEventElapsedTime, elapsed_time, clock_of_tuners);
DETSHIM_TEMPLATE_HOOK(cuda, Elapsed<CUresult>, cuEventElapsedTime_v2, elapsed_time,
                      clock_of_tuners);
