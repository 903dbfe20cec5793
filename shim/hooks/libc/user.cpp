// A process that takes another user's rights, or another root, can make no file in the log's folder any more,
// nor can the programs that it executes. So its log is begun before: what it draws itself is recorded through
// the descriptor that it has then, and what it executes is named there (core/log/records.h, prepare_log_for).
#include "common/sys.h"
#include "loader/hook.h"

#include <unistd.h>

namespace detshim {
namespace {

/// The effective user that is asked for: -1 leaves it alone.
void before_user(uid_t effective, const char* function) {
  const auto unchanged = static_cast<uid_t>(-1);
  if (effective != unchanged && effective != static_cast<uid_t>(sys::call(SYS_geteuid))) begin_log(function);
}

constexpr Description begins_log_before = {
    .action = Action::observe,
    .summary = "Begins the log of a process that gives up its user's rights.",
};

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, setuid, (uid_t user), begins_log_before) {
  DETSHIM_ENTER(setuid);
  if (!call.passes()) before_user(user, "setuid");
  return call.real(user);
}

DETSHIM_HOOK(libc, int, seteuid, (uid_t user), begins_log_before) {
  DETSHIM_ENTER(seteuid);
  if (!call.passes()) before_user(user, "seteuid");
  return call.real(user);
}

DETSHIM_HOOK(libc, int, setreuid, (uid_t real, uid_t effective), begins_log_before) {
  DETSHIM_ENTER(setreuid);
  if (!call.passes()) before_user(effective, "setreuid");
  return call.real(real, effective);
}

DETSHIM_HOOK(libc, int, setresuid, (uid_t real, uid_t effective, uid_t saved), begins_log_before) {
  DETSHIM_ENTER(setresuid);
  if (!call.passes()) before_user(effective, "setresuid");
  return call.real(real, effective, saved);
}

DETSHIM_HOOK(libc, int, chroot, (const char* path), .action = Action::observe,
             .summary = "Begins the log of a process that leaves its root.") {
  DETSHIM_ENTER(chroot);
  if (!call.passes()) begin_log("chroot");
  return call.real(path);
}
