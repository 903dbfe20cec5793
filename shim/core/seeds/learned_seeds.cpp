#include "core/seeds/learned_seeds.h"

#include "common/run_agreements.h"
#include "common/sys.h"
#include "common/text.h"
#include "core/base/modules.h"
#include "core/base/signal_safe_lock.h"
#include "core/base/table.h"
#include "core/base/text_pages.h"
#include "core/policy/options.h"
#include "core/python/frames.h"

namespace detshim {
namespace {

enum Evidence : uint8_t { unread, none, some };

/// What the file says.
struct LearnedSeeds {
  uint64_t lock = 0;
  /// Written last, and under the lock: then the rows may be read.
  Evidence evidence = Evidence::unread;
  /// By a hash of the call site, and by that and a value which is the program's own.
  Table<8> rows;
  bool has_changing = false; ///< a call site whose seeds change has been read
};
constinit LearnedSeeds learned_seeds;

enum Row : uint64_t {
  changing = 1,
  alike = 2,
  first = 4,
  of_threads = 8,
  known = 16,
  in_order = 32,
};

constexpr uint64_t label_of_values = 0x6B6E6F77, label_of_group = 0x67726F7570;
uint64_t key_of(uint64_t call_site, uint64_t value) {
  return mix(mix(call_site, label_of_values), value);
}

/// What a word of an entry changes in the row of its call site.
struct RowWord {
  const char* word;
  uint64_t sets, clears;
};
constexpr RowWord row_words[] = {
    {of_all_processes, alike, 0},
    {of_all_threads, of_threads, 0},
    {in_order_of_seeds, in_order, 0},
    {unchanging_call_site, 0, changing},
};

/// The words between two places, one after the other.
class Words {
public:
  Words(const char* begin, const char* end) : at_(begin), end_(end) {}

  /// False behind the last.
  bool next() {
    while (at_ != end_ && *at_ == ' ')
      ++at_;
    begin_ = at_;
    while (at_ != end_ && *at_ != ' ')
      ++at_;
    return begin_ != at_;
  }
  const char* begin() const { return begin_; }
  uint64_t hash(size_t from = 0) const {
    return fnv1a(begin_ + from, static_cast<size_t>(at_ - begin_) - from);
  }
  uint64_t number() const {
    uint64_t value = 0;
    for (const char* digit = begin_; digit != at_ && *digit >= '0' && *digit <= '9'; ++digit)
      value = value * 10 + static_cast<uint64_t>(*digit - '0');
    return value;
  }

private:
  const char* begin_ = nullptr;
  const char* at_;
  const char* end_;
};

/// One entry (common/run_agreements.h).
void read_entry(const char* at, const char* end) {
  Words words(at, end);
  words.next();
  const uint64_t call_site = words.hash();
  uint64_t row = changing | known;
  while (words.next()) {
    const char first_letter = *words.begin();
    if (first_letter >= '0' && first_letter <= '9')
      learned_seeds.rows.insert(key_of(call_site, words.number())) = 1;
    if (first_letter == '=')
      learned_seeds.rows.insert(mix(call_site, label_of_group)) = words.hash(1);
    for (const RowWord& known_word : row_words)
      if (starts_with(words.begin(), known_word.word))
        row = (row | known_word.sets) & ~known_word.clears;
  }
  if ((row & changing) != 0 && !learned_seeds.has_changing) {
    row |= first;
    learned_seeds.has_changing = true;
  }
  learned_seeds.rows.insert(call_site) = row;
}

/// Reads the array of strings behind the name. A quotation mark inside of a string has a backslash
/// before it in JSON, so the name with its marks stands nowhere else; entries have neither.
void read_entries(const char* at, const char* end) {
  Text<32> name;
  name.add('"').add(learned_seeds_key).add('"');
  const size_t length = name.length();
  while (static_cast<size_t>(end - at) > length && __builtin_memcmp(at, name.c_str(), length) != 0)
    ++at;
  if (static_cast<size_t>(end - at) <= length)
    return;
  for (at += length; at != end && *at != ']'; ++at) {
    if (*at != '"')
      continue;
    const char* const begin = ++at;
    while (at != end && *at != '"')
      ++at;
    if (at == end)
      return;
    read_entry(begin, at);
  }
}

Evidence read_evidence() {
  TextPages text;
  struct stat file;
  const char* const name =
      *options().learned_seeds != 0 ? options().learned_seeds : evidence_file_name;
  if (read_file(name, text, file) == 0 &&
      (file.st_uid == 0 || file.st_uid == sys::call(SYS_geteuid)))
    read_entries(text.data(), text.data() + text.length());
  text.clear();
  return learned_seeds.rows.used() > 0 ? Evidence::some : Evidence::none;
}

bool has_entries() {
  const Evidence known = __atomic_load_n(&learned_seeds.evidence, __ATOMIC_ACQUIRE);
  if (known != Evidence::unread)
    return known == Evidence::some;
  const sys::SignalsBlocked no_signals;
  SignalSafeLock guard(learned_seeds.lock);
  if (!guard.held())
    return false;
  if (learned_seeds.evidence == Evidence::unread)
    __atomic_store_n(&learned_seeds.evidence, read_evidence(), __ATOMIC_RELEASE);
  return learned_seeds.evidence == Evidence::some;
}

/// Adds how records name the call site: by the user's line of Python, else by module and offset.
/// False where neither is known.
bool add_name(TextWriter& name, const Caller& caller) {
  PythonCallSite python;
  find_python_call_site(python, PythonDetail::all, false);
  if (python.user >= 0) {
    const PythonFrame& frame = python.frames[python.user];
    name.add_word(file_name(frame.file), blank_in_name).add(':');
    name.add(static_cast<uint64_t>(frame.line));
    return true;
  }
  const Module* const module = caller.module();
  if (module == nullptr)
    return false;
  char path[600];
  module_path(*module, path, sizeof path);
  name.add_word(file_name(path), blank_in_name).add("+0x");
  name.add_hex(reinterpret_cast<uintptr_t>(caller.address()) - module->base);
  return true;
}

} // namespace

LearnedSeed learned_seed(const PassedSeed& seed) {
  if (!has_entries())
    return {};
  Text<700> name;
  if (!add_name(name, seed.caller))
    return {};
  const uint64_t call_site = fnv1a(name.c_str(), name.length());
  const uint64_t* const row = learned_seeds.rows.find(call_site);
  if (row == nullptr)
    return {};
  if (learned_seeds.rows.find(key_of(call_site, seed.value)) != nullptr)
    return {.is_constant = true};
  if ((*row & changing) == 0)
    return {};
  const uint64_t* const shared = learned_seeds.rows.find(mix(call_site, label_of_group));
  const auto is = [row](uint64_t flag) {
    return (*row & flag) != 0;
  };
  return {
      .changes = true,
      .is_of_all = is(alike),
      .is_of_threads = is(of_threads),
      .is_in_order = is(in_order),
      .is_first = is(first),
      .group = shared != nullptr ? *shared : call_site,
  };
}

} // namespace detshim
