#include "hooks/support/frozen_clocks.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/native_frames.h"
#include "core/identity/thread.h"
#include "core/policy/options.h"
#include "core/python/frames.h"

namespace detshim {
namespace {

constexpr int most_items = 4096; // the option has no room for more
constinit bool is_used[most_items] = {};

/// "train.py:10", "train+0x1234" (a return address), "train.cpp:12=train+0x1200-0x1260", "perl".
/// Several may have one name before the "=".
struct Item {
  Text<256> text, name; ///< as the user has it; of the file
  uint64_t first = 0, last = 0;
  bool has_line = false, has_offset = false;

  Item(const char* begin, const char* end) {
    while (begin != end && *begin == ' ')
      ++begin;
    const char* equals = begin;
    while (equals != end && *equals != '=')
      ++equals;
    text.add(begin, static_cast<size_t>(equals - begin));
    if (equals != end)
      begin = equals + 1;
    const char* const place = place_in(begin, end);
    name.add(begin, static_cast<size_t>(place - begin));
    read_place(place, end);
  }

private:
  /// Where the name of the file ends, and a line or an offset begins.
  static const char* place_in(const char* begin, const char* end) {
    const char* place = begin;
    for (const char* c = begin; c != end; ++c)
      if (*c == ':' || (*c == '+' && end - c > 3 && c[1] == '0' && c[2] == 'x'))
        place = c;
    return place == begin ? end : place;
  }

  /// ":10", "+0x1200", "+0x1200-0x1260", or nothing.
  void read_place(const char* at, const char* end) {
    if (at == end)
      return;
    has_line = *at == ':';
    has_offset = *at == '+';
    at += has_line ? 1 : 3;
    first = last = number(at, end, has_line ? 10 : 16);
    if (!has_offset || end - at <= 3 || *at != '-')
      return;
    at += 3;
    last = number(at, end, 16);
  }

  static uint64_t number(const char*& at, const char* end, unsigned base) {
    uint64_t value = 0;
    for (; at != end; ++at) {
      const unsigned digit =
          *at >= 'a' ? static_cast<unsigned>(*at - 'a') + 10 : static_cast<unsigned>(*at - '0');
      if (digit >= base)
        break;
      value = value * base + digit;
    }
    return value;
  }

public:
  /// True for that file; for one in that folder where the item has one.
  bool is_of(const char* path) {
    const size_t length = text_length(path);
    if (length < name.length() || !same_text(path + length - name.length(), name.c_str()))
      return false;
    return length == name.length() || path[length - name.length() - 1] == '/';
  }
};

template <typename Visit>
void each_item(Visit visit) {
  int i = 0;
  for (const char* begin = options().freeze; *begin != 0 && i < most_items; ++i) {
    const char* end = begin;
    while (*end != 0 && *end != ',')
      ++end;
    Item item(begin, end);
    visit(i, item);
    begin = *end == ',' ? end + 1 : end;
  }
}

/// The running program's file.
struct ProgramPath {
  ProgramPath() { sys::readlink("/proc/self/exe", text, sizeof text); }
  char text[600] = "";
};

/// An item that names the place is used from then on.
template <typename Names>
bool use_items(Names names) {
  bool is_named = false;
  each_item([&](int i, Item& item) {
    if (!names(item))
      return;
    is_used[i] = true;
    is_named = true;
  });
  return is_named;
}

/// Whether a line of Python is named, or else the program.
bool is_program_named(const PythonCallSite& python) {
  const ProgramPath program;
  return use_items([&](Item& item) {
    const auto is_at = [&](const PythonFrame& line) {
      return item.is_of(line.file) && static_cast<uint64_t>(line.line) == item.first;
    };
    if (!item.has_line)
      return !item.has_offset && item.is_of(program.text);
    return python.user >= 0 && (is_at(python.frames[python.user]) || is_at(python.frames[0]));
  });
}

/// Whether an address is named: by its offset, or, of the `innermost`, by its file.
bool is_address_named(const void* at, bool is_innermost) {
  Module module;
  if (!find_module(at, module))
    return false;
  char path[600] = "";
  module_path(module, path, sizeof path);
  const uint64_t offset = reinterpret_cast<uintptr_t>(at) - module.base;
  return use_items([&](Item& item) {
    if (item.has_offset)
      return offset >= item.first && offset <= item.last && item.is_of(path);
    return is_innermost && !item.has_line && item.is_of(path);
  });
}

bool find(const void* caller) {
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::all, true);
  NativeFrames frames;
  find_native_frames(caller, frames);
  bool is_named = is_program_named(python);
  is_named |= is_address_named(caller, true);
  // The code of a language's own library may lie between, or in the program itself.
  constexpr int deepest = 8;
  for (int i = 0; i < frames.count && i < deepest; ++i)
    is_named |= is_address_named(reinterpret_cast<const void*>(frames.addresses[i]), false);
  return is_named;
}

} // namespace

bool is_frozen(const void* caller) {
  return *options().freeze != 0 && options().pins() && find(caller);
}

namespace {

/// "@1250," in front of the places: so many thousandths of a second pass at each reading there, the
/// same in each thread (`detshim verify` tells durations by two such steps). 0 without it.
uint64_t step_ms() {
  const char* text = options().freeze;
  if (*text != '@')
    return 0;
  uint64_t step = 0;
  for (++text; *text >= '0' && *text <= '9'; ++text)
    step = step * 10 + static_cast<uint64_t>(*text - '0');
  return step;
}

} // namespace

timespec frozen_time(bool is_since_start) {
  constexpr uint64_t five_years = 157'680'000, since_2020 = 1'577'836'800, ten_days = 864'000;
  static thread_local constinit uint64_t readings = 0;
  if (const uint64_t step = step_ms(); step != 0) {
    // No part of the beginning is 0, since a part of a reading is no duration.
    constexpr uint64_t second = 1'000'000'000, fraction = 618'033'988;
    const uint64_t passed = fraction + readings++ * step * 1'000'000;
    const uint64_t begin = is_since_start ? 86'527 : since_2020 + five_years + 45'296;
    return {static_cast<time_t>(begin + passed / second), static_cast<long>(passed % second)};
  }
  const uint64_t key = stream_key(this_thread(), Kind::frozen_clock);
  const uint64_t began = is_since_start ? key % ten_days : since_2020 + key % five_years;
  const uint64_t reading = readings++;
  return {static_cast<time_t>(began + reading),
          static_cast<long>(derive(key, reading) % 1'000'000'000)};
}

int32_t frozen_id() {
  constexpr uint64_t pid_limit = 1 << 22; // include/linux/threads.h, PID_MAX_LIMIT
  return static_cast<int32_t>(2 +
                              stream_key(this_thread(), Kind::frozen_clock, 1) % (pid_limit - 2));
}

void each_unused_freeze(void (*visit)(const char* name)) {
  each_item([&](int i, Item& item) {
    bool is_said = is_used[i] || item.text.c_str()[0] == '@';
    each_item([&](int k, Item& other) {
      is_said |= (k < i || is_used[k]) && same_text(other.text.c_str(), item.text.c_str());
    });
    if (!is_said)
      visit(item.text.c_str());
  });
}

} // namespace detshim
