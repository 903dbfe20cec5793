#include "verdict/finding.h"

#include "support/wording.h"

#include <algorithm>
#include <iterator>

namespace detshim {
namespace {

using enum VerdictLevel;
using enum Settled;

constexpr FindingRow rows[] = {
    {Finding::nondeterministic_call, "nondeterministic", partial},
    {Finding::nondeterministic_operator, "nondeterministic", partial},
    {Finding::may_be_key, "key", unverified},
    {Finding::uncovered_call, "uncovered", partial},
    {Finding::lost_bad_calls, "lost_records", partial},
    {Finding::lost_calls, "lost_records", unverified, by_nothing},
    {Finding::lost_records, "lost_records", unverified, by_nothing},
    {Finding::bypass, "bypass", partial},
    {Finding::foreign, "foreign", partial},
    {Finding::linked_copy, "linked_copy", partial},
    {Finding::copy_or_stub, "linked_copy", unverified},
    {Finding::no_symbols, "no_symbols", unverified},
    {Finding::new_function_bound, "new_function", partial},
    {Finding::new_function_looked_up, "new_function", unverified},
    {Finding::open_function_called, "open_function", unverified},
    {Finding::open_function_looked_up, "open_function", unverified},
    {Finding::open_functions_bound, "open_function", unverified},
    {Finding::runtime, "runtime", unverified},
    {Finding::later_version, "version", unverified},
    {Finding::unknown_version, "version", unverified},
    {Finding::setting_left, "version", unverified},
    {Finding::none_of_the_hooks, "no_hooks", unverified},
    {Finding::open_library, "no_hooks", unverified},
    {Finding::two_copies, "two_copies", unverified},
    {Finding::no_coverage, "no_coverage", unverified},
    {Finding::no_modules, "no_modules", unverified, by_nothing},
    {Finding::kernel_compiler, "kernels", unverified},
    {Finding::own_kernels, "kernels", unverified},
    {Finding::own_code, "code", partial},
    {Finding::not_decoded, "not_decoded", unverified, by_nothing},
    {Finding::missing_files, "missing_file", unverified},
    {Finding::changed_files, "changed_file", unverified},
    {Finding::mode_observe, "mode", unverified, by_nothing},
    {Finding::mode_record, "mode", partial},
    {Finding::disabled, "disabled", partial},
    {Finding::trapped, "trapped", unverified},
    {Finding::no_end, "no_end", unverified},
    {Finding::no_start, "no_start", unverified, by_nothing},
    {Finding::lost_process, "no_log", unverified},
    {Finding::gave_up_rights, "no_log", unverified, by_nothing},
    {Finding::damaged, "damaged", unverified, by_nothing},
    {Finding::other_format, "other_format", unverified, by_nothing},
    {Finding::unreadable, "unreadable", unverified, by_nothing},
    {Finding::racing_threads, "pool", unverified},
    {Finding::racing_manager, "pool", unverified},
    {Finding::racing_trainers, "pool", unverified},
    {Finding::racing_queue, "pool", unverified},
    {Finding::racing_workers, "pool", unverified},
    {Finding::script_words, "script", unverified},
    {Finding::missing_ranks, "missing_ranks", unverified, by_nothing},
    {Finding::no_rank, "missing_ranks", unverified, by_nothing},
    {Finding::clock_read, "clock", unverified},
    {Finding::seed_unexplained, "unexplained_seed", unverified},
    {Finding::threads_started, "threads", unverified},
    {Finding::processes_started, "processes", unverified},
    {Finding::input_read, "input", unverified},
    {Finding::state_carried, "state", unverified},
    {Finding::runs_differed, "differed", partial},
    {Finding::no_draw, "no_draw", unverified},
};

constexpr bool are_in_order() {
  for (std::size_t i = 0; i < std::size(rows); ++i)
    if (static_cast<std::size_t>(rows[i].finding) != i) return false;
  return std::size(rows) == static_cast<std::size_t>(Finding::no_draw) + 1;
}
static_assert(are_in_order(), "each finding has a row");

} // namespace

const FindingRow& row_of(Finding finding) { return rows[static_cast<std::size_t>(finding)]; }

bool is_finding_kind(std::string_view kind) {
  return std::ranges::any_of(rows, [&](const FindingRow& row) { return row.kind == kind; });
}

std::string subject_of(const VerdictReason& reason) {
  if (!reason.function.empty()) return reason.function;
  return reason.file.empty() ? reason.library : base_name(reason.file);
}

std::vector<std::string> keys_of(const VerdictReason& reason) {
  std::string key = reason.kind();
  for (const std::string& part : {subject_of(reason), reason.code, reason.place, reason.detail})
    if (!part.empty()) key += ' ' + part;
  if (reason.names.empty()) return {key};
  std::vector<std::string> keys;
  for (const std::string& name : reason.names) keys.push_back(key + ' ' + name);
  return keys;
}

const char* level_name(VerdictLevel level) {
  constexpr const char* names[] = {"covered", "verified", "unverified", "partial"};
  return names[static_cast<std::size_t>(level)];
}

bool Verdict::can_be_settled() const {
  return level == unverified && std::ranges::all_of(reasons, [](const VerdictReason& reason) {
           return row_of(reason.finding).settled == by_comparison;
         });
}

bool Verdict::passes_check() const {
  if (level == verified) return !has_refused;
  return !has_refused && std::ranges::all_of(reasons, [](const VerdictReason& reason) {
    return reason.finding == Finding::not_decoded;
  });
}

} // namespace detshim
