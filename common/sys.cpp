#include "common/sys.h"

namespace detshim::sys {

[[gnu::section(".data.startup")]] constinit Gate* gate = nullptr; // shim/core/base/placement.h

} // namespace detshim::sys
