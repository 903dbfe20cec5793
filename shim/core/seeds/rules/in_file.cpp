// What a program fixes in a variable, in a table, or in a function that leads to the one that
// seeds, stands in its file. A variable that it writes a clock to does too, but with another value:
// so of what can be written the file is read, not the memory.
//
// What this cannot know: whether the number stands there for something else. The limits below make
// that rare.
#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/modules.h"
#include "core/seeds/rules/rules.h"

#include <initializer_list>

namespace detshim {
namespace {

// In so many bytes a number that a clock makes stands by chance once in some ten thousand runs.
// What larger programs fix so is told by a comparison.
constexpr uint64_t most_bytes = 1 << 20;

// A search takes a third of a millisecond, and a program may seed a million times: of a call site
// so many numbers are looked for in vain. What it fixes in a table comes sooner.
constexpr uint32_t most_misses = 64;

struct CallSiteMisses {
  const void* caller;
  uint32_t count;
};
constexpr size_t most_call_sites = 64; // a further one takes the place of another, and begins anew
constinit CallSiteMisses misses_of_call_sites[most_call_sites] = {};

CallSiteMisses& misses_of(const void* caller) {
  CallSiteMisses& misses =
      misses_of_call_sites[mix(reinterpret_cast<uintptr_t>(caller), 0) % most_call_sites];
  if (__atomic_exchange_n(&misses.caller, caller, __ATOMIC_RELAXED) != caller)
    __atomic_store_n(&misses.count, 0, __ATOMIC_RELAXED);
  return misses;
}

bool is_value_at(const PassedSeed& seed, const unsigned char* at, size_t length) {
  return __builtin_memcmp(at, &seed.value, length) == 0;
}

size_t length_of(const PassedSeed& seed) { return seed.value >> 32 == 0 ? 4 : 8; }

/// True if one of the words is the seed.
bool is_in_data(const PassedSeed& seed, const unsigned char* at, uint64_t size) {
  const size_t length = length_of(seed);
  for (const auto* const end = at + size; at + length <= end; at += 4)
    if (is_value_at(seed, at, length))
      return true;
  return false;
}

#if defined(__x86_64__)

/// True if an instruction may begin here that moves the seed to a register or to memory (Intel SDM,
/// volume 2B, MOV: B8+ with an operand of 4 or 8 bytes; C7 with one of 4 behind an address of 1, 2,
/// 3, 5 or 6 bytes).
bool moves(const PassedSeed& seed, const unsigned char* at, const unsigned char* end) {
  const size_t length = length_of(seed);
  if ((*at & 0xF8) == 0xB8)
    return at + 1 + length <= end && is_value_at(seed, at + 1, length);
  if (*at != 0xC7 || length != 4)
    return false;
  for (const int address : {1, 2, 3, 5, 6})
    if (at + 1 + address + 4 <= end && is_value_at(seed, at + 1 + address, 4))
      return true;
  return false;
}
constexpr int step = 1;

#else

/// True if the instruction here and the next one move the seed's low 4 bytes to a register (Arm
/// Architecture Reference Manual, MOVZ and MOVK).
bool moves(const PassedSeed& seed, const unsigned char* at, const unsigned char* end) {
  uint32_t both[2];
  if (at + sizeof both > end || seed.value >> 32 != 0)
    return false;
  __builtin_memcpy(both, at, sizeof both);
  const auto low = static_cast<uint32_t>(seed.value & 0xffff);
  const auto high = static_cast<uint32_t>(seed.value >> 16 & 0xffff);
  return (both[0] & 0x7fffffe0) == (0x52800000 | low << 5) &&
         (both[1] & 0x7fffffe0) == (0x72A00000 | high << 5);
}
constexpr int step = 4;

#endif

bool is_in_code(const PassedSeed& seed, const unsigned char* at, uint64_t size) {
  for (const auto* const end = at + size; at < end; at += step)
    if (moves(seed, at, end))
      return true;
  return false;
}

uint64_t size_of_file(const Module& module) {
  uint64_t size = 0;
  for (int i = 0; i < module.header_count; ++i)
    if (module.headers[i].p_type == PT_LOAD)
      size += module.headers[i].p_filesz;
  return size;
}

/// Looks through what cannot be written.
bool is_in_memory(const PassedSeed& seed, const Module& module) {
  for (int i = 0; i < module.header_count; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_W) != 0)
      continue;
    const auto* const at = reinterpret_cast<const unsigned char*>(module.base + header.p_vaddr);
    const bool is_code = (header.p_flags & PF_X) != 0;
    if (is_code ? is_in_code(seed, at, header.p_filesz) : is_in_data(seed, at, header.p_filesz))
      return true;
  }
  return false;
}

/// Looks through a part of the file.
bool is_in_part(const PassedSeed& seed, int fd, uint64_t offset, uint64_t size) {
  unsigned char part[4096];
  while (size > 0) {
    const uint64_t wanted = size < sizeof part ? size : sizeof part;
    const long length = sys::pread(fd, part, wanted, static_cast<long>(offset));
    if (length <= 0)
      return false;
    if (is_in_data(seed, part, static_cast<uint64_t>(length)))
      return true;
    offset += static_cast<uint64_t>(length);
    size -= static_cast<uint64_t>(length);
  }
  return false;
}

bool is_in_variables(const PassedSeed& seed, const Module& module) {
  char path[600];
  module_path(module, path, sizeof path);
  const int fd = sys::openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  bool is_there = false;
  for (int i = 0; i < module.header_count && !is_there; ++i) {
    const ElfW(Phdr)& header = module.headers[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
      is_there = is_in_part(seed, fd, header.p_offset, header.p_filesz);
  }
  sys::close(fd);
  return is_there;
}

} // namespace

bool rules::in_file(const PassedSeed& seed, Explanation& made) {
  CallSiteMisses& misses = misses_of(seed.caller.address());
  if (__atomic_load_n(&misses.count, __ATOMIC_RELAXED) >= most_misses)
    return false;
  const Module* const module = seed.caller.module();
  if (module == nullptr || size_of_file(*module) > most_bytes)
    return false;
  if (!is_in_memory(seed, *module) && !is_in_variables(seed, *module)) {
    __atomic_fetch_add(&misses.count, 1, __ATOMIC_RELAXED);
    return false;
  }
  made.origin = Origin::constant;
  return true;
}

} // namespace detshim
