// Which files a run used: what it read is part of what it was, and two runs of one program may read
// others.
//
// In a run that `detshim run` began, all processes write to one file of the log's folder
// (`RUN.files`, docs/LOG_FORMAT.md), so that those that draw nothing, and have no log, say it too.
// Each process writes a file once; a folder of which it used many, as a whole.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

namespace detshim {

/// What a process did with a file. The first use tells whether the run read it as it was before.
enum class FileUse {
  read,       ///< opened it, or a program in it was executed
  written,    ///< opened it empty: what it reads there later is its own
  changed,    ///< opened it for writing as it was
  status,     ///< asked of which size or time it is; one that is not there comes up once it is
  listed,     ///< read a folder's names
  link,       ///< asked where a link leads
  attributes, ///< asked for extended attributes
  absent,     ///< looked for it, and it was not there: what the run makes then, the next run finds
};

/// From the constructor: the first process of `detshim run` begins the run's list, and keeps the
/// environment that it was handed. What is loaded by then is read.
void begin_file_uses();

/// Whether uses are noted in this process, which ends where a table is full.
bool notes_file_uses();

/// Whether `detshim run` began this run.
bool is_run_listed();

/// Notes a use by the path as a program gave it, relative to `folder`. `state` is its status,
/// nullptr where that is not known. Changes no errno.
void note_file_use(FileUse use, const char* path, const struct stat* state = nullptr,
                   int folder = AT_FDCWD);

/// The same for a call that has failed: if it did so since there is no such file.
void note_absent_file(const char* path, int folder = AT_FDCWD);

/// The same of a file that is open.
void note_open_file_use(FileUse use, int fd);

/// To be called before bytes of a file that is open are read, or mapped: whether one that was
/// opened to be read and written is read at all, as Fortran opens those that it writes.
inline void note_read_of(int fd);

/// The same for what a program has just opened as `fd` (negative: it failed) with those flags of
/// open(2).
void note_opened_file(const char* path, int folder, int flags, int fd);

namespace detail {
extern bool may_be_unread; ///< some file is open that was not read so far
void note_first_read(int fd);
} // namespace detail

inline void note_read_of(int fd) {
  if (__builtin_expect(detail::may_be_unread, 0))
    detail::note_first_read(fd);
}

} // namespace detshim
