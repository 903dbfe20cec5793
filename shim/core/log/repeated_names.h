// A program that ends in an error because a run before it made the same names.
//
// `uuid4` of the user's own code follows from the seed, so a second run under one seed makes the
// first one's: a folder, a row of a database, is there already.
#pragma once

#include <cstdint>

namespace detshim {

/// This process has been given a name that follows from the seed.
void note_pinned_name();

/// It ends with that exit status, without its exit handlers; with them, it is heard of here.
void note_exit_status(int status);

/// The exit status, if this process has such names, it is not 0, and a run before has left its log
/// beside this one's with the same seed; else 0. Wants the log's lock.
uint64_t status_after_repeated_names();

/// Warns of that on stderr.
void say_repeated_names(uint64_t status);

} // namespace detshim
