// Runtimes that seed themselves where no hook sees it.
#pragma once

namespace detshim {

/// At the end of a process, before its log is closed: a `runtime` record for each of the known ones
/// that is in it, whether or not the program drew from it. Without one of them it costs a walk over
/// the loaded objects' names, and some lookups in the program's table of symbols.
void record_runtimes();

/// In a thread that is about to make another: some of the runtimes are named only once they have
/// workers. `caller`: of pthread_create.
void note_thread_of_runtime(const void* caller);

} // namespace detshim
