// What a Python interpreter's own draws are for, by the Python code that asked.
//
// A draw that makes numbers follows from the seed. One that makes a key stays the kernel's, and so
// does one by which an installed package names things: a second run under one seed would meet the
// first one's run id, or take its file of a cache for its own.
#pragma once

#include "common/reasons.h"

namespace detshim {

/// Why a draw of the interpreter's (os.urandom) is left to the kernel: `key` for a package that
/// makes keys, `names_things`, `named_by_user`; none: it is not. Wants the interpreter's lock
/// (core/python/frames.h); none where there is no interpreter.
Reason why_python_keeps_entropy();

/// True where an installed package asks for a name, of this thread's innermost Python code.
bool python_package_names_things();

/// True, once, if that was the answer of the calling thread's last question.
bool took_package_name();

/// True while Python's tempfile asks whether its generator of names is of this process, for the
/// user's own code, after a package has been given one that is the kernel's. There is one generator
/// for both; by another answer than its packages' the user's code gets a generator of its own,
/// which follows from the seed.
bool is_users_temporary_name();

/// Others can reach this process from now on.
void note_listening();

} // namespace detshim
