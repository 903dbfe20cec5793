// Draws in the workers of a pool that takes tasks as they are free.
#pragma once

#include "core/log/line.h"

namespace detshim {

/// Adds the field `pool` to the record of a call that Python code made in such a worker: of multiprocessing,
/// multiprocess, concurrent.futures or loky. Not where the worker imports a module, which it does whatever
/// its tasks are.
void add_pool(Line& line);

} // namespace detshim
