// A double of lib_lightgbm.so, or of libxgboost.so: says what parameters it is given.
#include <cstdio>

extern "C" {

#ifdef OF_LIGHTGBM
int LGBM_BoosterCreate(const void* /*data*/, const char* parameters, void** booster) {
  *booster = nullptr;
  return std::puts(parameters) < 0;
}
#else
void XGBoostVersion(int* major, int* minor, int* patch) {
  *major = 1;
  *minor = *patch = 0;
}

int XGBoosterSetParam(void* /*booster*/, const char* name, const char* value) {
  return std::printf("%s=%s\n", name, value) < 0;
}
#endif
}
