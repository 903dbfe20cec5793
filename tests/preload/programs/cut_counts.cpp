// cut_counts FOLDER [kill]: draws, cuts every counts file in the folder to nothing, and draws
// again. Prints how often it drew; `kill` ends it by SIGKILL after that.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int drawn;

static void draw(int count) {
  for (int i = 0; i < count; ++i) {
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) == sizeof bytes)
      ++drawn;
  }
}

int main(int argc, char** argv) {
  const auto draws = [](int count) {
    draw(count);
  };
  draws(10);
  DIR* folder = argc > 1 ? opendir(argv[1]) : nullptr;
  if (folder == nullptr)
    return 1;
  int cut = 0;
  while (const dirent* entry = readdir(folder)) {
    const char* ending = strrchr(entry->d_name, '.');
    if (ending == nullptr || strcmp(ending, ".counts") != 0)
      continue;
    const int file = openat(dirfd(folder), entry->d_name, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file < 0)
      return 2;
    close(file);
    ++cut;
  }
  closedir(folder);
  if (cut == 0)
    return 3;
  draws(1000);
  printf("%d\n", drawn);
  fflush(stdout);
  if (argc > 2)
    kill(getpid(), SIGKILL);
}
