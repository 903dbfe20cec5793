// Why a log is not covered, and the verdict that comes of it. A finding is a code: its kind and its level
// stand in one table (finding.cpp), its sentence and what to do about it in report/verdict_texts.cpp, which
// no decision reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detshim {

enum class VerdictLevel {
  covered,    ///< nothing that can differ was seen
  verified,   ///< runs of this program were compared and found equal, and nothing new can differ
  unverified, ///< something can differ, or too little is known
  partial,    ///< something definite went ahead nondeterministic
};

enum class Finding : std::uint8_t {
  nondeterministic_call,
  nondeterministic_operator,
  may_be_key,
  uncovered_call,
  lost_bad_calls,
  lost_calls,
  lost_records,
  bypass,
  foreign,
  linked_copy,
  copy_or_stub,
  no_symbols,
  new_function_bound,
  new_function_looked_up,
  open_function_called,
  open_function_looked_up,
  open_functions_bound,
  runtime,
  later_version,
  unknown_version,
  setting_left,
  none_of_the_hooks,
  open_library,
  two_copies,
  no_coverage,
  no_modules,
  kernel_compiler,
  own_kernels,
  own_code,
  not_decoded,
  missing_files,
  changed_files,
  mode_observe,
  mode_record,
  disabled,
  trapped,
  no_end,
  no_start,
  lost_process,
  gave_up_rights,
  damaged,
  other_format,
  unreadable,
  racing_threads,
  racing_manager,
  racing_trainers,
  racing_queue,
  racing_workers,
  script_words,
  missing_ranks,
  no_rank,
  clock_read,
  seed_unexplained,
  threads_started,
  processes_started,
  input_read,
  state_carried,
  runs_differed,
  no_draw,
};

/// Whether a comparison of runs answers a finding. What it cannot answer is a log that does not say all: what
/// else can differ is not known then.
enum class Settled : std::uint8_t { by_comparison, by_nothing };

struct FindingRow {
  Finding finding;
  const char* kind; ///< as users name it: docs/VERDICT.md has all of them
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
  std::string code = {};                              ///< the reason code of the record that led to it
  std::string place = {};                             ///< "train.py:12"
  std::string detail = {};                            ///< a statement, a version, a setting
  std::vector<std::string> names = {}, others = {};
  std::uint64_t count = 0;

  const char* kind() const { return row_of(finding).kind; }
  VerdictLevel level() const { return row_of(finding).level; }
};

/// What a reason is about, in a word: a function, else a file's name, else a library. Empty if it is about
/// the run.
std::string subject_of(const VerdictReason& reason);

/// What tells it from the other reasons of a run, and stays from run to run: one for each of its names.
std::vector<std::string> keys_of(const VerdictReason& reason);

/// "covered", "verified", "unverified", "partial".
const char* level_name(VerdictLevel level);

/// A reason that the user answers for: its kind, or its kind and what it is about ("kernels",
/// "kernels:libmine.so").
struct Acceptance {
  std::string name;
  std::size_t reasons = 0; ///< so many it has taken back
};

/// What the comparison of earlier runs says of this one.
struct EvidenceUse {
  enum class Answer {
    none,         ///< this program was never compared under this seed
    holds,        ///< it is the program that was compared, and nothing new can differ
    changed,      ///< it is another than the one that was compared: `names` says in what
    unknown,      ///< whether it is the same is not known: `names` says why
    new_findings, ///< it is the same, and something can differ that was not seen then: `names`
    differed,     ///< it is the same, and its runs were not equal
  };
  Answer answer = Answer::none;
  std::size_t runs = 0;
  std::string date;    ///< "2026-11-25"
  std::string command; ///< this run's, as it was typed
  std::vector<std::string> names;
};

struct Verdict {
  VerdictLevel level = VerdictLevel::covered; ///< the worst of the reasons'
  std::vector<VerdictReason> reasons;         ///< worst first
  std::vector<VerdictReason> accepted;        ///< those that were taken back
  std::vector<Acceptance> acceptances;        ///< as they were asked for
  std::vector<std::string> own_kernels;       ///< files with code for a GPU that is not CUDA's own
  std::size_t idle_cuda_libraries = 0;        ///< CUDA's files that were loaded while no process had a GPU
  EvidenceUse evidence;
  bool has_refused = false; ///< calls failed on purpose: covered, but not as the program wanted

  /// True where comparing runs would say what this log leaves open.
  bool can_be_settled() const;

  /// What `log --check` asks for. That the user left the code out of it (--no-scan) is no failure.
  bool passes_check() const;
};

} // namespace detshim
