#include "core/identity/thread_state.h"

namespace detshim {

thread_local constinit Thread detail::thread;

} // namespace detshim
