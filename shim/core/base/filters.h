// Filters that the program puts on itself (seccomp(2)), and what becomes of our own system calls
// under them.
//
// One that allows little ends the process, by SIGSYS or worse, at a call that it does not allow,
// and the program does not know of our own. So each filter is kept, and asked before each of our
// calls, by the rules by which the kernel asks it: what it would end the process for is not made,
// and fails with EPERM. What it lets fail itself is made. A process without a filter pays one load.
//
// What one thread puts on counts here for all: which threads inherit it is not followed.
#pragma once

struct sock_fprog;

namespace detshim {

struct Filter;

/// A copy of the filter, behind those that are on; of strict mode for nullptr. nullptr where there
/// is no memory, or no filter at that address: the kernel will not take it either.
Filter* copy_filter(const sock_fprog* program);

/// Whether that filter and those before it allow a call.
bool allows(const Filter* filter, long number, long first = 0);

/// From now on it counts for our own calls.
void put_on(const Filter* filter);

/// The kernel did not take it.
void take_off(Filter* filter);

} // namespace detshim
