// The folder that a run's log is in, as everything that writes there opens it: the library in each
// process, and `detshim run` for a program that the library is not in.
#pragma once

namespace detshim {

/// Opens the folder, made where it is missing if `make`; neither it nor, if it is the default, the
/// `detshim-log` that it is in may be a link. A descriptor, or a negated errno. `made` tells
/// whether this call made it. Changes the text of `path`.
int open_log_folder(char* path, bool is_default, bool make, bool& made);

/// Points `detshim-log/latest` at the run, for the process `pid` that made its folder.
void link_latest(int folder, const char* run, int pid);

/// True for a regular file that nobody else can have written or can read: the user's own, with no
/// rights for others and under one name. (Whoever may write in the folder may lay any file there.)
bool is_own_file(int fd);

/// Makes the file, or opens one that is there already if it is the user's own (`made` tells which),
/// with `flags` and those that keep off links and pipes. A descriptor, or a negated errno: EEXIST
/// for a file that is not ours.
int open_own_file(int folder, const char* name, int flags, bool& made);

/// A file in the folder that only one process of the run can make: a descriptor, or a negated
/// errno.
int claim_file(int folder, const char* run, const char* suffix);

} // namespace detshim
