// At the end of a process: which CUDA libraries are loaded, and what of them was past the hooks.
#pragma once

namespace detshim {

/// Records, as `uncovered`, the references of loaded objects that the loader bound past a hook of a CUDA
/// library, and the calls that were handed to another object's function of the same name; then, if there is a
/// log, a `coverage` record for each CUDA library that is loaded. Without one of them it costs a walk over
/// the loaded objects' names.
void record_coverage();

} // namespace detshim
