// At the end of a process: which CUDA libraries are loaded, and what of them bypassed the hooks.
#pragma once

namespace detshim {

/// Records, as `uncovered`, the references of loaded objects that the loader bound past a hook of a
/// CUDA library, and the calls that were handed to another object's function of the same name;
/// then, if there is a log, a `coverage` record for each CUDA library that is loaded. Without one
/// of them it costs a walk over the loaded objects' names. A `bound` record names the functions of
/// theirs without a hook that an object is bound to, or has looked up: whether they matter, the
/// reader knows.
void record_coverage();

/// Keeps in mind that `caller` looks up a function that is called like one of a CUDA library and
/// has no hook.
void note_lookup(const char* name, const void* caller);

} // namespace detshim
