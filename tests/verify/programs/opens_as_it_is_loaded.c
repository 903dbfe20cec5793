#include <fcntl.h>
__attribute__((constructor)) void begin(void) { open("/etc/passwd", O_RDONLY); }
