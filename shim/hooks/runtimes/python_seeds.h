// The functions that seed Python's and NumPy's generators, exchanged: a seed that is a clock's
// is replaced.
//
// Nobody exports them. The interpreter and NumPy keep them in tables of their modules, and there
// they are exchanged once the process's own Python has read a clock: nothing that it passes before
// can be one's.
#pragma once

namespace detshim {

/// Exchanges what of them is loaded by now. `caller`: in the interpreter, whose lock the thread
/// holds.
void exchange_python_seeds(const void* caller);

/// The same for what is loaded by and by: `random` and numpy.random draw from the system as they
/// are imported. The interpreter may have given up its lock for that.
void exchange_imported_seeds(const void* caller);

} // namespace detshim
