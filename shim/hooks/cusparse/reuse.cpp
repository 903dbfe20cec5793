// cuSPARSE's products of two sparse matrices whose pattern is used again (SpGEMMreuse): each phase
// takes the deterministic algorithm. What the default is may change with the version: it is
// replaced too.
#include "abi/cusparse.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

using Algorithm = cusparseSpGEMMAlg;

/// The body of every phase's hook: each gets the same algorithm.
template <typename Call, typename... Arguments>
cusparseStatus reuse(const Call& call, Arguments... arguments) {
  return keep_good<Algorithm::csr_determinitic, Reason::adds_in_any_order, Algorithm::by_default,
                   Algorithm::csr_nondeterminitic>(call, arguments...);
}

constexpr Description replaces = {
    .action = Action::replace,
    .fields = {"requested"_in, "effective"_out},
    .summary = "Replaces NONDETERMINITIC and the default by DETERMINITIC.",
};

// The algorithm stands behind the handle, two operations and three matrices.
using WithOneBuffer = CallOfWords<cusparseStatus, 3, Word, Word, Word, Word, Word, Word, Algorithm>;
using WithThreeBuffers =
    CallOfWords<cusparseStatus, 7, Word, Word, Word, Word, Word, Word, Algorithm>;
// Two factors and a type besides.
using WithValues =
    CallOfWords<cusparseStatus, 1, Word, Word, Word, Word, Word, Word, Word, Word, Word, Algorithm>;

} // namespace
} // namespace detshim

using namespace detshim;

DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_workEstimation, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithThreeBuffers, cusparseSpGEMMreuse_nnz, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithOneBuffer, cusparseSpGEMMreuse_copy, reuse, replaces);
DETSHIM_TEMPLATE_HOOK(cusparse, WithValues, cusparseSpGEMMreuse_compute, reuse, replaces);
