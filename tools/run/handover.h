// What `detshim run` hands on: to launchers, since what starts on other machines must be under
// detshim as well, and to the library the environment that a run begins in, which is written beside
// its log.
#pragma once

#include "environment/environment.h"

#include <string>
#include <vector>

namespace detshim {

/// True for mpirun, srun, torchrun and their like.
bool is_launcher(const std::vector<std::string>& command);

/// True for what starts its program elsewhere, in another environment: ssh, docker.
bool leaves_environment(const std::string& program);

/// Changes the command so that the launcher hands the library and the run to other machines by its
/// own means, and says on stderr where it has none.
void hand_over(std::vector<std::string>& command, bool is_quiet);

/// Leaves what a run begins in (capture_start) for the library there. Whatever fails, the run is as
/// without it.
void hand_over_environment(const Environment& start);

} // namespace detshim
