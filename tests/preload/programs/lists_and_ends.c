#include <dirent.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  DIR* folder = opendir("/etc");
  while (readdir(folder))
    ;
  closedir(folder);
  END;
}
