#include "core/base/string_references.h"

#include "common/text.h"
#include "core/base/user_memory.h"

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

/// The constants of an object. The program may have protected or unmapped some of them, so each
/// page is asked for before it is read; what code refers to lies in few pages.
class Constants {
public:
  explicit Constants(const Module& module) : module_(module) {}

  /// True if the text lies there, or behind a pointer or a length of one byte that lies there, as
  /// in what Rust formats.
  bool have_text_at(uintptr_t address, const char* text) {
    if (!can_read(address, sizeof(char*)))
      return false;
    const auto* const at = reinterpret_cast<const unsigned char*>(address);
    if (is_text(address, text))
      return true;
    const bool is_length = *at >= text_length(text) && !goes_on(static_cast<char>(*at));
    return (is_length && is_text(address + 1, text)) || is_text(number_at<uintptr_t>(at), text);
  }

private:
  bool is_text(uintptr_t address, const char* text) {
    const size_t length = text_length(text);
    if (!can_read(address, length + 1))
      return false;
    const auto* const at = reinterpret_cast<const char*>(address);
    return __builtin_memcmp(at, text, length) == 0 && !goes_on(at[length]);
  }

  bool can_read(uintptr_t address, size_t size) {
    const auto* const first = reinterpret_cast<const char*>(address);
    const auto* const last = first + size - 1;
    if (!module_.holds(first) || !module_.holds(last))
      return false;
    if (is_known(address) && is_known(address + size - 1))
      return true;
    if (!detshim::can_read(first, size))
      return false;
    known_[0] = page_of(address);
    known_[1] = page_of(address + size - 1);
    return true;
  }

  static uintptr_t page_of(uintptr_t address) { return address / 4096; }
  bool is_known(uintptr_t address) const {
    return page_of(address) == known_[0] || page_of(address) == known_[1];
  }

  const Module& module_;
  uintptr_t known_[2] = {};
};

} // namespace

#if defined(__x86_64__)

bool refers_to_text(const Module& module, CodeRange code, const char* text) {
  Constants constants(module);
  for (const unsigned char* at = code.begin; code.end - at >= 7; ++at) {
    const bool is_lea =
        (at[0] & 0xFB) == 0x48 && at[1] == 0x8D && (at[2] & 0xC7) == 0x05; // lea 32(%rip), register
    if (is_lea && constants.have_text_at(reinterpret_cast<uintptr_t>(at + 7) +
                                             static_cast<uintptr_t>(number_at<int32_t>(at + 3)),
                                         text))
      return true;
    const bool is_move = (at[0] & 0xF8) == 0xB8; // mov $32, register
    if (is_move && constants.have_text_at(number_at<uint32_t>(at + 1), text))
      return true;
  }
  return false;
}

#elif defined(__aarch64__)

bool refers_to_text(const Module& module, CodeRange code, const char* text) {
  Constants constants(module);
  constexpr int nearby = 16; // instructions between the two
  for (const unsigned char* at = code.begin; code.end - at >= 8; at += 4) {
    const auto page = number_at<uint32_t>(at);
    if ((page & 0x9F000000) != 0x90000000)
      continue; // adrp register, page
    const uint32_t to = page & 0x1F;
    const auto pages =
        static_cast<int64_t>(static_cast<uint64_t>((page >> 5 & 0x7FFFF) << 2 | (page >> 29 & 3))
                             << 43) >>
        43;
    const uintptr_t base = (reinterpret_cast<uintptr_t>(at) & ~uintptr_t{0xFFF}) +
                           static_cast<uintptr_t>(pages * 4096);
    for (int i = 1; i <= nearby && code.end - at >= 4 * (i + 1); ++i) {
      const auto sum = number_at<uint32_t>(at + 4 * i);
      if ((sum & 0xFFC00000) != 0x91000000 || (sum >> 5 & 0x1F) != to)
        continue; // add register, register, #12
      if (constants.have_text_at(base + (sum >> 10 & 0xFFF), text))
        return true;
    }
  }
  return false;
}

#endif

} // namespace detshim
