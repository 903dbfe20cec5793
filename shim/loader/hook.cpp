#include "loader/hook.h"

namespace detshim {

thread_local constinit uint8_t detail::call_depth = 0;

} // namespace detshim
