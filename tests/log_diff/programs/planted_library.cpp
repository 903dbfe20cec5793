// Built twice, with another build id each.
#include <cstdlib>

extern "C" long planted_draw() { return rand(); }
