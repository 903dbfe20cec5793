// Searches by time that no hook can answer: TensorRT's builder, which times each layer's kernels as
// it makes an engine, and cuSPARSELt's search. They are recorded, with the line that asked for
// them.
//
// Symbols: NvInfer.h of TensorRT 8 to 10, whose createInferBuilder() is inline and calls this one;
// cusparseLt.h of cuSPARSELt 0.6.
#include "hooks/support/functions.h"
#include "loader/hook.h"

using namespace detshim;

DETSHIM_HOOK(
    tensorrt, void*, createInferBuilder_INTERNAL, (void* logger, int version),
    .action = Action::nondeterministic,
    .summary =
        "Recorded: TensorRT's builder chooses each layer's kernel by time. An engine that is kept "
        "and loaded again stays the same.") {
  DETSHIM_ENTER(createInferBuilder_INTERNAL);
  void* const builder = call.real(logger, version);
  if (!call.passes() && builder != nullptr)
    call.record(Action::nondeterministic, Reason::timed_engine, {});
  return builder;
}

using Search = CallOfWords<int, 11>;
DETSHIM_TEMPLATE_HOOK(
    cusparselt, Search, cusparseLtMatmulSearch, record_nondeterministic<Reason::timed_algorithm>,
    .action = Action::nondeterministic,
    .summary = "Recorded: cuSPARSELt times its algorithms for the plan and takes the fastest.");
