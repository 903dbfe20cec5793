// Decides whether a text holds a name that a package has made: by eight hexadecimal digits in a row
// that are the first four bytes of one. Beginnings are kept as bits, by their hash, so that there
// is room for any number of names; of a million numbers of eight digits one is taken for a name,
// for each name that was made.
//
// It cannot know names that are written in another way (base64, letters), nor one that is cut in
// two by a write. Which of several lines asked for the name is not kept: the first is named.
#include "hooks/support/printed_names.h"

#include "common/sys.h"
#include "core/base/hash.h"
#include "core/base/mapped.h"
#include "core/python/frames.h"
#include "hooks/support/user_call_sites.h"
#include "loader/python_draws.h"

#include <cstdint>

namespace detshim {
namespace {

constexpr size_t beginning = 4; // bytes, as eight digits

/// A set of 32-bit numbers, which may say yes of one that is not in it.
struct Beginnings {
  static constexpr uint32_t bits = 1u << 20;
  uint64_t words[bits / 64];

  static uint32_t bit_of(uint32_t number) { return static_cast<uint32_t>(mix(number, 0)) % bits; }
  void add(uint32_t number) {
    const uint32_t bit = bit_of(number);
    __atomic_fetch_or(&words[bit / 64], uint64_t{1} << bit % 64, __ATOMIC_RELAXED);
  }
  bool hold(uint32_t number) const {
    const uint32_t bit = bit_of(number);
    return (__atomic_load_n(&words[bit / 64], __ATOMIC_RELAXED) >> bit % 64 & 1) != 0;
  }
};

struct DrawnNames {
  Mapped<Beginnings> beginnings;
  PythonCall* first; ///< who asked for it; kept, and no reason until a name is printed
};
constinit DrawnNames drawn = {};

void keep_asking_line(const void* caller) {
  if (__atomic_load_n(&drawn.first, __ATOMIC_ACQUIRE) != nullptr)
    return;
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, true);
  if (place.user < 0)
    return;
  if (PythonCall* const call = keep_python_call(UserCall::name, caller, place)) {
    drop_python_call(*call);
    __atomic_store_n(&drawn.first, call, __ATOMIC_RELEASE);
  }
}

/// The value of a hexadecimal digit; -1 for another character.
int digit_of(char character) {
  if (character >= '0' && character <= '9')
    return character - '0';
  const char small = static_cast<char>(character | 0x20);
  return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

bool hold_one(const Beginnings& names, const char* text, size_t size) {
  uint32_t number = 0; // the last eight digits
  size_t digits = 0;
  for (size_t i = 0; i < size; ++i) {
    const int digit = digit_of(text[i]);
    digits = digit < 0 ? 0 : digits + 1;
    number = number << 4 | static_cast<uint32_t>(digit < 0 ? 0 : digit);
    if (digits >= 2 * beginning && names.hold(number))
      return true;
  }
  return false;
}

bool is_packages_line() {
  PythonCallSite place;
  find_python_call_site(place, PythonDetail::all, true);
  const int inner = place.user < 0 ? place.count : place.user;
  for (int i = 0; i < inner; ++i)
    if (python_origin(place.frames[i].file) == PythonOrigin::package)
      return true;
  return false;
}

} // namespace

void note_drawn_name(const void* bytes, size_t size, const void* caller) {
  if (!took_package_name() || size < beginning)
    return;
  Beginnings* const names = drawn.beginnings.get();
  if (names == nullptr)
    return;
  uint32_t number; // its digits in the order of the bytes
  __builtin_memcpy(&number, bytes, sizeof number);
  names->add(__builtin_bswap32(number));
  keep_asking_line(caller);
}

bool has_drawn_names() { return drawn.beginnings.peek() != nullptr; }

void note_printed_text(int fd, const char* text, size_t size) {
  PythonCall* const asking = __atomic_load_n(&drawn.first, __ATOMIC_ACQUIRE);
  const Beginnings* const names = drawn.beginnings.peek();
  if (asking == nullptr || names == nullptr || !hold_one(*names, text, size))
    return;
  if (fd == 1 || !is_packages_line())
    restore_python_call(*asking);
}

} // namespace detshim
