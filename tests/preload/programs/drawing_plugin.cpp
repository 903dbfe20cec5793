// A library that draws, in a call of its own: one by a jump would be its caller's.
#include <cstdlib>

extern "C" int draw() { return std::rand() / 3; }
