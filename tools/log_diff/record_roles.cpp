// Decides, of a call record, which of its values went in and which came out, and the section of the
// report that it belongs to. Roles are what the hooks say (hook_table.h). Of a digest, how many
// bytes a program printed is a result, and how many were copied is an input. Sections follow from a
// table of rules, of which the first holds.
//
// It cannot know what a call read that its record has no value for, a state in memory say.
#include "log_diff/record_roles.h"

#include "common/reasons.h"
#include "log_diff/hook_table.h"
#include "support/lists.h"
#include "support/wording.h"

#include <algorithm>

namespace detshim {
namespace {

Role role_in_digest(const Call& digest, std::string_view field) {
  if (field == "launches")
    return Role::context;
  // How long a text is depends on its numbers; how much is copied is asked for.
  if (field == "bytes")
    return is_of_host(digest) ? Role::result : Role::input;
  return is_any_of(field, {"digest", "unread"}) ? Role::result : Role::input;
}

bool is_digest(const Call& call) { return call.is_digest; }

bool is_of_setting(const Call& call) {
  return call.library == "env" || find_field(call.fields, "variable") != nullptr;
}

bool is_collective(const Call& call) { return call.library == "nccl"; }

/// The reason is what a tuning file holds, or lacks.
bool is_of_tuning(const Call& call) {
  constexpr Reason reasons[] = {Reason::kept_choice,
                                Reason::kept_choice_nondeterministic,
                                Reason::kept_choice_not_offered,
                                Reason::kept_plan_other,
                                Reason::not_in_tuning_file,
                                Reason::tuning_cannot_keep,
                                Reason::tuning_keeps_fastest,
                                Reason::tuning_keeps_last_plan,
                                Reason::tuning_keeps_use};
  return contains(reasons, call.reason);
}

bool lists_algorithms(const Call& call) {
  const HookInfo* const hook = described_hook(call);
  return hook != nullptr && hook->lists_algorithms;
}

/// Its calls without a value are draws, and those with a seed are seedings, whatever became of
/// them.
bool is_of_generator(const Call& call) {
  return is_any_of(call.library, {"libc", "libstdcxx", "libcxx", "curand"});
}

bool is_seeding(const Call& call) {
  const bool has_seed =
      find_field(call.fields, "requested") != nullptr || find_field(call.fields, "seed") != nullptr;
  return has_seed && (is_of_generator(call) || call.action == Action::pin);
}

bool is_draw(const Call& call) {
  return call.action == Action::pin || (is_of_generator(call) && call.fields.empty());
}

bool is_of_algorithms(const Call& call) {
  return is_any_of(call.library,
                   {"cublas", "cublaslt", "cudnn", "cusparse", "cusolver", "cusolvermg", "cufft"});
}

struct SectionRule {
  Section section;
  bool (*holds)(const Call& call);
};

/// The first that holds.
constexpr SectionRule section_rules[] = {
    {Section::digests, is_digest},
    {Section::settings, is_of_setting},
    {Section::collectives, is_collective},
    {Section::tuning, lists_algorithms},
    {Section::tuning, is_of_tuning},
    {Section::seeds, is_seeding},
    {Section::draws, is_draw},
    {Section::algorithms, is_of_algorithms},
};

} // namespace

Role role_of(const Call& call, std::string_view field) {
  if (call.is_digest)
    return role_in_digest(call, field);
  return described_role(call, field) == FieldRole::result ? Role::result : Role::input;
}

bool has_inputs(const Call& call) {
  return std::ranges::any_of(call.fields, [&call](const Field& field) {
    return role_of(call, field.name) == Role::input;
  });
}

Section section_of(const Call& call) {
  const auto* const rule = std::ranges::find_if(section_rules, [&call](const SectionRule& row) {
    return row.holds(call);
  });
  return rule == std::end(section_rules) ? Section::calls : rule->section;
}

bool is_of_host(const Call& call) {
  const std::string* const to = find_field(call.fields, "to");
  return call.is_digest && to != nullptr && *to != "host" && *to != "device";
}

bool has_unknown_values(const Call& call) {
  return call.reason == Reason::values_not_written || call.reason == Reason::further_files ||
         (call.is_digest && find_field(call.fields, "unread") != nullptr);
}

} // namespace detshim
