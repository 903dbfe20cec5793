// Built with clang++ -stdlib=libc++.
#include "snippet.h"

#include <random>

SNIPPET {
  std::random_device device;
  for (int i = 0; i < 8; ++i)
    emit(device());
}
