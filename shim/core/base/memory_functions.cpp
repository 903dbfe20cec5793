// memcpy and its kin, which compilers call wherever they like.
//
// By these names a program or a sanitizer may have functions of its own, and those look at memory
// that they should not, or are not ready yet. The library's calls bind to these instead,
// which nobody else sees. Compiled so that no loop here is taken for the function that it makes
// (CMakeLists.txt).
#include <cstddef>
#include <cstdint>

namespace {

using Byte = unsigned char;

/// A word that may lie anywhere and alias anything.
struct [[gnu::packed, gnu::may_alias]] Word {
  uint64_t value;
};

} // namespace

#define DETSHIM_HIDDEN extern "C" __attribute__((visibility("hidden")))

DETSHIM_HIDDEN void* detshim_memcpy(void* to, const void* from, size_t size) __asm__("memcpy");
DETSHIM_HIDDEN void* detshim_memmove(void* to, const void* from, size_t size) __asm__("memmove");
DETSHIM_HIDDEN void* detshim_memset(void* to, int value, size_t size) __asm__("memset");
DETSHIM_HIDDEN int detshim_memcmp(const void* a, const void* b, size_t size) __asm__("memcmp");
DETSHIM_HIDDEN size_t detshim_strlen(const char* text) __asm__("strlen");

void* detshim_memcpy(void* to, const void* from, size_t size) {
  auto* target = static_cast<Byte*>(to);
  const auto* source = static_cast<const Byte*>(from);
  for (; size >= sizeof(Word); size -= sizeof(Word)) {
    reinterpret_cast<Word*>(target)->value = reinterpret_cast<const Word*>(source)->value;
    target += sizeof(Word);
    source += sizeof(Word);
  }
  while (size-- > 0)
    *target++ = *source++;
  return to;
}

void* detshim_memmove(void* to, const void* from, size_t size) {
  auto* target = static_cast<Byte*>(to);
  const auto* source = static_cast<const Byte*>(from);
  // A copy forwards reads each word before it writes there.
  if (target <= source || target >= source + size)
    return detshim_memcpy(to, from, size);
  while (size-- > 0)
    target[size] = source[size];
  return to;
}

void* detshim_memset(void* to, int value, size_t size) {
  auto* target = static_cast<Byte*>(to);
  const uint64_t word = uint64_t{0x0101010101010101} * static_cast<Byte>(value);
  for (; size >= sizeof(Word); size -= sizeof(Word)) {
    reinterpret_cast<Word*>(target)->value = word;
    target += sizeof(Word);
  }
  while (size-- > 0)
    *target++ = static_cast<Byte>(value);
  return to;
}

int detshim_memcmp(const void* a, const void* b, size_t size) {
  const auto* left = static_cast<const Byte*>(a);
  const auto* right = static_cast<const Byte*>(b);
  for (size_t i = 0; i < size; ++i)
    if (left[i] != right[i])
      return left[i] - right[i];
  return 0;
}

size_t detshim_strlen(const char* text) {
  size_t length = 0;
  while (text[length] != 0)
    ++length;
  return length;
}
