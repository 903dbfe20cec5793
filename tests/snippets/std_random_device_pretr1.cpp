#include "snippet.h"

#include <random>

// What programs built with a libstdc++ of before GCC 5 call in place of operator(); no header declares it.
unsigned pretr1_value(std::random_device* device) __asm__("_ZNSt13random_device16_M_getval_pretr1Ev");

SNIPPET {
  std::random_device device;
  for (int i = 0; i < 8; ++i) emit(pretr1_value(&device));
}
