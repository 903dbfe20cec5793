// The judgement, from a log to the word.
//
// Decides in this order: what the finders see in the log and in the files that it names; what the
// run's environment and earlier comparisons add (`state`, `differed`); which reasons the user
// answers for; the level, which is the worst of the reasons that are left; and whether compared
// runs answer for those (*verified*). *covered* is what is left where no reason is.
//
// It cannot see what leaves no trace: what no hook and no search of machine code sees. Something
// counts if it *can* differ, even if it did not: one run says nothing of the next. Evidence is
// believed for the very program that was compared and for reasons that were there then; it never
// takes a definite reason back.
#include "verdict/verdict.h"

#include "verdict/finders.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace detshim {
namespace {

/// find_no_draw() comes behind those that find reasons.
constexpr void (*finders[])(const VerdictInputs&, Findings&) = {
    find_calls,       find_pools,    find_users_lines, find_seeds_that_may_change,
    find_shell_words, find_code,     find_kernels,     find_unhooked_functions,
    find_runtimes,    find_settings, find_processes,   find_ranks,
    find_libraries,   find_damage,   find_no_draw,     count_idle_libraries,
    count_refused};

Findings find_all(const VerdictInputs& inputs) {
  Findings findings;
  for (const auto find : finders)
    find(inputs, findings);
  return findings;
}

/// Compared runs of this very program were not equal.
bool have_differed(const Evidence& evidence) {
  return evidence.program == Evidence::Program::same && !evidence.were_equal;
}

/// All reasons, those of the evidence in front.
std::vector<VerdictReason> all_reasons(std::vector<VerdictReason> of_log,
                                       const CarriedState& environment, const Evidence& evidence) {
  Findings all;
  if (have_differed(evidence))
    all.add(
        {.finding = Finding::runs_differed, .place = evidence.difference, .detail = evidence.date});
  std::ranges::move(of_log, std::back_inserter(all.reasons));
  all.add_named(Finding::state_carried, environment.files);
  return std::move(all.reasons);
}

/// True if the name of an acceptance is that of the reason: its kind, or its kind and what it is
/// about.
bool names(const std::string& acceptance, const VerdictReason& reason) {
  const std::size_t colon = acceptance.find(':');
  if (acceptance.substr(0, colon) != reason.kind())
    return false;
  if (colon == std::string::npos)
    return true;
  const std::string subject = acceptance.substr(colon + 1);
  return subject == reason.function || subject == reason.file || subject == reason.library ||
         subject == subject_of(reason);
}

/// Takes the reasons back that the user answers for.
void take_back(const std::vector<std::string>& accepted, Verdict& verdict) {
  for (const std::string& name : accepted) {
    const auto is_meant = [&](const VerdictReason& reason) {
      return names(name, reason);
    };
    std::ranges::copy_if(verdict.reasons, std::back_inserter(verdict.accepted), is_meant);
    std::erase_if(verdict.reasons, is_meant);
    // One that repeats another name counts what is gone already.
    verdict.acceptances.push_back(
        {name, static_cast<std::size_t>(std::ranges::count_if(verdict.accepted, is_meant))});
  }
}

/// What of the reasons was not seen in the compared runs.
std::vector<std::string> new_keys(const std::vector<VerdictReason>& reasons,
                                  const Evidence& evidence) {
  std::vector<std::string> keys;
  for (const VerdictReason& reason : reasons)
    for (std::string& key : keys_of(reason))
      if (!evidence.can_differ.contains(key))
        keys.push_back(std::move(key));
  return keys;
}

EvidenceUse use_of(const Evidence& evidence, const std::vector<VerdictReason>& reasons) {
  using enum EvidenceUse::Answer;
  EvidenceUse use{.runs = evidence.runs,
                  .date = evidence.date,
                  .command = evidence.command,
                  .names = evidence.names};
  switch (evidence.program) {
  case Evidence::Program::never_compared:
    use.answer = none;
    break;
  case Evidence::Program::changed:
    use.answer = changed;
    break;
  case Evidence::Program::unknown:
    use.answer = unknown;
    break;
  case Evidence::Program::same:
    if (!evidence.were_equal) {
      use.answer = differed;
      break;
    }
    use.names = new_keys(reasons, evidence);
    use.answer = use.names.empty() ? holds : new_findings;
  }
  return use;
}

/// Two runs of a program in which nothing was seen to differ say no more than that.
bool is_settled(const Verdict& verdict) {
  constexpr std::size_t few = 2;
  if (verdict.evidence.answer != EvidenceUse::Answer::holds)
    return false;
  return verdict.level == VerdictLevel::covered ? verdict.evidence.runs > few
                                                : verdict.can_be_settled();
}

/// What is judged without its log. A function: the members of JudgedLog are const.
Verdict judge(const VerdictInputs& log, const BesidesLog& besides,
              const std::vector<std::string>& accepted) {
  return conclude(find_all(log), besides.environment, besides.evidence, accepted);
}

} // namespace

bool is_acceptance(const std::string& name) {
  const std::size_t colon = name.find(':');
  return is_finding_kind(name.substr(0, colon)) &&
         (colon == std::string::npos || colon + 1 < name.size());
}

bool Verdict::can_be_settled() const {
  return level == VerdictLevel::unverified &&
         std::ranges::all_of(reasons, [](const VerdictReason& reason) {
           return row_of(reason.finding).settled != Settled::by_nothing;
         });
}

bool Verdict::passes_check() const {
  if (level == VerdictLevel::verified)
    return !has_refused;
  return !has_refused && std::ranges::all_of(reasons, [](const VerdictReason& reason) {
    return reason.finding == Finding::not_decoded;
  });
}

bool Verdict::passes_if_equal() const {
  return passes_check() || (can_be_settled() && !has_refused);
}

bool Verdict::lacks_draws_alone() const {
  return reasons.size() == 1 && reasons.front().finding == Finding::no_draw;
}

Verdict conclude(Findings findings, const CarriedState& environment, const Evidence& evidence,
                 const std::vector<std::string>& accepted) {
  Verdict verdict{.reasons = all_reasons(std::move(findings.reasons), environment, evidence),
                  .own_kernels = std::move(findings.own_kernels),
                  .idle_cuda_libraries = findings.idle_cuda_libraries,
                  .shown_times = std::move(findings.shown_times),
                  .has_refused = findings.has_refused};
  take_back(accepted, verdict);
  std::ranges::stable_sort(verdict.reasons, std::greater<>(), &VerdictReason::level);
  if (!verdict.reasons.empty())
    verdict.level = verdict.reasons.front().level();
  verdict.evidence = use_of(evidence, verdict.reasons);
  if (is_settled(verdict))
    verdict.level = VerdictLevel::verified;
  return verdict;
}

JudgedLog::JudgedLog(Log read, Decode decode, const std::vector<std::string>& accepted,
                     const BesidesLog& besides)
    : log(std::move(read)), summary(summarise(log)), code(scan_loaded_code(log, summary, decode)),
      verdict(judge({log, summary, code}, besides, accepted)) {}

} // namespace detshim
