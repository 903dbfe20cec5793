// Finds the static copy of a cryptography library by the texts that lie in its code for drawing.
//
// The constants are read a block at a time by copies that the kernel makes, so what is not there is
// passed over. A block is searched for all texts at once: sixteen places at a time are compared
// with a text's first and last byte, and only where both fit with all of it. What it cannot know: a
// copy whose texts were taken out.
#include "loader/linked_cryptography.h"

#include "common/philox.h"
#include "common/text.h"
#include "core/base/hash.h"
#include "core/base/user_memory.h"

#include <elf.h>
#include <initializer_list>

namespace detshim {
namespace {

/// Texts that lie in such a library's code for drawing, or are linked with it, and in no program
/// that only uses the library.
constexpr const char* cryptography_texts[] = {
    "OpenSSL NIST SP 800-90A DRBG", // 1.1.1 and later
    "entropy fill failed",          // BoringSSL, AWS-LC
    "LibsodiumDRG",
    "/ring-0.", // where cargo keeps it: the place that a panic names
    "/rustls-0.",
};
constexpr size_t longest_text = 28;

using Byte = unsigned char;
using Bytes [[gnu::vector_size(16)]] = Byte;

Bytes sixteen_at(const Byte* from) {
  Bytes bytes;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

bool is_same(const Byte* bytes, const char* text, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if (bytes[i] != static_cast<Byte>(text[i]))
      return false;
  return true;
}

/// True if any of sixteen bytes is set.
bool is_any(Bytes mask) {
  uint64_t halves[2];
  __builtin_memcpy(halves, &mask, sizeof halves);
  return (halves[0] | halves[1]) != 0;
}

/// True if the text begins at one of the first `places` bytes. Reads no further than fifteen bytes
/// behind the last byte of a text that begins there.
bool is_text_in(const Byte* bytes, size_t places, const char* text) {
  const size_t length = text_length(text);
  const auto first = static_cast<Byte>(text[0]);
  const auto last = static_cast<Byte>(text[length - 1]);
  for (size_t at = 0; at < places; at += sizeof(Bytes)) {
    const auto begins = static_cast<Bytes>(sixteen_at(bytes + at) == first);
    const auto ends = static_cast<Bytes>(sixteen_at(bytes + at + length - 1) == last);
    if (!is_any(begins & ends))
      continue;
    for (size_t i = at; i < at + sizeof(Bytes); ++i)
      if (is_same(bytes + i, text, length))
        return true;
  }
  return false;
}

/// A part of memory, copied, with room behind it for a text that begins in its last byte.
struct Block {
  static constexpr size_t size = 2048; // a thread's stack may be 16 KiB in all
  Byte bytes[size + longest_text + sizeof(Bytes)];

  bool holds_text(size_t places) const {
    for (const char* const text : cryptography_texts)
      if (is_text_in(bytes, places, text))
        return true;
    return false;
  }
};

bool holds_text(uintptr_t begin, size_t size) {
  Block block;
  for (size_t at = 0; at < size; at += Block::size) {
    const size_t left = size - at;
    const size_t wanted = left < sizeof block.bytes ? left : sizeof block.bytes;
    const size_t copied = copy_readable(begin + at, block.bytes, wanted);
    for (size_t i = copied; i < sizeof block.bytes; ++i)
      block.bytes[i] = 0;
    if (copied != 0 && block.holds_text(left < Block::size ? left : Block::size))
      return true;
  }
  return false;
}

constexpr size_t search_limit = 64 << 20; // bytes of one object: 0.1 s, once

/// Where a module keeps its constants: what is only read, or, where the linker made no such
/// segment, what lies with the code.
bool search(const Module& module) {
  for (const unsigned flags : {unsigned{PF_R}, unsigned{PF_R | PF_X}}) {
    size_t left = search_limit;
    size_t constants = 0; // the first page of each is headers
    for (int i = 0; i < module.header_count; ++i) {
      const ElfW(Phdr)& header = module.headers[i];
      if (header.p_type != PT_LOAD || (header.p_flags & (PF_R | PF_W | PF_X)) != flags)
        continue;
      constants += header.p_memsz;
      const size_t size = header.p_memsz < left ? header.p_memsz : left;
      left -= size;
      if (holds_text(module.base + header.p_vaddr, size))
        return true;
    }
    if (constants != 0)
      return false;
  }
  return false;
}

/// What was found in a module, kept for the whole process: a draw from a new call site asks again.
struct Searched {
  uint64_t module; // 0: free
  bool is_found;
};
constexpr size_t searched_limit = 64;
constinit Searched searched[searched_limit] = {};

} // namespace

bool holds_cryptography(const Module& module) {
  const uint64_t key =
      fnv1a_text(module.path, derive(module.base, reinterpret_cast<uintptr_t>(module.dynamic))) | 1;
  Searched* free = nullptr;
  for (Searched& known : searched) {
    const uint64_t other = __atomic_load_n(&known.module, __ATOMIC_ACQUIRE);
    if (other == key)
      return known.is_found;
    if (other == 0) {
      free = &known;
      break;
    }
  }
  const bool is_found = search(module);
  // Whoever else has the place keeps it, and searches again.
  uint64_t none = 0;
  constexpr uint64_t taken = 2; // no key: they are odd
  if (free != nullptr && __atomic_compare_exchange_n(&free->module, &none, taken, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    free->is_found = is_found;
    __atomic_store_n(&free->module, key, __ATOMIC_RELEASE);
  }
  return is_found;
}

} // namespace detshim
