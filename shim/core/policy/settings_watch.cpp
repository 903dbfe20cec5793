#include "core/policy/settings_watch.h"

#include "common/run_variable.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/placement.h"
#include "core/policy/nccl_algorithms.h"
#include "core/policy/options.h"

extern "C" char** __environ;

namespace detshim {

using namespace settings_table;

namespace settings_watch {

DETSHIM_STARTUP_DATA constinit Watch watch = {};

} // namespace settings_watch

using namespace settings_watch;

Undoing look_at_setting(const char* text, const char*& setting, const char*& value) {
  watch.held_array = __environ;
  const bool is_limit = is_channel_limit(text);
  if (is_limit)
    text = "NCCL_ALGO"; // its value may be repeatable only with them
  const size_t i = find_forced(text);
  if (i == forced_count || (watch.watched & bit(i)) == 0)
    return Undoing::nothing;
  setting = settings[i].name;
  value = environment_value(setting);
  watch.held[i] = value != nullptr ? const_cast<char*>(value) - entries.value_at[i] : nullptr;
  __atomic_or_fetch(&watch.moved, bit(i), __ATOMIC_RELAXED);
  if (!is_good(settings[i], value)) {
    const uint64_t before = __atomic_fetch_or(&watch.undone, bit(i), __ATOMIC_RELAXED);
    return is_limit && (before & bit(i)) != 0 ? Undoing::nothing : Undoing::undone;
  }
  const uint64_t before = __atomic_fetch_and(&watch.undone, ~bit(i), __ATOMIC_RELAXED);
  return (before & bit(i)) != 0 ? Undoing::restored : Undoing::nothing;
}

uint64_t look_at_emptied_environment() {
  watch.held_array = __environ;
  uint64_t bad = 0;
  for (size_t i = 0; i < forced_count; ++i) {
    watch.held[i] = nullptr;
    if ((watch.watched & bit(i)) != 0 && !settings[i].good_unset)
      bad |= bit(i);
  }
  __atomic_or_fetch(&watch.moved, watch.watched, __ATOMIC_RELAXED);
  return bad & ~__atomic_fetch_or(&watch.undone, bad, __ATOMIC_RELAXED);
}

namespace {

/// Reads memory that the program may have given back by now; the number of bytes, or an error.
long peek(const void* from, void* to, size_t size) {
  const struct {
    const void* base;
    size_t size;
  } local = {to, size}, remote = {from, size};
  return sys::call(SYS_process_vm_readv, sys::getpid(), sys::address(&local), 1,
                   sys::address(&remote), 1, 0);
}

/// True if the program has an array of its own for an environment: for those that it starts, as
/// shells do.
bool environment_is_replaced() { return __environ != watch.held_array && __environ != nullptr; }

/// Which entries are no longer in the environment, or hold something else. Of entries that the
/// program put there since, only the address is looked at: they may be gone.
uint64_t missing_entries() {
  if (__environ == nullptr || environment_is_replaced())
    return watch.watched & ~watch.undone;
  uint64_t missing = 0;
  each_bit(watch.watched & ~watch.undone, [&](size_t i) {
    bool is_there = watch.held[i] == nullptr && settings[i].good_unset;
    for (char** entry = __environ; !is_there && *entry != nullptr; ++entry)
      is_there = *entry == watch.held[i];
    const bool is_first = watch.held[i] != nullptr &&
                          (watch.moved & bit(i)) == 0; // which the program may have cut up in place
    if (!is_there || (is_first && !is_good(settings[i], watch.held[i] + entries.value_at[i])))
      missing |= bit(i);
  });
  return missing;
}

/// What the environment holds now for the settings in `wanted`, a bit for each from `first` on,
/// read by peek: calls visit(i, value), with value nullptr for one that is unset, and not at all
/// where the environment cannot be read to its end.
template <typename Visit>
void find_again(size_t first, uint64_t wanted, Visit visit) {
  constexpr size_t longest = 1 << 16;
  auto* room = static_cast<char*>(sys::map(longest)); // pages that are not written cost nothing
  if (room == nullptr)
    return;
  char* block[64];
  constexpr long pointer = sizeof(char*);
  bool is_whole = __environ == nullptr;
  for (char** at = __environ; !is_whole && wanted != 0;) {
    const long count = peek(at, block, sizeof block) / pointer;
    if (count <= 0)
      break;
    long used = 0;
    for (; used < count && block[used] != nullptr; ++used) {
      const long size = peek(block[used], room, sizeof settings->name + 1);
      if (size <= 0)
        continue;
      room[size] = 0;
      each_bit(wanted, [&](size_t i) {
        const char* const name = settings[first + i].name;
        if (value_in(room, name) == nullptr)
          return;
        const long whole = peek(block[used], room, longest - 1);
        room[whole > 0 ? whole : 0] = 0;
        wanted &= ~bit(i);
        if (const char* value = value_in(room, name))
          visit(first + i, value);
      });
    }
    is_whole = used < count;
    at += count;
  }
  sys::unmap(room, longest);
  if (is_whole)
    each_bit(wanted, [&](size_t i) {
      visit(first + i, nullptr);
    });
}

} // namespace

void each_noted_setting(void (*visit)(const char* name, const char* value, void* data),
                        void* data) {
  const auto visit_set = [=](size_t i, const char* value) {
    if (value != nullptr)
      visit(settings[i].name, value, data);
  };
  if (__environ != watch.held_array)
    return find_again(first_noted, bit(setting_count - first_noted) - 1, visit_set);
  for (size_t i = first_noted; i < setting_count; ++i)
    visit_set(i, environment_value(settings[i].name));
}

bool find_unforced_reader(SettingFinding& finding) {
  constexpr const char* name = "TF_DETERMINISTIC_OPS";
  if (watch.watched == 0 || options().strict() || setting_is_disabled(name))
    return false;
  const auto is_loaded = [](const char* start) {
    return any_module_path(
        [](const char* path, void* begin) {
          return starts_with(file_name(path), static_cast<char*>(begin));
        },
        const_cast<char*>(start));
  };
  if (!is_loaded("libtensorflow_framework.so") || !is_loaded("libcuda.so"))
    return false;
  if (__environ != watch.held_array)
    return false;
  const char* value = environment_value(name);
  if (value != nullptr && setting_is_good(name, value))
    return false;
  finding = {name, value != nullptr ? value : ""};
  return true;
}

void each_silent_undoing(void (*visit)(const SettingFinding& finding)) {
  if (watch.watched == 0)
    return;
  const uint64_t missing = missing_entries();
  if (missing == 0)
    return;
  uint64_t unset = 0;
  find_again(0, missing, [&](size_t i, const char* value) {
    if (value == nullptr)
      unset |= bit(i);
  });
  // Emptied as a whole, by a program that clears up behind itself or before it starts others.
  if (unset == missing && missing == watch.watched && environment_is_replaced())
    return;
  const bool is_for_others = environment_is_replaced();
  find_again(0, missing, [&](size_t i, const char* value) {
    if (is_good(settings[i], value))
      return;
    watch.undone |= bit(i);
    visit({settings[i].name, value, is_for_others});
  });
}

namespace {

constexpr int reader_limit = 4; // of each setting

struct SettingReaders {
  const void* of[forced_count][reader_limit];
  uint64_t undone; ///< those that were asked for while they were undone
};
constinit SettingReaders setting_readers = {};

} // namespace

bool note_setting_read(size_t setting, const void* caller) {
  bool is_news = false;
  if ((watch.undone & bit(setting)) != 0 && (setting_readers.undone & bit(setting)) == 0)
    is_news = (__atomic_fetch_or(&setting_readers.undone, bit(setting), __ATOMIC_RELAXED) &
               bit(setting)) == 0;
  for (const void*& reader : setting_readers.of[setting]) {
    const void* known = __atomic_load_n(&reader, __ATOMIC_RELAXED);
    if (known == caller)
      break;
    if (known != nullptr)
      continue;
    if (__atomic_compare_exchange_n(&reader, &known, caller, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        known == caller)
      break;
  }
  return is_news;
}

bool is_read_for_good(const char* setting) {
  const size_t i = find_forced(setting);
  return i < forced_count && settings[i].treatment == Treatment::append &&
         setting_readers.of[i][0] != nullptr && (setting_readers.undone & bit(i)) == 0;
}

void each_read_setting(void (*visit)(const char* name, const void* const* callers, int count,
                                     void* data),
                       void* data) {
  for (size_t i = 0; i < forced_count; ++i) {
    int count = 0;
    while (count < reader_limit && setting_readers.of[i][count] != nullptr)
      ++count;
    if (count > 0)
      visit(settings[i].name, setting_readers.of[i], count, data);
  }
}

bool was_read_undone(const char* setting) {
  const size_t i = find_forced(setting);
  return i < forced_count && (setting_readers.undone & bit(i)) != 0;
}

} // namespace detshim
