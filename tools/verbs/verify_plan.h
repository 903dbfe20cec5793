// What the verb `verify` makes of its options.
#pragma once

#include "verbs/verbs.h"
#include "verify/set_aside.h"
#include "verify/verify.h"

#include <string>

namespace detshim {

enum VerifyStatus { verified_equal = 0, verified_different = 1, verified_nothing = 3 };

/// Puts back what a command that was killed had set aside, and reports it. Returns what was found
/// of such.
SetAside::Found restore_outputs(const VerifyOptions& options);

/// The same; throws UsageError for options that cannot be taken.
void check_verify(const VerifyOptions& options);

/// The plan, and its folder: a new one, by default detshim-log/verify-<time>-<pid>. Throws
/// UsageError.
VerifyPlan plan_verification(const VerifyOptions& options);

VerifyStatus status_of(Answer answer);

/// Says on stderr that a signal came and what is left, and ends by that signal.
int end_as_interrupted(const Interrupted& interrupted, const VerifyPlan& plan);

} // namespace detshim
