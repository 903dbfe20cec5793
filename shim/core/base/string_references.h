// Which function of a program without symbols this is, by a text that its code refers to.
#pragma once

#include "core/base/modules.h"

namespace detshim {

/// True if code in the range refers to a text of its module that begins so, and goes on with no
/// letter or digit: to "srand", and not to "srandom". The references that compilers write are
/// known, each relative to the code, to the text itself or to a pointer to it: `lea` of x86-64,
/// `adrp` and `add` of aarch64; and x86-64's absolute ones of a program at a fixed address.
bool refers_to_text(const Module& module, CodeRange code, const char* text);

} // namespace detshim
