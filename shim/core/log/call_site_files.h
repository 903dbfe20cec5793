// The files that call sites lie in: what stays the same of a place wherever and however often its
// file is loaded.
//
// A program may load and unload one plugin thousands of times: each time at another address, and it
// is one file. Or thousands of copies under a name of their own: those are told apart up to a
// number.
#pragma once

#include "core/base/modules.h"

#include <cstdint>

namespace detshim {

/// A number for the file that an address lies in and its place there, which is that of the address
/// itself where no file holds it. A file is its path and its build.
uint64_t place_in_file(const void* address);

// Of this process and those that it was forked from, with the log's lock held:

/// True if records name the file that holds the address: it is one of the first, or the next, that
/// do.
bool is_file_told_apart(const void* address);

/// Remembers that records name the module's file; true if that is new, and there was room.
bool note_file_of_records(const Module& module);

} // namespace detshim
