// The name of this machine.
#pragma once

namespace detshim {

/// As a part of a file's name too.
void node_name(char (&name)[65]);

} // namespace detshim
