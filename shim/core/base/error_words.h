// What an error of the kernel's is called, without strerror(), which may look for a translation and
// allocate.
#pragma once

#include "common/text.h"

#include <cerrno>

namespace detshim {

/// Behind what failed: " (Permission denied)"; the number of an error that opening and writing
/// files has not.
inline TextWriter& add_error(TextWriter& to, int error) {
  constexpr struct {
    int error;
    const char* words;
  } known[] = {{ENOENT, "No such file or directory"}, {EACCES, "Permission denied"},
               {ENOTDIR, "Not a directory"},          {EISDIR, "Is a directory"},
               {EINVAL, "Invalid argument"},          {EFBIG, "File too large"},
               {ENOSPC, "No space left on device"},   {EROFS, "Read-only file system"}};
  for (const auto& entry : known)
    if (entry.error == error)
      return to.add(" (").add(entry.words).add(')');
  return to.add(" (error ").add(static_cast<uint64_t>(error)).add(')');
}

} // namespace detshim
