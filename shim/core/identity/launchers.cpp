// Decides what a launcher hands on. Open MPI's gets a list of the names of variables, unless its
// command line hands variables on by itself or the environment has such a list. OMP_NUM_THREADS is
// taken away where it still has the value that was chosen for one process.
//
// It knows Open MPI's by the name alone: a program called mpirun of another MPI gets the list too.
#include "core/identity/launchers.h"

#include "common/launch.h"
#include "common/packed_options.h"
#include "common/run_variable.h"
#include "core/base/environment.h"
#include "core/identity/process.h"

#include <errno.h>

extern "C" char** __environ;

namespace detshim {
namespace {

// A list of names that mpirun of Open MPI hands to its ranks on all nodes; not together with -x.
constexpr const char* list_name = "OMPI_MCA_mca_base_env_list";
constexpr const char* list_start = "LD_PRELOAD;DETSHIM_RUN";

/// True if the command line hands variables on by itself.
bool hands_on_by_itself() {
  for (char** word = given_arguments(); *word != nullptr; ++word)
    if (same_text(*word, "-x") || same_text(*word, "--x") || same_text(*word, "mca_base_env_list"))
      return true;
  return false;
}

/// The names of all that other machines need to know.
const char* list_of_names() {
  static constinit char room[1024] = {};
  TextWriter list(room, sizeof room);
  list.add(list_name).add('=').add(list_start);
  for (char** entry = __environ; *entry != nullptr; ++entry) {
    const bool is_option =
        starts_with(*entry, "DETSHIM_") || starts_with(*entry, packed_options_name);
    if (!is_option || starts_with(*entry, "DETSHIM_RUN="))
      continue;
    const char* end = *entry;
    while (*end != 0 && *end != '=')
      ++end;
    list.add(';').add(*entry, static_cast<size_t>(end - *entry));
  }
  return list.c_str();
}

} // namespace

void prepare_launcher() {
  if (!process().is_launcher)
    return;
  const char* const threads = environment_value("OMP_NUM_THREADS");
  const char* const own_threads = environment_value(own_threads_name);
  if (threads != nullptr && own_threads != nullptr && same_text(threads, own_threads))
    remove_from_environment("OMP_NUM_THREADS");

  if (!starts_with(program_name(), "mpi") && !starts_with(program_name(), "orterun") &&
      !starts_with(program_name(), "prterun"))
    return;
  const char* const list = environment_value(list_name);
  const bool is_ours = list != nullptr && starts_with(list, list_start); // of a launcher before
  if (list != nullptr && !is_ours)
    return;
  if (hands_on_by_itself())
    remove_from_environment(list_name);
  else
    put_in_environment(const_cast<char*>(list_of_names()));
}

} // namespace detshim
