// cuSPARSE: which one answers, and the functions that repeat under a condition on their input.
#include "abi/cusparse.h"
#include "hooks/support/library_version.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

template <typename Call, typename... Arguments>
cusparseStatus record_condition(const Call& call, Arguments... arguments) {
  const cusparseStatus status = call.real(arguments...);
  if (!call.passes() && status == cusparseStatus::success)
    call.record(Action::observe, Reason::same_unless_index_repeats, {});
  return status;
}

constexpr Description repeats_without_double_index = {
    .action = Action::observe,
    .summary = "Recorded: repeatable if no index comes twice.",
};

using Axpby =
    OutermostCall<cusparseStatus(cusparseHandle_t handle, const void* alpha, cusparseConstSpVecDescr_t x,
                                 const void* beta, cusparseDnVecDescr_t y)>;
using Scatter = OutermostCall<cusparseStatus(cusparseHandle_t handle, cusparseConstSpVecDescr_t x,
                                             cusparseDnVecDescr_t y)>;

} // namespace
} // namespace detshim

using namespace detshim;
using namespace detshim::abi;

DETSHIM_HOOK(cusparse, cusparseStatus, cusparseCreate, (cusparseHandle_t * handle), .action = Action::observe,
             .summary = "Says which cuSPARSE answers.") {
  DETSHIM_ENTER_OUTERMOST(cusparseCreate);
  if (!call.passes()) record_library_once(call, cusparse_library);
  return call.real(handle);
}

DETSHIM_TEMPLATE_HOOK(cusparse, Axpby, cusparseAxpby, record_condition, repeats_without_double_index);
DETSHIM_TEMPLATE_HOOK(cusparse, Scatter, cusparseScatter, record_condition, repeats_without_double_index);
