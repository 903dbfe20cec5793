// Variables that a launcher sets anew in each launch.
#pragma once

#include <string_view>

namespace detshim {

/// True for those by which the processes of a job find each other and their launcher: sockets,
/// folders, numbers. Names of jobs that programs read, as SLURM_JOB_ID, are not among these.
bool is_of_one_launch(std::string_view name);

} // namespace detshim
