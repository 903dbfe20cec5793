// Programs that differ from run to run in one way each, or, with "fixed", do not. The result goes
// to stdout and to result.bin.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

std::uint64_t now() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t seeded(bool by_clock) { return std::mt19937_64(by_clock ? now() : 1)(); }

/// A hash of the order in which threads came.
std::uint64_t raced(bool in_order) {
  std::mutex mutex;
  std::uint64_t hash = 0;
  std::vector<std::thread> threads;
  for (std::uint64_t id = 1; id <= 8; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 2000; ++i) {
        const std::lock_guard lock(mutex);
        hash = (hash ^ id) * 1099511628211u;
        if (i % 10 == 0)
          std::this_thread::yield();
      }
    });
    if (in_order)
      threads.back().join();
  }
  if (!in_order)
    for (std::thread& thread : threads)
      thread.join();
  return hash;
}

std::uint64_t address(bool is_fixed) {
  static int on_the_stack_of_data;
  return is_fixed ? 1 : reinterpret_cast<std::uint64_t>(&on_the_stack_of_data);
}

std::uint64_t uninitialised(bool is_cleared) {
  constexpr std::size_t size = 3000;
  char* const memory = static_cast<char*>(is_cleared ? std::calloc(size, 1) : std::malloc(size));
  std::uint64_t value = 0;
  std::memcpy(&value, memory + size / 2, sizeof value);
  std::free(memory);
  return value;
}

/// A hash of the order in which a folder's entries are read.
std::uint64_t folder(bool is_sorted) {
  std::vector<std::string> names;
  const std::filesystem::path folder = "folder";
  std::filesystem::create_directory(folder);
  for (const char* name : {"b", "d", "a", "c"})
    std::ofstream(folder / name);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.push_back(entry.path().filename());
  std::filesystem::remove_all(folder);
  if (is_sorted)
    std::ranges::sort(names);
  std::uint64_t hash = 0;
  for (const std::string& name : names)
    hash = hash * 31 + static_cast<unsigned char>(name[0]);
  return hash;
}

/// The sum over four ranks, of which the third takes its number from the clock.
std::uint64_t ranks(bool by_clock) {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < 4; ++rank) {
    int pipe[2];
    if (::pipe(pipe) != 0)
      std::abort();
    if (::fork() == 0) {
      ::setenv("RANK", std::to_string(rank).c_str(), 1);
      const std::uint64_t value = seeded(by_clock && rank == 2) + static_cast<std::uint64_t>(rank);
      std::ofstream("result." + std::to_string(rank)) << value << '\n';
      ::_exit(::write(pipe[1], &value, sizeof value) == sizeof value ? 0 : 1);
    }
    std::uint64_t value = 0;
    if (::read(pipe[0], &value, sizeof value) != sizeof value)
      std::abort();
    ::close(pipe[0]);
    ::close(pipe[1]);
    sum += value;
  }
  while (::wait(nullptr) > 0) {}
  return sum;
}

} // namespace

int main(int count, char** arguments) {
  const std::string fault = count > 1 ? arguments[1] : "";
  const bool is_fixed = count > 2;
  const std::uint64_t result = fault == "clock"     ? seeded(!is_fixed)
                               : fault == "threads" ? raced(is_fixed)
                               : fault == "address" ? address(is_fixed)
                               : fault == "folder"  ? folder(is_fixed)
                               : fault == "memory"  ? uninitialised(is_fixed)
                                                    : ranks(!is_fixed);
  std::ofstream("result.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(&result), sizeof result);
  std::printf("done\n");
}
