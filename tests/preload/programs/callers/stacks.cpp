// Draws on every kind of stack, each the smallest of its kind or at the edge of what is mapped:
//
//   stacks KIND
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

volatile int drawn;

[[gnu::noinline]] void draw() {
  drawn = std::rand() + 1; // the draw
}

void* in_thread(void*) {
  draw();
  return nullptr;
}

void handle(int) { draw(); }

ucontext_t outside, inside;

void in_coroutine() {
  draw();
  swapcontext(&inside, &outside);
}

/// A stack that ends where nothing is mapped, on both sides.
char* lonely_stack(size_t size) {
  auto* const all = static_cast<char*>(
      mmap(nullptr, size + 2 * 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(all + 65536, size, PROT_READ | PROT_WRITE);
  return all + 65536;
}

void thread_of(size_t size, void* (*body)(void*)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, body, nullptr) == 0)
    pthread_join(thread, nullptr);
}

void on_signal_stack(bool is_lonely) {
  stack_t stack = {};
  const size_t size = 16384;
  stack.ss_sp = is_lonely ? lonely_stack(size) : std::malloc(size);
  stack.ss_size = size;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = handle;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, nullptr);
  raise(SIGUSR1);
}

void coroutine() {
  getcontext(&inside);
  inside.uc_stack.ss_size = 16384;
  inside.uc_stack.ss_sp = lonely_stack(16384);
  inside.uc_link = nullptr;
  makecontext(&inside, in_coroutine, 0);
  swapcontext(&outside, &inside);
}

void* coroutine_in_thread(void*) {
  coroutine();
  return nullptr;
}

[[gnu::noinline]] int recurse(int depth) {
  if (depth == 0)
    return draw(), 1;
  volatile char room[64];
  room[0] = static_cast<char>(depth);
  return recurse(depth - 1) + room[0];
}

[[gnu::noinline]] void aligned(int size) {
  alignas(64) volatile char vector[256];
  auto* const more = static_cast<volatile char*>(alloca(static_cast<size_t>(size)));
  vector[0] = 1;
  more[0] = 1;
  draw();
  vector[1] = 2;
  more[1] = 2;
}

[[gnu::noinline]] void large() {
  volatile char room[300000];
  room[0] = 1;
  draw();
  room[1] = 2;
}

/// The caller's frame pointer and stack hold what looks like neither.
[[gnu::noinline]] void without_tables() {
#if defined(__x86_64__)
  // Code with no entry in any table, as a compiler at run time makes it: push rbp; mov rbp, 1; call
  // rdi; pop rbp; ret
  const unsigned char code[] = {0x55, 0x48, 0xC7, 0xC5, 1, 0, 0, 0, 0xFF, 0xD7, 0x5D, 0xC3};
  void* const memory =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::memcpy(memory, code, sizeof code);
  reinterpret_cast<void (*)(void (*)())>(memory)(draw);
#else
  draw();
#endif
}

} // namespace

int main(int argc, char** argv) {
  const char* const kind = argc > 1 ? argv[1] : "";
  const auto is = [kind](const char* name) {
    return std::strcmp(kind, name) == 0;
  };
  if (is("main"))
    draw();
  if (is("thread"))
    thread_of(1 << 20, in_thread);
  if (is("small_thread"))
    thread_of(16384, in_thread);
  if (is("signal")) {
    std::signal(SIGUSR1, handle);
    raise(SIGUSR1);
  }
  if (is("signal_stack"))
    on_signal_stack(false);
  if (is("lonely_signal_stack"))
    on_signal_stack(true);
  if (is("coroutine"))
    coroutine();
  if (is("coroutine_in_thread"))
    thread_of(1 << 20, coroutine_in_thread);
  if (is("deep"))
    recurse(20000);
  if (is("aligned"))
    aligned(argc * 100);
  if (is("large"))
    large();
  if (is("without_tables"))
    without_tables();
  if (is("exit"))
    std::atexit(draw);
  if (is("unmapped")) { // the same addresses hold other code later: what was known of the old must
                        // be forgotten
    for (int i = 2; i < argc; ++i) {
      void* const library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr)
        return 1;
      reinterpret_cast<int (*)(int)>(dlsym(library, "wrapper_draw"))(10);
      dlclose(library);
    }
    draw();
  }
  if (!is("exit") && drawn == 0)
    return 2;
  std::puts("drawn");
}
