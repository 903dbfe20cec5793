// Names that an installed package made of the kernel's entropy, and that the program prints.
//
// Such a name is another one in each run (loader/python_draws.h), which no result hangs on. What is
// printed does: the line that asked for it is the reason `input` (name) then.
#pragma once

#include <cstddef>

namespace detshim {

/// The kernel has given `size` bytes to the code at `caller`: if it was the calling thread's last
/// draw, and a package's name, its first bytes are remembered, as such names begin in print (a
/// UUID, a token in hexadecimal digits).
void note_drawn_name(const void* bytes, size_t size, const void* caller);

/// Whether there is any.
bool has_drawn_names();

/// `size` bytes of text were written to stdout (`fd` 1) or stderr (2): if a name is among them, the
/// line that asked for the first of all names becomes a reason. A package's own line to stderr is
/// none; stdout has a buffer, so that whoever writes it out may not have printed it.
void note_printed_text(int fd, const char* text, size_t size);

} // namespace detshim
