// Searches by time that no hook can answer: TensorRT's builder, which times each layer's kernels as it makes
// an engine, and cuSPARSELt's search. They are recorded, with the line that asked for them.
//
// Symbols: NvInfer.h of TensorRT 8 to 10, whose createInferBuilder() is inline and calls this one;
// cusparseLt.h of cuSPARSELt 0.6.
#include "loader/hook.h"

using namespace detshim;

DETSHIM_HOOK(tensorrt, void*, createInferBuilder_INTERNAL, (void* logger, int version),
             .action = Action::nondeterministic,
             .summary =
                 "Recorded: TensorRT's builder chooses each layer's kernel by time. An engine that is kept "
                 "and loaded again stays the same.") {
  DETSHIM_ENTER(createInferBuilder_INTERNAL);
  void* const builder = call.real(logger, version);
  if (!call.passes() && builder != nullptr) call.record(Action::nondeterministic, Reason::timed_engine, {});
  return builder;
}

DETSHIM_HOOK(cusparselt, int, cusparseLtMatmulSearch,
             (const void* handle, void* plan, const void* alpha, const void* a, const void* b,
              const void* beta, const void* c, void* d, void* workspace, void** streams, int stream_count),
             .action = Action::nondeterministic,
             .summary = "Recorded: cuSPARSELt times its algorithms for the plan and takes the fastest.") {
  DETSHIM_ENTER(cusparseLtMatmulSearch);
  const int status = call.real(handle, plan, alpha, a, b, beta, c, d, workspace, streams, stream_count);
  if (!call.passes() && status == 0) call.record(Action::nondeterministic, Reason::timed_algorithm, {});
  return status;
}
