// Draws in the workers of a pool that takes tasks as they are free.
#pragma once

#include "core/log/line.h"

namespace detshim {

/// Adds the kind and the place of the pool (`pool`, and `pool_at` where its maker is known) to the
/// record of a call that Python code made in such a worker: of
/// multiprocessing, multiprocess, concurrent.futures, loky, dask.distributed or Ray. Not where a
/// thread imports a module, which any thread of the program may do first; a worker process seeds
/// the module's generators so, and its tasks draw from them.
void add_pool(Line& line);

} // namespace detshim
