// A nondeterministic algorithm that a program names itself, and the deterministic one that runs
// instead.
//
// A caller asks how large a workspace an algorithm wants, and runs it with one of that size. The
// answer is large enough for the substitute, where the library gives a size for it, and for the
// algorithm that was named, which runs where the library refuses the substitute in the end. The
// substitute runs where the caller's workspace has its size; a caller that did not ask may have
// less, and then the algorithm that it named runs.
#pragma once

#include "hooks/cudnn/library.h"
#include "hooks/support/functions.h"

namespace detshim {

/// Both are one where the program names a deterministic algorithm.
template <typename Algorithm>
struct Substitution {
  Algorithm requested;
  Algorithm effective;

  bool is_needed() const { return requested != effective; }
  int64_t requested_number() const { return static_cast<int64_t>(requested); }
  int64_t effective_number() const { return static_cast<int64_t>(effective); }
};

/// Whether the library refused the arguments, so that nothing was launched.
inline bool is_refusal(abi::cudnnStatus status) {
  using abi::cudnnStatus;
  const int number = static_cast<int>(status);
  return (number >= static_cast<int>(cudnnStatus::bad_param) && number < 4000) ||
         status == cudnnStatus::bad_param_before_9 || status == cudnnStatus::not_supported_before_9;
}

/// Whether the library refuses the arguments themselves, whatever the algorithm.
inline bool is_bad_argument(abi::cudnnStatus status) {
  using abi::cudnnStatus;
  const int number = static_cast<int>(status);
  return (number >= static_cast<int>(cudnnStatus::bad_param) &&
          number < static_cast<int>(cudnnStatus::not_supported)) ||
         status == cudnnStatus::bad_param_before_9 ||
         status == cudnnStatus::not_initialized_before_9 || status == cudnnStatus::not_initialized;
}

/// The body of a hook that runs an algorithm; its records' fields are requested, effective,
/// workspace. `size_of(algorithm, bytes)` asks the library, and fails where it has no such
/// function. What the library would not take is not refused in its place: the size of the algorithm
/// that was requested tells, where the library gives one.
template <typename Call, typename Algorithm, typename Size, typename... Arguments>
abi::cudnnStatus run_substitute(const Call& call, Substitution<Algorithm> algorithm, Size size_of,
                                Arguments... arguments) {
  using abi::cudnnStatus;
  const auto workspace = argument_of_type<size_t>(arguments...);
  const uint64_t bytes = workspace;
  const auto run = [&](Algorithm which) {
    argument_of_type<Algorithm>(arguments...) = which;
    return call.real(arguments...);
  };
  if (call.passes() || !algorithm.is_needed())
    return run(algorithm.requested);
  cudnnStatus refusal = cudnnStatus::success; // the library's own, of the call itself
  const auto leave = [&](Reason why) {
    const cudnnStatus status = run(algorithm.requested);
    if (status == cudnnStatus::success || refusal != cudnnStatus::success) // its size was ours
      call.record(Action::nondeterministic, why,
                  {algorithm.requested_number(), algorithm.requested_number(), bytes});
    return status;
  };
  if (!options().forces())
    return leave(Reason::nondeterministic);

  size_t needed = 0;
  Reason why = Reason::no_workspace_size;
  if (size_of(algorithm.effective, &needed) == cudnnStatus::success) {
    why = Reason::workspace_too_small;
    if (needed <= workspace) {
      const cudnnStatus status = run(algorithm.effective);
      if (status == cudnnStatus::success)
        call.record(Action::replace, Reason::nondeterministic,
                    {algorithm.requested_number(), algorithm.effective_number(), bytes});
      if (!is_refusal(status))
        return status;
      refusal = status;
      why = Reason::refused_by_library;
    }
  }
  if (!options().strict())
    return leave(why);
  if (size_t own = 0; is_bad_argument(size_of(algorithm.requested, &own)) || own > workspace)
    return leave(why);
  call.record(Action::refuse, why, {algorithm.requested_number(), "", bytes});
  return refusal != cudnnStatus::success ? refusal : cudnn_not_supported(call.hook());
}

/// The body of a hook that answers how large an algorithm's workspace is, with the same fields.
/// What cannot be substituted is recorded where it runs.
template <typename Algorithm, Substitution<Algorithm> (*substitute)(Algorithm), typename Call,
          typename... Arguments>
abi::cudnnStatus answer_size(const Call& call, Arguments... arguments) {
  using abi::cudnnStatus;
  const Substitution<Algorithm> algorithm = substitute(argument_of_type<Algorithm>(arguments...));
  size_t* const bytes = argument_of_type<size_t*>(arguments...);
  const auto size_of = [&](Algorithm which, size_t* into) {
    argument_of_type<Algorithm>(arguments...) = which;
    argument_of_type<size_t*>(arguments...) = into;
    return call.real(arguments...);
  };
  if (call.passes() || !algorithm.is_needed())
    return size_of(algorithm.requested, bytes);
  if (size_t effective = 0; options().forces() && bytes != nullptr &&
                            size_of(algorithm.effective, &effective) == cudnnStatus::success) {
    const cudnnStatus status = size_of(algorithm.requested, bytes);
    if (is_bad_argument(status))
      return status;
    if (status != cudnnStatus::success || *bytes < effective)
      *bytes = effective;
    call.record(Action::replace, Reason::workspace_size,
                {algorithm.requested_number(), algorithm.effective_number(), uint64_t{*bytes}});
    return cudnnStatus::success;
  }
  const cudnnStatus status = size_of(algorithm.requested, bytes);
  if (status == cudnnStatus::success && bytes != nullptr)
    call.record(Action::observe, Reason::workspace_size,
                {algorithm.requested_number(), algorithm.requested_number(), uint64_t{*bytes}});
  return status;
}

} // namespace detshim
