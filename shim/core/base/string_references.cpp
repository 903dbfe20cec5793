#include "core/base/string_references.h"

#include "common/text.h"

namespace detshim {
namespace {

bool goes_on(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <typename Number>
Number number_at(const unsigned char* from) {
  Number number;
  __builtin_memcpy(&number, from, sizeof number);
  return number;
}

bool is_this_text(const Module& module, const char* at, const char* text) {
  const size_t length = text_length(text);
  return module.holds(at) && module.holds(at + length) && __builtin_memcmp(at, text, length) == 0 &&
         !goes_on(at[length]);
}

/// There, or behind a pointer or a length of one byte that lies there, as in what Rust formats.
bool is_text_at(const Module& module, uintptr_t address, const char* text) {
  const auto* const at = reinterpret_cast<const unsigned char*>(address);
  if (!module.holds(at) || !module.holds(at + sizeof(char*))) return false;
  const auto* const as_text = reinterpret_cast<const char*>(at);
  return is_this_text(module, as_text, text) ||
         (*at >= text_length(text) && !goes_on(*as_text) && is_this_text(module, as_text + 1, text)) ||
         is_this_text(module, number_at<const char*>(at), text);
}

} // namespace

#if defined(__x86_64__)

bool refers_to_text(const Module& module, CodeRange code, const char* text) {
  for (const unsigned char* at = code.begin; code.end - at >= 7; ++at) {
    const bool is_lea =
        (at[0] & 0xFB) == 0x48 && at[1] == 0x8D && (at[2] & 0xC7) == 0x05; // lea 32(%rip), register
    if (is_lea &&
        is_text_at(module,
                   reinterpret_cast<uintptr_t>(at + 7) + static_cast<uintptr_t>(number_at<int32_t>(at + 3)),
                   text))
      return true;
    const bool is_move = (at[0] & 0xF8) == 0xB8; // mov $32, register
    if (is_move && is_text_at(module, number_at<uint32_t>(at + 1), text)) return true;
  }
  return false;
}

#elif defined(__aarch64__)

bool refers_to_text(const Module& module, CodeRange code, const char* text) {
  constexpr int nearby = 16; // instructions between the two
  for (const unsigned char* at = code.begin; code.end - at >= 8; at += 4) {
    const auto page = number_at<uint32_t>(at);
    if ((page & 0x9F000000) != 0x90000000) continue; // adrp register, page
    const uint32_t to = page & 0x1F;
    const auto pages =
        static_cast<int64_t>(static_cast<uint64_t>((page >> 5 & 0x7FFFF) << 2 | (page >> 29 & 3)) << 43) >>
        43;
    const uintptr_t base =
        (reinterpret_cast<uintptr_t>(at) & ~uintptr_t{0xFFF}) + static_cast<uintptr_t>(pages * 4096);
    for (int i = 1; i <= nearby && code.end - at >= 4 * (i + 1); ++i) {
      const auto sum = number_at<uint32_t>(at + 4 * i);
      if ((sum & 0xFFC00000) != 0x91000000 || (sum >> 5 & 0x1F) != to)
        continue; // add register, register, #12
      if (is_text_at(module, base + (sum >> 10 & 0xFFF), text)) return true;
    }
  }
  return false;
}

#endif

} // namespace detshim
