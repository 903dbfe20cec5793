// One fault for each argument, behind allocations that have none. The line that is to be named ends in a
// comment with its name. "chains" and "sparse" have none: they check what an allocator promises.
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

struct Node {
  int values[40];
};

Node* make_node() { return new Node; } // new

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uint64_t>(place) >> 4; }

void print(std::uint64_t value) { std::printf("%llu\n", static_cast<unsigned long long>(value)); }

/// Of memory that a thread has got.
void threads() {
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i)
    others.emplace_back([] {
      for (int k = 0; k < 2000; ++k) std::free(std::calloc(1, static_cast<std::size_t>(k)));
    });
  for (std::thread& other : others) other.join();
  std::uint64_t seen = 0;
  std::thread([&] {
    auto* const memory = static_cast<unsigned char*>(std::malloc(5000)); // thread
    seen = memory[3000];
    std::free(memory);
  }).join();
  print(seen);
}

void child() {
  std::fflush(stdout);
  if (::fork() == 0) {
    const Node* const node = make_node();
    std::printf("child %d\n", node->values[30]);
    std::fflush(stdout);
    ::_exit(0);
  }
  ::wait(nullptr);
}

/// Neither alone is enough.
void together() {
  const auto* const one = static_cast<unsigned char*>(std::malloc(400));
  const auto* const other = static_cast<unsigned char*>(std::malloc(800));
  print(one[300] != 0 && other[300] != 0 ? 1 : 0);
}

void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("failed: %s\n", what);
  std::exit(1);
}

bool is_all(const unsigned char* memory, std::size_t size, unsigned char value) {
  for (std::size_t i = 0; i < size; ++i)
    if (memory[i] != value) return false;
  return true;
}

/// Grows and shrinks a block, small ones and those that libc maps by themselves.
void resize() {
  unsigned char* memory = nullptr;
  std::size_t filled = 0;
  for (const std::size_t size : {10u, 5000u, 200u, 300'000u, 3'000'000u, 150'000u, 64u, 1'000'000u}) {
    memory = static_cast<unsigned char*>(size == 200 ? ::reallocarray(memory, 20, 10)
                                                     : std::realloc(memory, size));
    check(memory != nullptr && ::malloc_usable_size(memory) >= size, "realloc");
    check(is_all(memory, filled < size ? filled : size, 7), "realloc keeps what was there");
    std::memset(memory, 7, size);
    filled = size;
  }
  errno = 0;
  check(std::realloc(memory, SIZE_MAX / 2) == nullptr && errno == ENOMEM, "realloc of too much");
  check(is_all(memory, filled, 7), "a realloc that failed left all as it was");
  check(::reallocarray(memory, SIZE_MAX / 2, 3) == nullptr && errno == ENOMEM, "reallocarray of too much");
  errno = 11;
  std::free(memory);
  check(errno == 11, "free leaves errno alone");
  check(std::realloc(std::malloc(100), 0) == nullptr, "realloc to nothing");
}

/// The most memory that this process has had, in kB.
long highest_resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return -1;
}

/// A large block of which a few bytes are ever touched.
void keep_sparse() {
  constexpr std::size_t megabyte = std::size_t{1} << 20;
  const std::size_t written[] = {0, 7, 4099, 60 * megabyte + 5, 100 * megabyte};
  auto* memory = static_cast<unsigned char*>(std::malloc(256 * megabyte));
  for (const std::size_t at : written) memory[at] = 9;
  for (const std::size_t size : {384u, 128u, 512u, 300u}) {
    memory = static_cast<unsigned char*>(std::realloc(memory, size * megabyte));
    for (const std::size_t at : written) check(memory[at] == 9 && memory[at + 1] == 0, "sparse: contents");
    check(::malloc_usable_size(memory) >= size * megabyte, "sparse: size");
  }
  errno = 0;
  check(std::realloc(memory, SIZE_MAX / 2) == nullptr && errno == ENOMEM, "sparse: realloc of too much");
  for (const std::size_t at : written) check(memory[at] == 9, "sparse: a realloc that failed");
  std::free(memory);
  const long most = highest_resident();
  if (most > 0 && most < 64 * 1024)
    std::puts("sparse");
  else
    std::printf("%ld kB\n", most);
}

