#include "core/policy/settings_reads.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/policy/options.h"
#include "core/policy/settings_watch.h"

namespace detshim {

using namespace settings_table;
using namespace settings_watch;

namespace {

constexpr int reader_limit = 4; // of each setting
constinit const void* readers[first_noted][reader_limit] = {};
constinit uint64_t read_undone = 0;
constinit uint64_t is_loaded = 0; // libraries of answered settings that were found once

/// True if the name begins as one of those separated by |.
bool is_of(const char* file, const char* list) {
  while (*list != 0) {
    const char* name = file;
    while (*list != 0 && *list != '|' && *name == *list) ++name, ++list;
    if (*list == 0 || *list == '|') return true;
    while (*list != 0 && *list != '|') ++list;
    if (*list == '|') ++list;
  }
  return false;
}

bool has_library(size_t setting) {
  if ((__atomic_load_n(&is_loaded, __ATOMIC_RELAXED) & bit(setting)) != 0) return true;
  const bool is_there = any_module_path(
      [](const char* path, void* list) { return is_of(file_name(path), static_cast<const char*>(list)); },
      const_cast<char*>(library_of(setting)));
  if (is_there) __atomic_or_fetch(&is_loaded, bit(setting), __ATOMIC_RELAXED);
  return is_there;
}

} // namespace

bool note_setting_read(size_t setting, const void* caller) {
  bool is_news = false;
  if (setting < forced_count && (undone & bit(setting)) != 0 && (read_undone & bit(setting)) == 0)
    is_news = (__atomic_fetch_or(&read_undone, bit(setting), __ATOMIC_RELAXED) & bit(setting)) == 0;
  for (const void*& reader : readers[setting]) {
    const void* known = __atomic_load_n(&reader, __ATOMIC_RELAXED);
    if (known == caller) break;
    if (known != nullptr) continue;
    if (__atomic_compare_exchange_n(&reader, &known, caller, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        known == caller)
      break;
  }
  return is_news;
}

bool is_read_for_good(const char* setting) {
  const size_t i = find_forced(setting, text_length(setting));
  return i < forced_count && settings[i].treatment == Treatment::append && readers[i][0] != nullptr &&
         (read_undone & bit(i)) == 0;
}

void each_read_setting(void (*visit)(const char* name, const void* const* callers, int count, void* data),
                       void* data) {
  for (size_t i = 0; i < first_noted; ++i) {
    int count = 0;
    while (count < reader_limit && readers[i][count] != nullptr) ++count;
    if (count > 0) visit(settings[i].name, readers[i], count, data);
  }
}

bool was_read_undone(const char* setting) {
  const size_t i = find_forced(setting, text_length(setting));
  return i < forced_count && (read_undone & bit(i)) != 0;
}

const char* answer_for(size_t setting, const char* value) {
  if (setting < first_answered || setting >= first_noted || !options().forces()) return nullptr;
  const SettingInfo& info = settings[setting];
  if (value != nullptr && is_good(info, value)) return nullptr;
  return setting_is_disabled(info.name) || !has_library(setting) ? nullptr : info.value;
}

} // namespace detshim
