// In which version the reader of a setting is, told by the names of files alone: before a library
// is loaded nothing else tells it, and few have a function that does.
#pragma once

#include "common/text.h"

namespace detshim {

/// If a loaded file belongs to that library, appends the library's version. `names` are separated
/// by |, a closing star matches all that begin so. They name the file, its folder in
/// site-packages, or its wheel, whose folder there has the version ("jaxlib-0.5.3.dist-info"); else
/// it stands at the end of the file's name, or of the one that it is a link to
/// ("libnccl.so.2.27.7").
void library_version(const char* path, const char* names, TextWriter& version);

} // namespace detshim