void align() {
  for (std::size_t alignment = 16; alignment <= 1 << 21; alignment *= 2)
    for (const std::size_t size :
         {std::size_t{1}, std::size_t{100}, std::size_t{70'000}, std::size_t{900'000}}) {
      void* memory[3] = {std::aligned_alloc(alignment, size), ::memalign(alignment, size), nullptr};
      check(::posix_memalign(&memory[2], alignment, size) == 0, "posix_memalign");
      for (void*& place : memory) {
        check(place != nullptr && reinterpret_cast<std::uintptr_t>(place) % alignment == 0, "alignment");
        std::memset(place, 9, size);
        place = std::realloc(place, size + 5000);
        check(is_all(static_cast<unsigned char*>(place), size, 9), "realloc of an aligned block");
        std::free(place);
      }
    }
  void* kept = &kept;
  check(::posix_memalign(&kept, 3, 10) == EINVAL && kept == &kept, "posix_memalign of 3");
  check(::posix_memalign(&kept, 64, SIZE_MAX - 100) == ENOMEM && kept == &kept, "posix_memalign of too much");
  std::free(::valloc(100));
  void* const whole = ::pvalloc(100);
  check(::malloc_usable_size(whole) >= 4096, "pvalloc");
  std::free(whole);
  check(::malloc_usable_size(nullptr) == 0, "malloc_usable_size of nothing");
  std::free(nullptr);
}

/// What libc allocates is freed here, and the other way round.
void cross() {
  char* const copy = ::strdup("some text that libc has got memory for");
  check(std::string(copy).size() == 38, "strdup");
  std::free(copy);
  char* line = static_cast<char*>(std::malloc(2));
  std::size_t room = 2;
  std::FILE* const file = std::fopen("/proc/self/status", "re");
  while (::getline(&line, &room, file) > 0) continue;
  std::fclose(file);
  std::free(line);
  for (int i = 0; i < 100; ++i) {
    auto* const zeros = static_cast<unsigned char*>(std::calloc(3, 1000u << (i % 11)));
    check(is_all(zeros, 3 * (std::size_t{1000} << (i % 11)), 0), "calloc");
    std::memset(zeros, 5, 3 * (std::size_t{1000} << (i % 11)));
    std::free(zeros);
  }
}

void chains() {
  std::vector<unsigned char*> before;
  for (std::size_t i = 0; i < 200; ++i)
    before.push_back(static_cast<unsigned char*>(std::memset(std::malloc(i * 1500 + 1), 3, i * 1500 + 1)));
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i)
    others.emplace_back([] {
      for (int k = 0; k < 5; ++k) {
        resize();
        align();
      }
    });
  const pid_t forked = ::fork();
  cross();
  resize();
  for (std::size_t i = 0; i < before.size(); ++i) {
    check(is_all(before[i], i * 1500 + 1, 3), "what was there before");
    std::free(before[i]);
  }
  if (forked == 0) {
    std::fflush(stdout);
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(forked, &status, 0);
  check(status == 0, "the child's");
  for (std::thread& other : others) other.join();
  std::puts("all hold");
}

} // namespace

int main(int, char** arguments) {
  const std::string fault = arguments[1];
  std::vector<std::string> words;
  for (int i = 0; i < 50; ++i)
    words.push_back(std::to_string(i) + " in a text that does not fit into a string");
  if (fault == "new") print(static_cast<std::uint64_t>(make_node()->values[20]));
  if (fault == "unique") {
    const std::unique_ptr<double[]> numbers(new double[400]); // unique
    std::printf("%g\n", numbers[100]);
  }
  if (fault == "vector") {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 10; ++i) rows.emplace_back(100);
    const std::vector<int> row(300); // vector
    print(address_of(row.data()));
  }
  if (fault == "order") {
    std::set<const void*> places;
    const std::unique_ptr<Node> far(new Node); // order
    places.insert(far.get());
    print(address_of(*places.begin()) / 256 % 1000);
  }
  if (fault == "stack") print(address_of(&fault));
  if (fault == "thread") threads();
  if (fault == "child") child();
  if (fault == "together") together();
  if (fault == "chains") chains();
  if (fault == "sparse") keep_sparse();
}
