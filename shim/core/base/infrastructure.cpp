// Decides by the beginning of a file's name, from a list.
//
// It cannot know of a copy that is linked into another file, or has another name: what that draws
// is the program's here, and moves its numbers.
#include "core/base/infrastructure.h"

#include "common/text.h"

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

constexpr const char* programs[] = {"hydra_pmi_proxy", "orted", "prted"};

bool is_library(const char* name) {
  for (const char* const start : files)
    if (starts_with(name, start))
      return true;
  return false;
}

} // namespace

bool is_of_infrastructure(const Module& module) { return is_library(file_name(module.path)); }

bool is_infrastructure_file(const char* name) {
  for (const char* const program : programs)
    if (same_text(name, program))
      return true;
  return is_library(name);
}

} // namespace detshim
