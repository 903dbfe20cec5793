// What the doubles' headers share. Enumerations are passed as int in all of them, as they do in the
// C ABI.
#pragma once

#include <cstddef>

/// Handles, descriptors and device pointers: opaque to everyone here.
using Opaque = void*;
