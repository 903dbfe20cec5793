#include "log_reader/launch_variables.h"

#include "support/wording.h"

namespace detshim {

bool is_of_one_launch(std::string_view name) {
  return is_any_of(name, {"OMPI_FILE_LOCATION", "OMPI_MCA_ess_base_jobid", "OMPI_MCA_orte_hnp_uri",
                          "OMPI_MCA_orte_jobfam_session_dir", "OMPI_MCA_orte_local_daemon_uri",
                          "OMPI_MCA_orte_precondition_transports", "PMIX_ID", "PMIX_NAMESPACE",
                          "PMIX_SERVER_TMPDIR", "PMIX_SYSTEM_TMPDIR", "PMI_FD", "PMI_PORT",
                          "HYDI_CONTROL_FD", "SLURM_TASK_PID", "SLURM_SRUN_COMM_PORT",
                          "SLURM_STEP_LAUNCHER_PORT", "TORCHELASTIC_RUN_ID",
                          "TORCHELASTIC_ERROR_FILE"}) ||
         name.starts_with("PMIX_SERVER_URI") ||
         (name.starts_with("PMIX_DSTORE_") && name.ends_with("_PATH"));
}

} // namespace detshim
