#include "snippet.h"

#include <random>

SNIPPET {
  std::mt19937 generator{std::random_device{}()};
  for (int i = 0; i < 8; ++i)
    emit(generator());
}
