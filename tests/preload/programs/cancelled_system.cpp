#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <initializer_list>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
void handler(int) {}
void* call(void*) { return system("echo >begun; exec sleep 1000") == 0 ? nullptr : &errno; }
int main() {
  for (int each : {SIGINT, SIGQUIT})
    signal(each, handler);
  if (mkfifo("begun", 0600) != 0)
    return 2;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, call, nullptr) != 0)
    return 3;
  char end;
  if (read(open("begun", O_RDONLY), &end, 1) != 1)
    return 4;
  void* result = nullptr;
  pthread_cancel(thread);
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "cancelled" : "ended");
  for (int each : {SIGINT, SIGQUIT})
    puts(signal(each, SIG_DFL) == handler ? "as before" : "changed");
}
