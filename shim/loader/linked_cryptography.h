// Whether a copy of a cryptography library is linked into an object that hides its symbols.
#pragma once

#include "core/base/modules.h"

namespace detshim {

/// True if one is: by texts of its own among the object's constants. Looks once an object and
/// process, and reads through the kernel: a program may have protected or unmapped a part of its
/// constants.
bool holds_cryptography(const Module& module);

} // namespace detshim
