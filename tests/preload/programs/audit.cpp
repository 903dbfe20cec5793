// An audit library (rtld-audit(7)) that only looks on. With one, every other library is loaded
// late.
#include <link.h>

extern "C" unsigned la_version(unsigned) { return LAV_CURRENT; }
