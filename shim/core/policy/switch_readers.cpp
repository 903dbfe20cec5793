#include "core/policy/switch_readers.h"

#include "common/switch_names.h"
#include "common/text.h"
#include "core/base/environment.h"
#include "core/policy/settings_table.h"

#include <cstddef>
#include <cstdint>

namespace detshim {
namespace {

constexpr size_t switch_limit = 16;
constexpr size_t longest_name = 63;
constexpr int reader_limit = 4; // of each switch

enum State : uint32_t { is_free, is_begun, is_there };

struct Switch {
  uint32_t state; ///< a State
  char name[longest_name + 1];
  const void* readers[reader_limit];
};

struct Switches {
  Switch all[switch_limit];
  uint32_t without_room;
};
constinit Switches switches = {};

size_t length_of_name(const char* text) {
  size_t length = 0;
  while (text[length] != 0 && text[length] != '=')
    ++length;
  return length;
}

bool is_ready(const Switch& known) {
  return __atomic_load_n(&known.state, __ATOMIC_ACQUIRE) == is_there;
}

Switch* find_switch(const char* text) {
  for (Switch& known : switches.all)
    if (is_ready(known) && same_name(text, known.name))
      return &known;
  return nullptr;
}

/// A new one; nullptr where there is no room. Two threads may each make one of the same name.
Switch* make_switch(const char* text) {
  const size_t length = length_of_name(text);
  if (length > longest_name)
    return nullptr;
  for (Switch& place : switches.all) {
    uint32_t expected = is_free;
    if (!__atomic_compare_exchange_n(&place.state, &expected, is_begun, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
      continue;
    for (size_t i = 0; i < length; ++i)
      place.name[i] = text[i];
    __atomic_store_n(&place.state, is_there, __ATOMIC_RELEASE);
    return &place;
  }
  return nullptr;
}

} // namespace

bool is_switch(const char* text) {
  return text != nullptr &&
         (speaks_of_determinism(text) || same_name(text, settings_table::python_hash_seed));
}

void note_switch_read(const char* name, const void* caller) {
  Switch* known = find_switch(name);
  if (known == nullptr)
    known = make_switch(name);
  if (known == nullptr) {
    __atomic_store_n(&switches.without_room, 1, __ATOMIC_RELAXED);
    return;
  }
  for (const void*& reader : known->readers) {
    const void* before = nullptr;
    if (__atomic_compare_exchange_n(&reader, &before, caller, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        before == caller)
      return;
  }
}

bool was_switch_read(const char* text) {
  return find_switch(text) != nullptr ||
         __atomic_load_n(&switches.without_room, __ATOMIC_RELAXED) != 0;
}

void each_read_switch(void (*visit)(const char* name, const void* const* callers, int count,
                                    void* data),
                      void* data) {
  for (const Switch& known : switches.all) {
    if (!is_ready(known))
      continue;
    int count = 0;
    while (count < reader_limit && known.readers[count] != nullptr)
      ++count;
    visit(known.name, known.readers, count, data);
  }
}

} // namespace detshim
