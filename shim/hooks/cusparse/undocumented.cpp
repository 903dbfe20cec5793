// Functions of cuSPARSE of which NVIDIA documents neither that they repeat nor that they do not.
// They go ahead in strict mode too: to refuse what may be repeatable would break programs.
#include "abi/cusparse.h"
#include "hooks/support/functions.h"
#include "loader/hook.h"

namespace detshim {
namespace {

using namespace abi;

constexpr Description undocumented = {
    .action = Action::nondeterministic,
    .summary = "Recorded: NVIDIA does not say whether it is repeatable.",
};

template <int count>
using Words = CallOfWords<cusparseStatus, count>;

} // namespace
} // namespace detshim

using namespace detshim;

// After each name: how many arguments the function takes.
#define RECORDED(NAME, COUNT)                                                                      \
  DETSHIM_TEMPLATE_HOOK(cusparse, Words<COUNT>, NAME,                                              \
                        record_nondeterministic<Reason::undocumented>, undocumented)
// Those of float, double, and their complex numbers: cusparseS…, D…, C…, Z….
#define FOUR_TYPES(NAME, COUNT)                                                                    \
  RECORDED(cusparseS##NAME, COUNT);                                                                \
  RECORDED(cusparseD##NAME, COUNT);                                                                \
  RECORDED(cusparseC##NAME, COUNT);                                                                \
  RECORDED(cusparseZ##NAME, COUNT)

RECORDED(cusparseSpSV_solve, 9);
RECORDED(cusparseSpSM_solve, 10);
RECORDED(cusparseCsr2cscEx2, 15);
// Products past cusparseSpMV, whose algorithms are not documented (cusparse.h, since 12.9
// and 12.7).
RECORDED(cusparseSpMVGeneric, 9);
RECORDED(cusparseSpMVOp, 7);

FOUR_TYPES(gtsv2, 9);
FOUR_TYPES(gtsv2_nopivot, 9);
FOUR_TYPES(gtsv2StridedBatch, 9);
FOUR_TYPES(gtsvInterleavedBatch, 9);
// Products and solves of block matrices.
FOUR_TYPES(bsrmv, 15);
FOUR_TYPES(bsrxmv, 18);
FOUR_TYPES(bsrmm, 19);
FOUR_TYPES(bsrsv2_solve, 16);
FOUR_TYPES(bsrsm2_solve, 20);

FOUR_TYPES(csrcolor, 12);
FOUR_TYPES(gemvi, 14);
