// What a launcher (mpirun, srun, torchrun) that the library is in does beside starting ranks.
#pragma once

namespace detshim {

/// In a launcher: has it hand the library and the run to other machines, where it has a means, and
/// not hand to its ranks a number of threads that was meant for one process. From the constructor
/// only.
void prepare_launcher();

} // namespace detshim
