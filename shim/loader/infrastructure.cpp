// Decides by the beginning of a file's name, from a list. A thread remembers the answer for each
// caller.
//
// It cannot know of a copy that is linked into another file, or has another name: what that draws
// is the program's here, and moves its numbers.
#include "loader/infrastructure.h"

#include "common/text.h"
#include "loader/once_in_thread.h"

namespace detshim {
namespace {

// By the starts of their files' names. mca_ and mtl_: components of Open MPI and PMIx, which are
// loaded as the machine has them.
constexpr const char* files[] = {
    "libmpi.so",      "libmpi_cxx.so",
    "libmpich.so",    "libopen-pal.so",
    "libopen-rte.so", "libprrte.so",
    "libpmix.so",     "libpmi.so",
    "libpmi2.so",     "mca_",
    "libmca_common_", "libucp.so",
    "libucs.so",      "libuct.so",
    "libucm.so",      "libfabric.so",
    "libibverbs.so",  "librdmacm.so",
    "libmlx4.so",     "libmlx5.so",
    "libpsm2.so",     "libpsm_infinipath.so",
    "libhwloc.so",    "libevent",
    "libudev.so",     "libcuda.so",
    "libnvidia-",     "libnccl.so",
    "libnccl-net",    "libslurm",
};

} // namespace

bool is_of_infrastructure(const Module& module) {
  const char* const name = file_name(module.path);
  for (const char* const start : files)
    if (starts_with(name, start))
      return true;
  return false;
}

bool is_of_infrastructure(const void* caller) {
  Module module;
  return find_module(caller, module) && is_of_infrastructure(module);
}

bool InfrastructureCallers::look(const void* caller) {
  const bool is_one = once_in_thread(files, caller, [&] {
                        return is_of_infrastructure(caller);
                      }) != 0;
  has_some_ = has_some_ || is_one;
  return is_one;
}

} // namespace detshim
