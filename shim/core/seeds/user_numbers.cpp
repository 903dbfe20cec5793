#include "core/seeds/user_numbers.h"

#include "common/environment_room.h"
#include "common/sys.h"
#include "core/base/hash.h"
#include "core/seeds/passed_seed.h"

extern "C" char** __environ;

namespace detshim {
namespace {

/// The value of a digit, also of a hexadecimal one; 16 for another character.
uint64_t digit_of(char c) {
  if (c >= '0' && c <= '9')
    return static_cast<uint64_t>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? static_cast<uint64_t>(lower - 'a' + 10) : 16;
}

/// The number that is sought, as it may be written.
struct Sought {
  uint64_t value, reach;

  bool is(uint64_t number) const { return value - number + reach <= 2 * reach; }
  /// Written with a minus, and cut to 32 bits or not.
  bool is_minus(uint64_t number) const { return is(-number) || is(static_cast<uint32_t>(-number)); }

  /// Moves behind the digits; whether they are the number.
  bool is_at(const char*& text, uint64_t base, bool has_minus) const {
    uint64_t number = 0;
    bool fits = true;
    for (; digit_of(*text) < base; ++text)
      fits &= !__builtin_mul_overflow(number, base, &number) &&
              !__builtin_add_overflow(number, digit_of(*text), &number);
    return fits && (is(number) || (has_minus && is_minus(number)));
  }
};

/// True if the text holds the number, or one that lies within `reach`, as strtol(3) reads them:
/// --seed=1234, SEED=0x4D2, -1 and a rank.
bool names(const char* text, uint64_t value, uint64_t reach) {
  const Sought sought = {value, reach};
  bool has_minus = false;
  while (*text != 0) {
    const bool is_digit = *text >= '0' && *text <= '9';
    if (!is_digit) {
      has_minus = *text == '-';
      ++text;
      continue;
    }
    const char* hexadecimal = text + 2;
    const char* octal = text;
    const bool has_zero = *text == '0';
    const bool is_hexadecimal = has_zero && (text[1] | 0x20) == 'x';
    if (has_zero && !is_hexadecimal && sought.is_at(octal, 8, has_minus))
      return true;
    if (is_hexadecimal ? sought.is_at(hexadecimal, 16, has_minus)
                       : sought.is_at(text, 10, has_minus))
      return true;
    if (is_hexadecimal)
      text = hexadecimal;
    has_minus = false;
  }
  return false;
}

bool is_in_environment(uint64_t value, uint64_t reach) {
  for (char** entry = __environ; entry != nullptr && *entry != nullptr; ++entry)
    if (!is_made_by_detshim(*entry) && names(*entry, value, reach))
      return true;
  return false;
}

/// Calls visit(text, size) for each part of the command line, arguments with a zero behind each,
/// until it returns true; true if it did.
template <typename Visit>
bool any_part_of_arguments(Visit visit) {
  const int fd = sys::openat(AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return false;
  char text[1025];
  bool is_it = false;
  for (long size; !is_it && (size = sys::read(fd, text, sizeof text - 1)) > 0;)
    is_it = visit(text, size);
  sys::close(fd);
  return is_it;
}

bool is_in_arguments(uint64_t value, uint64_t reach) {
  return any_part_of_arguments([&](char* text, long size) {
    for (long i = 0; i < size; ++i)
      if (text[i] == 0)
        text[i] = ' ';
    text[size] = 0;
    return names(text, value, reach);
  });
}

/// Takes the command line in, character by character, and mixes its small whole numbers: of what
/// stands between blanks and `=`, where it is no path of temporary files and has at most two (a
/// date has more).
class NumberReader {
public:
  void take(char c) {
    if (c >= '0' && c <= '9')
      return take_digit(c);
    end_number();
    is_code_ |= c == ' ' || c == '\n' || c == '(';
    if (c == 0 || c == '=')
      end_word();
    else if (length_of_word_ < sizeof temporary - 1)
      is_temporary_ &= c == temporary[length_of_word_];
    ++length_of_word_;
    if (c == 0 || c == '=')
      length_of_word_ = 0;
    is_program_ &= c != 0;
    is_code_ &= c != 0;
  }
  uint64_t all() const { return all_; }

private:
  static constexpr char temporary[] = "/tmp/";

  void take_digit(char c) {
    is_temporary_ &= length_of_word_ >= sizeof temporary - 1;
    ++length_of_word_;
    if (digits_ < 6)
      number_ = number_ * 10 + static_cast<uint64_t>(c - '0');
    ++digits_;
  }
  void end_number() {
    if (digits_ > 0) {
      ++numbers_;
      has_large_ |= digits_ > 5 || number_ >= small_limit;
      word_ = mix(word_, number_ + 1);
    }
    number_ = digits_ = 0;
  }
  void end_word() {
    const bool is_path = is_temporary_ && length_of_word_ >= sizeof temporary - 1;
    const bool counts = numbers_ > 0 && numbers_ <= 2 && !has_large_;
    if (counts && !is_path && !is_program_ && !is_code_)
      all_ = mix(all_, word_);
    word_ = numbers_ = 0;
    has_large_ = false;
    is_temporary_ = true;
  }

  uint64_t all_ = 0;
  uint64_t number_ = 0, digits_ = 0;
  uint64_t word_ = 0, numbers_ = 0;
  size_t length_of_word_ = 0;
  bool has_large_ = false, is_temporary_ = true;
  bool is_code_ = false;   ///< an argument that holds a program (`python3 -c "…"`)
  bool is_program_ = true; ///< still its name, whose folder is of no account
};

} // namespace

bool is_from_user(uint64_t value, uint64_t reach) {
  if (value < small_limit)
    return is_in_arguments(value, 0);
  return is_in_environment(value, reach) || is_in_arguments(value, reach);
}

uint64_t numbers_of_user() {
  // As the process began: each seed of a program asks.
  static constinit uint64_t known = 0;
  static constinit bool is_known = false;
  if (__atomic_load_n(&is_known, __ATOMIC_ACQUIRE))
    return known;
  NumberReader reader;
  any_part_of_arguments([&](const char* text, long size) {
    for (long i = 0; i < size; ++i)
      reader.take(text[i]);
    return false;
  });
  __atomic_store_n(&known, reader.all(), __ATOMIC_RELAXED);
  __atomic_store_n(&is_known, true, __ATOMIC_RELEASE);
  return reader.all();
}

} // namespace detshim
