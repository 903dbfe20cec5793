// A process that takes another user's rights, or another root, can make no file in the log's folder
// any more, nor can the programs that it executes. So its log is begun before: what it draws itself
// is recorded through the descriptor that it has then, and what it executes is named there
// (core/log/records.h, prepare_log_for).
#include "common/sys.h"
#include "loader/hook.h"

#include <unistd.h>

namespace detshim {
namespace {

/// Of two users or more the second is the effective one; -1 leaves it alone.
template <typename Call, typename... Others>
int change_user(const Call& call, uid_t first, Others... others) {
  const uid_t users[] = {first, others...};
  const uid_t effective = users[sizeof...(others) > 0];
  const bool changes = effective != static_cast<uid_t>(-1) &&
                       effective != static_cast<uid_t>(sys::call(SYS_geteuid));
  if (changes && !call.passes())
    begin_log(call.hook().info().name);
  return call.real(first, others...);
}

constexpr Description begins_log_before = {
    .action = Action::observe,
    .summary = "Begins the log of a process that gives up its user's rights.",
};

using ChangeUser = Call<int(uid_t user)>;
using ChangeTwo = Call<int(uid_t real, uid_t effective)>;
using ChangeAll = Call<int(uid_t real, uid_t effective, uid_t saved)>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOKS(libc, ChangeUser, setuid, seteuid, change_user, begins_log_before);
DETSHIM_TEMPLATE_HOOK(libc, ChangeTwo, setreuid, change_user, begins_log_before);
DETSHIM_TEMPLATE_HOOK(libc, ChangeAll, setresuid, change_user, begins_log_before);

DETSHIM_HOOK(libc, int, chroot, (const char* path), .action = Action::observe,
             .summary = "Begins the log of a process that leaves its root.") {
  DETSHIM_ENTER(chroot);
  if (!call.passes())
    begin_log("chroot");
  return call.real(path);
}
