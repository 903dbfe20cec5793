// A double of libcusparseLt.so.0: the search alone.
#include "events.h"
#include "record.h"

extern "C" int cusparseLtMatmulSearch(const void* handle, void* plan, const void* alpha,
                                      const void* a, const void* b, const void* beta, const void* c,
                                      void* d, void* workspace, Opaque* streams, int stream_count) {
  record("cusparseLtMatmulSearch %p %p %p %p %p %p %p %p %p %p %d", handle, plan, alpha, a, b, beta,
         c, d, workspace, static_cast<void*>(streams), stream_count);
  return misbehaves("no search") ? 10 : 0;
}
