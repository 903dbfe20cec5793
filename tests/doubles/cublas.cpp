// A double of libcublas.so.13. Like the real one it reads CUBLAS_WORKSPACE_CONFIG once, when the first handle
// is made.
#include "record.h"
#include "vendor.h"

namespace {

struct Handle {
  int atomics_mode = 0;
};

constexpr int not_initialized = 1, invalid_value = 7;
constexpr int version[] = {13, 1, 0};

} // namespace

extern "C" {

int cublasCreate_v2(Opaque* handle) {
  static const char* const workspace = std::getenv("CUBLAS_WORKSPACE_CONFIG");
  record("cublasCreate_v2 CUBLAS_WORKSPACE_CONFIG=%s", workspace ? workspace : "(unset)");
  if (misbehaves("fail")) return not_initialized;
  *handle = new Handle;
  return 0;
}

int cublasDestroy_v2(Opaque handle) {
  record("cublasDestroy_v2");
  delete static_cast<Handle*>(handle);
  return 0;
}

int cublasSetAtomicsMode(Opaque handle, int mode) {
  record("cublasSetAtomicsMode mode=%d", mode);
  if (misbehaves("fail")) return not_initialized;
  static_cast<Handle*>(handle)->atomics_mode = mode;
  return 0;
}

int cublasGetAtomicsMode(Opaque handle, int* mode) {
  record("cublasGetAtomicsMode");
  *mode = static_cast<Handle*>(handle)->atomics_mode;
  return 0;
}

// The real one answers without a handle too; that is how a library can be asked before it is used.
int cublasGetVersion_v2(Opaque, int* value) {
  *value = version[0] * 10000 + version[1] * 100 + version[2];
  return 0;
}

int cublasGetProperty(int type, int* value) {
  if (type < 0 || type > 2) return invalid_value;
  *value = version[type];
  return 0;
}

} // extern "C"
