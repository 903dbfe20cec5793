// What `detshim run` has captured of the environment, written beside the log.
#pragma once

#include <cstddef>

namespace detshim {

/// Writes it into the log folder, whole or not at all, if it was handed over and is not there yet:
/// as `environment.json` if this process `made` the folder, which then is this run's alone; else as
/// `environment.<run>.<host>.json`. `room`: to copy through. Wants the log's lock held. Whatever
/// fails, the log goes on without it.
void keep_environment(int folder, bool made, char* room, size_t room_size);

/// True if `detshim run` has handed it over to this process, and no log of the run has taken it
/// yet.
bool has_environment_of_run();

/// Closes what was handed over, where no log is made: no program need see it.
void drop_environment();

} // namespace detshim
