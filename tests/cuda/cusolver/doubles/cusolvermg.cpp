// A double of libcusolverMg.so.12: solvers on several devices, of which only the handle is there.
#include "cusolvermg.h"

#include "record.h"

extern "C" int cusolverMgCreate(Opaque* handle) {
  static int the_handle;
  record("cusolverMgCreate");
  *handle = &the_handle;
  return 0;
}
