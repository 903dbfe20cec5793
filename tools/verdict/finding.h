// What a reason of the verdict is. A finding is a code: its kind and its level stand in one table,
// its sentence and what to do about it in report/verdict_texts.cpp, which no decision reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// All of them: the kind, as users name it (docs/VERDICT.md has all), the level, and what answers
// it, where that is not a comparison of several runs.
// clang-format off
#define DETSHIM_FINDINGS(X) \
  X(nondeterministic_call, "nondeterministic", partial)     \
  X(nondeterministic_operator, "nondeterministic", partial) \
  X(may_be_key, "key", unverified, by_two_runs)             \
  X(uncovered_call, "uncovered", partial)                   \
  X(lost_bad_calls, "lost_records", partial)                \
  X(lost_calls, "lost_records", unverified, by_nothing)     \
  X(lost_records, "lost_records", unverified, by_nothing)   \
  X(bypass, "bypass", partial)                              \
  X(foreign, "foreign", partial)                            \
  X(linked_copy, "linked_copy", partial)                    \
  X(copy_or_stub, "linked_copy", unverified)                \
  X(no_symbols, "no_symbols", unverified)                   \
  X(new_function_bound, "new_function", partial)            \
  X(new_function_looked_up, "new_function", unverified)     \
  X(open_function_called, "open_function", unverified)      \
  X(open_function_looked_up, "open_function", unverified)   \
  X(open_functions_bound, "open_function", unverified)      \
  X(undocumented_call, "open_function", unverified)         \
  X(timed_choice, "timed_choice", unverified)               \
  X(runtime, "runtime", unverified)                         \
  X(later_version, "version", unverified)                   \
  X(unknown_version, "version", unverified)                 \
  X(setting_left, "version", unverified)                    \
  X(none_of_the_hooks, "no_hooks", unverified)              \
  X(open_library, "no_hooks", unverified)                   \
  X(two_copies, "two_copies", unverified)                   \
  X(no_coverage, "no_coverage", unverified)                 \
  X(no_modules, "no_modules", unverified, by_nothing)       \
  X(kernel_compiler, "kernels", unverified)                 \
  X(own_kernels, "kernels", unverified)                     \
  X(racing_kernel, "kernels", partial)                      \
  X(open_kernels, "kernels", unverified)                    \
  X(unknown_kernels, "kernels", unverified)                 \
  X(own_code, "code", partial)                              \
  X(not_decoded, "not_decoded", unverified, by_nothing)     \
  X(missing_files, "missing_file", unverified)              \
  X(changed_files, "changed_file", unverified)              \
  X(mode_observe, "mode", unverified, by_nothing)           \
  X(mode_record, "mode", partial)                           \
  X(disabled, "disabled", partial)                          \
  X(no_end, "no_end", unverified)                           \
  X(no_start, "no_start", unverified, by_nothing)           \
  X(lost_process, "no_log", unverified)                     \
  X(gave_up_rights, "no_log", unverified, by_nothing)       \
  X(damaged, "damaged", unverified, by_nothing)             \
  X(other_format, "other_format", unverified, by_nothing)   \
  X(unreadable, "unreadable", unverified, by_nothing)       \
  X(racing_threads, "pool", unverified)                     \
  X(racing_manager, "pool", unverified)                     \
  X(racing_trainers, "pool", unverified)                    \
  X(sharing_threads, "pool", unverified)                    \
  X(racing_queue, "pool", unverified)                       \
  X(racing_workers, "pool", unverified)                     \
  X(tasks_in_turn, "pool", unverified)                      \
  X(script_words, "script", unverified, by_two_runs)        \
  X(missing_ranks, "missing_ranks", unverified, by_nothing) \
  X(no_rank, "missing_ranks", unverified, by_nothing)       \
  X(clock_read, "clock", unverified, by_two_runs)           \
  X(seed_unexplained, "unexplained_seed", unverified, by_two_runs) \
  X(threads_started, "threads", unverified)                 \
  X(processes_started, "processes", unverified)             \
  X(input_read, "input", unverified, by_two_runs)           \
  X(state_carried, "state", unverified, by_two_runs)        \
  X(runs_differed, "differed", partial)                     \
  X(no_draw, "no_draw", unverified)
// clang-format on

namespace detshim {

enum class VerdictLevel {
  covered,    ///< nothing that can differ was seen
  verified,   ///< runs of this program were compared and found equal, and nothing new can differ
  unverified, ///< something can differ, or too little is known
  partial,    ///< something definite went ahead nondeterministic
};

enum class Finding : std::uint8_t {
#define DETSHIM_FINDING_MEMBER(finding, ...) finding,
  DETSHIM_FINDINGS(DETSHIM_FINDING_MEMBER)
#undef DETSHIM_FINDING_MEMBER
};

/// Whether a comparison of runs answers a finding. A race may come out the same in many runs; what
/// a moment or a machine's state decides shows in two. What no comparison answers is a log that
/// does not say all: what else can differ is not known then.
enum class Settled : std::uint8_t { by_comparison, by_two_runs, by_nothing };

struct FindingRow {
  const char* kind;
  VerdictLevel level;
  Settled settled = Settled::by_comparison;
};

const FindingRow& row_of(Finding finding);

/// True if some finding is of that kind.
bool is_finding_kind(std::string_view kind);

/// A finding with its values. They are as they stand in the log: not safe to print.
struct VerdictReason {
  Finding finding = Finding::no_draw;
  std::string library = {}, function = {}, file = {}; ///< what it is about
  std::string code = {};   ///< the reason code of the record that led to it
  std::string place = {};  ///< "train.py:12"
  std::string detail = {}; ///< a statement, a version, a setting
  std::vector<std::string> names = {}, others = {};
  std::uint64_t count = 0;

  const char* kind() const { return row_of(finding).kind; }
  VerdictLevel level() const { return row_of(finding).level; }
};

/// What a reason is about, in a word: a function, else a file's name, else a library. Empty if it
/// is about the run.
std::string subject_of(const VerdictReason& reason);

/// What tells it from the other reasons of a run, and stays from run to run: one for each of its
/// names.
std::vector<std::string> keys_of(const VerdictReason& reason);

/// "covered", "verified", "unverified", "partial".
const char* level_name(VerdictLevel level);

/// What the finders have seen, before anything is accepted or weighed.
struct Findings {
  std::vector<VerdictReason> reasons;   ///< in the order in which they were found
  std::vector<std::string> own_kernels; ///< files with code for a GPU that is not CUDA's own
  std::size_t idle_cuda_libraries = 0; ///< CUDA's files that were loaded while no process had a GPU
  std::vector<std::string> shown_times; ///< lines that read clocks and only show them
  bool has_refused = false;             ///< calls failed on purpose

  void add(VerdictReason reason) { reasons.push_back(std::move(reason)); }

  /// One about all of `names`, and about `file`; none where there are no names.
  template <typename Names>
  void add_named(Finding finding, const Names& names, std::string file = {}) {
    if (!std::empty(names))
      add({.finding = finding,
           .file = std::move(file),
           .names = {names.begin(), names.end()},
           .count = names.size()});
  }
};

} // namespace detshim
