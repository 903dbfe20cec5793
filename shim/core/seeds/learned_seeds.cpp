#include "core/seeds/learned_seeds.h"

#include "common/run_agreements.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/python_frames.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/base/text_pages.h"
#include "core/policy/options.h"

namespace detshim {
namespace {

// Rows by a hash of the call site, and by that and a value which is the program's own. Written once, under
// the lock, before `state` says that they may be read.
constinit Table<8> rows;
enum State : uint8_t { unread, none, some };
constinit State state = unread;
constinit uint64_t lock = 0;

enum Row : uint64_t { changing = 1, alike = 2, first = 4, of_threads = 8 };

constexpr uint64_t label_of_values = 0x6B6E6F77, label_of_group = 0x67726F7570;
uint64_t key_of(uint64_t call_site, uint64_t value) { return mix(mix(call_site, label_of_values), value); }

/// One entry (common/run_agreements.h).
void read_entry(const char* at, const char* end) {
  const auto word = [&] {
    while (at != end && *at == ' ') ++at;
    const char* const begin = at;
    while (at != end && *at != ' ') ++at;
    return begin;
  };
  const char* begin = word();
  const uint64_t call_site = fnv1a(begin, static_cast<size_t>(at - begin));
  uint64_t row = rows.used() == 0 ? changing | first : changing;
  while (begin = word(), begin != at) {
    uint64_t value = 0;
    for (const char* digit = begin; digit != at && *digit >= '0' && *digit <= '9'; ++digit)
      value = value * 10 + static_cast<uint64_t>(*digit - '0');
    if (*begin >= '0' && *begin <= '9')
      rows.insert(key_of(call_site, value)) = 1;
    else if (*begin == '=')
      rows.insert(mix(call_site, label_of_group)) = fnv1a(begin + 1, static_cast<size_t>(at - begin - 1));
    else if (starts_with(begin, of_all_processes))
      row |= alike;
    else if (starts_with(begin, of_all_threads))
      row |= of_threads;
  }
  rows.insert(call_site) = row;
}

/// Reads the array of strings behind the name. A quotation mark inside of a string has a backslash before it
/// in JSON, so the name with its marks stands nowhere else; entries have neither.
void read_entries(const char* at, const char* end) {
  Text<32> name;
  name.add('"').add(learned_seeds_key).add('"');
  const size_t length = name.length();
  while (static_cast<size_t>(end - at) > length && __builtin_memcmp(at, name.c_str(), length) != 0) ++at;
  if (static_cast<size_t>(end - at) <= length) return;
  for (at += length; at != end && *at != ']'; ++at) {
    if (*at != '"') continue;
    const char* const begin = ++at;
    while (at != end && *at != '"') ++at;
    if (at == end) return;
    read_entry(begin, at);
  }
}

State read_evidence() {
  TextPages text;
  struct stat file;
  const char* const name = *options().learned_seeds != 0 ? options().learned_seeds : evidence_file_name;
  if (read_file(name, text, file) == 0 && (file.st_uid == 0 || file.st_uid == sys::call(SYS_geteuid)))
    read_entries(text.data(), text.data() + text.length());
  text.clear();
  return rows.used() > 0 ? some : none;
}

bool has_entries() {
  const State known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (known != unread) return known == some;
  const sys::SignalsBlocked no_signals;
  SignalSafeLock guard(lock);
  if (!guard.held()) return false;
  if (state == unread) __atomic_store_n(&state, read_evidence(), __ATOMIC_RELEASE);
  return state == some;
}

/// The row of a call site, as records name it: the user's line of Python, else module and offset.
uint64_t find_call_site(const void* caller, uint64_t& row) {
  Text<700> name;
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::all, false);
  if (python.user >= 0) {
    const PythonFrame& frame = python.frames[python.user];
    name.add_word(file_name(frame.file), blank_in_name).add(':').add(static_cast<uint64_t>(frame.line));
  } else {
    Module module;
    if (!find_module(caller, module)) return 0;
    char path[600];
    module_path(module, path, sizeof path);
    name.add_word(file_name(path), blank_in_name)
        .add("+0x")
        .add_hex(reinterpret_cast<uintptr_t>(caller) - module.base);
  }
  const uint64_t call_site = fnv1a(name.c_str(), name.length());
  const uint64_t* const known = rows.find(call_site);
  row = known != nullptr ? *known : 0;
  return call_site;
}

} // namespace

LearnedSeed learned_seed(uint64_t value, const void* caller) {
  uint64_t row = 0;
  if (!has_entries()) return {};
  const uint64_t call_site = find_call_site(caller, row);
  if (row == 0 || rows.find(key_of(call_site, value)) != nullptr) return {};
  const uint64_t* const shared = rows.find(mix(call_site, label_of_group));
  const uint64_t group = shared != nullptr ? *shared : call_site;
  const auto is = [&](uint64_t flag) { return (row & flag) != 0; };
  return {true, is(alike), is(of_threads), is(first), group};
}

} // namespace detshim
