// What a search for an allocation, or the library that changes them, can trip over: one thing for each
// argument.
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// Children that allocate, of a process whose threads do.
void forks() {
  std::atomic<bool> ends = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([&] {
      while (!ends) std::free(std::malloc(1000));
    });
  for (int i = 0; i < 100; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (std::size_t k = 0; k < 50; ++k) std::free(std::malloc(k * 1000));
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
  ends = true;
  for (std::thread& other : others) other.join();
}

/// Of two blocks, of which libc maps the second by itself.
void distance() {
  const auto one = reinterpret_cast<std::uintptr_t>(std::malloc(100));
  const auto other = reinterpret_cast<std::uintptr_t>(std::malloc(1 << 20));
  std::printf("%lx\n", static_cast<unsigned long>((other - one) >> 12 & 0xFFFF));
}

unsigned long long ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  unsigned long long count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#endif
}

/// The first line is the fault's, the second the processor's clock's.
void print_with_ticks() {
  const auto* const memory = static_cast<unsigned char*>(std::malloc(400));
  std::printf("%d\n", memory[300]);
  if (std::getenv("_DETSHIM_HEAP") != nullptr) std::printf("%llu\n", ticks());
}

void promises() {
  void* place = nullptr;
  errno = 0;
  volatile std::size_t too_much = std::size_t{1} << 62;
  if (::posix_memalign(&place, 64, too_much) != ENOMEM || errno != ENOMEM) std::printf("no errno\n");
  auto* const sparse = static_cast<char*>(std::calloc(1, std::size_t{1} << 30));
  sparse[5] = 1;
  std::free(sparse);
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > 500'000) std::printf("all of a sparse block was copied\n");
  constexpr std::size_t size = 1 << 20;
  for (int i = 0; i < 2; ++i) {
    if (::posix_memalign(&place, 4096, size) != 0) std::abort();
    std::memset(place, 7, size);
    ::mprotect(place, size, PROT_NONE);
    std::free(place);
  }
  auto* const zeros = static_cast<const char*>(std::calloc(1, size));
  for (std::size_t i = 0; i < size; ++i)
    if (zeros[i] != 0) std::abort();
}

} // namespace

int main(int count, char** arguments) {
  const std::string what = count > 1 ? arguments[1] : "";
  if (what == "forks") forks();
  if (what == "distance") distance();
  if (what == "ticks") print_with_ticks();
  if (what == "promises") promises();
}
