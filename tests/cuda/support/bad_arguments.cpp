// A program that calls functions of a CUDA library with invalid arguments, one way after the other,
// each call in a process of its own, because it may end it: the answer is a status or a signal.
//
//   bad_arguments LIBRARY FILL FUNCTION...
//     LIBRARY  as dlopen takes it
//     FILL     the byte that the stack is filled with before a call: an answer that depends on it
//     was read from memory
//              that the function has not written
//
// Prints `FUNCTION WAY: status N`, `FUNCTION WAY: signal N` or `FUNCTION: absent`. The ways:
// `nothing`, every argument 0; `zeros`, every argument the address of memory that holds zeros, in a
// range that makes it a small number too; `without I`, that one 0 and the others such an address.
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <utility>

namespace {

// More than any of these functions takes; what is beyond its own, a function does not look at.
// Numbers in floating point go in registers of their own.
constexpr size_t integer_count = 28;
using Arguments = std::array<uintptr_t, integer_count>;
constexpr size_t varied_count = 12;

[[gnu::noinline]] void fill_stack(int byte) {
  volatile char below[48 * 1024];
  for (volatile char& one : below)
    one = static_cast<char>(byte);
}

template <size_t... I>
int call(void* function, const Arguments& arguments, std::index_sequence<I...>) {
  using Plain =
      int (*)(std::remove_cvref_t<decltype(arguments[I])>..., double, double, double, double);
  return reinterpret_cast<Plain>(function)(arguments[I]..., 0, 0, 0, 0);
}

void try_in_child(const char* name, const std::string& way, void* function,
                  const Arguments& arguments, int fill) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(60);
    fill_stack(fill);
    const int status = call(function, arguments, std::make_index_sequence<integer_count>());
    std::printf("%s %s: status %d\n", name, way.c_str(), status);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    std::printf("%s %s: signal %d\n", name, way.c_str(), WTERMSIG(status));
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 4)
    return 2;
  const int fill = std::atoi(argv[2]);
  // Low, so that a number of entries or of dimensions that is read from it is one.
  constexpr size_t size = 1 << 20;
  void* const zeros = mmap(reinterpret_cast<void*>(0x10000), size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (zeros == MAP_FAILED)
    return 3;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", dlerror());
    return 4;
  }
  const auto address = reinterpret_cast<uintptr_t>(zeros);
  for (int i = 3; i < argc; ++i) {
    void* const function = dlsym(library, argv[i]);
    if (function == nullptr) {
      std::printf("%s: absent\n", argv[i]);
      continue;
    }
    Arguments arguments{};
    try_in_child(argv[i], "nothing", function, arguments, fill);
    arguments.fill(address);
    try_in_child(argv[i], "zeros", function, arguments, fill);
    for (size_t which = 0; which < varied_count; ++which) {
      arguments.fill(address);
      arguments[which] = 0;
      try_in_child(argv[i], "without " + std::to_string(which), function, arguments, fill);
    }
  }
}
