// An ordinary user of cuSPARSE's solvers, factorisations and conversions: calls the functions that
// it is told, or, told nothing, prints their names.
#include "call.h"

#include "cusparse_solvers.h"
#include "place.h"

#include <cstdio>
#include <cstring>

#define ONE(name, example)                                                                         \
  if (argc == 1)                                                                                   \
    std::printf("%s\n", #name);                                                                    \
  for (int i = 1; i < argc; ++i)                                                                   \
    if (!std::strcmp(argv[i], #name))                                                              \
      std::printf("%s=%d\n", #name, CALL(name) example);
#define EACH(name, parameters, arguments, example)                                                 \
  ONE(cusparseS##name, example)                                                                    \
  ONE(cusparseD##name, example)                                                                    \
  ONE(cusparseC##name, example)                                                                    \
  ONE(cusparseZ##name, example)

int main(int argc, char** argv) {
  FOR_EACH_SOLVER(EACH)
  ONE(cusparseSpSV_solve, (at(1), 2, at(3), at(4), at(5), at(6), 7, 8, at(9)))
  ONE(cusparseSpSM_solve, (at(1), 2, 3, at(4), at(5), at(6), at(7), 8, 9, at(10)))
  ONE(cusparseCsr2cscEx2,
      (at(1), 2, 3, 4, at(5), at(6), at(7), at(8), at(9), at(10), 11, 12, 13, 14, at(15)))
  ONE(cusparseSpMVGeneric, (at(1), at(2), at(3), at(4), at(5), at(6), at(7), 8, at(9)))
  ONE(cusparseSpMVOp, (at(1), at(2), at(3), at(4), at(5), at(6), at(7)))
}
