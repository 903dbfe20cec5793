#include "core/log/node_name.h"

#include "common/sys.h"

#include <sys/utsname.h>

namespace detshim {

void node_name(char (&name)[65]) {
  utsname node = {};
  sys::call(SYS_uname, sys::address(&node));
  size_t i = 0;
  for (; node.nodename[i] != 0 && i + 1 < sizeof name; ++i)
    name[i] = node.nodename[i] == '/' ? '_' : node.nodename[i];
  name[i] = 0;
}

} // namespace detshim
