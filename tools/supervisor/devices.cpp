#include "supervisor/devices.h"

#include "common/philox.h"
#include "supervisor/filter.h"
#include "support/hash.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

namespace detshim {
namespace {

constexpr std::uint64_t piece = 16384;         // what an open is given, and what a file grows by
constexpr std::uint64_t headroom = 65536;      // for threads that read one file at once
constexpr std::uint64_t wide = 16 << 20;       // for readers that do not ask
constexpr std::uint64_t read_limit = 33554431; // what the device gives at most in one call
constexpr const char* link_start = "/memfd:detshim-urandom-"; // the library's name for it too

std::string proc(int thread, const char* folder, int number) {
  return "/proc/" + std::to_string(thread) + folder + std::to_string(number);
}

/// Writes bytes [from, to) of the stream; whole pieces. False if there is no room.
bool write_stream(int fd, std::uint64_t key, std::uint64_t from, std::uint64_t to) {
  std::array<PhiloxBlock, piece / sizeof(PhiloxBlock)> blocks;
  for (std::uint64_t at = from; at < to; at += piece) {
    for (std::uint64_t i = 0; i < blocks.size(); ++i)
      blocks[i] = stream_block(key, at / sizeof(PhiloxBlock) + i);
    if (::pwrite(fd, blocks.data(), piece, static_cast<off_t>(at)) != static_cast<ssize_t>(piece))
      return false;
  }
  return true;
}

void extend_to(int thread, int number, std::uint64_t key, std::uint64_t end) {
  const OwnedDescriptor file(::open(proc(thread, "/fd/", number).c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat state;
  if (!file || ::fstat(file.number(), &state) != 0) return;
  const auto size = static_cast<std::uint64_t>(state.st_size);
  const std::uint64_t wanted = (end + piece - 1) / piece * piece;
  const bool is_near = wanted <= size + 2 * read_limit; // a program that has sought far away gets an end
  if (wanted > size && is_near) write_stream(file.number(), key, size / piece * piece, wanted);
}

/// The key of the stream behind a task's descriptor; false if it is none of our files.
bool stream_of(int thread, int number, std::uint64_t& key) {
  char target[64] = {};
  if (::readlink(proc(thread, "/fd/", number).c_str(), target, sizeof target - 1) < 0) return false;
  if (std::strncmp(target, link_start, std::strlen(link_start)) != 0) return false;
  key = std::strtoull(target + std::strlen(link_start), nullptr, 16);
  return true;
}

std::uint64_t position(int thread, int number) {
  std::FILE* const info = std::fopen(proc(thread, "/fdinfo/", number).c_str(), "re");
  unsigned long long at = 0;
  if (info != nullptr) {
    if (std::fscanf(info, "pos: %llu", &at) != 1) at = 0;
    std::fclose(info);
  }
  return at;
}

/// How many bytes a readv asks for.
std::uint64_t size_of_parts(int thread, std::uint64_t address, std::uint64_t count) {
  std::array<iovec, 64> parts = {};
  const iovec here = {parts.data(), std::min<std::uint64_t>(count, parts.size()) * sizeof(iovec)};
  const iovec there = {reinterpret_cast<void*>(address), here.iov_len};
  const ssize_t got = ::process_vm_readv(thread, &here, 1, &there, 1, 0);
  std::uint64_t size = 0;
  for (std::size_t i = 0; got > 0 && i < static_cast<std::size_t>(got) / sizeof(iovec); ++i)
    size += std::min<std::uint64_t>(parts[i].iov_len, read_limit);
  return size;
}

} // namespace

OwnedDescriptor make_device(std::uint64_t key, bool is_writable, bool is_wide) {
  OwnedDescriptor file(::memfd_create(("detshim-urandom-" + hexadecimal(key, 16)).c_str(), MFD_CLOEXEC));
  if (!file || !write_stream(file.number(), key, 0, is_wide ? wide : piece)) return {};
  if (is_writable) return file;
  return OwnedDescriptor(::open(proc(::getpid(), "/fd/", file.number()).c_str(), O_RDONLY | O_CLOEXEC));
}

int free_device_number(int thread) {
  rlimit limit = {};
  if (::prlimit(thread, RLIMIT_NOFILE, nullptr, &limit) != 0) return -1;
  struct stat state;
  for (int number = first_device_number;
       number < device_numbers_end && static_cast<rlim_t>(number) < limit.rlim_cur; ++number)
    if (::lstat(proc(thread, "/fd/", number).c_str(), &state) != 0 && errno == ENOENT) return number;
  return -1;
}

void extend_device(const seccomp_notif& call) {
  const auto& arguments = call.data.args;
  const int thread = static_cast<int>(call.pid);
  const int number = static_cast<int>(arguments[0]);
  std::uint64_t key;
  if (!stream_of(thread, number, key)) return;
  std::uint64_t end = 0;
  switch (call.data.nr) {
  case SYS_read:
    end = position(thread, number) + std::min<std::uint64_t>(arguments[2], read_limit) + headroom;
    break;
  case SYS_readv:
    end = position(thread, number) +
          std::min<std::uint64_t>(size_of_parts(thread, arguments[1], arguments[2]), read_limit) + headroom;
    break;
  case SYS_pread64:
    end = std::min<std::uint64_t>(arguments[3], std::uint64_t{1} << 40) +
          std::min<std::uint64_t>(arguments[2], read_limit);
    break;
  case SYS_fcntl:
    if (arguments[1] == F_DUPFD || arguments[1] == F_DUPFD_CLOEXEC) end = wide;
    break;
  default: // dup and its like
    end = wide;
  }
  if (end != 0) extend_to(thread, number, key, end);
}

} // namespace detshim
