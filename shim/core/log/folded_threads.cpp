#include "core/log/folded_threads.h"

#include "common/sys.h"
#include "common/text.h"
#include "core/base/generations.h"
#include "core/base/hash.h"
#include "core/base/table.h"

namespace detshim {
namespace {

// Of a key, the record's first counter, and the shares that nobody has.
constexpr uint64_t label_first = 1, label_free = 2, label_count = 3;

constinit Table<8> known;
constinit uint32_t generation_of_known = 0;
constinit Share* room = nullptr;
constinit size_t room_left = 0;

/// A parent's counters are not this process's.
Table<8>& known_here() {
  if (generation_of_known != generation()) {
    known.clear();
    generation_of_known = generation();
  }
  return known;
}

uint64_t value_of(uint64_t key) {
  const uint64_t* const value = known_here().find(key);
  return value == nullptr ? 0 : *value;
}

Share* take_room() {
  if (room_left == 0) {
    constexpr size_t size = 4096;
    room = static_cast<Share*>(sys::map(size));
    if (room == nullptr) return nullptr;
    room_left = size / sizeof(Share);
  }
  --room_left;
  return room++;
}

} // namespace

bool fold_name(const PathText& path, PathText& name) {
  Text<sizeof(PathText)> text;
  bool is_folded = false;
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
    for (; *c >= '0' && *c <= '9'; ++c) number = number * 10 + static_cast<uint64_t>(*c - '0');
    if (number > threads_told_apart)
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

bool is_known_folded(uint64_t name, uint64_t key) { return value_of(mix(mix(name, key), label_first)) != 0; }

Counter* share_counter(uint64_t name, uint64_t key, Action action, int64_t& index, bool& is_new,
                       Share*& shares) {
  const uint64_t here = mix(name, key);
  auto* share = reinterpret_cast<Share*>(value_of(mix(here, label_free)));
  is_new = false;
  index = -1;
  if (share != nullptr) {
    known.insert(mix(here, label_free)) = reinterpret_cast<uintptr_t>(share->next);
  } else {
    auto* const first = reinterpret_cast<Counter*>(value_of(mix(here, label_first)));
    is_new = first == nullptr;
    Counter* const counter = new_counter(action, index);
    if (is_new)
      known.insert(mix(here, label_first)) = reinterpret_cast<uintptr_t>(counter);
    else
      count_together(*first, *counter);
    share = index < 0 ? nullptr : take_room();
    if (share == nullptr) return counter;
    *share = {counter, here, nullptr};
  }
  share->next = shares;
  shares = share;
  return share->counter;
}

void leave_shares(Share* shares) {
  for (Share *share = shares, *next; share != nullptr; share = next) {
    next = share->next;
    share->next = reinterpret_cast<Share*>(value_of(mix(share->key, label_free)));
    known.insert(mix(share->key, label_free)) = reinterpret_cast<uintptr_t>(share);
  }
}

} // namespace detshim
