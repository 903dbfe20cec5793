// A library that draws for its users, built without frame pointers and without debug information.
#include <cstdlib>

extern "C" int wrapper_draw(int limit) { return std::rand() % limit + 1; }
