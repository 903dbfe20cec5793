// A program that has functions of its own by names of libc's, of other types and for purposes of
// its own. Each ends the program. It draws, lists a folder, starts a shell and a thread, for which
// the library needs what is called so.
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

namespace {

[[noreturn]] void end_by(const char* name, size_t length) {
  if (write(STDERR_FILENO, name, length) < 0)
    _exit(98);
  _exit(99);
}

} // namespace

#define OWN(NAME)                                                                                  \
  extern "C" __attribute__((used)) void own_##NAME() __asm__(#NAME);                               \
  void own_##NAME() { end_by("called: " #NAME "\n", sizeof("called: " #NAME "\n") - 1); }

OWN(abs)
OWN(atoi)
OWN(bcmp)
OWN(bsearch)
OWN(dirfd)
OWN(getauxval)
OWN(getpagesize)
OWN(isatty)
OWN(kill)
OWN(memchr)
OWN(memcmp)
OWN(memcpy)
OWN(memmem)
OWN(memmove)
OWN(memrchr)
OWN(memset)
OWN(posix_spawnattr_destroy)
OWN(posix_spawnattr_init)
OWN(posix_spawnattr_setflags)
OWN(posix_spawnattr_setsigdefault)
OWN(posix_spawnattr_setsigmask)
OWN(program_name)
OWN(pthread_key_create)
OWN(pthread_setspecific)
OWN(pthread_sigmask)
OWN(qsort)
OWN(sbrk)
OWN(setstate_r)
OWN(sigaction)
OWN(sigaddset)
OWN(sigemptyset)
OWN(snprintf)
OWN(strchr)
OWN(strcmp)
OWN(strcpy)
OWN(strlen)
OWN(strncmp)
OWN(strncpy)
OWN(strnlen)
OWN(strstr)
OWN(strtol)
OWN(syscall)
OWN(sysconf)
OWN(vsnprintf)

namespace {

void show(const char* what, uint64_t number) {
  printf("%s %llx\n", what, static_cast<unsigned long long>(number));
}

void draw_from_kernel() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    exit(1);
  show("getrandom", number);
  if (getentropy(&number, sizeof number) != 0)
    exit(2);
  show("getentropy", number);
  const int device = open("/dev/urandom", O_RDONLY);
  if (read(device, &number, sizeof number) != sizeof number)
    exit(3);
  close(device);
  show("open", number);
  FILE* const file = fopen("/dev/urandom", "rb");
  if (fread(&number, sizeof number, 1, file) != 1)
    exit(4);
  fclose(file);
  show("fopen", number);
}

void draw_by_seed() {
  unsigned seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
    exit(5);
  srand(seed);
  show("rand", static_cast<uint64_t>(rand()));
  static char state[64];
  char* const before = initstate(seed, state, sizeof state);
  show("random", static_cast<uint64_t>(random()));
  setstate(before);
  show("random", static_cast<uint64_t>(random()));
}

void list_folder() {
  dirent** entries = nullptr;
  const int count = scandir("/proc/self/fdinfo", &entries, nullptr, alphasort);
  if (count < 0)
    exit(6);
  for (int i = 0; i < count; ++i)
    free(entries[i]);
  free(entries);
  DIR* const folder = opendir("/proc/self/task");
  if (folder == nullptr || readdir(folder) == nullptr)
    exit(7);
  closedir(folder);
}

void start_others() {
  if (WEXITSTATUS(system("exit 3")) != 3)
    exit(8);
  thrd_t thread;
  thrd_create(
      &thread,
      [](void*) -> int {
        return rand() & 1;
      },
      nullptr);
  thrd_join(thread, nullptr);
  if (access("/nowhere/at/all", F_OK) == 0)
    exit(9);
}

} // namespace

int main() {
  draw_from_kernel();
  draw_by_seed();
  list_folder();
  start_others();
}
