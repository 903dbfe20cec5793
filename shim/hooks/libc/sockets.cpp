// listen: a process that strangers can reach should not hand out tokens that they can predict.
#include "common/sys.h"
#include "loader/hook.h"
#include "loader/python_draws.h"

#include <sys/socket.h>

namespace detshim {
namespace {

bool is_internet_socket(int fd) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  return !sys::failed(
             sys::call(SYS_getsockname, fd, sys::address(&address), sys::address(&size))) &&
         (address.ss_family == AF_INET || address.ss_family == AF_INET6);
}

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_HOOK(libc, int, listen, (int fd, int backlog), .action = Action::observe,
             .summary =
                 "Notes that others can reach this process: a line on stderr warns when it draws "
                 "tokens by Python's secrets.") {
  DETSHIM_ENTER(listen);
  const int result = call.real(fd, backlog);
  if (result == 0 && !call.passes() && is_internet_socket(fd))
    note_listening();
  return result;
}
