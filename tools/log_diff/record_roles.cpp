#include "log_diff/record_roles.h"
#include "common/reasons.h"
#include "support/wording.h"

#include <algorithm>

namespace detshim {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

} // namespace

Role role_of(const Call& call, std::string_view field) {
  if (call.is_digest) {
    if (field == "launches") return Role::context;
    // How long a text is depends on its numbers; how much is copied is asked for.
    if (field == "bytes") return is_of_host(call) ? Role::result : Role::input;
    return is_any_of(field, {"digest", "unread"}) ? Role::result : Role::input;
  }
  if (is_any_of(field, {"effective", "found", "first", "returned", "note", "nondeterministic", "status",
                        "answered", "pool", "threads"}))
    return Role::result;
  // The seed that an interpreter is given, or the one that a descriptor is set back to.
  if (field == "seed") return call.action == Action::pin ? Role::result : Role::input;
  if (field == "workspace") return contains(call.function, "WorkspaceSize") ? Role::result : Role::input;
  // What ran in place of what was asked for, or just what was asked for.
  if (field == "algorithm")
    return find_field(call.fields, "requested") != nullptr ? Role::result : Role::input;
  return Role::input;
}

bool has_inputs(const Call& call) {
  return std::ranges::any_of(
      call.fields, [&call](const Field& field) { return role_of(call, field.name) == Role::input; });
}

/// True if the reason is what a tuning file holds, or lacks.
bool is_of_tuning(const std::string& why) {
  constexpr Reason reasons[] = {
      Reason::kept_choice,          Reason::kept_choice_nondeterministic, Reason::kept_choice_not_offered,
      Reason::kept_plan_other,      Reason::not_in_tuning_file,           Reason::tuning_cannot_keep,
      Reason::tuning_keeps_fastest, Reason::tuning_keeps_last_plan,       Reason::tuning_keeps_use};
  return std::ranges::any_of(reasons, [&](Reason reason) { return why == reason_code(reason); });
}

Section section_of(const Call& call) {
  if (call.is_digest) return Section::digests;
  if (call.library == "env" || find_field(call.fields, "variable") != nullptr) return Section::settings;
  if (call.library == "nccl") return Section::collectives;
  if (call.function.find("Find") != std::string::npos ||
      call.function.find("Heuristic") != std::string::npos || is_of_tuning(call.why) ||
      find_field(call.fields, "first") != nullptr)
    return Section::tuning;
  const bool is_drawing_library = is_any_of(call.library, {"libc", "libstdcxx", "libcxx", "curand"});
  const bool is_seed =
      find_field(call.fields, "requested") != nullptr || find_field(call.fields, "seed") != nullptr;
  if (is_seed && (is_drawing_library || call.action == Action::pin)) return Section::seeds;
  if (call.action == Action::pin || (is_drawing_library && call.fields.empty())) return Section::draws;
  if (is_any_of(call.library, {"cublas", "cublaslt", "cudnn", "cusparse", "cusolver", "cusolvermg", "cufft"}))
    return Section::algorithms;
  return Section::calls;
}

bool is_of_host(const Call& call) {
  const std::string* const to = find_field(call.fields, "to");
  return call.is_digest && to != nullptr && *to != "host" && *to != "device";
}

bool has_unknown_values(const Call& call) {
  return call.why == reason_code(Reason::values_not_written) ||
         (call.is_digest && find_field(call.fields, "unread") != nullptr);
}

} // namespace detshim
