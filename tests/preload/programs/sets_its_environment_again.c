#include <stdlib.h>
#include <string.h>
extern char** environ;
int main(void) {
  char* copies[4096];
  int count = 0;
  while (environ[count])
    copies[count] = strdup(environ[count]), ++count;
  clearenv();
  BETWEEN;
  for (int i = 0; i < count; ++i) {
    char* const sign = strchr(copies[i], '=');
    *sign = 0;
    setenv(copies[i], sign + 1, 1);
  }
  rand();
}
