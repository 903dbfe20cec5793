#include "log_reader/printable.h"

#include <cstddef>
#include <cstdint>

namespace detshim {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0; ///< bytes; 0 if the bytes are no UTF-8
};

Character first_character(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 && lead < 0xF5 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead >= 0xF5 || length > text.size()) return {};
  std::uint32_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const std::uint32_t smallest = length == 4 ? 0x10000 : length == 3 ? 0x800 : 0x80;
  if (code < smallest || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return {};
  return {code, length};
}

bool is_harmless(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  const bool turns_direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                               (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  const bool breaks_line = code == 0x2028 || code == 0x2029;
  return !turns_direction && !breaks_line;
}

void add_hexadecimal(std::string& to, std::uint32_t number, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) to += "0123456789abcdef"[number >> shift & 0xFU];
}

} // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t length = character.length == 0 ? 1 : character.length;
    if (character.length == 0) {
      add_hexadecimal(result += "\\x", static_cast<unsigned char>(text[0]), 2);
    } else if (is_harmless(character.code)) {
      result += text.substr(0, length);
    } else if (character.code < 0x80) {
      add_hexadecimal(result += "\\x", character.code, 2);
    } else {
      add_hexadecimal(result += "\\u", character.code, 4);
    }
    text.remove_prefix(length);
  }
  return result;
}

} // namespace detshim
