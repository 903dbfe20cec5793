// What the user's own code reads of the system: inputs.cpp.
#pragma once

#include "core/base/user_memory.h"
#include "hooks/support/user_call_sites.h"

#include <cerrno>
#include <sys/stat.h>

namespace detshim {

/// Calls note() for a path that a call was handed, once the call has given `answer`, and if the
/// path can be read. Keeps errno.
template <typename Note>
void note_path(const char* path, long answer, Note note) {
  if (!was_read(path, answer))
    return;
  const int error = errno;
  note();
  errno = error;
}

/// Keeps the call site, if it is the user's own code, or a line of his Python's; false where it is
/// neither.
bool note_input(UserCall kind, const void* caller);

/// The same for a file whose times are asked for, but Python's own.
void note_file_time(const char* path, const void* caller, UserCall kind = UserCall::file_time);

/// The same for a file that is opened, if it is one of the kernel's (/proc, /sys).
void note_file_of_system(const char* path, const void* caller);

/// Notes in the run's list of files that a file was asked about; `answer` is what the call gave,
/// and is given back. `status` is nullptr where the call gave none.
int note_status(int answer, int folder, const char* path, const struct stat* status);

/// Keeps the call site, and notes the file, if the user's own code asked for an open file's times.
void note_status_of_open(int fd, const void* caller);

/// The same for a folder whose names are read, but by an import of Python's.
void note_listed_folder(const char* path, const void* caller);

} // namespace detshim
