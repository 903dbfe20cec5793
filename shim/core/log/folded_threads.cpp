#include "core/log/folded_threads.h"

#include "common/text.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/table.h"

namespace detshim {
namespace {

constexpr uint64_t label_counter = 1, label_count = 2; // of a key

struct FoldedThreads {
  Table<8> known;
  uint32_t generation = 0; ///< in which that was begun
};
constinit FoldedThreads folded;

/// A parent's counters are not this process's.
Table<8>& known_here() {
  if (folded.generation != generation()) {
    folded.known.clear();
    folded.generation = generation();
  }
  return folded.known;
}

} // namespace

bool fold_name(const PathText& path, PathText& name) {
  Text<sizeof(PathText)> text;
  bool is_folded = false;
  constexpr uint64_t limit = threads_kept_apart + 1;
  uint64_t product = 1;
  for (const char* c = path; *c != 0;) {
    if (*c == '~') { // cut: the hash of the whole follows
      text.add("~*");
      is_folded = true;
      break;
    }
    if (*c < '0' || *c > '9') {
      text.add(*c++);
      continue;
    }
    uint64_t number = 0;
    for (; *c >= '0' && *c <= '9'; ++c)
      number = number * 10 + static_cast<uint64_t>(*c - '0');
    if (product <= limit)
      product *= number + 1;
    if (product > limit)
      text.add('*'), is_folded = true;
    else
      text.add(number);
  }
  __builtin_memcpy(name, text.c_str(), text.length() + 1);
  return is_folded;
}

uint64_t count_folded(uint64_t name, uint64_t key) {
  return known_here().insert(mix(mix(name, key), label_count))++;
}

bool is_known_folded(uint64_t name, uint64_t key) {
  return known_here().find(mix(mix(name, key), label_counter)) != nullptr;
}

Counter* folded_counter(uint64_t name, uint64_t key, Action action, int64_t& index, bool& is_new) {
  uint64_t& known_counter = known_here().insert(mix(mix(name, key), label_counter));
  is_new = known_counter == 0;
  if (!is_new)
    return reinterpret_cast<Counter*>(known_counter);
  Counter* const counter = new_counter(action, index);
  share(*counter);
  known_counter = reinterpret_cast<uintptr_t>(counter);
  return counter;
}

} // namespace detshim
