#include "support/small_limits.h"

#include <cerrno>
#include <csignal>
#include <cstddef>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

namespace detshim {
namespace {

constexpr std::size_t usual_stack = std::size_t{8} << 20;
constexpr rlim_t small_stack = rlim_t{1} << 20;

struct sigaction size_limit_before = {};
bool is_outlived = false;

/// makecontext() hands numbers on, and no pointer.
struct {
  const std::function<int()>* work;
  int status;
  ucontext_t caller, callee;
} other_stack = {};

/// A limit, the letter and the unit that the shell names it by, and the errors that it leads to.
struct NamedLimit {
  __rlimit_resource resource;
  char letter;
  rlim_t unit;
  int errors[2];
};
constexpr NamedLimit named_limits[] = {{RLIMIT_NOFILE, 'n', 1, {EMFILE, EMFILE}},
                                       {RLIMIT_AS, 'v', 1024, {ENOMEM, EAGAIN}},
                                       {RLIMIT_DATA, 'd', 1024, {ENOMEM, EAGAIN}},
                                       {RLIMIT_FSIZE, 'f', 1024, {EFBIG, EFBIG}}};

/// libc makes a thread's stack as large as the limit for the first one's.
void enlarge_stacks_of_threads() {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0)
    return;
  ::pthread_attr_setstacksize(&attributes, usual_stack);
  ::pthread_setattr_default_np(&attributes);
  ::pthread_attr_destroy(&attributes);
}

void work_there() { other_stack.status = (*other_stack.work)(); }

} // namespace

int with_enough_stack(const std::function<int()>& work) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= small_stack)
    return work();
  enlarge_stacks_of_threads();
  void* const stack = ::mmap(nullptr, usual_stack, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED || ::getcontext(&other_stack.callee) != 0)
    return work();
  other_stack.work = &work;
  other_stack.callee.uc_stack.ss_sp = stack;
  other_stack.callee.uc_stack.ss_size = usual_stack;
  other_stack.callee.uc_link = &other_stack.caller;
  ::makecontext(&other_stack.callee, work_there, 0);
  if (::swapcontext(&other_stack.caller, &other_stack.callee) != 0)
    return work();
  return other_stack.status;
}

void outlive_size_limit() {
  struct sigaction ignored = {};
  ignored.sa_handler = SIG_IGN;
  is_outlived = ::sigaction(SIGXFSZ, &ignored, &size_limit_before) == 0;
}

void heed_size_limit() {
  if (is_outlived)
    ::sigaction(SIGXFSZ, &size_limit_before, nullptr);
}

std::string limit_behind(int error) {
  for (const NamedLimit& row : named_limits) {
    rlimit limit = {};
    const bool is_behind = error == row.errors[0] || error == row.errors[1];
    if (is_behind && ::getrlimit(row.resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
      return std::string(" (`ulimit -") + row.letter + " " +
             std::to_string(limit.rlim_cur / row.unit) + "` allows no more)";
  }
  return {};
}

} // namespace detshim
