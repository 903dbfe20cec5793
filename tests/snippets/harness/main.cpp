// Runs the snippet in the framework that the first argument names.
#include "harness.h"

#include "snippet.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

void in_thread() {
  pthread_t thread;
  const auto body = [](void*) -> void* {
    return snippet(), nullptr;
  };
  check(pthread_create(&thread, nullptr, body, nullptr) == 0, "pthread_create");
  check(pthread_join(thread, nullptr) == 0, "pthread_join");
  print_output();
}

void in_fork() {
  const pid_t child = fork();
  check(child >= 0, "fork");
  if (child == 0) {
    snippet();
    print_output();
    _exit(0);
  }
  int status = 1;
  check(waitpid(child, &status, 0) == child && status == 0, "the child ends well");
}

void in_signal_handler() {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    snippet();
  };
  check(sigaction(SIGUSR1, &action, nullptr) == 0, "sigaction");
  check(raise(SIGUSR1) == 0, "raise");
  print_output();
}

void after_exec(char* name) {
  char framework[] = "plain";
  char* arguments[] = {name, framework, nullptr};
  execv("/proc/self/exe", arguments);
  check(false, "execv");
}

} // namespace

int main(int argc, char** argv) {
  check(argc == 2, "usage: SNIPPET FRAMEWORK");
  const auto asked = [&](const char* framework) {
    return strcmp(argv[1], framework) == 0;
  };
  if (asked("dlsym"))
    lookup = Lookup::dlsym;
  if (asked("dlvsym"))
    lookup = Lookup::dlvsym;

  if (asked("plain") || asked("dlsym") || asked("dlvsym")) {
    snippet();
    print_output();
  } else if (asked("thread")) {
    in_thread();
  } else if (asked("fork")) {
    in_fork();
  } else if (asked("exec")) {
    after_exec(argv[0]);
  } else if (asked("signal")) {
    in_signal_handler();
  } else {
    check(false, "FRAMEWORK is plain, dlsym, dlvsym, thread, fork, exec or signal");
  }
}
